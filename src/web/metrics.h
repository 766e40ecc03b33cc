/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a store, and what the recorder counts, for Prometheus (its text format 0.0.4). */
#pragma once
#include <stdint.h>
#include <stdio.h>

/*
 * Write them to @out. @dusk: the program that reads the newest profile. Errors of reading it leave its numbers out, and
 * dusk_recorder_read is 0. Returns 0, or a negative errno: the store cannot be read.
 */
int metrics_write(FILE *out, const char *store, const char *dusk);

/* Count a request that was answered with the HTTP @status. Any thread may do that. */
void metrics_count(unsigned int status);
