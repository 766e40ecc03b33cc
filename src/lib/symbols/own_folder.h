/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is this folder really where its name says, and ours?
 *
 * $HOME and $XDG_CACHE_HOME are what somebody has set: under sudo often the caller's, who could put links there. So
 * each folder and each link on the way belongs to root or to us, only the sticky ones are open to all, and the last one
 * is ours and nobody else's to write to.
 */
#pragma once
#include <stdbool.h>

/* Those that may be missing, and are made if @make: the last two. */
#define OWN_FOLDERS 2

/* A descriptor of the folder at @path. -ENOENT: it is not there yet; -EPERM: it is not ours; ... */
int own_folder_open(const char *path, bool make);
