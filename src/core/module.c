/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "atomic.h"
#include "module.h"
#include "regs.h"

extern u32 nr_modules;
u32 nr_modules SHARED("modules");	/* numbers given so far, by all walkers */

CORE int module_find_slow(struct modules *ms, u64 addr)
{
	ms->here = NR_RANGES;
	each(i, NR_RANGES) {
		struct range *r = &at(ms->range, i);

		if (i >= ms->nr)
			break;
		if (addr >= r->start && addr < r->end) {
			ms->here = i;
			break;
		}
	}
	if (ms->here >= NR_RANGES)
		return -EAGAIN;
	at(ms->hint, hint_of(addr)) = ms->here;
	return module_here(ms)->epoch == ms->epoch ? 0 : -EAGAIN;
}

static INLINE s64 file_off(const struct vma *v)
{
	return v->ino || v->vdso ? v->offset - v->start : 0;
}

/* Is the range we know for @addr still mapped like that? */
static INLINE bool still_valid(struct modules *ms, const struct vma *v)
{
	struct range *r;

	if (ms->here >= NR_RANGES)
		return false;
	r = module_here(ms);
	return r->start == v->start && r->end == v->end && r->file_off == file_off(v);
}

static INLINE bool same_file(const struct vma *a, const struct vma *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->vdso == b->vdso;
}

/* Add @addr of @v, mapped from @m, to the ranges. */
static INLINE void describe(struct range *r, u64 addr, const struct module *m)
{
	u64 off = addr + r->file_off;

	r->module = m->id;
	r->kind = m->kind;
	r->nr_entries = m->nr_entries;
	r->class = m->class;
	r->bias = 0;
	for (u32 i = 0; i < COUNT(m->exec); i++) {
		const struct segment *s = &m->exec[i];

		if (i >= m->nr_exec)
			break;
		if (off >= (s->off & ~(PAGE_BYTES - 1)) && off < s->off + s->size) {
			r->bias = addr - (off - s->off + s->vaddr);
			break;
		}
	}
	r->hdr = r->bias + m->hdr;
	r->entry = r->bias + m->entry;
	r->sframe = m->sframe;
}

static INLINE bool module_is_readable(const struct module *m)
{
	return m->kind != MODULE_UNREADABLE && m->kind != MODULE_NOT_SAFE;
}

/* Read what the file says of itself. Returns the module to use: without number if it could not be remembered. */
static INLINE struct module *learn(struct modules *ms)
{
	struct module *m;

	ms->misses++;
	ms->read.id = 0;
	elf_read(ms, port_file_start(&ms->vma));
	if (!module_is_readable(&ms->read))
		return &ms->read;
	if (load_relaxed(&nr_modules) < MAX_MODULE_ID)
		ms->read.id = fetch_add(&nr_modules, 1) + 1;
	if (ms->read.id > MAX_MODULE_ID)	/* several at once took the last ones */
		ms->read.id = 0;
	m = ms->read.id ? port_module_add(ms) : 0;
	if (m)
		return m;
	ms->read.id = 0;
	return &ms->read;
}

CORE int module_enter(struct modules *ms, u64 addr)
{
	struct vma *v = &ms->vma;
	struct module *m;
	struct range *r;

	ms->vma_lookups++;
	if (port_vma(addr, v))
		return -ENOENT;
	if (still_valid(ms, v)) {
		module_here(ms)->epoch = ms->epoch;
		return 0;
	}
	if (ms->here < NR_RANGES)
		ms->nr = 0;		/* the layout changed: forget it */

	ms->here = ms->nr & (NR_RANGES - 1);
	ms->nr++;
	at(ms->hint, hint_of(addr)) = ms->here;
	r = module_here(ms);
	r->start = v->start;
	r->end = v->end;
	r->file_off = file_off(v);
	r->epoch = ms->epoch;
	r->module = 0;
	r->kind = MODULE_ANON;
	r->entry = r->class = r->has_handlers_return = 0;
	if (!v->ino && !v->vdso)
		return 0;
	if (!v->executable) {
		r->end = r->start;
		return -ENOENT;
	}

	ms->key.dev = v->dev;
	ms->key.ino = v->vdso ? v->vdso : v->ino;
	ms->key.generation = v->generation;
	ms->key.pad = 0;
	m = port_module(&ms->key);
	if (!m)
		m = learn(ms);
	r = module_here(ms);
	describe(r, addr, m);
	if (v->vdso) {
		r->entry = 0;		/* what it calls its entry point is called like any function */
		r->has_handlers_return = !!(r->class & CLASS_I386);
	}
	if (!module_is_readable(m)) {
		r->end = r->start;	/* ask again next time */
		return 0;
	}

	/* V8 maps a part of node's text a second time: beside the copy there are no tables. */
	if (module_has_tables(r))
		if (!!(r->class & CLASS_I386) != !!ms->compat || port_vma(r->hdr, &ms->beside) ||
		    !same_file(v, &ms->beside))
			module_here(ms)->kind = MODULE_NO_EH_FRAME;
	return 0;
}
