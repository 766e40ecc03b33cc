/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code without CFI that is known by its bytes: lld's PLT, what crti.o and crtbegin.o bring into each program and
 * library, and the first and last instructions of any function, where the frame pointer is not yet, or no longer, its
 * own. None has a frame, apart from a word or two that it pushes.
 *
 * The evidence: at a `ret` the return address is at rsp, whatever the function is. `mov %rsp,%rbp` that is still to
 * come, with or without the `push %rbp` before it, identifies a prologue. The others are recognized by opcodes that
 * follow each other only there, and functions by their first 16 bytes. And the row is a guess: the return address that
 * it leads to must follow a call.
 *
 * Without branches: each would double the verifier's paths through everything that follows.
 */
#include "core/code/codeword.h"
#include "core/machine.h"

#define CODE_BEFORE 64 /* how far back a function's start is looked for */
#define AFTER 40
#define PROLOGUE 32 /* from push %rbp to mov %rsp,%rbp, at most */
#define BEGINS 8    /* bytes before an instruction that are compared together with it */

/* 16 bytes of code, which count where @mask is not 0. */
struct code {
	u64 word[2];
} __attribute__((packed)); /* at any alignment */

struct instruction {
	struct code code, mask;
	u32 pushed; /* bytes pushed on top of the return address, and perhaps RBP_LAST */
};

#define RBP_LAST 1 /* the word next to the return address is the caller's rbp */

/*
 * A function of @bytes bytes, by its start: from @pushed_at on, @pushed bytes are on top of the return address.
 * @pushed_at CODE_BEFORE: never. @bytes CODE_BEFORE: what follows is a function of this table, too.
 */
struct function {
	struct code code, mask;
	u32 pushed, pushed_at, bytes;
};

#define X 0xff

/*
 * The last one that matches counts. The first IN_ANY_CODE occur in all code; linkers, crti.o, gcc and Go make the
 * others.
 */
#define IN_ANY_CODE 4
#define NR_INSTRUCTIONS 21
static const struct instruction instructions[32] = {
	/* add $8,%rsp; ret. pop %rbp; ret. ret, also in its form for old CPUs */
	{{{0, WORD(0x48, 0x83, 0xc4, 8, 0xc3, 0, 0, 0)}}, {{0, WORD(X, X, X, X, X, 0, 0, 0)}}, 8},
	{{{0, WORD(0x5d, 0xc3, 0, 0, 0, 0, 0, 0)}}, {{0, WORD(X, X, 0, 0, 0, 0, 0, 0)}}, 8 | RBP_LAST},
	{{{0, WORD(0xc3, 0, 0, 0, 0, 0, 0, 0)}}, {{0, WORD(X, 0, 0, 0, 0, 0, 0, 0)}}, 0},
	{{{0, WORD(0xf3, 0xc3, 0, 0, 0, 0, 0, 0)}}, {{0, WORD(X, X, 0, 0, 0, 0, 0, 0)}}, 0},
	/* push $index of a stub, and its jmp plt0; plt0: push got+8(%rip), and its jmp; a stub that is one jmp */
	{{{0, WORD(0x68, 0, 0, 0, 0, 0xe9, 0, 0)}}, {{0, WORD(X, 0, 0, 0, 0, X, 0, 0)}}, 0},
	{{{WORD(0, 0, 0, 0x68, 0, 0, 0, 0), WORD(0xe9, 0, 0, 0, 0, 0, 0, 0)}},
	 {{WORD(0, 0, 0, X, 0, 0, 0, 0), WORD(X, 0, 0, 0, 0, 0, 0, 0)}},
	 8},
	{{{0, WORD(0xff, 0x35, 0, 0, 0, 0, 0, 0)}}, {{0, WORD(X, X, 0, 0, 0, 0, 0, 0)}}, 8},
	{{{0, WORD(0xff, 0x25, 0, 0, 0, 0, 0, 0)}}, {{0, WORD(X, X, 0, 0, 0, 0, 0, 0)}}, 0},
	{{{WORD(0, 0, 0xff, 0x35, 0, 0, 0, 0), WORD(0xff, 0x25, 0, 0, 0, 0, 0, 0)}},
	 {{WORD(0, 0, X, X, 0, 0, 0, 0), WORD(X, X, 0, 0, 0, 0, 0, 0)}},
	 16},
	/* endbr64, endbr32: a function or a stub of -z ibtplt; frame_dummy: the same, and jmp register_tm_clones */
	{{{0, WORD(0xf3, 0x0f, 0x1e, 0xfa, 0, 0, 0, 0)}}, {{0, WORD(X, X, X, 0xfe, 0, 0, 0, 0)}}, 0},
	{{{WORD(0, 0, 0, 0, 0xf3, 0x0f, 0x1e, 0xfa), WORD(0xe9, 0, 0, 0, 0, 0, 0, 0)}},
	 {{WORD(0, 0, 0, 0, X, X, X, 0xfe), WORD(0xfd, 0, 0, 0, 0, 0, 0, 0)}},
	 0},
	/* _fini: sub $8,%rsp; add $8,%rsp */
	{{{0, WORD(0x48, 0x83, 0xec, 8, 0x48, 0x83, 0xc4, 8)}}, {{0, WORD(X, X, X, X, X, X, X, X)}}, 0},
	/* Go's check of the stack's size: cmp 16(%r14),%rsp; jbe, short or near */
	{{{0, WORD(0x49, 0x3b, 0x66, 0x10, 0, 0, 0, 0)}}, {{0, WORD(X, X, X, X, 0, 0, 0, 0)}}, 0},
	{{{WORD(0, 0, 0, 0, 0x49, 0x3b, 0x66, 0x10), WORD(0x76, 0, 0, 0, 0, 0, 0, 0)}},
	 {{WORD(0, 0, 0, 0, X, X, X, X), WORD(X, 0, 0, 0, 0, 0, 0, 0)}},
	 0},
	{{{WORD(0, 0, 0, 0, 0x49, 0x3b, 0x66, 0x10), WORD(0x0f, 0x86, 0, 0, 0, 0, 0, 0)}},
	 {{WORD(0, 0, 0, 0, X, X, X, X), WORD(X, X, 0, 0, 0, 0, 0, 0)}},
	 0},
	/* the same for a large frame: lea -N(%rsp),%r12; cmp 16(%r14),%r12 */
	{{{0, WORD(0x4c, 0x8d, 0x64, 0x24, 0, 0x4d, 0x3b, 0x66)}}, {{0, WORD(X, X, X, X, 0, X, X, X)}}, 0},
	/* the end of -fzero-call-used-regs: xor %edx,%edx; xor %ecx,%ecx; ret */
	{{{0, WORD(0x31, 0xd2, 0x31, 0xc9, 0xc3, 0, 0, 0)}}, {{0, WORD(X, X, X, X, X, 0, 0, 0)}}, 0},
	{{{0, WORD(0x31, 0xc9, 0xc3, 0, 0, 0, 0, 0)}}, {{0, WORD(X, X, X, 0, 0, 0, 0, 0)}}, 0},
	/* 32-bit code reads its own address: mov (%esp),%reg, or add; ret */
	{{{0, WORD(3, 4, 0x24, 0xc3, 0, 0, 0, 0)}}, {{0, WORD(0x77, 0xc7, X, X, 0, 0, 0, 0)}}, 0},
	/* add $8,%esp; pop %ebx; ret, of 32-bit _init and _fini */
	{{{0, WORD(0x83, 0xc4, 8, 0x5b, 0xc3, 0, 0, 0)}}, {{0, WORD(X, X, X, X, X, 0, 0, 0)}}, 24},
	{{{0, WORD(0x5b, 0xc3, 0, 0, 0, 0, 0, 0)}}, {{0, WORD(X, X, 0, 0, 0, 0, 0, 0)}}, 8},
};

static const struct function functions[16] = {
	/* _init: sub $8,%rsp; mov gmon_start(%rip),%rax (or, static: mov $0,%rax); test %rax,%rax; je */
	{{{WORD(0x48, 0x83, 0xec, 8, 0x48, 0x8b, 5, 0), WORD(0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 0)}},
	 {{WORD(X, X, X, X, X, X, X, 0), WORD(0, 0, 0, X, X, X, X, 0)}},
	 8,
	 4,
	 24},
	{{{WORD(0x48, 0x83, 0xec, 8, 0x48, 0xc7, 0xc0, 0), WORD(0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 0)}},
	 {{WORD(X, X, X, X, X, X, X, 0), WORD(0, 0, 0, X, X, X, X, 0)}},
	 8,
	 4,
	 24},
	/* deregister_tm_clones: lea (%rip),%rdi; lea (%rip),%rax; cmp %rdi,%rax */
	{{{WORD(0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x48), WORD(0x8d, 5, 0, 0, 0, 0, 0x48, 0x39)}},
	 {{WORD(X, X, X, 0, 0, 0, 0, X), WORD(X, X, 0, 0, 0, 0, X, X)}},
	 0,
	 CODE_BEFORE,
	 CODE_BEFORE},
	/* register_tm_clones: lea (%rip),%rdi; lea (%rip),%rsi; sub %rdi,%rsi */
	{{{WORD(0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x48), WORD(0x8d, 0x35, 0, 0, 0, 0, 0x48, 0x29)}},
	 {{WORD(X, X, X, 0, 0, 0, 0, X), WORD(X, X, 0, 0, 0, 0, X, X)}},
	 0,
	 CODE_BEFORE,
	 CODE_BEFORE},
	/* The same two where addresses are fixed: mov $,%eax; cmp $,%rax; je; mov. mov $,%esi; sub $,%rsi; mov */
	{{{WORD(0xb8, 0, 0, 0, 0, 0x48, 0x3d, 0), WORD(0, 0, 0, 0x74, 0, 0xb8, 0, 0)}},
	 {{WORD(X, 0, 0, 0, 0, X, X, 0), WORD(0, 0, 0, X, 0, X, X, X)}},
	 0,
	 CODE_BEFORE,
	 CODE_BEFORE},
	{{{WORD(0xbe, 0, 0, 0, 0, 0x48, 0x81, 0xee), WORD(0, 0, 0, 0, 0x48, 0x89, 0xf0, 0x48)}},
	 {{WORD(X, 0, 0, 0, 0, X, X, X), WORD(0, 0, 0, 0, X, X, X, X)}},
	 0,
	 CODE_BEFORE,
	 CODE_BEFORE},
	/* __do_global_dtors_aux, perhaps behind endbr64: cmpb $0,completed(%rip); jne; push %rbp */
	{{{WORD(0x80, 0x3d, 0, 0, 0, 0, 0, 0x75), WORD(0, 0x55, 0x48, 0, 0, 0, 0, 0)}},
	 {{WORD(X, X, 0, 0, 0, 0, X, X), WORD(0, X, X, 0, 0, 0, 0, 0)}},
	 8 | RBP_LAST,
	 10,
	 CODE_BEFORE},
	/*
	 * The same in 32-bit programs, up to push %ebp. _init, _fini: push %ebx; sub $8,%esp; call get_pc_thunk; add
	 * $,%ebx. deregister_tm_clones, register_tm_clones: call get_pc_thunk; add $,%edx; and lea or push %ebp; mov
	 */
	{{{WORD(0x53, 0x83, 0xec, 8, 0xe8, 0, 0, 0), WORD(0, 0x81, 0xc3, 0, 0, 0, 0, 0)}},
	 {{WORD(X, X, X, X, X, 0, 0, 0), WORD(0, X, X, 0, 0, 0, 0, 0)}},
	 8,
	 1,
	 4},
	{{{WORD(0x53, 0x83, 0xec, 8, 0xe8, 0, 0, 0), WORD(0, 0x81, 0xc3, 0, 0, 0, 0, 0)}},
	 {{WORD(X, X, X, X, X, 0, 0, 0), WORD(0, X, X, 0, 0, 0, 0, 0)}},
	 24,
	 4,
	 27},
	{{{WORD(0xe8, 0, 0, 0, 0, 0x81, 0xc2, 0), WORD(0, 0, 0, 0x8d, 0x8a, 0, 0, 0)}},
	 {{WORD(X, 0, 0, 0, 0, X, X, 0), WORD(0, 0, 0, X, X, 0, 0, 0)}},
	 0,
	 CODE_BEFORE,
	 38},
	{{{WORD(0xe8, 0, 0, 0, 0, 0x81, 0xc2, 0), WORD(0, 0, 0, 0x55, 0x89, 0xe5, 0, 0)}},
	 {{WORD(X, 0, 0, 0, 0, X, X, 0), WORD(0, 0, 0, X, X, X, 0, 0)}},
	 0,
	 CODE_BEFORE,
	 12},
	/* where addresses are fixed: mov $,%eax; cmp $,%eax; je. mov $,%eax; sub $,%eax; mov. cmpb; jne; push */
	{{{WORD(0xb8, 0, 0, 0, 0, 0x3d, 0, 0), WORD(0, 0, 0x74, 0, 0xb8, 0, 0, 0)}},
	 {{WORD(X, 0, 0, 0, 0, X, 0, 0), WORD(0, 0, X, 0, X, 0, 0, 0)}},
	 0,
	 CODE_BEFORE,
	 22},
	{{{WORD(0xb8, 0, 0, 0, 0, 0x2d, 0, 0), WORD(0, 0, 0x89, 0xc2, 0xc1, 0xe8, 0, 0)}},
	 {{WORD(X, 0, 0, 0, 0, X, 0, 0), WORD(0, 0, X, X, X, X, 0, 0)}},
	 0,
	 CODE_BEFORE,
	 34},
	{{{WORD(0x80, 0x3d, 0, 0, 0, 0, 0, 0x75), WORD(0, 0x55, 0x89, 0xe5, 0, 0, 0, 0)}},
	 {{WORD(X, X, 0, 0, 0, 0, 0, X), WORD(0, X, X, X, 0, 0, 0, 0)}},
	 0,
	 CODE_BEFORE,
	 10},
	/* the vDSO of 32-bit tasks: call get_pc_thunk; add $,%eax; push %ebp; mov %esp,%ebp */
	{{{WORD(0xe8, 0, 0, 0, 0, 5, 0, 0), WORD(0, 0, 0x55, 0x89, 0xe5, 0, 0, 0)}},
	 {{WORD(X, 0, 0, 0, 0, X, 0, 0), WORD(0, 0, X, X, X, 0, 0, 0)}},
	 0,
	 CODE_BEFORE,
	 11},
};

/* All bits if @a is 0, or none. */
static INLINE u64 is_zero(u64 a)
{
	return (s64)((a - 1) & ~a) >> 63;
}

static INLINE u64 fits(const struct code *here, const struct code *code, const struct code *mask)
{
	return is_zero(((here->word[0] ^ code->word[0]) & mask->word[0]) |
		       ((here->word[1] ^ code->word[1]) & mask->word[1]));
}

static INLINE u64 is_less(u64 a, u64 b)
{
	return (s64)(a - b) >> 63;
}

static INLINE const struct code *code_at(struct machine *m, u32 distance)
{
	return (const struct code *)&at(m->in.window, CODE_BEFORE - distance);
}

/* Find the nearest mov %rsp,%rbp: its distance goes to m->value[0]. */
TURN(find_mov, struct machine, m)
{
	const u8 *code = &at(m->in.window, CODE_BEFORE + turn);

	if (!m->compat && *code++ != 0x48) /* REX.W */
		return NEXT;
	if (code[0] != 0x89 || code[1] != 0xe5)
		return NEXT;
	m->value[0] = turn;
	return STOP;
}

/*
 * Is there a push %rbp between here and that mov? To m->value[1]. Is there one before, not too far from the mov? To
 * m->value[2].
 */
TURN(find_push, struct machine, m)
{
	if (turn < m->value[0] && at(m->in.window, CODE_BEFORE + turn) == 0x55)
		m->value[1] = 1;
	if (turn + m->value[0] < PROLOGUE && at(m->in.window, CODE_BEFORE - turn) == 0x55)
		m->value[2] = 1;
	return NEXT;
}

/*
 * How many bytes are on top of the return address in a prologue, where mov %rsp,%rbp is still to come. -1: it is no
 * prologue. No prologue of 64-bit code has a call, and behind a call that does not return another function begins.
 */
static INLINE u64 pushed_by_prologue(struct machine *m)
{
	m->value[0] = PROLOGUE;
	m->value[1] = m->value[2] = 0;
	if (m->pc_is_exact | m->compat)
		loop(PROLOGUE, find_mov, m);
	if (m->value[0] == PROLOGUE)
		return -1ULL;
	if (at(m->in.window, CODE_BEFORE) == 0x55)
		return 0;
	loop(PROLOGUE, find_push, m);
	return m->value[2] && !m->value[1] ? 8 | RBP_LAST : -1ULL;
}

/*
 * Find the nearest of the functions that begins up to CODE_BEFORE bytes before the PC: its bytes go to m->word.
 * Functions begin at multiples of 4.
 */
TURN(find_function, struct machine, m)
{
	const struct function *f = &at(functions, turn % COUNT(functions));
	u32 distance = 4 * (turn / COUNT(functions)) + (m->depth & 3);
	struct code here = *code_at(m, distance);
	u64 is = fits(&here, &f->code, &f->mask) & is_less(distance, f->bytes);

	m->word = (m->word & ~is) | (is & f->pushed & ~is_less(distance, f->pushed_at));
	return m->word == -1ULL ? NEXT : STOP;
}

/* Is it this instruction? Then its bytes go to m->word: instructions override functions. */
TURN(find_instruction, struct machine, m)
{
	const struct instruction *i = &at(instructions, turn);
	struct code here = *code_at(m, BEGINS);
	u64 is = fits(&here, &i->code, &i->mask);

	m->word = (m->word & ~is) | (is & i->pushed);
	return NEXT;
}

/*
 * How many bytes are on top of the return address, by the code in m->in.window? The PC is at CODE_BEFORE there, and its
 * address ends in the bits @low. -1: unknown. With CODE_RULE_NO_ELF in @low only what occurs in all code counts: a JIT
 * compiler's `push $; jmp` does not come from a linker.
 */
GLOBAL u64 code_rule_pushed(struct machine *m NONNULL, u32 low)
{
	m->depth = low;
	m->word = pushed_by_prologue(m);
	if (!(low & CODE_RULE_NO_ELF) && m->word == -1ULL)
		loop(CODE_BEFORE / 4 * COUNT(functions), find_function, m);
	loop(low & CODE_RULE_NO_ELF ? IN_ANY_CODE : NR_INSTRUCTIONS, find_instruction, m);
	return m->word;
}

CORE int code_rule_row(struct machine *m, u64 pc, u32 known)
{
	const u8 *code = m->in.window + CODE_BEFORE;
	u8 flags = ROW_GUESS;
	u64 pushed;

	if (port_read(m->in.window, CODE_BEFORE + AFTER, pc - CODE_BEFORE))
		return -ENOENT;
	pushed = code_rule_pushed(m, (pc & 3) | known);
	if (pushed == -1ULL && m->pc_is_exact && is_system_call(m, code - 2)) {
		pushed = 0;		    /* clone3(): back from the system call, without a frame */
		flags |= ROW_FRAME_POINTER; /* if the thread is new, it has no caller */
	}
	if (pushed == -1ULL)
		return -ENOENT;

	row_ra_at_sp(m, pushed / 8 * word_bytes(m));
	m->row.flags = flags;
	if (pushed & RBP_LAST)
		row_saves(m, SLOT_RBP, RULE_OFFSET, -2 * word_bytes(m));
	return 0;
}
