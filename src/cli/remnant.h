/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file that goes away if a signal ends us before it is whole. One at a time. */
#pragma once

/*
 * mkostemp(3): @name ends with XXXXXX, and stays the caller's until remnant_done(). A descriptor or a negative errno.
 */
int remnant_make(char *name);

/* It is whole, and has its name; or it is gone. */
void remnant_done(void);
