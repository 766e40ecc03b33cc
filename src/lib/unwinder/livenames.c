/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/livenames.h"
#include "abi/frame.h"
#include "lib/process/module_event.h"
#include "lib/symbols/naming.h"
#include "lib/unwinder/probe.h"

struct asking {
	struct live_symbols *user;
	struct dusk_symbols *kernel; /* NULL: the kernel hides its addresses */
	struct naming names;
};

static int name_kernel(struct asking *a, const struct dusk_stack *stack, uint32_t i)
{
	bool known;
	char build_id[2 * BUILD_ID_BYTES + 1];
	struct dusk_symbol symbol;
	int err = 0;

	if (!map_find(&a->names.file, FRAME_KERNEL)) {
		probe_kernel_build_id(build_id, sizeof(build_id));
		err = naming_file(&a->names, FRAME_KERNEL, "[kernel]", build_id);
	}
	known = a->kernel && !dusk_symbols_find(a->kernel, stack, i, &symbol);
	return err ?: naming_add(&a->names, stack, i, known ? &symbol : NULL);
}

static int name_user(struct asking *a, const struct dusk_stack *stack, uint32_t i)
{
	uint32_t number = frame_module(stack->frame[i]);
	struct dusk_place place;
	struct module_event met;
	int err = 0;

	if (number != FRAME_ANON && !map_find(&a->names.file, number) && !live_symbols_module(a->user, number, &met))
		err = naming_file(&a->names, number, met.path, met.build_id);
	live_symbols_find(a->user, stack->frame[i], &place);
	return err
		       ?: naming_add(&a->names, stack, i,
				     &(struct dusk_symbol){place.function, place.module, place.offset, 0});
}

static int name_frame(struct asking *a, const struct dusk_stack *stack, uint32_t i)
{
	if (naming_has(&a->names, stack, i))
		return 0;
	return frame_module(stack->frame[i]) == FRAME_KERNEL ? name_kernel(a, stack, i) : name_user(a, stack, i);
}

int livenames_give(struct dusk_stacks *s, struct live_symbols *names)
{
	struct asking a = {.user = names};
	int err = 0;

	dusk_symbols_kallsyms(&a.kernel, "/proc/kallsyms", NULL);
	for (size_t k = 0; k < s->nr; k++)
		for (uint32_t i = 0; !err && i < s->v[k].nr; i++)
			err = name_frame(&a, &s->v[k], i);
	err = err ?: naming_give(&a.names, s);
	naming_done(&a.names);
	dusk_symbols_free(a.kernel);
	return err;
}
