/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The folders of cgroup2. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Write where the hierarchy is mounted to @ret. Returns false if it is not. */
bool cgroup_tree_find(char ret[PATH_MAX]);

/*
 * Call @fn for @folder and each folder below it, with its path and its cgroup's number, until it returns another value than 0.
 * What is made or removed meanwhile may be missed. Returns that value, 0, or a negative errno.
 */
int cgroup_tree_each(const char *folder, int (*fn)(void *ctx, const char *path, uint64_t id), void *ctx);
