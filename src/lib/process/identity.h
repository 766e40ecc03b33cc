/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is an open file the one that a process has mapped, and whose word is its content?
 *
 * Anybody can make a file with the build id of another one, and with other names in it. So a build id is believed of a
 * file of root's or of our own, that nobody else may write to; and else of the recorded file alone, by its device and
 * inode.
 */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>
#include <stdint.h>
#include "abi/event.h"

#define IDENTITY_OURS 0 /* root, or our user */
#define IDENTITY_ANYBODY \
	(-1LL) /* others may write to the file, or its owner is the word of a file system of another user */

/* Return the one user who has written the content of @fd: a user id, IDENTITY_OURS for our own too, or IDENTITY_ANYBODY. */
int64_t identity_owner(int fd);

/* Return whether @fd is the file recorded as @m. */
bool identity_recorded(const struct dusk_module *m, int fd);

/*
 * Return whether @fd, opened by /proc/PID/map_files, is the file @m of which @e tells: the process may have mapped another one
 * meanwhile. The kernel's numbers of a file on overlayfs or btrfs are not those of stat(), so the inode's owner and size
 * count, too. If it is the file, @m gets the numbers of stat(), by which it is known from now on.
 */
bool identity_mapped(struct dusk_module *m, const struct event_module *e, int fd);
