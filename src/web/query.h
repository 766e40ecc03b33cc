/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parameters of an address. */
#pragma once
#include "web/route.h"

/* Return "?a=b&c=d" of @v, encoded, to be freed; "" if there is none. NULL: memory is short. */
char *query_of(const struct asked *v, size_t nr);
