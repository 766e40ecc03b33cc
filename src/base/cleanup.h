/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Free locals at the end of their scope: _cleanup_(fn) makes the compiler call fn; steal() hands the value out before.
 */
#pragma once
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* Return the value of the pointer variable @p and set @p to NULL. */
#define steal(p)                                    \
	({                                          \
		__typeof__(p) *steal_from = &(p);   \
		__typeof__(p) stolen = *steal_from; \
		*steal_from = NULL;                 \
		stolen;                             \
	})

/* Like steal(), for a file descriptor: it is set to -1. */
static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void closedirp(DIR **d)
{
	if (*d)
		closedir(*d);
}
