/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ELF headers, read from the target's memory: no file is opened. */
#include "core/arch/tables.h"
#include "core/tables/encoding.h"
#include "core/module.h"

#define ELF_MAGIC 0x464c457f /* "\177ELF" */
#define ELF_CLASS32 1
#define ELF_CLASS64 2
#define PT_LOAD 1
#define PT_DYNAMIC 2
#define PT_NOTE 4
#define PT_GNU_EH_FRAME 0x6474e550
#define PT_GNU_SFRAME 0x6474e554
#define PF_X 1
#define PF_W 2
#define PHDR_BYTES 56
#define PHDR32_BYTES 32
#define MAX_PHDRS 32

/*
 * .eh_frame_hdr: version 1, a pointer of four bytes, count udata4, table datarel|sdata4. With a table, linkers write no
 * other form. HDR_BYTES includes the count.
 */
#define HDR_BYTES 12
#define HDR_TABLE_MASK 0xffff07ff
#define HDR_TABLE_FORM 0x3b030301

#define NOTE_NAME_GNU 0x00554e47 /* "GNU" */
#define NOTE_GNU_BUILD_ID 3
#define NOTE_BYTES 16 /* the header and "GNU" */
#define MAX_NOTES 16

#define MAX_SCAN_WORDS (4u << 20)

static INLINE u32 unreadable(int err)
{
	return err == -EACCES ? MODULE_NOT_SAFE : MODULE_UNREADABLE;
}

/* Convert a program header of ELFCLASS32, in place, to one of ELFCLASS64. */
static INLINE void widen(u64 *ph)
{
	u64 type_offset = ph[0], addresses = ph[1], sizes = ph[2], flags_align = ph[3];

	ph[0] = (u32)type_offset | flags_align << 32;
	ph[1] = type_offset >> 32;
	ph[2] = (u32)addresses;
	ph[4] = (u32)sizes;
	ph[6] = flags_align >> 32;
}

TURN(program_header, struct modules, ms)
{
	struct module *m = &ms->read;
	u64 *ph = ms->word;
	u32 bytes = m->class ? PHDR32_BYTES : PHDR_BYTES;
	u32 type, flags, n;

	ms->error = port_read(ph, bytes, ms->phdr + (u64)turn * bytes);
	if (ms->error)
		return STOP;
	if (m->class)
		widen(ph);
	type = (u32)ph[0];
	flags = ph[0] >> 32;

	if (type == PT_GNU_EH_FRAME) {
		m->hdr = ph[2];
		m->tables_off = ph[1];
	}
	if (type == PT_DYNAMIC)
		m->dynamic = ph[2];
	if (type == PT_GNU_SFRAME) {
		m->sframe = ph[2];
		ms->sframe_off = ph[1];
	}
	n = ms->nr_notes;
	if (type == PT_NOTE && n < COUNT(ms->notes)) {
		at(ms->notes, n) = (struct segment){ph[1], ph[2], ph[4]};
		at(ms->align, n) = ph[6];
		ms->nr_notes = n + 1;
	}
	if (type != PT_LOAD)
		return NEXT;

	if (ph[1] == 0)
		ms->start_vaddr = m->start_vaddr = ph[2];
	n = m->nr_exec;
	if (flags & PF_X && n < COUNT(m->exec)) {
		at(m->exec, n) = (struct segment){ph[1], ph[2], ph[4]};
		m->nr_exec = n + 1;
	}
	n = ms->nr_ro;
	if (!(flags & (PF_X | PF_W)) && n < COUNT(ms->ro)) {
		at(ms->ro, n) = (struct segment){ph[1], ph[2], ph[4]};
		ms->nr_ro = n + 1;
	}
	return NEXT;
}

TURN(note, struct modules, ms)
{
	struct module *m = &ms->read;
	u32 name, desc, pad = ms->note_align - 1;

	if (ms->scan + NOTE_BYTES > ms->scan_end || port_read(ms->note, NOTE_BYTES, ms->scan))
		return STOP;
	name = ms->note[0];
	desc = ms->note[1];
	if (name == 4 && ms->note[2] == NOTE_GNU_BUILD_ID && ms->note[3] == NOTE_NAME_GNU && desc <= BUILD_ID_MAX) {
		if (desc && !port_read(m->build_id, desc, ms->scan + NOTE_BYTES))
			m->build_id_bytes = desc;
		return STOP;
	}
	ms->scan += 12 + (((u64)name + pad) & ~(u64)pad) + (((u64)desc + pad) & ~(u64)pad);
	return NEXT;
}

static INLINE void find_build_id(struct modules *ms, u64 bias)
{
	each (i, COUNT(ms->notes)) {
		const struct segment *s = &at(ms->notes, i);

		if (i >= ms->nr_notes || ms->read.build_id_bytes)
			break;
		ms->note_align = at(ms->align, i) == 8 ? 8 : 4;
		ms->scan = bias + s->vaddr;
		ms->scan_end = ms->scan + s->size;
		module_read(ms, ms->scan, s->size, s->off);
		loop(MAX_NOTES, note, ms);
	}
}

/* Look for a first CIE: a usual length, id 0, version 1, augmentation "z?" with one letter. */
TURN(scan_word, struct modules, ms)
{
	struct page *p = &ms->page;
	u64 addr = ms->scan;
	u32 len, head;

	if (addr + 24 > ms->scan_end)
		return STOP;
	if (page_hold(p, addr, 24) || page_has(p, addr) < 24) {
		ms->nr_pieces = COUNT(ms->piece) + 1; /* not all was read, so nothing is shared */
		return STOP;
	}
	len = page_word(p, addr);
	head = page_word(p, addr + 8);
	if (is_cie_length(len) && page_word(p, addr + 4) == 0 && (head & 0xff00ffff) == 0x00007a01) {
		ms->read.hdr = addr;
		return STOP;
	}
	ms->scan = addr + 4;
	return NEXT;
}

/*
 * gcc -static writes no PT_GNU_EH_FRAME: search the read-only segments for .eh_frame itself. Linkers that separate nothing from
 * the code (ld -z noseparate-code, or for arm64; gold) make none: then it is in the segment of the code.
 */
static INLINE void scan_for_eh_frame(struct modules *ms, u64 bias)
{
	u64 base = bias + ms->start_vaddr, paused_at = scan_from(&ms->pause, base, ms->sequence, 0), into;
	struct module *m = &ms->read;

	ms->pause.of = 0;
	if (!ms->nr_ro) {
		ms->nr_ro = m->nr_exec;
		__builtin_memcpy(ms->ro, m->exec, sizeof(ms->ro));
	}
	each (i, COUNT(ms->ro)) {
		const struct segment *s = &at(ms->ro, i);

		if (i >= ms->nr_ro || m->hdr || ms->wait.bytes)
			break;
		ms->scan = (bias + s->vaddr + 7) & ~7ULL;
		ms->scan_end = bias + s->vaddr + s->size;
		ms->page.len = 0;
		module_read(ms, bias + s->vaddr, s->size, s->off);
		into = paused_at - ms->scan;
		if (paused_at && into >= s->size)
			continue;
		ms->scan += paused_at ? into : 0;
		paused_at = 0;
		loop(MAX_SCAN_WORDS, scan_word, ms);
		m->tables_off = m->hdr - bias - s->vaddr + s->off;
	}
	if (ms->wait.bytes)
		ms->pause = (struct scan_pause){base, ms->scan, ms->sequence, 0};
	if (m->hdr) {
		m->hdr -= bias;
		m->kind = MODULE_SCANNED;
	}
}

/* Read .eh_frame_hdr: does it have a table, or at least the way to .eh_frame? */
static INLINE void read_hdr(struct modules *ms, u64 bias)
{
	struct module *m = &ms->read;
	u64 *word = ms->word;
	u32 form;
	int err = port_read(word, HDR_BYTES, bias + m->hdr);
	u64 off;

	if (err) {
		m->kind = unreadable(err);
		return;
	}
	module_read(ms, bias + m->hdr, HDR_BYTES, m->tables_off);
	form = (u32)word[0];
	if ((form & HDR_TABLE_MASK) == HDR_TABLE_FORM) {
		m->nr_entries = (u32)word[1];
		m->kind = MODULE_ELF;
	} else if ((form & 0xffff) == (PE_SDATA4_PCREL << 8 | 1)) {
		off = 4 + (s64)(s32)(word[0] >> 32);
		m->hdr += off;
		m->tables_off += off;
		m->kind = MODULE_SCANNED;
	} else {
		m->kind = MODULE_NO_EH_FRAME;
	}
}

/*
 * Read from the ELF header in ms->word: class, entry point, place of the program headers. Returns how many of these
 * there are; -EINVAL: it is no ELF header.
 */
static INLINE int read_header(struct modules *ms, u64 base)
{
	struct module *m = &ms->read;
	u64 *word = ms->word;
	u32 class = word[0] >> 32 & 0xff, nr;

	if ((u32)word[0] != ELF_MAGIC)
		return -EINVAL;
	if (class == ELF_CLASS64) {
		m->entry = word[3];
		ms->phdr = base + word[4];
		nr = word[7] & 0xffff;
	} else if (class == ELF_CLASS32 && ELF32_IS_READ) {
		m->class = CLASS_ELF32;
		m->entry = (u32)word[3];
		ms->phdr = base + (word[3] >> 32);
		nr = word[5] >> 32 & 0xffff;
	} else {
		return -EINVAL;
	}
	return nr < MAX_PHDRS ? nr : MAX_PHDRS;
}

GLOBAL int elf_read(struct modules *ms NONNULL, u64 base)
{
	struct module *m = &ms->read;
	u64 *word = ms->word;
	u64 bias;
	int err, nr;

	m->kind = MODULE_UNREADABLE;
	m->nr_exec = m->nr_entries = 0;
	m->hdr = m->entry = m->sframe = m->dynamic = 0;
	m->build_id_bytes = m->class = 0;
	m->tables_off = ms->sframe_off = 0;
	ms->nr_ro = ms->nr_notes = ms->error = 0;
	ms->start_vaddr = m->start_vaddr = 0;

	if (!base)
		return 0; /* perhaps only now: a mapping that is being changed is not found */
	err = port_read(word, 64, base);
	if (err) {
		m->kind = unreadable(err);
		return 0;
	}
	module_read(ms, base, 64, 0);
	m->kind = MODULE_NOT_ELF;
	nr = read_header(ms, base);
	if (nr < 0)
		return 0;
	module_read(ms, ms->phdr, (u64)nr * (m->class ? PHDR32_BYTES : PHDR_BYTES), ms->phdr - base);
	loop(nr, program_header, ms);
	if (ms->error) {
		m->kind = unreadable(ms->error);
		return 0;
	}

	bias = base - ms->start_vaddr;
	find_build_id(ms, bias);
	if (ms->wait.bytes)
		return 0;
	m->kind = MODULE_NO_EH_FRAME;
	if (m->hdr)
		read_hdr(ms, bias);
	else if (ms->at_once && ms->nr_ro + m->nr_exec)
		m->kind = MODULE_TOO_LONG;
	else
		scan_for_eh_frame(ms, bias);
	if (m->kind == MODULE_NO_EH_FRAME && m->sframe) {
		m->kind = MODULE_SFRAME;
		m->hdr = m->sframe;
		m->tables_off = ms->sframe_off;
	}
	return 0;
}
