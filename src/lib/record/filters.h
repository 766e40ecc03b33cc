/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter (base/tracefs_filter.h) for the records of one event, as its program takes it. */
#pragma once
#include <dusk/dusk.h>
#include "abi/event.h"
#include "lib/record/fields.h"

/* Make *@ret of @text for event @number of @f, @name. Returns 0; or -EINVAL, with the reason in @err. */
int filters_compile(struct event_filter *ret, const char *text, const struct fields *f, uint32_t number,
		    const char *name, struct dusk_error *err);
