/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is shown on the stacks of off-CPU intervals, and is no part of them?
 *
 * It begins with a frame that is in no module. Wakers are shown as offwaketime does: "--", the stack from the innermost
 * frame to the outermost, the name.
 */
#pragma once
#include "report/model/filter.h"

/* "[sleeping]": the off-CPU interval's state. 0 or -ENOMEM. */
int synthetic_marks(struct filtered *f);

/* Who ended the off-CPU interval, and who woke that one, up to @max wakers. 0 or -ENOMEM. */
int synthetic_wakers(struct filtered *f, uint32_t max);
