/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/tool.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/shared/leave.h"
#include "lib/error.h"
#include "lib/unwinder/gracewait.h"
#include "lib/unwinder/object.h"
#include "lib/unwinder/pins.h"
#include "lib/unwinder/uprobes.h"

struct tool {
	struct service *service;
	struct bpf_object *obj;
	struct object_links links;
	struct shared here, counters;
	u64 totals_before[NR_COUNTERS];
};

int tool_open(struct tool **ret, struct service *s, const struct dusk_image *plain, const struct dusk_image *impl,
	      struct dusk_error *err)
{
	enum task_work kfunc;
	struct tool *t;
	int r;

	r = object_task_work(&kfunc, err);
	if (r)
		return r;
	t = calloc(1, sizeof(*t));
	if (!t)
		return error_set(err, -ENOMEM, "cannot open the BPF object: out of memory");
	t->service = s;
	r = object_open(&t->obj, kfunc == TASK_WORK_IMPL ? impl : plain, "dusk", err);
	if (!r) {
		r = service_share(s, t->obj);
		if (!r)
			r = object_configure(t->obj, service_tool(s), service_stack_bits(s));
		if (r)
			error_set(err, r, "the BPF object is not linked with this version of dusk.bpf.o");
	}
	if (r) {
		tool_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

int tool_load(struct tool *t, struct dusk_error *err)
{
	int ret = bpf_object__load(t->obj);

	if (!ret)
		ret = object_show_variables(t->obj);
	if (!ret)
		ret = shared_map(&t->here, t->obj, ".bss.here", true);
	if (!ret)
		ret = shared_map(&t->counters, t->obj, ".bss.counters", false);
	if (ret)
		return object_load_error(ret, err);
	ret = uprobes_check(t->obj, err);
	if (ret)
		return ret;
	for (u32 i = 0; i < NR_COUNTERS; i++)
		t->totals_before[i] = service_total(t->service, i);
	return 0;
}

int tool_attach(struct tool *t, struct dusk_error *err)
{
	return object_attach(&t->links, t->obj, err);
}

void tool_detach(struct tool *t)
{
	object_detach(&t->links);
}

void tool_free(struct tool *t)
{
	if (!t)
		return;
	tool_detach(t);
	for (u32 number = 0; number < MAX_CONSUMERS; number++)
		tool_remove_consumer(t, number);
	shared_unmap(&t->here);
	shared_unmap(&t->counters);
	bpf_object__close(t->obj);
	free(t);
}

struct bpf_object *tool_object(const struct tool *t)
{
	return t->obj;
}

/* Return the handle of consumer @number; 0: there is none. */
static u32 handle_of(const struct tool *t, u32 number)
{
	const struct consumers_here *here = t->here.elements;

	return here && number < MAX_CONSUMERS ? here->handle[number] : 0;
}

/* Return what the service could not send to our consumers. */
static u64 lost(const struct tool *t, enum counter which)
{
	u64 sum = 0;

	for (u32 number = 0; number < MAX_CONSUMERS; number++) {
		const struct consumer *c = tool_consumer(t, number);

		if (c && which == COUNT_LOST_STACKS)
			sum += load_relaxed(&c->lost_stacks);
		if (c && which == COUNT_LOST_MODULES)
			sum += load_relaxed(&c->lost_modules);
		if (c && which == COUNT_LOST_OFFCPU)
			sum += load_relaxed(&c->lost_sums);
	}
	return sum;
}

u64 tool_counter(const struct tool *t, enum counter which)
{
	return shared_sum(&t->counters, which) + service_total(t->service, which) - t->totals_before[which] +
	       lost(t, which);
}

static void forget_map(const struct service *s, const char *name, u32 slot)
{
	bpf_map_delete_elem(service_map(s, name), &slot);
}

static int sweep(void *ctx, u32 slot)
{
	forget_map(ctx, "rings", slot);
	forget_map(ctx, "aggregations", slot);
	return service_sweep_consumer(ctx, slot);
}

static int shut_slot(struct service *s, u32 slot)
{
	return leave_shut(service_registry(s), slot, &(struct leaving){grace_wait, sweep, s});
}

static int close_slot(struct service *s, u32 slot)
{
	return leave_close(service_registry(s), slot, &(struct leaving){grace_wait, sweep, s});
}

/* Is the tool alive that has the consumer at @slot? A dead tool may have had the number that is ours now. */
static bool is_alive(const struct tool *t, u32 slot, u32 tool)
{
	const struct consumers_here *here = t->here.elements;

	if (tool != service_tool(t->service))
		return service_has_tool(t->service, tool);
	for (u32 number = 0; number < MAX_CONSUMERS; number++)
		if (here->handle[number] && consumer_slot(here->handle[number]) == slot)
			return true;
	return false;
}

/* Find a free slot, after freeing all slots of dead tools. Call it with the lock held. */
static int find_slot(const struct tool *t, u32 *ret)
{
	struct registry *r = service_registry(t->service);
	int found = -EUSERS;

	for (u32 slot = 0; slot < MAX_CONSUMERS; slot++) {
		struct consumer *c = &r->consumer[slot];
		bool taken = c->generation & 1 && is_alive(t, slot, c->tool);

		if (taken || (c->tool && close_slot(t->service, slot)))
			continue;
		if (found)
			*ret = slot;
		found = 0;
	}
	return found;
}

static int deliver_by(struct service *s, const char *name, u32 slot, int map)
{
	if (map < 0)
		return 0;
	return bpf_map_update_elem(service_map(s, name), &slot, &map, BPF_ANY) ? -errno : 0;
}

/* Make the consumer known to our programs: the callback first, as a request may come at once. */
static void install(struct consumers_here *here, u32 number, u32 slot, u32 handle, u32 flags)
{
	if (flags & DELIVER_CALLBACK) {
		here->callback[slot] = number + 1;
		fetch_or(&here->callbacks, 1u << slot);
	}
	store_release(&here->handle[number], handle);
}

int tool_add_consumer(struct tool *t, u32 number, u32 flags, int ring, int aggregation, struct dusk_error *err)
{
	struct consumers_here *here = t->here.elements;
	struct registry *r = service_registry(t->service);
	u32 slot = 0, generation;
	int ret;

	if (number >= MAX_CONSUMERS)
		return error_set(err, -EINVAL, "cannot register consumer %u: numbers go up to %d", number,
				 MAX_CONSUMERS - 1);
	if (!here)
		return error_set(err, -EINVAL, "cannot register consumer %u: the programs are not loaded", number);
	if (here->handle[number])
		return error_set(err, -EBUSY, "cannot register consumer %u: it is registered", number);
	ret = service_lock(t->service, PINS_ENTER_MS);
	if (ret == -EBUSY)
		return pins_whose(service_pins(t->service), err);
	if (ret)
		return error_set(err, ret, "cannot register consumer %u: %s", number, strerror(-ret));
	ret = find_slot(t, &slot);
	if (!ret)
		ret = deliver_by(t->service, "rings", slot, ring);
	if (!ret)
		ret = deliver_by(t->service, "aggregations", slot, aggregation);
	if (!ret) {
		struct consumer *c = &r->consumer[slot];

		generation = (c->generation + 1) & 0xffffff;
		c->flags = flags;
		c->tool = service_tool(t->service);
		c->lost_stacks = c->lost_modules = c->lost_sums = 0;
		store_release(&c->generation, generation);
		install(here, number, slot, consumer_handle(slot, generation), flags);
	}
	service_unlock(t->service);
	if (ret == -EUSERS)
		return error_set(err, ret, "cannot register consumer %u: all %d places are taken", number,
				 MAX_CONSUMERS);
	if (ret)
		return error_set(err, ret, "cannot register consumer %u: %s", number, strerror(-ret));
	return 0;
}

int tool_remove_consumer(struct tool *t, u32 number)
{
	struct consumers_here *here = t->here.elements;
	u32 handle = handle_of(t, number), slot = consumer_slot(handle);
	int ret;

	if (!handle)
		return -ENOENT;
	store_release(&here->handle[number], 0);
	ret = service_lock(t->service, PINS_LEAVE_MS);
	if (ret) {
		ret = shut_slot(t->service, slot) ?: ret; /* the tool that next looks for a slot does the rest */
	} else {
		ret = close_slot(t->service, slot);
		service_unlock(t->service);
	}
	fetch_and(&here->callbacks, ~(1u << slot));
	here->callback[slot] = 0;
	return ret;
}

int tool_make_aggregation(u32 rows)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);

	return bpf_map_create(BPF_MAP_TYPE_HASH, "dusk_sums", sizeof(struct aggregation_key),
			      sizeof(struct aggregation_sum), rows, &opts);
}

int tool_set_aggregation(struct tool *t, u32 number, int aggregation)
{
	u32 handle = handle_of(t, number);
	int ret;

	if (!handle)
		return -ENOENT;
	ret = deliver_by(t->service, "aggregations", consumer_slot(handle),
			 aggregation); /* no lock: the slot is ours */
	return ret ?: grace_wait(&service_registry(t->service)->grace);
}

const struct consumer *tool_consumer(const struct tool *t, u32 number)
{
	u32 handle = handle_of(t, number);

	return handle ? &service_registry(t->service)->consumer[consumer_slot(handle)] : NULL;
}

void tool_due(const struct tool *t, u32 number, void (*fn)(void *ctx, u64 cookie), void *ctx)
{
	u32 handle = handle_of(t, number);

	if (handle)
		service_due(t->service, consumer_slot(handle), fn, ctx);
}
