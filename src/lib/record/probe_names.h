/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that the user of a probe may have meant. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "lib/record/probe_word.h"
#include "lib/symbols/sites.h"

/* Write "; near it are a, b, c" to @ret, or "": up to three names like that of @w. */
void probe_names_near(char *ret, size_t room, const struct probe_word *w, const struct sites *sites);

/* The same for functions of the running kernel. False: it has one of that name, or does not tell. */
bool probe_names_near_kernel(char *ret, size_t room, const struct probe_word *w);
