/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shorten the names of functions for people.
 *
 * A name that is too wide loses the arguments of its templates, then its parameters, and only then its middle:
 * "std::vector<...>::push_back(...)". The result may be the same for different functions.
 */
#pragma once
#include <stddef.h>

#define SHORT_NAME_MAX 250 /* columns */
#define SHORT_NAME_ROOM (4 * SHORT_NAME_MAX + 1)

/*
 * Shorten @name to @width columns of a terminal, at least 8 and at most SHORT_NAME_MAX. Returns @name if it fits or
 * memory is short, else @buffer, of SHORT_NAME_ROOM bytes.
 */
const char *short_name(const char *name, size_t width, char *buffer);
