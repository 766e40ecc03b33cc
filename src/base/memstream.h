/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of an open_memstream(), which has all that was written to it, or memory was short. */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Close @out. Returns @err unless it is 0; else 0, or -ENOMEM: something is missing. The text is the caller's to free in any case. */
static inline int memstream_end(FILE *out, int err)
{
	bool failed = ferror(out);

	failed |= fclose(out) != 0;
	return err ?: (failed ? -ENOMEM : 0);
}
