/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as a mapped file: it is some kind of module, and the range that is remembered of it holds the address.
 *
 *	0..1  the address, from the start of the file	2     the n-th read finds a page that is not safe
 *							3..   the file
 */
#include <stddef.h>
#include <stdint.h>

#include "core/module.h"
#include "port/port_buffer.h"

#define ADDR 0x10000000ULL
#define HEAD 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct modules ms;
	u64 addr;

	if (size <= HEAD)
		return 0;
	addr = ADDR + (data[0] | data[1] << 8) % (size - HEAD);
	port_reset();
	port_map(ADDR, data + HEAD, size - HEAD, (struct vma){.dev = 1, .ino = 2, .executable = 1});
	port_fail_read(data[2], -EACCES, false);
	modules_reset(&ms);
	modules_distrust(&ms);

	assert(module_find(&ms, addr) == -EAGAIN);
	assert(!module_enter(&ms, addr));
	assert(module_here(&ms)->kind >= MODULE_ELF && module_here(&ms)->kind < MODULE_ANON);
	assert(ms.read.nr_exec <= COUNT(ms.read.exec) && ms.read.build_id_bytes <= BUILD_ID_MAX);
	assert(ms.nr_ro <= COUNT(ms.ro) && ms.nr_notes <= COUNT(ms.notes) && ms.page.len <= PAGE_BYTES);
	if (!module_find(&ms, addr))
		assert(addr >= module_here(&ms)->start && addr < module_here(&ms)->end);
	return 0;
}
