/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "pool.h"
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

/* A walker belongs to the task in @owner. Only that task writes @walker. */
static struct slot {
	struct task_struct *owner;
	struct walker *walker;
} slots[WALKERS];

static DEFINE_MUTEX(adding);

void files_lock(void)
{
	mutex_lock(&adding);
}

void files_unlock(void)
{
	mutex_unlock(&adding);
}

/*
 * Slot number @turn in the order of search for this process: the first slot's walker often knows its mappings already.
 */
static struct slot *slot_at(u32 turn)
{
	return &slots[(hash_32(current->tgid, ilog2(WALKERS)) + turn) % WALKERS];
}

static struct slot *slot_here(void)
{
	for (u32 i = 0; i < WALKERS; i++)
		if (READ_ONCE(slot_at(i)->owner) == current)
			return slot_at(i);
	return NULL;
}

struct walker *walker_here(void)
{
	struct slot *s = slot_here();

	return s ? s->walker : NULL;
}

static struct walker *walker_make(void)
{
	struct walker *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (w)
		w->walk = kvzalloc(walking_bytes, GFP_KERNEL);
	if (w && w->walk)
		return w;
	kfree(w);
	return NULL;
}

struct walker *walker_claim(void)
{
	struct slot *s = NULL;

	if (slot_here())
		return ERR_PTR(-EBUSY);
	for (u32 i = 0; i < WALKERS && !s; i++)
		if (!cmpxchg(&slot_at(i)->owner, NULL, current))
			s = slot_at(i);
	if (!s)
		return ERR_PTR(-EBUSY);
	if (!s->walker)
		s->walker = walker_make();
	if (!s->walker) {
		smp_store_release(&s->owner, NULL);
		return ERR_PTR(-ENOMEM);
	}
	memset(&s->walker->guard, 0, sizeof(s->walker->guard));
	return s->walker;
}

void walker_release(struct walker *w)
{
	struct slot *s = slot_here();

	if (!WARN_ON_ONCE(!s || s->walker != w))
		smp_store_release(&s->owner, NULL);
}

void walkers_free(void)
{
	for (u32 i = 0; i < WALKERS; i++) {
		if (slots[i].walker)
			kvfree(slots[i].walker->walk);
		kfree(slots[i].walker);
	}
}
