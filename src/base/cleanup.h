/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who frees a local when its scope ends? The compiler: _cleanup_(fn) on the local; steal() takes it away from that. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* The value of pointer @p, which is NULL from now on. */
#define steal(p)                                    \
	({                                          \
		__typeof__(p) *steal_from = &(p);   \
		__typeof__(p) stolen = *steal_from; \
		*steal_from = NULL;                 \
		stolen;                             \
	})

/* The same for a file descriptor. */
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
