/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Remove an incomplete file if a signal ends the process. One file at a time. */
#pragma once

/*
 * Make a file by mkostemp(3). @name ends with XXXXXX, belongs to the caller, and must stay valid until remnant_done().
 * Returns a descriptor or a negative errno.
 */
int remnant_make(char *name);

/* The file is complete and renamed, or removed: stop watching it. */
void remnant_done(void);
