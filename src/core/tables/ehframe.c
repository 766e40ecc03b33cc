/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "abi/outcome.h"
#include "core/atomic.h"
#include "core/tables/ehframe.h"
#include "core/tables/encoding.h"
#include "core/arch/regs.h"
#include "core/rowcache.h"

#define MAX_TURNS_BSEARCH 28
#define MAX_LETTERS 8
#define EXTENDED 0xffffffff /* 64-bit DWARF: no compiler writes it */

/*
 * Entries of .eh_frame_hdr tables that searches have read, in the place of table_key(): where the code begins, below
 * the key. All searches in a file read the same entries first, so that nearly all their steps need no read. An entry
 * that was replaced by another is read again.
 */
u64 ehframe_marks[EHFRAME_MARKS] SHARED("rows");

static INLINE u64 *mark_of(u32 key)
{
	return &at(ehframe_marks, key * 0x9E3779B1U >> 19);
}

/* The key of a search's next entry: 0 in files without a number, and where the table is too large. */
static INLINE u32 table_key(const struct ehframe *e)
{
	return e->module && e->node < 1 << 16 ? e->module << 16 | e->node : 0;
}

static INLINE u32 middle(const struct ehframe *e)
{
	return e->low + (e->high - e->low) / 2;
}

/* Continue in the half of the table that begins at @start_off, or in the half before it. */
static INLINE void take_half(struct ehframe *e, s32 start_off)
{
	bool second = e->hdr + (s64)start_off <= e->pc;

	if (second)
		e->low = middle(e) + 1;
	else
		e->high = middle(e);
	e->node = e->node * 2 + second;
}

/* Read the @nr entries, at most EHFRAME_HELD, from number @first on. Returns 0, -EFAULT or -EACCES. */
static INLINE int read_entries(struct ehframe *e, u32 first, u32 nr)
{
	u64 size = sizeof(e->entry[0]), addr = e->hdr + 12 + first * size;

	bounds_note(&e->bounds, addr, nr * size);
	return port_read(e->entry, nr * size, addr);
}

TURN(halve, struct ehframe, e)
{
	u32 key, met;
	u64 mark;
	int err;

	each (i, MAX_TURNS_BSEARCH) {
		if (e->high - e->low < EHFRAME_HELD)
			return STOP;
		key = table_key(e);
		mark = load_relaxed(mark_of(key));
		if (!key || mark >> 32 != key)
			break;
		take_half(e, mark);
	}
	key = table_key(e);
	e->held = 0;
	err = read_entries(e, middle(e), 1);
	if (err) {
		e->error = read_outcome(err, TABLE_UNREADABLE);
		return STOP;
	}
	met = e->nr_met;
	if (key && met < COUNT(e->met)) {
		at(e->met, met) = (u64)key << 32 | (u32)e->entry[0].start_off;
		e->nr_met = met + 1;
	}
	take_half(e, e->entry[0].start_off);
	return NEXT;
}

CORE void ehframe_keep(struct ehframe *e)
{
	u32 nr = e->nr_met;

	each (i, EHFRAME_HELD) {
		u64 mark = at(e->met, i);

		if (i >= nr)
			break;
		store_relaxed(mark_of(mark >> 32), mark);
	}
}

CORE void ehframe_forget(struct ehframe *e)
{
	e->held = 0;
	for (u32 i = 0; i < EHFRAME_CIES; i++)
		e->cie[i].key = 0;
}

/* Read the entries that are left, all at once: a read costs more than its bytes. Returns 0 or an enum outcome. */
static INLINE u32 hold(struct ehframe *e)
{
	u32 first = e->low - !!e->low, key = table_key(e);
	int err;

	if (key && e->held == key)
		return 0;
	e->held = 0;
	e->nr_held = e->high - first;
	if (e->nr_held > EHFRAME_HELD)
		return TABLE_UNREADABLE;
	err = read_entries(e, first, e->nr_held);
	if (!err)
		e->held = key;
	return err ? read_outcome(err, TABLE_UNREADABLE) : 0;
}

/* Find, in the table, the last entry that begins at or before the PC. */
static INLINE void search(struct ehframe *e, u32 nr_entries)
{
	const struct ehframe_entry *entry;
	u64 off = e->pc - e->hdr;
	u32 found = 0;

	e->low = 0;
	e->high = nr_entries;
	e->node = 1;
	loop(MAX_TURNS_BSEARCH, halve, e);
	if (e->error || verifier_forget(e->error, hold(e)))
		return;
	/* Without branches: each would double the verifier's paths. */
	UNROLL
	for (u32 step = EHFRAME_HELD / 2; step; step /= 2) {
		u32 next = found + step;
		u64 is_there = (s64)opaque((u64)next - e->nr_held) >> 63;
		u64 is_after = (s64)opaque(off - (s64)at(e->entry, next).start_off) >> 63;

		found += step & is_there & ~is_after;
	}
	entry = &at(e->entry, found);
	if (e->hdr + (s64)entry->start_off > e->pc || !entry->fde_off)
		return;
	e->fde.addr = e->hdr + (s64)entry->fde_off;
	e->fde.start = e->hdr + (s64)entry->start_off;
}

/* Return @encoding with an explicit size, where it says that addresses have the file's word size. */
static INLINE u32 plain_format(const struct ehframe *e, u32 encoding)
{
	return encoding & PE_FORMAT || !(e->class & CLASS_ELF32) ? encoding : encoding | PE_UDATA4;
}

/* One letter of a CIE's augmentation string. */
TURN(augment, struct ehframe, e)
{
	struct reader *in = &e->cfi.in;
	u32 data = e->data;
	u32 format;

	switch (at(in->window, e->letter + turn)) {
	case 0: return STOP;
	case 'R':
		ehframe_cie(e)->encoding = plain_format(e, at(in->window, data));
		e->data = data + 1;
		return NEXT;
	case 'L': e->data = data + 1; return NEXT;
	case 'P':
		format = plain_format(e, at(in->window, data)) & PE_FORMAT;
		e->data = data + 1 + (format == PE_UDATA4 ? 4 : format == PE_UDATA2 ? 2 : 8);
		return NEXT;
	case 'S': ehframe_cie(e)->signal = ROW_SIGNAL; return NEXT;
	case 'z':
	case 'B':
	case 'G': return NEXT;
	}
	e->error = BAD_CIE;
	return STOP;
}

/* The key of a CIE: its place in the file; in files without a number, of which walks share nothing, in memory. */
static INLINE u64 cie_key(const struct ehframe *e, u64 addr)
{
	return e->module ? rowcache_key(e->module, addr - e->bias, false) : addr;
}

/*
 * Choose the slot for the CIE at @addr. Returns whether the CIE is already there. There is no CIE at 0, where a wild
 * FDE may point.
 */
static INLINE bool is_read(struct ehframe *e, u64 addr)
{
	u64 key = cie_key(e, addr);

	e->which = e->module ? key * 0x9E3779B97F4A7C15ULL >> 61 : 0;
	return key && ehframe_cie(e)->key == key;
}

/* Return @bad, which what has been read leads to; or an outcome that says that it could not be read. */
static INLINE u32 judged(const struct reader *in, u32 bad)
{
	int err = reader_check(in);

	return err ? read_outcome(err, TABLE_UNREADABLE) : bad;
}

/* Skip the letters of the augmentation string. False: they have no end, or no length of their data. */
static INLINE bool skip_letters(struct ehframe *e, struct cie *c)
{
	struct reader *in = &e->cfi.in;

	e->letter = in->pos;
	c->sized = at(in->window, e->letter) == 'z';
	for (u32 i = 0; i < MAX_LETTERS; i++)
		if (!reader_u8(in))
			break;
	return !at(in->window, in->pos - 1) && (c->sized || !at(in->window, e->letter));
}

/* Read the data that belong to these letters. Returns 0 or an enum outcome. */
static INLINE u32 read_augmentation(struct ehframe *e)
{
	struct reader *in = &e->cfi.in;
	u32 size = reader_uleb(in);

	e->data = in->pos;
	e->error = 0;
	loop(MAX_LETTERS, augment, e);
	if (e->error)
		return judged(in, e->error);
	in->overran |= e->data > in->len;
	reader_skip(in, size);
	return 0;
}

GLOBAL u32 ehframe_read_cie(struct ehframe *e NONNULL, u64 addr)
{
	struct reader *in = &e->cfi.in;
	struct cie *c = ehframe_cie(e);
	u32 len, version, outcome;
	int err;

	c->key = 0;
	c->has_row = 0;
	err = reader_seek_flat(in, addr);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	len = in->word[0];
	in->pos = 8;
	if (len == EXTENDED || in->word[1])
		return judged(in, BAD_CIE);
	c->end = 4 + (u64)len;
	version = reader_u8(in);
	if ((version != 1 && version != 3) || !skip_letters(e, c))
		return judged(in, BAD_CIE);

	c->code_align = reader_uleb(in);
	c->data_align = reader_sleb(in);
	if (version == 1)
		reader_u8(in); /* the return address column, which is known */
	else
		reader_uleb(in);

	c->encoding = plain_format(e, PE_ABSPTR);
	c->signal = 0;
	if (c->sized) {
		outcome = read_augmentation(e);
		if (outcome)
			return outcome;
	}
	err = reader_check(in);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	c->insns = reader_addr(in) - addr;
	c->key = cie_key(e, addr);
	return 0;
}

/* Without a table: look at one entry after the other. */
TURN(next_entry, struct ehframe, e)
{
	struct page *p = &e->page;
	u64 addr = e->scan, start, size;
	u32 len, id;
	int err;

	if (e->scanned >= MAX_FDES - e->spared) {
		e->error = TOO_LONG;
		return STOP;
	}
	e->scanned++;
	err = page_hold(p, addr, 24);
	if (err) {
		e->error = read_outcome(err, TABLE_UNREADABLE);
		return STOP;
	}
	len = page_word(p, addr);
	if (!len || len & 3)
		return STOP;
	if (page_has(p, addr) < 24 && page_has(p, addr) < 4 + (u64)len) {
		e->error = read_outcome(p->end_error, TABLE_UNREADABLE);
		return STOP;
	}
	id = page_word(p, addr + 4);
	if (id && !is_read(e, addr + 4 - id)) {
		e->error = ehframe_read_cie(e, addr + 4 - id);
		if (e->error)
			return STOP;
	}
	e->scan = addr + 4 + len;
	if (!id)
		return NEXT;

	start = page_word(p, addr + 8);
	size = page_word(p, addr + 12);
	switch (ehframe_cie(e)->encoding) {
	case PE_SDATA4_PCREL: start = addr + 8 + (s64)(s32)start; break;
	case PE_UDATA4: break;
	case PE_ABSPTR:
		start |= size << 32;
		size = page_word(p, addr + 16) | (u64)page_word(p, addr + 20) << 32;
		break;
	default: return NEXT;
	}
	if (e->pc - start >= size)
		return NEXT;
	e->fde.addr = addr;
	e->fde.start = start;
	return STOP;
}

static INLINE u32 locate(struct ehframe *e, const struct range *r)
{
	e->error = e->scanned = 0;
	e->fde.addr = 0;
	if (r->kind == MODULE_SCANNED) {
		e->scan = e->pause_pc == e->pc ? scan_from(&e->pause, e->hdr, e->sequence, e->hdr) : e->hdr;
		e->page.len = 0;
		loop(MAX_FDES + 1, next_entry, e);
		e->pause = (struct scan_pause){e->hdr, e->fde.addr ?: e->scan, e->sequence, 0};
		e->pause_pc = e->pc;
	} else if (r->nr_entries) {
		search(e, r->nr_entries);
	}
	if (e->error)
		return e->error;
	return e->fde.addr ? 0 : NO_FDE;
}

/* Read the header of the FDE, and its CIE if that was not read yet. Returns 0 or an enum outcome. */
static INLINE u32 read_headers(struct ehframe *e)
{
	struct reader *in = &e->cfi.in;
	struct fde *f = &e->fde;
	u32 outcome, len, id;
	int err = reader_seek(in, f->addr);

	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	len = in->word[0];
	id = in->word[1];
	in->pos = 8;
	outcome = judged(in, 0);
	if (outcome)
		return outcome;
	if (len == EXTENDED || !id)
		return BAD_CIE;
	f->end = f->addr + 4 + len;
	f->cie = f->addr + 4 - id;
	if (is_read(e, f->cie))
		return 0;
	outcome = ehframe_read_cie(e, f->cie);
	if (outcome)
		return outcome;
	err = reader_seek(in, f->addr);
	return err ? read_outcome(err, TABLE_UNREADABLE) : 0;
}

/* Read how much code the FDE describes, and where its instructions are. Returns 0 or an enum outcome. */
static INLINE u32 read_fde(struct ehframe *e, const struct cie *cie)
{
	struct reader *in = &e->cfi.in;
	struct fde *f = &e->fde;
	u32 len;
	int err;

	switch (cie->encoding & PE_FORMAT) {
	case PE_UDATA4:
		f->size = in->word[3];
		in->pos = 16;
		break;
	case PE_UDATA8:
	case PE_ABSPTR:
		f->size = in->word[4] | (u64)in->word[5] << 32;
		in->pos = 24;
		break;
	default: return BAD_ENCODING;
	}
	if (e->pc - f->start >= f->size)
		return judged(in, NO_FDE);
	f->insns = reader_addr(in);
	if (cie->sized) {
		len = reader_uleb(in);
		f->insns = reader_addr(in) + len;
	}
	err = reader_check(in);
	return err ? read_outcome(err, TABLE_UNREADABLE) : 0;
}

/* Set all that cfi_run() needs. */
static INLINE void set_programs(struct ehframe *e, const struct cie *cie)
{
	const struct fde *f = &e->fde;
	struct cfi *c = &e->cfi;

	c->pc = e->pc;
	c->start = f->start;
	c->initial_insns = f->cie + cie->insns;
	c->initial_end = f->cie + cie->end;
	c->has_initial = cie->has_row;
	c->initial = cie->row;
	c->insns = f->insns;
	c->end = f->end;
	c->code_align = cie->code_align;
	c->data_align = cie->data_align;
	c->hdr = e->hdr;
	c->encoding = cie->encoding;
	c->class = e->class;
}

GLOBAL u32 ehframe_find(struct ehframe *e NONNULL, const struct range *r NONNULL)
{
	const struct cie *cie;
	u32 outcome;

	e->hdr = r->hdr;
	e->bias = r->bias;
	e->nr_met = 0;
	e->class = r->class;
	outcome = locate(e, r);
	if (!outcome)
		outcome = read_headers(e);
	if (outcome)
		return outcome;
	cie = ehframe_cie(e);
	outcome = read_fde(e, cie);
	if (!outcome)
		set_programs(e, cie);
	return outcome;
}
