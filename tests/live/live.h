/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What live tests have in common: start a victim, run `dusk record`, read the profile, and look at its stacks.
 *
 * Whatever fails here fails the test that called. Nothing waits for ever.
 */
#pragma once
#include <dusk/dusk.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <cmocka.h>

#define MAX_LIVE_DEPTH 2304

/* Where the test's files are; removed at the end. */
extern char live_folder[];

/* Run @tests: argv is [self, dusk, folder of victims], or [self]. Skips all where dusk cannot work. For main(). */
int live_main(int argc, char **argv, const struct CMUnitTest *tests, size_t nr_tests);
#define LIVE_MAIN(argc, argv, tests) live_main(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]))

/* Does the kernel's BTF know function @name? */
bool live_has_kernel_function(const char *name);

/* The path of victim @name; valid until the eighth call from now. */
const char *live_victim(const char *name);

/* The path of dusk itself. */
const char *live_dusk(void);

/* A file in the test's folder; likewise. */
const char *live_file(const char *name);

/*
 * A file of one page that holds a number, mapped here and by the victims that count in it. To be unmapped: 4096
 * bytes.
 */
volatile unsigned long *live_number(const char *path);

/* Start a program, and wait until it says "ready" if @wait. It dies with us. @words end with NULL. */
pid_t live_start(bool wait, const char *const *words);
#define START(...) live_start(true, (const char *const[]){__VA_ARGS__, NULL})

/* Kill and reap it. */
void live_end(pid_t pid);

/* Wait until it is, and stays, in @state of /proc/PID/stat: 'S' sleeps, 'T' is stopped. */
void live_wait_state(pid_t pid, char state);

/* Wait until it has been on the CPUs for @ms more. */
void live_wait_cpu(pid_t pid, int ms);

/* The exit status of a program; 128 and the signal if one ended it. Fails if it is not over after @seconds. */
int live_wait(pid_t pid, int seconds);

/* Run `dusk record -q -o FILE ...` to its end: its exit status. It records ticks, unless -e is given. */
int live_record(const char *file, const char *const *words);
#define RECORD(file, ...) live_record(file, (const char *const[]){__VA_ARGS__, NULL})

/* Record process @pid until it has been on the CPUs for @ms, however long that takes on a machine that is busy. */
int live_record_process(const char *file, pid_t pid, int ms, const char *const *words);
#define RECORD_PROCESS(file, pid, ms, ...) live_record_process(file, pid, ms, (const char *const[]){__VA_ARGS__, NULL})

/* Start it, to be ended with live_wait(). */
pid_t live_spawn_record(const char *file, const char *const *words);

/* The same, but return when it records. To be ended with live_wait() or live_stop_record(). */
pid_t live_start_record(const char *file, const char *const *words);
#define START_RECORD(file, ...) live_start_record(file, (const char *const[]){__VA_ARGS__, NULL})

/* SIGINT, and wait for the whole file. */
int live_stop_record(pid_t pid);

struct dusk_profile *live_read(const char *file);
uint64_t live_counter(const struct dusk_profile *p, const char *name);

static inline void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}
#define _cleanup_profile_ __attribute__((cleanup(profile_freep))) struct dusk_profile *

/* The user part of a stack; frame[0] is the innermost. */
struct live_frame {
	const char *path, *name; /* name: NULL if it has none */
	uint64_t offset;
	bool is_return; /* no: of the code that runs, or that a signal interrupted */
};

struct live_stack {
	size_t nr;
	struct live_frame frame[MAX_LIVE_DEPTH];
};

void live_user_stack(const struct dusk_profile *p, uint32_t node, struct live_stack *ret);

/* Is @name a kernel function in the stack of @node? */
bool live_kernel_has(const struct dusk_profile *p, uint32_t node, const char *name);

/*
 * The functions from main inwards, or from the outermost if main is not among them: "main work*20 burn". What has no
 * name is "?". Without __syscall_cancel() and its kin, which glibc from 2.41 on has between send() and the kernel. To
 * be freed with free().
 */
char *live_sentence(const struct live_stack *s);

/* That of the user stack that @node is in. To be freed with free(). */
char *live_sentence_at(const struct dusk_profile *p, uint32_t node);

enum dusk_outcome_class live_class(const struct dusk_profile *p, const struct dusk_sample *s);
const char *live_outcome(const struct dusk_profile *p, const struct dusk_sample *s);

/* How many samples have the outcome of that name? */
uint64_t live_outcome_samples(const struct dusk_profile *p, const char *outcome);

/*
 * The counters of a finished recording add up, the file holds a sample for each that was counted, and what is called
 * complete has frames.
 */
void live_check_counters(const struct dusk_profile *p);

/* Is the sample's process @pid? */
bool live_is_of(const struct dusk_profile *p, const struct dusk_sample *s, pid_t pid);

/* Samples of process @pid (0: of all) with a user stack, and how many of those are complete. */
struct live_tally {
	uint64_t samples, walked, complete;
};
struct live_tally live_count(const struct dusk_profile *p, pid_t pid);

/* Does @text match the extended regular expression @pattern? */
bool live_matches(const char *text, const char *pattern);

double live_now_s(void);
void live_sleep_ms(int ms);
