/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stacktop [COUNT]: print the COUNT (10) most requested stacks of the stackmap that tools share, with the number of
 * requests since its epoch began; for watch(1). It needs no BPF program of its own, and does not disturb other tools.
 */
#include <dusk/stackmap.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Insert @s into @top, which is sorted; the stack with the fewest requests is dropped. */
static void insert(struct dusk_stack *top, size_t count, struct dusk_stack s)
{
	for (size_t i = 0; i < count; i++)
		if (s.refs > top[i].refs) {
			struct dusk_stack next = top[i];

			top[i] = s;
			s = next;
		}
}

static void print(struct dusk_stackmap *m, const struct dusk_stack *s)
{
	char name[512];

	printf("%" PRIu64 " times\n", s->refs);
	for (uint32_t i = 0; i < s->nr; i++) {
		dusk_stackmap_name(m, s->frame[i], name, sizeof(name));
		printf("    %s\n", name);
	}
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	struct dusk_stack *top = calloc(count + 1, sizeof(*top)), s;
	struct dusk_error err = {"out of memory"};
	struct dusk_stackmap *m = NULL;
	uint64_t cursor = 0;

	if (!top || dusk_stackmap_open(&m, NULL, &err)) {
		fprintf(stderr, "stacktop: %s\n", err.text);
		free(top);
		return 1;
	}
	while (dusk_stackmap_next(m, &cursor, &s)) /* the kernel side may fill it meanwhile */
		insert(top, count, s);
	for (size_t i = 0; i < count && top[i].nr; i++)
		print(m, &top[i]);
	dusk_stackmap_close(m);
	free(top);
	return 0;
}
