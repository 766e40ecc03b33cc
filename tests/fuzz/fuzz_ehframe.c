/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as .eh_frame_hdr and .eh_frame: an FDE that is found covers the PC, whatever table led to it.
 *
 *	0..3  PC, from the start of the bytes		5     the n-th read finds a page that is not safe
 *	4     entries of the table; 0: no table, scan	6..   the bytes
 *	      from 128 on: addresses of four bytes
 */
#include <stddef.h>
#include <stdint.h>

#include "core/tables/ehframe.h"
#include "port/port_buffer.h"

#define ADDR 0x10000000ULL
#define HEAD 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_named(u32 err)
{
	switch (err) {
	case 0:
	case NO_FDE:
	case BAD_CIE:
	case BAD_ENCODING:
	case TABLE_UNREADABLE:
	case PAGE_NOT_SAFE: return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ehframe e;
	struct range r = {.hdr = ADDR};
	s32 off;
	u32 err;

	if (size < HEAD)
		return 0;
	memcpy(&off, data, sizeof(off));
	port_reset();
	port_map(ADDR, data + HEAD, size - HEAD, (struct vma){0});
	port_fail_read(data[5], -EACCES, false);
	memset(&e, 0, sizeof(e));
	e.pc = ADDR + (s64)off;
	r.nr_entries = data[4];
	r.class = data[4] >> 7;
	r.kind = data[4] ? MODULE_ELF : MODULE_SCANNED;

	for (int again = 0; again < 2; again++) { /* the CIE of before may be used again */
		err = ehframe_find(&e, &r);
		assert(is_named(err));
		assert(e.page.len <= PAGE_BYTES && e.cfi.in.pos <= READER_WINDOW && e.cfi.in.len <= READER_WINDOW);
		if (err)
			continue;
		assert(e.pc - e.fde.start < e.fde.size);
		assert(ehframe_cie(&e)->key && e.cfi.initial_insns > ehframe_cie(&e)->key && e.fde.insns > e.fde.addr);
	}
	return 0;
}
