/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that walks have found: what core/module.c knows of each, by its identity in all processes.
 *
 * A look-up takes no lock: elements are never freed or changed, and none is shown before it is complete. When more is
 * known of a file, it gets another element, and the old one is skipped. When the table is full, frames of other files
 * have no number, and each walk reads their headers again.
 */
#include "../src/core/atomic.h"
#include "../src/core/lang.h"
#include "../src/core/module.h"
#include "walking.h"

#define FILES 1024

enum { FREE, SHOWN, REPLACED };

struct file_known {
	u32 state, pad;
	struct module_key key;
	struct module module;
};

static struct file_known files[FILES];

static INLINE u64 first_place(const struct module_key *key)
{
	return ((key->ino ^ key->dev << 32) + key->generation) * 0x9E3779B97F4A7C15ULL >> 32;
}

static INLINE bool is_same(const struct module_key *a, const struct module_key *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation;
}

/* Return the element of @key; or, if there is none, the free one where it would go; NULL: the table is full. */
static struct file_known *place(const struct module_key *key)
{
	u64 first = first_place(key);

	for (u32 i = 0; i < FILES; i++) {
		struct file_known *f = &at(files, first + i);
		u32 state = load_acquire(&f->state);

		if (state == FREE || (state == SHOWN && is_same(&f->key, key)))
			return f;
	}
	return NULL;
}

struct module *port_module(const struct module_key *key)
{
	struct file_known *f = place(key);

	return f && load_acquire(&f->state) == SHOWN && is_same(&f->key, key) ? &f->module : NULL;
}

static struct module *add(const struct modules *ms, bool again)
{
	struct file_known *old = place(&ms->key), *f;

	if (!old || (old->state == SHOWN && !again))
		return old ? &old->module : NULL;
	f = old;
	if (old->state == SHOWN) {
		store_release(&old->state, REPLACED);
		f = place(&ms->key);
	}
	if (!f) {
		store_release(&old->state, SHOWN);
		return &old->module;
	}
	f->key = ms->key;
	f->module = ms->shareable;
	store_release(&f->state, SHOWN);
	return &f->module;
}

struct module *port_module_add(struct modules *ms, bool again)
{
	struct module *m;

	files_lock();
	m = add(ms, again);
	files_unlock();
	return m;
}

int files_find(u32 number, struct known_file *ret)
{
	for (u32 i = 0; i < FILES; i++) {
		const struct file_known *f = &files[i];

		if (load_acquire(&f->state) != SHOWN || f->module.id != number)
			continue;
		ret->dev = f->key.dev;
		ret->ino = f->key.ino;
		ret->generation = f->key.generation;
		ret->build_id_bytes = f->module.build_id_bytes;
		memcpy(ret->build_id, f->module.build_id, sizeof(ret->build_id));
		return 0;
	}
	return -ENOENT;
}

/* There are no frames of languages here. */
u32 port_code_number(u64 space, u64 object, u64 fingerprint)
{
	return 0;
}

u32 port_code_add(struct lang *l, bool is_piece)
{
	return 0;
}
