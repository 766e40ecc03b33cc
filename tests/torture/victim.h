/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What scenarios have in common: a thread that is in known functions and says so (truth.h).
 *
 * Everything but the bodies and what is above run() in the chain is inline: a function of the victim that is called by
 * a body would be a frame that the truth does not know.
 */
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include "truth.h"

/* A function that stays what it is: not inlined, not merged with its like, not copied for some of its callers. */
#ifdef __clang__
#define KNOWN __attribute__((noinline))
#else
#define KNOWN __attribute__((noipa))
#endif
#define INLINE static inline __attribute__((always_inline))

/* Where a thread is. */
struct place {
	uint32_t tid, pid, path, level;
	uint64_t dice;
};

extern struct truth *truth;
extern __thread struct place place;
extern uint64_t deadline_ns;
extern char **arguments;	    /* of main() */
extern volatile unsigned long sink; /* written after each call, so that none becomes a jump */

INLINE uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

INLINE bool time_is_up(void)
{
	return now_ns() >= deadline_ns;
}

INLINE struct truth_entry *truth_claim(void)
{
	uint64_t i = __atomic_fetch_add(&truth->nr, 1, __ATOMIC_RELAXED);

	return i < TRUTH_ENTRIES ? &truth->entry[i] : NULL;
}

/* We are in place.path from here on ... */
INLINE struct truth_entry *truth_begin(void)
{
	struct truth_entry *e = truth_claim();

	if (e) {
		e->tid = place.tid;
		e->pid = place.pid;
		e->path = place.path;
		e->level = place.level;
		e->start_ns = now_ns();
	}
	return e;
}

/* ... to here. */
INLINE void truth_end(struct truth_entry *e)
{
	if (e)
		e->end_ns = now_ns();
}

/* TRUTH_DOOM, said before @pid is killed, exits or execs, or TRUTH_BIRTH. */
INLINE void truth_note(uint16_t what, pid_t pid)
{
	struct truth_entry *e = truth_claim();

	if (e) {
		e->path = what;
		e->pid = pid;
		e->start_ns = now_ns();
	}
}

/* Below @n. */
INLINE unsigned int dice(unsigned int n)
{
	place.dice = place.dice * 6364136223846793005ULL + 1442695040888963407ULL;
	return (place.dice >> 33) % n;
}

INLINE void burn_cycles(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		sink++;
}

INLINE void nap_us(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

/* A new thread or process says so before all else. */
void place_init(void);

/* Be in a path, once. */
void run(unsigned int path);

/* Be in paths by chance, with one of the bodies of @mask, @times or until the time is up. */
void run_some(unsigned int mask, unsigned int times);
#define ANY(name) (1U << BODY_##name)
#define USUAL (ANY(burn) | ANY(nap) | ANY(calls) | ANY(touch))

/* A handler that is in a path. */
void on_signal(int signal);
void handle_signals(bool alternate_stack);

/* fork(), and the child says its ids. It dies with us. */
pid_t fork_victim(void);

/* The same, and the child does run_some() and exits. */
pid_t start_worker(unsigned int mask, unsigned int times);

/* The same in a thread with a stack of @bytes at @stack (NULL: malloc()). */
pthread_t start_thread(unsigned int mask, unsigned int times, void *stack, size_t bytes);

/* Say that it is doomed, kill it, reap it. */
void end_worker(pid_t pid);

/* Write @text to @file: 0, or a negative errno. */
int write_file(const char *file, const char *text);

/* The folder of the log, and a file of @bytes in it, open: a descriptor. */
extern char folder[];
int make_file(const char *name, size_t bytes);

/* A folder for us in the cgroup tree that has @file, for example "cgroup.freeze"; NULL: there is none. */
const char *make_cgroup(const char *file);

/* Write @text to @file of the folder. 0, or a negative errno. */
int write_cgroup(const char *file, const char *text);
void remove_cgroup(void);

/* exit(77) with the reason. */
__attribute__((noreturn)) void cannot(const char *what);

#define X(name) void name(void);
BODIES(X)
#undef X

/* One row each: name, what happens. */
#define SCENARIOS(X)                                                        \
	X(plain, "four threads burn, sleep, call, fault")                   \
	X(execs, "images replace each other, also from threads")            \
	X(signals, "handlers, nested, on the own and on alternate stacks")  \
	X(threads, "threads that live for some paths")                      \
	X(forks, "processes that live for some paths")                      \
	X(pids, "processes that all have the same few PIDs")                \
	X(namespaces, "user and PID namespaces, pid_max of 310")            \
	X(migrations, "from CPU to CPU, by itself and by others")           \
	X(tracing, "ptrace attach, single steps, detach; SIGSTOP, SIGCONT") \
	X(kills, "kill -9 in every state")                                  \
	X(freezer, "a cgroup that is frozen and thawed")                    \
	X(pageout, "stacks and tables paged out")                           \
	X(limit, "a memory cgroup at its limit, and beyond")                \
	X(workers, "io_uring's worker threads")                             \
	X(pending, "threads that block with a request pending")
#define X(name, sentence) void scenario_##name(void);
SCENARIOS(X)
#undef X
