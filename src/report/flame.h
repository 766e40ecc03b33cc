/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does the profile look like as a flame graph in a browser? */
#pragma once
#include <stdio.h>

#include <dusk/dusk.h>

/*
 * Write @p to @out as one HTML file that needs nothing else: data, viewer and style are inside, and its content
 * security policy allows neither a request nor any script but its own. Names in @p need not be trusted, nor be UTF-8.
 * @title heads the page. 0, -ENOMEM, or why @out could not be written (-ENOSPC, ...); @out is flushed, not closed.
 */
int flame_write(FILE *out, const struct dusk_profile *p, const char *title);
