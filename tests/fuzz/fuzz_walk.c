/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process whose whole memory, from the ELF header to the stack, is any bytes: the walk ends, within its bounds, and
 * is the same whether rows are cached or not, and whether it has to wait for pages or not.
 *
 * The decoders have fuzzers of their own, which see more of them; this one looks at how they are put together.
 *
 *	0..1  PC, from the start of the file		4     the n-th read finds a page that is not safe
 *	2..3  length of the stack, which comes last	5..   the file, the stack; by ELFCLASS32, of a 32-bit task
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/frame.h"
#include "core/rowcache.h"
#include "core/walk/walk.h"
#include "port/port_buffer.h"
#include "test_arch.h"

#define ADDR 0x10000000ULL
#define STACK 0x20000000ULL
#define HEAD 5
#define DEPTH 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct walk w;

static void walk(const uint8_t *data, bool no_cache)
{
	modules_reset(&w.modules);
	modules_distrust(&w.modules);
	w.no_cache = no_cache;
	w.max_depth = DEPTH;
	for (u32 i = 0; i < INPUT_REGS; i++)
		w.machine.reg[i] = STACK + 8 * i;
	w.machine.reg[REG_PC] = ADDR + (data[0] | data[1] << 8);
	w.machine.reg[REG_SP] = STACK;
	test_set_mode(w.machine.reg, data[HEAD + EI_CLASS] == ELFCLASS32);
	walk_start(&w);
	walk_stack(&w);

	assert(w.out.nr >= 1 && w.out.nr <= DEPTH);
	assert(w.outcome != GOING_ON);
	assert(w.outcome <= PAGE_NOT_SAFE || w.outcome == BAD_SFRAME || w.outcome == MISALIGNED ||
	       w.outcome == FIRST_FUNCTION);
}

/* A number for the module that no row in the cache belongs to. */
static u32 fresh_module(void)
{
	static u32 last;

	if (++last > MAX_MODULE_ID) {
		memset(rowcache, 0, sizeof(rowcache));
		memset(ehframe_marks, 0, sizeof(ehframe_marks));
		memset(&w, 0, sizeof(w));
		last = 1;
	}
	return last;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stack out;
	u32 stack, file, outcome;

	if (size <= HEAD + EI_CLASS)
		return 0;
	stack = (data[2] | data[3] << 8) % (size - HEAD);
	file = size - HEAD - stack;
	port_reset();
	port_module_number(fresh_module());
	port_map(ADDR, data + HEAD, file, (struct vma){.dev = 1, .ino = 2, .executable = 1});
	port_map(STACK, data + HEAD + file, stack, (struct vma){0});
	port_fail_read(data[4], -EACCES, false);
	walk(data, true);
	if (data[4])
		return 0;
	out = w.out;
	outcome = w.outcome;
	for (int round = 0; round < 4; round++) {
		port_wait_for_pages(round < 2 ? NULL : &w.modules);
		walk(data, round == 2);
		assert(w.outcome == outcome && w.out.nr == out.nr);
		assert(!memcmp(w.out.frame, out.frame, out.nr * sizeof(out.frame[0])));
	}
	return 0;
}
