/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/atomic.h"
#include "core/module.h"
#include "core/module_number.h"
#include "core/arch/tables.h"

#define FEW_MAPPINGS 64
#define MANY_MAPPINGS 1024

extern u32 nr_modules;
u32 nr_modules SHARED("modules"); /* module numbers given out so far, by all walkers */
extern u32 nr_owners;
u32 nr_owners SHARED("modules"); /* the same of processes that have rows of their own */

GLOBAL int module_find_slow(struct modules *ms NONNULL, u64 addr)
{
	ms->here = NR_RANGES;
	each (i, NR_RANGES) {
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

/* Is the range that is known for @addr still mapped in the same way? */
static INLINE bool still_valid(struct modules *ms, const struct vma *v)
{
	struct range *r;

	if (ms->here >= NR_RANGES)
		return false;
	r = module_here(ms);
	return r->start == v->start && r->end == v->end && r->mapped == file_off(v);
}

static INLINE bool same_file(const struct vma *a, const struct vma *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->vdso == b->vdso;
}

static INLINE bool is_of_file(const struct vma *v, const struct module_key *file)
{
	u64 ino = v->vdso ? v->vdso : v->ino;

	return ino && ino == file->ino && v->dev == file->dev && v->generation == file->generation;
}

GLOBAL bool module_may_tell(struct modules *ms NONNULL, u64 pc)
{
	struct range *r = module_here(ms);
	struct vma *v = &ms->tables;

	ms->nr_pieces = 0;
	if (r->own_headers || !r->module || pc < r->code || pc >= r->code_end)
		return false;
	ms->file = r->file;
	if (port_vma(r->hdr, v) || v->copied || v->sequence & 1 || !is_of_file(v, &ms->file) ||
	    v->offset + (r->hdr - v->start) != r->tables_off)
		return false;
	ms->sequence = v->sequence;
	module_read(ms, v->start, v->end - v->start, v->offset);
	return true;
}

/* Set ms->error to 0 if the piece of memory still is the file's, else to -EACCES. */
TURN(look_at_piece, struct modules, ms)
{
	const struct piece *p = &at(ms->piece, turn);
	struct vma *v = &ms->beside;
	u64 into;

	ms->error = -EACCES;
	if (port_vma(p->addr, v))
		return STOP;
	into = p->addr - v->start;
	if (v->copied || v->sequence != ms->sequence || !is_of_file(v, &ms->file) || v->offset + into != p->off ||
	    p->len > v->end - v->start - into)
		return STOP;
	ms->error = 0;
	return NEXT;
}

GLOBAL bool module_tells(struct modules *ms NONNULL)
{
	u32 nr = ms->nr_pieces;

	ms->error = -EACCES;
	if (nr <= COUNT(ms->piece) && !(ms->sequence & 1))
		loop(nr, look_at_piece, ms);
	return !ms->error;
}

/* Fill @r, which holds @addr, from its module @m. */
static INLINE void describe(struct range *r, u64 addr, const struct module *m)
{
	u64 off = addr + r->file_off;

	r->module = m->id;
	r->kind = m->kind;
	r->nr_entries = m->nr_entries;
	r->class = m->class;
	r->bias = 0;
	r->code = r->code_end = 0;
	each (i, COUNT(m->exec)) {
		const struct segment *s = &at(m->exec, i);

		if (i >= m->nr_exec)
			break;
		if (off >= (s->off & ~(PAGE_BYTES - 1)) && off < s->off + s->size) {
			r->bias = addr - (off - s->off + s->vaddr);
			r->code = r->bias + s->vaddr;
			r->code_end = r->code + s->size;
			break;
		}
	}
	r->hdr = r->bias + m->hdr;
	r->entry = r->bias + m->entry;
	r->sframe = m->sframe;
	r->dynamic = m->dynamic ? r->bias + m->dynamic : 0;
	r->tables_off = m->tables_off;
}

static INLINE bool module_is_readable(const struct module *m)
{
	return m->kind < MODULE_UNREADABLE;
}

/*
 * Read the headers of the file at ms->vma, which has the module number @id; 0: none yet. Share what they say, unless
 * they are private copies: then set module_here()->own_headers. Returns the module to use; it has number 0 if it could
 * not be remembered.
 */
static INLINE struct module *learn(struct modules *ms, u32 id)
{
	struct module *m;
	bool may_share;

	ms->misses++;
	id = verifier_forget(ms->read.id, id);
	ms->nr_pieces = 0;
	ms->file = ms->key;
	ms->sequence = ms->vma.sequence;
	elf_read(ms, port_file_start(&ms->vma, ms->at_once ? FEW_MAPPINGS : MANY_MAPPINGS));
	if (ms->wait.bytes)
		ms->read.kind = MODULE_NOT_SAFE;
	if (!module_is_readable(&ms->read))
		return &ms->read;
	ms->read.used_s = ms->now_s;
	ms->shareable = ms->read; /* before there are several ways to here, for the verifier */
	may_share = verifier_forget(ms->error, module_tells(ms));
	module_here(ms)->own_headers = !may_share;
	if (id && !may_share)
		return &ms->read;
	if (!id)
		ms->shareable.id = ms->read.id = module_number(&nr_modules);
	if (!may_share) { /* share its number, but nothing else */
		ms->shareable.kind = MODULE_UNREAD;
		ms->shareable.build_id_bytes = 0;
	}
	m = ms->shareable.id ? port_module_add(ms, id) : 0;
	if (m && may_share)
		return m;
	ms->read.id = m ? m->id : 0;
	return &ms->read;
}

/* Make module_here() a range for the mapping @v, which holds @addr. No module is known of it yet. */
static INLINE struct range *add_range(struct modules *ms, u64 addr, const struct vma *v)
{
	struct range *r;

	if (ms->here < NR_RANGES)
		ms->nr = 0; /* the layout has changed: forget all ranges */
	ms->here = ms->nr & (NR_RANGES - 1);
	ms->nr++;
	at(ms->hint, hint_of(addr)) = ms->here;
	r = module_here(ms);
	r->start = v->start;
	r->end = v->end;
	r->file_off = r->mapped = file_off(v);
	r->epoch = ms->epoch;
	r->module = 0;
	r->kind = MODULE_ANON;
	r->entry = r->class = r->has_handlers_return = r->own_headers = r->owner = r->examined = r->nr_vain = 0;
	r->dynamic = 0;
	ms->unexamined = 1;
	return r;
}

/* Return the module of the file at ms->vma, from the table or from the file's headers. */
static INLINE struct module *get_module(struct modules *ms)
{
	const struct vma *v = &ms->vma;
	struct module *m;

	ms->key.dev = v->dev;
	ms->key.ino = v->vdso ? v->vdso : v->ino;
	ms->key.generation = v->generation;
	ms->key.pad = 0;
	module_here(ms)->file = ms->key;
	m = port_module(&ms->key);
	if (!m || m->kind == MODULE_UNREAD)
		m = learn(ms, m ? m->id : 0);
	m->used_s = ms->now_s;
	return m;
}

/* Have a number for rows that are of this process alone. */
static INLINE u32 owner_of(struct modules *ms)
{
	if (!ms->owner)
		ms->owner = (fetch_add(&nr_owners, 1) + 1) ?: 1;
	return ms->owner;
}

/*
 * Are the tables of module_here() mapped beside its code at ms->vma, and do they describe it? V8 maps a part of node's
 * text a second time, with no tables beside it. Returns 0 or -EBUSY.
 */
static INLINE int check_tables(struct modules *ms)
{
	int err = verifier_forget(ms->error, port_vma(module_here(ms)->hdr, &ms->beside));
	struct range *r = module_here(ms);

	if (err == -EBUSY)
		r->end = r->start;
	else if (err || !class_describes(r->class, ms->compat) || !same_file(&ms->vma, &ms->beside))
		r->kind = MODULE_NO_EH_FRAME;
	else if (r->own_headers || ms->beside.copied)
		r->owner = owner_of(ms);
	return err == -EBUSY ? err : 0;
}

/*
 * Programs move their text to memory without a file, for huge pages (node --use-largepages, ClickHouse, hugify): a copy at its
 * own place, in the middle of the file. Make ms->vma the mapping of a file beside it. False: there is none.
 */
static INLINE bool find_beside(struct modules *ms)
{
	struct range *r = module_here(ms);
	u64 start = r->start;
	int err;

	err = port_vma(start - 1, &ms->beside);
	if (err || !ms->beside.ino)
		err = port_vma(r->end, &ms->beside);
	if (err)
		ms->beside.ino = 0;
	if (err == -EBUSY)
		r->end = start; /* look again next time */
	ms->vma = ms->beside;
	return ms->vma.ino;
}

/*
 * Is module_here() in a segment with code of the file @m, which is mapped at ms->vma? Then give it its place in the file. What
 * is said of that place comes from the file's tables alone, so it may be shared.
 */
static INLINE bool is_moved_text(struct modules *ms, u64 addr, const struct module *m)
{
	u64 bias = port_file_start(&ms->vma, FEW_MAPPINGS) - m->start_vaddr;
	struct range *r = module_here(ms);

	each (i, COUNT(m->exec)) {
		const struct segment *s = &at(m->exec, i);
		u64 start = bias + (s->vaddr & ~(PAGE_BYTES - 1)), bytes = s->size + (s->vaddr & (PAGE_BYTES - 1));

		if (i >= m->nr_exec)
			break;
		if (r->start < start || r->end - start > ((bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)))
			continue;
		r->file_off = s->off - s->vaddr - bias;
		return true;
	}
	return false;
}

GLOBAL int module_enter(struct modules *ms NONNULL, u64 addr)
{
	struct vma *v = &ms->vma;
	struct module *m;
	struct range *r;
	int err;

	ms->vma_lookups++;
	v->end = 0;
	err = port_vma(addr, v);
	if (err && (err != -EBUSY || !still_valid(ms, v)))
		return err;
	if (still_valid(ms, v)) {
		r = module_here(ms);
		r->epoch = ms->epoch;
		ms->unexamined |= r->examined == EXAMINED_IN_VAIN;
		r->examined &= EXAMINED;
		return 0;
	}
	r = add_range(ms, addr, v);
	ms->moved = !v->ino && !v->vdso;
	if (ms->moved && (!v->executable || !find_beside(ms)))
		return 0;
	if (!ms->moved && !v->executable) {
		r->end = r->start;
		return -ENOENT;
	}
	m = get_module(ms);
	if (ms->moved && (!module_is_readable(m) || !is_moved_text(ms, addr, m)))
		return 0;
	r = module_here(ms);
	if (v->in_memory && m->kind == MODULE_NOT_ELF) { /* the range is MODULE_ANON */
		r->file_off = 0;
		return 0;
	}
	describe(r, addr, m);
	if (v->vdso) {
		r->entry = 0; /* the vDSO's "entry point" is called like any function */
		r->has_handlers_return = handlers_return_to(r->class);
	}
	if (!module_is_readable(m)) {
		r->end = r->start; /* do not keep the range: look again next time */
		ms->nr--;
		return 0;
	}
	return module_has_tables(r) ? check_tables(ms) : 0;
}
