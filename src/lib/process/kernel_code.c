/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/kernel_code.h"
#include <errno.h>
#include <stdlib.h>
#include "base/rank.h"

#define TRAMPOLINE_BYTES 4096

void kernel_code_done(struct kernel_code *k)
{
	vec_done(&k->pieces);
	strings_done(&k->names);
	map_done(&k->at);
	map_done(&k->bytes);
}

static int add(struct kernel_code *k, const struct kernel_code_piece *p, const char *name)
{
	struct kernel_code_piece piece = *p;
	uint32_t *last;
	bool fresh;

	piece.name = strings_intern(&k->names, name);
	last = map_at(&k->at, piece.start, &fresh);
	if (!piece.name || !last || vec_push(&k->pieces, piece))
		return -ENOMEM;
	*last = k->pieces.nr;
	if (piece.bytes > k->max_bytes)
		k->max_bytes = piece.bytes;
	return 0;
}

int kernel_code_came(struct kernel_code *k, uint64_t start, uint64_t bytes, const char *name, uint64_t time_ns)
{
	const struct kernel_code_piece p = {start, bytes, time_ns, time_ns, CODE_STAYS, NULL};

	return add(k, &p, name);
}

int kernel_code_went(struct kernel_code *k, uint64_t start, uint64_t bytes, const char *name, uint64_t time_ns,
		     uint64_t begun_ns)
{
	const struct kernel_code_piece p = {start, bytes, 0, begun_ns, time_ns, NULL};
	uint32_t *last = map_find(&k->at, start);

	if (!last || k->pieces.v[*last - 1].gone_ns != CODE_STAYS)
		return add(k, &p, name);
	k->pieces.v[*last - 1].gone_ns = time_ns;
	return 0;
}

int kernel_code_stays(struct kernel_code *k, uint64_t start, uint64_t bytes)
{
	bool fresh;
	uint32_t *size = map_at(&k->bytes, start, &fresh);

	if (!size)
		return -ENOMEM;
	*size = bytes;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct kernel_code_piece *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int kernel_code_loads(struct kernel_code *k, uint64_t address, struct code_loads *ret)
{
	size_t i;

	ret->nr = 0;
	if (!k->sorted && k->pieces.nr)
		qsort(k->pieces.v, k->pieces.nr, sizeof(*k->pieces.v), by_start);
	k->sorted = true;
	i = rank_of(k->pieces.v, k->pieces.nr, sizeof(*k->pieces.v), address);
	while (i-- && address - k->pieces.v[i].start < k->max_bytes) {
		const struct kernel_code_piece *p = &k->pieces.v[i];
		const struct code_load load = {p->after_ns, p->by_ns, p->gone_ns, p->start, p->name, 0};

		if (address - p->start < p->bytes && vec_push(ret, load))
			return -ENOMEM;
	}
	return 0;
}

bool kernel_code_holds(const struct kernel_code *k, uint64_t start, uint64_t address)
{
	const uint32_t *bytes = map_find(&k->bytes, start);

	return !k->bytes.nr || address - start < (bytes ? *bytes : TRAMPOLINE_BYTES);
}
