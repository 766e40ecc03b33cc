/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which mappings with a path are memory that a process has made, as records of perf and /proc/PID/maps show them. The kernel side
 * decides it by the file system (core/filesystem.h).
 */
#pragma once
#include <stdbool.h>

/*
 * Is a mapping of @path of no file, or of memory that the kernel keeps as a file? A program may be in such memory, too; but then it
 * is mapped privately, and not @shared.
 */
bool made_memory(const char *path, bool shared);

/* Is @path on a file system that exists in memory only, as far as a path can tell? */
bool made_memory_holds(const char *path);
