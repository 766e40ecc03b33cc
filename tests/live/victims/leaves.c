/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * leaves exit|exec|thread-exec FILE MS: threads that block until their process ends: by exit(), or by execve() of the
 * first or of another thread. FILE (truth.h) says for how long. One of them was in that place before; after execve()
 * the new program says how much later it began, and how long it sleeps.
 */
#include <pthread.h>
#include <unistd.h>
#include "truth.h"

#define TIMES 10

struct leaver {
	const char *function;
	void (*block)(int fd);
	int ends[2];
	struct watch watch;
	struct moment before;
	int is_away;
};

volatile unsigned long sink;
static unsigned long ms;

KNOWN void block_until_the_end(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		exit(1);
	sink++;
}

KNOWN void block_again_until_the_end(int fd)
{
	char c;

	for (;;)
		if (read(fd, &c, 1) != 1)
			exit(1);
	sink++;
}

KNOWN void block_in_main(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		exit(1);
	sink++;
}

static struct leaver leavers[] = {
	{"block_until_the_end", block_until_the_end},
	{"block_again_until_the_end", block_again_until_the_end},
	{"block_in_main", block_in_main},
};
#define NR_LEAVERS (sizeof(leavers) / sizeof(leavers[0]))

KNOWN void *leave(void *arg)
{
	struct leaver *l = arg;

	watch_me(&l->watch);
	l->before = moment_before(&l->watch);
	__atomic_store_n(&l->is_away, 1, __ATOMIC_RELEASE);
	l->block(l->ends[0]);
	sink++;
	return NULL;
}

KNOWN void sleep_after_exec(unsigned long sleep_ms)
{
	sleep_ns(sleep_ms * 1000000);
	sink++;
}

/* @told_ns: when the old program said how long its threads blocked; they did so until now at most. */
static void tell_after_exec(unsigned long told_ns)
{
	struct moment before;
	struct watch watch;
	char line[64];

	snprintf(line, sizeof(line), "exec 0 %lu - - - -\n", now_ns() - told_ns);
	write_truth(line);
	watch_me(&watch);
	before = moment_before(&watch);
	sleep_after_exec(ms);
	tell_truth("sleep_after_exec", &watch, &before);
}

static void end(const char *how, const char *file)
{
	char ms_text[32], told_text[32];

	for (int i = 0; i < TIMES; i++) {
		sleep_ns(ms * 100000);
		if (write(leavers[1].ends[1], "x", 1) != 1)
			exit(1);
	}
	sleep_ns(ms * 1000000);
	snprintf(ms_text, sizeof(ms_text), "%lu", ms);
	snprintf(told_text, sizeof(told_text), "%lu", now_ns());
	for (size_t i = 0; i < NR_LEAVERS; i++)
		if (leavers[i].is_away) /* and cannot say it itself */
			tell_truth_of(leavers[i].function, &leavers[i].watch, &leavers[i].before);
	if (!strcmp(how, "exit"))
		_exit(0);
	execl("/proc/self/exe", "leaves", "after", file, ms_text, told_text, NULL);
	_exit(1);
}

static char **arguments;

static void *end_in_thread(void *arg)
{
	end(arguments[1], arguments[2]);
	return NULL;
}

int main(int argc, char **argv)
{
	int is_other = argc > 1 && !strcmp(argv[1], "thread-exec");
	pthread_t thread;

	if (argc < (argc > 1 && !strcmp(argv[1], "after") ? 5 : 4) || open_truth(argv[2]))
		return 2;
	arguments = argv;
	ms = atoi(argv[3]);
	if (!strcmp(argv[1], "after")) {
		tell_after_exec(strtoul(argv[4], NULL, 10));
		return 0;
	}
	for (size_t i = 0; i < NR_LEAVERS; i++)
		if (pipe2(leavers[i].ends, O_CLOEXEC))
			return 1;
	for (size_t i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, leave, &leavers[i]))
			return 1;
	if (!is_other)
		end(argv[1], argv[2]);
	if (pthread_create(&thread, NULL, end_in_thread, NULL))
		return 1;
	leave(&leavers[2]);
	return 1;
}
