/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of stacks on any bytes: what it takes can be written, and read again as the same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/stacks/fsmb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dusk_stacks *write_and_read(const struct dusk_stacks *s)
{
	struct dusk_stacks *again = NULL;
	int fd = memfd_create("stacks", MFD_CLOEXEC), err;
	char *bytes;
	off_t len;

	assert(fd >= 0 && !dusk_stacks_write(s, fd));
	len = lseek(fd, 0, SEEK_END);
	bytes = malloc(len);
	err = pread(fd, bytes, len, 0) != len || fsmb_parse(&again, bytes, len, "", NULL);
	assert(!err);
	close(fd);
	return again;
}

static bool equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Each string is read to its end. */
static void compare_names(const struct dusk_stacks *a, const struct dusk_stacks *b, size_t k)
{
	for (uint32_t i = 0; i < a->v[k].nr; i++) {
		struct dusk_symbol x = {}, y = {};
		int err = dusk_stacks_find(a, &a->v[k], i, &x);

		assert(err == dusk_stacks_find(b, &b->v[k], i, &y));
		assert(err || (equal(x.name, y.name) && equal(x.module, y.module)));
		assert(x.offset == y.offset && x.size == y.size);
	}
}

static void compare_modules(const struct dusk_stacks *a, const struct dusk_stacks *b)
{
	struct dusk_stack_module x, y;
	size_t i = 0;

	for (; !dusk_stacks_module(a, i, &x); i++) {
		assert(!dusk_stacks_module(b, i, &y));
		assert(x.number == y.number && equal(x.path, y.path) && equal(x.build_id, y.build_id));
	}
	assert(dusk_stacks_module(b, i, &y));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size + 1);
	struct dusk_stacks *s, *again;

	memcpy(bytes, data, size);
	if (fsmb_parse(&s, bytes, size, "", NULL))
		return 0;
	again = write_and_read(s);
	assert(again->nr == s->nr && !*again->damage && !again->merged);
	for (size_t i = 0; i < s->nr; i++) {
		const struct dusk_stack *a = &s->v[i], *b = &again->v[i];

		assert(a->id == b->id && a->nr && a->nr == b->nr);
		assert(!memcmp(a->frame, b->frame, a->nr * sizeof(*a->frame)));
		compare_names(s, again, i);
		assert(b->refs == (a->refs < UINT32_MAX ? a->refs : UINT32_MAX));
	}
	compare_modules(s, again);
	dusk_stacks_free(s);
	dusk_stacks_free(again);
	return 0;
}
