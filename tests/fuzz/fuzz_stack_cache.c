/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program made of any functions, on any stack, that changes: a walk at once is the walk that may wait, and a stack is
 * found again if, and only if, the walk would read the same.
 *
 * Each byte of the input is a choice; when there are none left, all are 0.
 *
 *	functions	how many, and of each: the CFA's register and offset, where it saves rbp and rbx
 *	registers	where the program stands: function, rsp, rbp, rbx
 *	stack		some words: how far above the last one, and what: return address, address of the stack, number
 *	changes		until the end: a word, a register or the key
 */
#include <stddef.h>
#include <stdint.h>

#include "core/walk/stack_cache.h"
#include "core/walk/nofault.h"
#include "port/image.h"
#include "port/port_buffer.h"
#include "test_arch.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define STACK (STACK_END - IMAGE_STACK_BYTES)
#define OUTERMOST 40
#define WORDS 64 /* of the stack that are chosen */
#define CHANGES 64
#define DEPTH 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern u32 nr_modules; /* core/module.c */

static const u8 *choice, *end;
static u32 functions;
static struct image im;
static struct walk w;
static struct walk_trace trace;
static u64 reg[NR_REGS];
static struct stack_cache_key key;

/* What was put; the first one is id 1. */
static struct kept {
	u64 reg[NR_REGS];
	struct stack_cache_key key;
	struct walk_trace trace;
	struct stack stack;
} kept[CHANGES + 1];
static u32 nr_kept;

static u32 choose(u32 below)
{
	return choice < end ? *choice++ % below : 0;
}

/* One in @n, if there are choices left. */
static bool rarely(u32 n)
{
	return choice < end && choose(n) == n - 1;
}

static u64 stack_address(void)
{
	u64 addr = STACK + 8 * choose(64);

	if (rarely(4))
		addr += PAGE_BYTES * choose(4);
	if (rarely(16))
		addr += 4;
	return addr;
}

static u64 return_address(void)
{
	u32 n = choose(functions + 1);

	return FUNCTION(n == functions ? OUTERMOST : n) + 9;
}

static void make_function(u32 n)
{
	static const u8 cfa_reg[] = {REG_SP, REG_SP, REG_SP, REG_FP, REG_FP, TEST_SAVED, TEST_LOST, 0};
	u32 base = cfa_reg[choose(COUNT(cfa_reg))], off = 8 + 8 * choose(8);
	u8 insns[32], *p = insns;

	if (rarely(8))
		off += 128 * choose(128);
	if (rarely(16))
		off += 4;
	*p++ = 0x0c; /* def_cfa */
	*p++ = base;
	*p++ = 0x80 | off;
	*p++ = 0x80 | off >> 7;
	*p++ = off >> 14;
	if (rarely(2)) {
		*p++ = 0x80 | REG_FP;
		*p++ = 2 + choose(8);
	}
	if (rarely(4)) {
		*p++ = 0x80 | TEST_SAVED;
		*p++ = choose(16);
	}
	if (rarely(8)) {
		*p++ = 0x80 | REG_RA;
		*p++ = choose(4);
	} else if (rarely(16)) {
		*p++ = 0x07;
		*p++ = REG_RA;
	}
	image_fde(&im, FUNCTION(n), 64, insns, p - insns);
}

/* Rows are cached by the module's number: a new one for each program. */
static void forget_rows(void)
{
	if (nr_modules < MAX_MODULE_ID)
		return;
	memset(rowcache, 0, sizeof(rowcache));
	nr_modules = 0;
}

static void make_program(void)
{
	port_reset();
	forget_rows();
	image_init(&im);
	if (rarely(8))
		im.bytes[IMAGE_EH_FRAME - IMAGE_BASE + 13] = 0x7c; /* offsets are in units of 4 bytes */
	functions = 1 + choose(6);
	for (u32 n = 0; n < functions; n++)
		make_function(n);
	image_fde(&im, FUNCTION(OUTERMOST), 64, INSNS(0x07, REG_RA));
	image_map(&im);
}

static void make_stack(void)
{
	u32 nr = choose(WORDS + 1), word = 0;

	for (u32 i = 0; i < nr && word < COUNT(im.stack); i++) {
		switch (choose(4)) {
		case 0:
		case 1: im.stack[word] = return_address(); break;
		case 2: im.stack[word] = stack_address(); break;
		default: im.stack[word] = choose(3);
		}
		word += 1 + choose(4);
		if (rarely(8))
			word += 4 * choose(128);
	}
}

static void begin(bool no_cache)
{
	memcpy(w.machine.reg, reg, sizeof(reg));
	w.max_depth = DEPTH;
	w.no_cache = no_cache;
	walk_start(&w);
}

/* At once, to w and @trace. If that can be done, it is what the other walk does, whether rows are known or not. */
static int walk_at_once(void)
{
	static struct stack out;
	u32 outcome;
	int err;

	begin(false);
	err = walk_nofault(&w);
	trace = w.trace;
	assert(!err || err == -EAGAIN);
	if (err) {
		begin(true);
		walk_stack(&w);
	}
	outcome = w.outcome;
	out = w.out;
	for (int known = 0; known < 2; known++) {
		begin(!known);
		walk_stack(&w);
		assert(w.outcome == outcome && w.out.nr == out.nr);
		assert(!memcmp(out.frame, w.out.frame, out.nr * sizeof(out.frame[0])));
	}
	return err;
}

static void keep(void)
{
	struct kept *k = &kept[nr_kept++];

	k->key = key;
	k->trace = trace;
	k->stack = w.out;
	memcpy(k->reg, reg, sizeof(reg));
	stack_cache_put(&key, reg, &trace, nr_kept);
}

/* Does a walk read what it read then? */
static bool reads_the_same(const struct kept *k)
{
	const struct read_log *now = &trace.reads, *then = &k->trace.reads;

	if (memcmp(&key, &k->key, sizeof(key)) || trace.used != k->trace.used)
		return false;
	for (u32 i = 0; i < REG_RA; i++)
		if (trace.used >> i & 1 && reg[i] != k->reg[i])
			return false;
	return now->nr == then->nr && !memcmp(now->at, then->at, now->nr * sizeof(now->at[0])) &&
	       !memcmp(now->word, then->word, now->nr * sizeof(now->word[0]));
}

static bool can_be_kept(void)
{
	return read_log_is_usable(&trace.reads) && trace.reads.nr && !(trace.used & ~DEPENDS_REGS);
}

static void look(void)
{
	static struct stack_snapshot now;
	u32 id = stack_cache_find(&key, reg, &now);
	int err = walk_at_once();

	assert(id <= nr_kept);
	if (id) {
		const struct stack *found = &kept[id - 1].stack;

		assert(err || reads_the_same(&kept[id - 1])); /* what was known may be forgotten */
		assert(w.outcome == UNDEFINED_RA);
		assert(w.out.nr == found->nr &&
		       !memcmp(w.out.frame, found->frame, found->nr * sizeof(found->frame[0])));
	} else if (!err && can_be_kept()) {
		assert(!nr_kept || !reads_the_same(&kept[nr_kept - 1]));
		keep();
	}
}

static void change(void)
{
	u32 what = choose(16);
	u64 *word = &im.stack[choose(64)];

	if (rarely(4))
		word += 16 * choose(128);
	switch (what) {
	case 0: reg[REG_FP] = stack_address(); break;
	case 1: reg[choose(16)] ^= 8; break;
	case 2: key.ip = return_address() - 1; break;
	case 3: key.sp = stack_address(); break;
	case 4: key.mm_sequence += 2 * choose(2); break;
	case 5: key.exec_id ^= choose(2); break;
	case 6 ... 9: *word = return_address(); break;
	case 10 ... 12: *word = stack_address(); break;
	default: *word ^= 1ULL << choose(64);
	}
	reg[REG_PC] = key.ip;
	reg[REG_SP] = key.sp;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	choice = data;
	end = data + size;
	memset(stack_cache, 0, sizeof(stack_cache));
	nr_kept = 0;
	make_program();
	modules_reset(&w.modules);
	modules_distrust(&w.modules);
	for (u32 i = 0; i < NR_REGS; i++)
		reg[i] = STACK + 8 * i;
	key = (struct stack_cache_key){.mm = 1, .mm_sequence = 2};
	key.ip = return_address() - 1;
	key.sp = stack_address();
	reg[REG_PC] = key.ip;
	reg[REG_SP] = key.sp;
	reg[REG_FP] = stack_address();
	make_stack();
	for (u32 i = 0; i < CHANGES && choice < end; i++) {
		look();
		change();
	}
	look();
	return 0;
}
