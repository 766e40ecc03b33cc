/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leave out the functions of an interpreter that run code which is shown itself.
 *
 * In a stack, code that an interpreter runs lies inside the frame of the interpreter's function that runs it: a loop over
 * instructions, which says nothing. One call of it may run several functions of the language, of which the outermost is
 * called by it. So what is left out is the caller of each such function, if it is not of the language.
 */
#pragma once
#include "report/model/filter.h"

/* Change @f so. Returns 0 or -ENOMEM. */
int native_hide(struct filtered *f);

/* Mark in @ret, by module of @p, those with functions of an interpreter that run code which is shown. */
void native_interpreters(const struct dusk_profile *p, bool *ret);
