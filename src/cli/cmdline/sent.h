/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of a store was sent to where: files in the store, which those who send it write (src/fleet/send/position.h). */
#pragma once
#include <stddef.h>
#include <time.h>

/*
 * Set @ret, of @room bytes, to the name of the first profile in @store of which something may still have to be sent; "": nobody
 * sends it. A position that was written before @oldest_s, by CLOCK_REALTIME, is of a server that nothing is sent to any more.
 */
void sent_first_open(char *ret, size_t room, const char *store, time_t oldest_s);

/* Print a row for each place. Returns STATUS_OK, or STATUS_FAILED after an error. */
int sent_print(const char *store);
