/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send a store, as a program does whose command line says how:
 *
 *	send		what is there, and say how much that was
 *	send-rest	the same, without a word on it
 *	follow		again and again, until SIGTERM or SIGINT; what fails is tried again
 */
#pragma once
#include <stdbool.h>
#include "fleet/send/target.h"

/* Is @how one of these words? */
bool send_is_meant(const char *how);

/* Do it. Returns the exit status, having said what failed. Catches SIGTERM and SIGINT. */
int send_store(struct target *t, const char *store, const char *how);
