/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/stackmap.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/descriptor.h"
#include "base/vec.h"
#include "lib/unwinder/gracewait.h"
#include "lib/unwinder/pins.h"
#include "lib/unwinder/stackstat.h"

_Static_assert(EPOCH_TOOLS == MAX_TOOLS + 1, "tools");

/* A table in our memory: the kernel's, or a copy of one that is settled. */
struct table {
	struct stacktable *at;
	u32 epoch;
	bool ours;
};

struct stackmap {
	struct epochs *epochs;
	struct grace *grace;
	struct again_row *again;
	const struct pins *pins;
	u32 tool;
	int fd;
	int own[EPOCH_TABLES];		 /* tables that are not pinned, by place; else -1 */
	struct vec(struct table) tables; /* in the order in which they were mapped */
};

static void name_table(char ret[16], u32 epoch)
{
	snprintf(ret, 16, "stacks-%u", epoch_place(epoch));
}

int stackmap_make_table(u32 bits, u32 epoch)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	_cleanup_(closep) int fd =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "dusk_stacks", sizeof(u32), stacktable_bytes(bits), 1, &opts);
	struct stacktable *t;

	if (fd < 0)
		return fd;
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (t == MAP_FAILED)
		return -errno;
	t->bits = bits;
	t->epoch = epoch;
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) < 0)
		t->seed = 0; /* if randomness is not there yet, no attacker is either */
	munmap(t, sizeof(*t));
	return steal_fd(&fd);
}

/* Return the bits of the table in map @fd, or a negative errno. */
static int bits_of(int fd)
{
	struct bpf_map_info info = {};
	u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	for (u32 bits = STACK_MIN_BITS; bits <= STACK_MAX_BITS; bits++)
		if (info.value_size == stacktable_bytes(bits))
			return bits;
	return -EINVAL;
}

int stackmap_pinned_bits(const struct pins *p)
{
	int ret = -ENOENT;
	char name[16];

	for (u32 place = 0; place < EPOCH_TABLES && ret < 0; place++) {
		_cleanup_(closep) int fd = -1;

		name_table(name, place);
		fd = pins_get(p, name);
		ret = fd < 0 ? fd : bits_of(fd);
	}
	return ret;
}

int stackmap_new(struct stackmap **ret, int fd, const struct pins *p, struct registry *r, u32 tool)
{
	struct stackmap *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	*m = (struct stackmap){
		.epochs = &r->epochs, .grace = &r->grace, .again = r->again, .pins = p, .tool = tool, .fd = fd};
	for (u32 place = 0; place < EPOCH_TABLES; place++)
		m->own[place] = -1;
	*ret = m;
	return 0;
}

static void drop(struct table *t)
{
	munmap(t->at, stacktable_bytes(t->at->bits));
}

void stackmap_free(struct stackmap *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->tables.nr; i++)
		drop(&m->tables.v[i]);
	vec_done(&m->tables);
	for (u32 place = 0; place < EPOCH_TABLES; place++)
		closep(&m->own[place]);
	free(m);
}

/* Return the map at the place of @epoch: a file descriptor to be closed, or negative. */
static int get_table(const struct stackmap *m, u32 epoch)
{
	char name[16];

	if (!m->pins) {
		int fd = m->own[epoch_place(epoch)];

		return fd < 0 ? -ENOENT : descriptor_copy(fd);
	}
	name_table(name, epoch);
	return pins_get(m->pins, name);
}

static void delete_table(struct stackmap *m, u32 epoch)
{
	u32 place = epoch_place(epoch);
	char name[16];

	bpf_map_delete_elem(m->fd, &place);
	name_table(name, epoch);
	if (m->pins)
		pins_drop(m->pins, name);
	closep(&m->own[place]);
	m->own[place] = -1;
}

static int put_table(struct stackmap *m, u32 epoch, int fd)
{
	u32 place = epoch_place(epoch);
	char name[16];
	int ret = 0;

	if (bpf_map_update_elem(m->fd, &place, &fd, BPF_ANY))
		return -errno;
	name_table(name, epoch);
	if (m->pins)
		ret = pins_put(m->pins, name, fd);
	else
		m->own[place] = descriptor_copy(fd);
	if (ret)
		delete_table(m, epoch);
	return ret;
}

/* Find which epoch's table is at @place. */
static int epoch_of(const struct stackmap *m, u32 place, u32 *ret)
{
	_cleanup_(closep) int fd = get_table(m, place);
	struct stacktable *t;

	if (fd < 0)
		return fd;
	t = mmap(NULL, sizeof(*t), PROT_READ, MAP_SHARED, fd, 0);
	if (t == MAP_FAILED)
		return -errno;
	*ret = t->epoch;
	munmap(t, sizeof(*t));
	return 0;
}

/* Return the table of @epoch in our memory, mapped if need be and if it still exists; else NULL. */
static struct table *find(struct stackmap *m, u32 epoch)
{
	_cleanup_(closep) int fd = -1;
	struct table t = {.epoch = epoch};
	int bits;

	for (size_t i = m->tables.nr; i--;)
		if (m->tables.v[i].epoch == epoch)
			return &m->tables.v[i];
	fd = get_table(m, epoch);
	bits = fd < 0 ? fd : bits_of(fd);
	if (bits < 0)
		return NULL;
	t.at = mmap(NULL, stacktable_bytes(bits), PROT_READ, MAP_SHARED, fd, 0);
	if (t.at == MAP_FAILED)
		return NULL;
	if (t.at->epoch != epoch || t.at->bits != (u32)bits || vec_push(&m->tables, t)) {
		munmap(t.at, stacktable_bytes(bits));
		return NULL;
	}
	return &m->tables.v[m->tables.nr - 1];
}

const u64 *stackmap_frames(struct stackmap *m, u32 id, u32 *nr)
{
	u32 bits = m->epochs->bits, now = load_acquire(&m->epochs->now);
	struct table *t = NULL, *other;

	if (bits < STACK_MIN_BITS || bits > STACK_MAX_BITS)
		return NULL;
	/* An id is not reused before all others were used: among epochs with the same low bits, the newest is meant. */
	for (u32 age = 0; age < EPOCH_TABLES && age <= now && !t; age++)
		if (stack_is_of(bits, now - age, id))
			t = find(m, now - age);
	for (size_t i = 0; i < m->tables.nr && !t; i++) {
		other = &m->tables.v[m->tables.nr - 1 - i];
		if (stack_is_of(bits, other->epoch, id))
			t = other;
	}
	return t ? stacktable_get(t->at, id, nr) : NULL;
}

const struct stacktable *stackmap_table(struct stackmap *m, u32 epoch)
{
	struct table *t = find(m, epoch);

	return t ? t->at : NULL;
}

u32 stackmap_oldest(struct stackmap *m, u32 now)
{
	u32 oldest = now;

	for (u32 age = 1; age < EPOCH_TABLES && age <= now; age++)
		find(m, now - age);
	for (size_t i = 0; i < m->tables.nr; i++)
		if ((s32)(m->tables.v[i].epoch - oldest) < 0)
			oldest = m->tables.v[i].epoch;
	return oldest;
}

const struct stacktable *stackmap_now(struct stackmap *m)
{
	return stackmap_table(m, load_acquire(&m->epochs->now));
}

/* Copy the used part of @t; the rest takes no memory. */
static struct stacktable *copy_of(const struct stacktable *t)
{
	u64 words = stacktable_words(t->bits), used = stacktable_slots(t->bits) + t->used;
	struct stacktable *copy = mmap(NULL, stacktable_bytes(t->bits), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (copy == MAP_FAILED)
		return NULL;
	memcpy(copy, t, sizeof(*t) + (used < words ? used : words) * sizeof(u64));
	return copy;
}

/* Copy a settled table into memory of our own, so that the kernel's can be released. */
static void take(void *ctx, u32 epoch)
{
	struct table *t = find(ctx, epoch);
	struct stacktable *copy = t && !t->ours ? copy_of(t->at) : NULL;

	if (!copy)
		return; /* out of memory: the kernel's table stays mapped, and so lives on */
	drop(t);
	t->at = copy;
	t->ours = true;
}

static void find_tools(const struct stackmap *m, bool alive[EPOCH_TOOLS])
{
	for (u32 tool = 1; tool < EPOCH_TOOLS; tool++)
		alive[tool] = tool == m->tool || (m->pins && pins_is_alive(m->pins, tool));
}

static void give_back(struct stackmap *m)
{
	bool alive[EPOCH_TOOLS];
	u32 epoch;

	find_tools(m, alive);
	for (u32 place = 0; place < EPOCH_TABLES; place++)
		if (!epoch_of(m, place, &epoch) && epochs_is_free(m->epochs, alive, epoch))
			delete_table(m, epoch);
}

/*
 * Move what CPUs have counted of the stacks of @t into @t itself: ids are reused, and the counts would go to other
 * stacks. If @t cannot be mapped writable, the counts are lost.
 */
static void fold(const struct stackmap *m, const struct stacktable *t)
{
	_cleanup_(closep) int fd = get_table(m, t->epoch);
	struct stacktable *own =
		fd < 0 ? MAP_FAILED : mmap(NULL, stacktable_bytes(t->bits), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	for (u32 i = 0; i < AGAIN_ROWS * AGAIN_WAYS; i++) {
		u64 *way = &m->again[i / AGAIN_WAYS].count[i % AGAIN_WAYS], again = load_relaxed(way);

		while (stack_is_of(t->bits, t->epoch, again >> 32) && cmpxchg(way, again, 0) != again)
			again = load_relaxed(way); /* a CPU counts there */
		if (own != MAP_FAILED)
			stacktable_refer(own, again >> 32, again);
	}
	if (own != MAP_FAILED)
		munmap(own, stacktable_bytes(t->bits));
}

static void settle(void *ctx, u32 epoch)
{
	struct stackmap *m = ctx;
	struct table *t = find(m, epoch);

	if (!t)
		return;
	fold(m, t->at);
	m->epochs->stacks += t->at->stacks;
}

static void tidy(struct stackmap *m)
{
	epochs_settle(m->epochs, m->grace, grace_wait, settle, m); /* if this fails, a later call does it */
	if (m->tool)
		epochs_take(m->epochs, m->tool, take, m);
	give_back(m);
}

int stackmap_roll(struct stackmap *m)
{
	struct epochs *e = m->epochs;
	u32 next, there;
	int fd, ret;

	tidy(m); /* the tool that rolled last may have died */
	next = e->now + 1;
	if (!epoch_of(m, epoch_place(next), &there))
		return -EBUSY;
	fd = stackmap_make_table(e->bits, next);
	if (fd < 0)
		return fd;
	ret = put_table(m, next, fd);
	close(fd);
	if (ret)
		return ret;
	epochs_begin(e);
	tidy(m);
	return 0;
}

/* Is 3/4 of the room for frames used, or half of the slots? Beyond that, the search for a free slot takes long. */
static bool is_full(const struct stacktable *t)
{
	u64 slots = stacktable_slots(t->bits), room = stacktable_words(t->bits) - slots;

	return load_relaxed(&t->used) >= room / 4 * 3 || load_relaxed(&t->stacks) >= slots / 2;
}

bool stackmap_is_due(struct stackmap *m)
{
	const struct epochs *e = m->epochs;
	const struct stacktable *t = stackmap_now(m);

	return load_relaxed(&e->settled) != load_relaxed(&e->now) ||
	       (m->tool && load_relaxed(&e->wanted[m->tool]) != load_relaxed(&e->settled)) || (t && is_full(t));
}

int stackmap_keep(struct stackmap *m)
{
	const struct stacktable *t = stackmap_now(m);

	if (t && is_full(t))
		return stackmap_roll(m);
	tidy(m);
	return 0;
}

int stackmap_begin(struct stackmap *m, int table, u32 bits)
{
	m->epochs->bits = bits;
	return put_table(m, 0, table);
}

void stackmap_join(struct stackmap *m)
{
	struct epochs *e = m->epochs;
	u32 oldest = e->now, epoch;

	for (u32 place = 0; place < EPOCH_TABLES; place++)
		if (!epoch_of(m, place, &epoch) && (s32)(epoch - oldest) < 0)
			oldest = epoch;
	store_release(&e->wanted[m->tool], oldest);
}

void stackmap_forget(struct stackmap *m)
{
	u32 settled = load_acquire(&m->epochs->settled);
	size_t kept = 0;

	for (size_t i = 0; i < m->tables.nr; i++) {
		if ((s32)(m->tables.v[i].epoch - settled) < 0)
			drop(&m->tables.v[i]);
		else
			m->tables.v[kept++] = m->tables.v[i];
	}
	m->tables.nr = kept;
	if (m->tool)
		store_release(&m->epochs->wanted[m->tool], settled);
}

void stackmap_count(struct stackmap *m, struct stack_counts *ret)
{
	*ret = (struct stack_counts){0};
	for (u32 epoch = m->epochs->settled; (s32)(epoch - load_acquire(&m->epochs->now)) <= 0; epoch++)
		find(m, epoch);
	for (size_t i = 0; i < m->tables.nr; i++)
		stackstat_add(ret, m->tables.v[i].at, m->again);
}

u64 stackmap_stacks(struct stackmap *m)
{
	const struct epochs *e = m->epochs;
	u64 sum = e->stacks;

	for (u32 epoch = e->settled; (s32)(epoch - load_acquire(&e->now)) <= 0; epoch++) {
		struct table *t = find(m, epoch);

		if (t)
			sum += load_relaxed(&t->at->stacks);
	}
	return sum;
}
