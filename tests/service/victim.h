/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* victims/path.c as a process: its commands, and its state. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct victim {
	pid_t pid;
	int in, out;
};

/* Start it in @mode; it is ready. It dies with us. */
struct victim victim_start(const char *mode);

/* Let it read @nr bytes. */
void victim_feed(struct victim *v, int nr);

/* Wait until thread @tid sleeps in a system call. */
void victim_wait_asleep(const struct victim *v, pid_t tid);

/* Wait until the victim has read all that it was fed, and sleeps again. */
void victim_wait_fed(const struct victim *v);

/* Kill and reap it. */
void victim_end(struct victim *v);

/* The address of @function in its process. */
uint64_t victim_address(const struct victim *v, const char *function);

/* The offset of @function in its file, and the file. */
uint64_t victim_offset(const char *function);
const char *victim_path(void);
