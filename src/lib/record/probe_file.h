/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file that a probe names: a path, or a library or program of this machine by its name. */
#pragma once
#include <dusk/dusk.h>

/*
 * Find @name: a path if it has a slash; else a program in $PATH, or a library where the loader looks for them: "libc", "libc.so.6".
 * *@ret, its real path, is to be freed with free(). Returns 0; or, with the reason in @err,
 * -ENOENT: it was not found; -ENOEXEC: it is no ELF file; or another negative errno.
 */
int probe_file_find(char **ret, const char *name, struct dusk_error *err);
