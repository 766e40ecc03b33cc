/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open a folder only if no other user controls any part of its path.
 *
 * $HOME and $XDG_CACHE_HOME may be set by another user: under sudo they are often those of the caller, which could
 * plant links. So each folder and each link on the path must belong to root or to our user, only sticky folders may be
 * writable for all, and the last folder must be ours and writable for our user only.
 */
#pragma once
#include <stdbool.h>

/* The number of folders at the end of the path that may be missing, and are created if @make. */
#define OWN_FOLDERS 2

/* Open the folder at @path. Returns a descriptor, -ENOENT (missing), -EPERM (another user controls a part), ... */
int own_folder_open(const char *path, bool make);
