/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a user means who names a unit, a container or a cgroup. Patterns are those of glob(7). */
#pragma once
#include <stdbool.h>

#define SHORT_ID 12 /* digits of a container's id that runtimes, and we, show */

bool pattern_is(const char *pattern, const char *text);

/* ".service" may be left out, as for systemctl(1). */
bool pattern_is_unit(const char *pattern, const char *unit);

/* A container has a name, which may be "", and an id, of which SHORT_ID digits or more are enough. */
bool pattern_is_container(const char *pattern, const char *id, const char *name);

/* The path of a cgroup also means those below it. */
bool pattern_is_cgroup(const char *pattern, const char *path);
