/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A FUSE server for one file, of which some pages never come. It speaks the kernel's protocol (linux/fuse.h) itself: a
 * library would answer everything.
 */
#pragma once
#include <sys/types.h>

struct served {
	int fd;		/* where the bytes come from */
	off_t size;	/* what the file claims to have */
	off_t from, to; /* reads of these bytes are not answered; writes never are */
	int unopened;	/* requests to open it are not answered either */
};

/*
 * Mount on @folder, with the powers of the current user namespace, a file system that has @file as "file". Returns when
 * it can be used, or -1. Opened with O_APPEND, the file bypasses the cache. Its server dies with the calling thread.
 */
int fuse_serve(const char *folder, const struct served *file);
