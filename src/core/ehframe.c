/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "../abi/outcome.h"
#include "ehframe.h"
#include "encoding.h"
#include "regs.h"

#define MAX_TURNS_BSEARCH 28
#define MAX_FDES (1 << 18)
#define MAX_LETTERS 8
#define EXTENDED 0xffffffff		/* 64-bit DWARF: nobody writes it */

/* Have the entry @middle: with all that may follow, once these are few. A read costs more than what it reads. */
static INLINE int hold(struct ehframe *e, u32 middle)
{
	u32 nr = e->high - e->low;

	if (middle - e->held < e->nr_held)
		return 0;
	e->held = e->low;
	if (nr > EHFRAME_HELD) {
		e->held = middle;
		nr = 1;
	}
	e->nr_held = nr;
	return port_read(e->entry, nr * sizeof(e->entry[0]), e->hdr + 12 + (u64)e->held * sizeof(e->entry[0]));
}

TURN(halve, struct ehframe, e)
{
	const struct ehframe_entry *entry;
	u32 middle;
	int err;

	if (e->low >= e->high)
		return STOP;
	middle = e->low + (e->high - e->low) / 2;
	err = hold(e, middle);
	if (err) {
		e->error = read_outcome(err, TABLE_UNREADABLE);
		return STOP;
	}
	entry = &at(e->entry, middle - e->held);
	if (e->hdr + (s64)entry->start_off <= e->pc) {
		e->low = middle + 1;
		e->start_off = entry->start_off;
		e->fde_off = entry->fde_off;
	} else {
		e->high = middle;
	}
	return NEXT;
}

/* An encoding that says how many bytes an address has also if it is said to have as many as addresses have. */
static INLINE u32 plain_format(const struct ehframe *e, u32 encoding)
{
	return encoding & PE_FORMAT || !(e->class & CLASS_NARROW) ? encoding : encoding | PE_UDATA4;
}

/* One letter of a CIE's augmentation string. */
TURN(augment, struct ehframe, e)
{
	struct reader *in = &e->in;
	u32 data = e->data;
	u32 format;

	switch (at(in->window, e->letter + turn)) {
	case 0:
		return STOP;
	case 'R':
		e->cie.encoding = plain_format(e, at(in->window, data));
		e->data = data + 1;
		return NEXT;
	case 'L':
		e->data = data + 1;
		return NEXT;
	case 'P':
		format = plain_format(e, at(in->window, data)) & PE_FORMAT;
		e->data = data + 1 + (format == PE_UDATA4 ? 4 : format == PE_UDATA2 ? 2 : 8);
		return NEXT;
	case 'S':
		e->cie.signal = 1;
		return NEXT;
	case 'z':
	case 'B':
	case 'G':
		return NEXT;
	}
	e->error = BAD_CIE;
	return STOP;
}

/* Is the CIE at @addr the one in e->cie? At 0, where a wild FDE may point, there is none. */
static INLINE bool is_read(const struct ehframe *e, u64 addr)
{
	return addr && addr == e->cie.addr;
}

static NOINLINE u32 read_cie(struct ehframe *e, u64 addr)
{
	struct reader *in = &e->in;
	struct cie *c = &e->cie;
	u32 len, version, size;
	int err;

	c->addr = 0;
	err = reader_seek(in, addr);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	len = reader_u32(in);
	if (len == EXTENDED || reader_u32(in) != 0)
		return BAD_CIE;
	c->end = addr + 4 + len;
	version = reader_u8(in);
	if (version != 1 && version != 3)
		return BAD_CIE;

	e->letter = in->pos;
	c->sized = at(in->window, e->letter) == 'z';
	for (u32 i = 0; i < MAX_LETTERS; i++)
		if (!reader_u8(in))
			break;
	if (at(in->window, in->pos - 1) || (!c->sized && at(in->window, e->letter)))
		return BAD_CIE;		/* letters without end, or without a length of their data */

	c->code_align = reader_uleb(in);
	c->data_align = reader_sleb(in);
	if (version == 1)
		reader_u8(in);		/* the return address column: we know it */
	else
		reader_uleb(in);

	c->encoding = plain_format(e, PE_ABSPTR);
	c->signal = 0;
	if (c->sized) {
		size = reader_uleb(in);
		e->data = in->pos;
		e->error = 0;
		loop(MAX_LETTERS, augment, e);
		if (e->error)
			return e->error;
		reader_skip(in, size);
	}
	err = reader_check(in);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	c->insns = reader_addr(in);
	c->addr = addr;
	return 0;
}

/* Without a table: entry by entry. */
TURN(next_entry, struct ehframe, e)
{
	struct page *p = &e->page;
	u64 addr = e->scan, start, size;
	u32 len, id;
	int err;

	err = page_hold(p, addr, 24);
	if (err) {
		e->error = read_outcome(err, TABLE_UNREADABLE);
		return STOP;
	}
	len = page_word(p, addr);
	if (!len || len & 3)
		return STOP;
	if (page_has(p, addr) < 24 && page_has(p, addr) < 4 + (u64)len) {
		e->error = read_outcome(p->beyond, TABLE_UNREADABLE);
		return STOP;
	}
	id = page_word(p, addr + 4);
	e->scan = addr + 4 + len;
	if (!id)
		return NEXT;
	if (!is_read(e, addr + 4 - id)) {
		e->error = read_cie(e, addr + 4 - id);
		if (e->error)
			return STOP;
	}

	start = page_word(p, addr + 8);
	size = page_word(p, addr + 12);
	switch (e->cie.encoding) {
	case PE_SDATA4_PCREL:
		start = addr + 8 + (s64)(s32)start;
		break;
	case PE_UDATA4:
		break;
	case PE_ABSPTR:
		start |= size << 32;
		size = page_word(p, addr + 16) | (u64)page_word(p, addr + 20) << 32;
		break;
	default:
		return NEXT;
	}
	if (e->pc - start >= size)
		return NEXT;
	e->fde.addr = addr;
	e->fde.start = start;
	return STOP;
}

static INLINE u32 locate(struct ehframe *e, const struct range *r)
{
	e->error = 0;
	e->fde.addr = 0;
	if (r->kind == MODULE_SCANNED) {
		e->scan = e->hdr;
		e->page.len = 0;
		loop(MAX_FDES, next_entry, e);
	} else {
		e->low = 0;
		e->high = r->nr_entries;
		e->fde_off = 0;
		e->nr_held = 0;
		loop(MAX_TURNS_BSEARCH, halve, e);
		if (e->fde_off) {
			e->fde.addr = e->hdr + (s64)e->fde_off;
			e->fde.start = e->hdr + (s64)e->start_off;
		}
	}
	if (e->error)
		return e->error;
	return e->fde.addr ? 0 : NO_FDE;
}

CORE u32 ehframe_find(struct ehframe *e, const struct range *r)
{
	struct reader *in = &e->in;
	struct fde *f = &e->fde;
	u32 outcome, len, id;
	int err;

	e->hdr = r->hdr;
	e->class = r->class;
	outcome = locate(e, r);
	if (outcome)
		return outcome;

	err = reader_seek(in, f->addr);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	len = reader_u32(in);
	id = reader_u32(in);
	if (len == EXTENDED || !id)
		return BAD_CIE;
	f->end = f->addr + 4 + len;
	if (!is_read(e, f->addr + 4 - id)) {
		outcome = read_cie(e, f->addr + 4 - id);
		if (outcome)
			return outcome;
		err = reader_seek(in, f->addr);
		if (err)
			return read_outcome(err, TABLE_UNREADABLE);
	}

	switch (e->cie.encoding & PE_FORMAT) {
	case PE_UDATA4:
		in->pos = 12;
		f->size = reader_u32(in);
		break;
	case PE_UDATA8:
	case PE_ABSPTR:
		in->pos = 16;
		f->size = reader_u64(in);
		break;
	default:
		return BAD_ENCODING;
	}
	if (e->pc - f->start >= f->size)
		return NO_FDE;
	if (e->cie.sized) {
		len = reader_uleb(in);
		reader_skip(in, len);
	}
	err = reader_check(in);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	f->insns = reader_addr(in);
	return 0;
}
