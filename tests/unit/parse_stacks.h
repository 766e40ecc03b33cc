/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of stacks that is to be read without an error, behind <cmocka.h>. */
#pragma once
#include "lib/stacks/fsmb.h"

static void stacks_freep(struct dusk_stacks **s)
{
	dusk_stacks_free(*s);
}

static struct dusk_stacks *parse(char *bytes, size_t len)
{
	struct dusk_stacks *s = NULL;
	struct dusk_error err = {""};
	int e = fsmb_parse(&s, bytes, len, "specimen", &err);

	if (e)
		fail_msg("%d: %s", e, err.text);
	return s;
}
