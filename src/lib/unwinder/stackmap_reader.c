/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/stackmap_reader.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "abi/frame.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "lib/error.h"
#include "lib/unwinder/livenames.h"
#include "lib/unwinder/pins.h"
#include "lib/stacks/stackset.h"
#include "lib/unwinder/stackstat.h"

struct dusk_stackmap {
	struct service *service; /* our own process's, which owns map, registry, pins and names; else NULL */
	struct pins *pins;	 /* NULL: of a service that is not shared */
	struct registry *registry;
	struct stackmap *map;
	struct live_symbols *names;
	int named, codes, stacks;
};

int stackmap_reader_of(struct dusk_stackmap **ret, struct service *s, struct live_symbols *names)
{
	struct dusk_stackmap *m = malloc(sizeof(*m));

	if (!m)
		return -ENOMEM;
	*m = (struct dusk_stackmap){
		.service = s,
		.pins = service_pins(s),
		.registry = service_registry(s),
		.map = service_stacks(s),
		.names = names,
		.named = -1,
		.codes = -1,
		.stacks = -1,
	};
	*ret = m;
	return 0;
}

void dusk_stackmap_close(struct dusk_stackmap *m)
{
	if (!m)
		return;
	if (!m->service) {
		live_symbols_free(m->names);
		stackmap_free(m->map);
		if (m->registry)
			munmap(m->registry, sizeof(*m->registry));
		pins_leave(m->pins);
	}
	closep(&m->named);
	closep(&m->codes);
	closep(&m->stacks);
	free(m);
}

static int map_registry(struct dusk_stackmap *m)
{
	_cleanup_(closep) int fd = pins_get(m->pins, ".bss.registry");
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*m->registry), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return fd < 0 ? fd : -errno;
	m->registry = p;
	return 0;
}

static int open_parts(struct dusk_stackmap *m)
{
	int ret = map_registry(m);

	if (ret)
		return ret;
	m->stacks = pins_get(m->pins, "stacks");
	m->named = pins_get(m->pins, "named");
	m->codes = pins_get(m->pins, "codes");
	if (m->stacks < 0 || m->named < 0)
		return m->stacks < 0 ? m->stacks : m->named;
	ret = stackmap_new(&m->map, m->stacks, m->pins, m->registry, 0);
	if (!ret)
		ret = live_symbols_new(&m->names, m->named, m->codes);
	return ret;
}

int dusk_stackmap_open(struct dusk_stackmap **ret, const char *pin, struct dusk_error *err)
{
	const char *base = pin ? pin : PINS_FOLDER;
	struct dusk_stackmap *m = calloc(1, sizeof(*m));
	char version[24];
	int r;

	if (!m)
		return error_set(err, -ENOMEM, "cannot open the stackmap in %s: out of memory", base);
	m->named = m->codes = m->stacks = -1;
	service_name_version(version);
	r = pins_visit(&m->pins, base, version);
	if (!r)
		r = open_parts(m);
	if (r)
		dusk_stackmap_close(m);
	else
		*ret = m;
	if (r == -ENOENT)
		return error_set(err, r, "no recording or tool of this version of dusk uses a stackmap in %s now",
				 base);
	return r ? error_set(err, r, "cannot open the stackmap in %s: %s", base, strerror(-r)) : 0;
}

/* Fill @ret with the stack in slot @i. Returns false if the slot is empty. */
static bool stack_at(const struct dusk_stackmap *m, const struct stacktable *t, uint64_t i, struct dusk_stack *ret)
{
	u32 id = stacktable_id(t, i), nr = 0;
	const u64 *frame = id ? stacktable_get(t, id, &nr) : NULL;
	u64 refs;

	if (!frame || !nr)
		return false;
	refs = stacktable_refs(t, id) + again_references(m->registry->again, id);
	*ret = (struct dusk_stack){id, nr, refs, (const uint64_t *)frame};
	return true;
}

bool dusk_stackmap_next(struct dusk_stackmap *m, uint64_t *cursor, struct dusk_stack *ret)
{
	u32 epoch = *cursor ? *cursor >> 32 : load_acquire(&m->registry->epochs.now);
	const struct stacktable *t = stackmap_table(m->map, epoch);
	uint64_t slot = (u32)*cursor;

	for (; t && slot < stacktable_slots(t->bits); slot++)
		if (stack_at(m, t, slot, ret)) {
			*cursor = (u64)epoch << 32 | (slot + 1);
			return true;
		}
	return false;
}

struct copy {
	struct vec(uint64_t) frames;
	struct stackset set;
};

/* No search for duplicates: the stacks of a table are distinct. */
static int copy_table(struct copy *c, const struct dusk_stackmap *m, const struct stacktable *t)
{
	struct dusk_stack stack;
	int err = 0;

	for (uint64_t slot = 0; t && !err && slot < stacktable_slots(t->bits); slot++) {
		if (!stack_at(m, t, slot, &stack))
			continue;
		err = vec_push(&c->set.stacks, stack);
		err = err ?: vec_append(&c->frames, stack.frame, stack.nr);
	}
	return err;
}

static int copy_end(struct copy *c, struct dusk_stacks **ret, const struct dusk_stackmap *m, int err)
{
	uint64_t *at = c->set.store = vec_steal(&c->frames);

	for (size_t i = 0; i < c->set.stacks.nr; at += c->set.stacks.v[i++].nr)
		c->set.stacks.v[i].frame = at;
	if (!err)
		err = stackset_steal(ret, &c->set);
	if (!err) {
		(*ret)->identity = m->registry->identity;
		(*ret)->address_shift = CODE_ADDRESS_SHIFT;
	}
	stackset_done(&c->set);
	return err;
}

int dusk_stackmap_copy(struct dusk_stacks **ret, struct dusk_stackmap *m)
{
	struct copy c = {};
	int err = copy_table(&c, m, stackmap_now(m->map));

	return copy_end(&c, ret, m, err);
}

int dusk_stackmap_copy_all(struct dusk_stacks **ret, struct dusk_stackmap *m)
{
	u32 now = load_acquire(&m->registry->epochs.now), epoch = stackmap_oldest(m->map, now);
	struct copy c = {};
	int err = 0;

	for (; !err && (s32)(epoch - now) <= 0; epoch++)
		err = copy_table(&c, m, stackmap_table(m->map, epoch));
	return copy_end(&c, ret, m, err);
}

uint32_t dusk_stackmap_identity(const struct dusk_stackmap *m)
{
	return m->registry->identity;
}

int dusk_stackmap_frames(struct dusk_stackmap *m, uint32_t id, const uint64_t **ret, uint32_t *nr)
{
	const u64 *frame = stackmap_frames(m->map, id, nr);

	if (!frame)
		return -ENOENT;
	*ret = (const uint64_t *)frame;
	return 0;
}

void dusk_stackmap_name(struct dusk_stackmap *m, uint64_t frame, char *ret, size_t room)
{
	live_symbols_name(m->names, frame, ret, room);
}

int dusk_stacks_name_by_map(struct dusk_stacks *s, struct dusk_stackmap *m)
{
	return livenames_give(s, m->names);
}

static void add_up(struct dusk_stackmap_stat *ret, const struct stacktable *t, const struct again_row *again)
{
	struct stack_counts counts = {};

	stackstat_add(&counts, t, again);
	ret->full = counts.full;
	ret->contended = counts.crowded;
	ret->raced = counts.raced;
	ret->successes = counts.given;
	for (u32 i = 0; i < STACK_LENGTHS; i++)
		ret->probes[i] = counts.found[i];
}

int dusk_stackmap_stat(struct dusk_stackmap *m, struct dusk_stackmap_stat *ret)
{
	const struct stacktable *t = stackmap_now(m->map);
	struct dusk_stack stack;

	if (!t)
		return -ENOENT;
	*ret = (struct dusk_stackmap_stat){
		.bits = t->bits,
		.epoch = t->epoch,
		.epochs = 1,
		.table_size = stacktable_slots(t->bits),
		.bytes = stacktable_bytes(t->bits),
		.room = (stacktable_words(t->bits) - stacktable_slots(t->bits)) * sizeof(u64),
	};
	add_up(ret, t, m->registry->again);
	for (uint64_t slot = 0; slot < ret->table_size; slot++)
		if (stack_at(m, t, slot, &stack)) {
			ret->entries++;
			ret->frames += stack.nr;
			if (dusk_stack_is_kernel(&stack)) {
				ret->kernel_entries++;
				ret->kernel_frames += stack.nr;
			}
		}
	ret->bytes_used = load_relaxed(&t->used) * sizeof(u64) + ret->entries * sizeof(u64);
	return 0;
}

static bool lives(const struct dusk_stackmap *m, u32 tool)
{
	if (m->service && tool == service_tool(m->service))
		return true;
	return m->pins && pins_is_alive(m->pins, tool);
}

/* Has a live tool a consumer? A killed tool leaves its consumers registered. Call it with the lock held. */
static bool is_recording(const struct dusk_stackmap *m)
{
	for (u32 slot = 0; slot < MAX_CONSUMERS; slot++) {
		const struct consumer *c = &m->registry->consumer[slot];

		if (load_relaxed(&c->generation) & 1 && lives(m, c->tool))
			return true;
	}
	return false;
}

static int lock(struct dusk_stackmap *m, bool at_once)
{
	return m->pins ? pins_lock(m->pins, at_once ? 0 : PINS_ENTER_MS) : 0;
}

static void unlock(struct dusk_stackmap *m)
{
	if (m->pins)
		pins_unlock(m->pins);
}

int dusk_stackmap_reset(struct dusk_stackmap *m, bool when_stopped, struct dusk_error *err)
{
	int ret = lock(m, when_stopped);
	bool busy = false;

	if (ret == -EBUSY && !when_stopped)
		return pins_whose(m->pins, err);
	if (ret == -EBUSY)
		return error_set(err, ret,
				 "cannot reset the stackmap: another reset is under way, or a tool comes or goes");
	if (!ret) {
		busy = when_stopped && is_recording(m);
		ret = busy ? -EBUSY : stackmap_roll(m->map);
		unlock(m);
	}
	if (busy)
		return error_set(err, ret, "cannot reset the stackmap: something records");
	if (ret == -EBUSY)
		return error_set(err, ret,
				 "cannot reset the stackmap: a tool has not taken in yet what was there "
				 "before the last reset; it may be stopped");
	return ret ? error_set(err, ret, "cannot reset the stackmap: %s", strerror(-ret)) : 0;
}
