/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does each operation of a DWARF expression compute what DWARF 5 §2.5 says? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/tables/expr.h"
#include "port/port_buffer.h"

#define HDR 0x10000000ULL
#define STACK 0x7fff0000ULL
#define PC 0x401234ULL
#define BYTES(...) {__VA_ARGS__}, sizeof((u8[]){__VA_ARGS__})

static struct machine m;
static u64 stack[512];

/* The registers are 0x1000 * (number + 1), but for the stack pointer; the stack's words are 0xf00 + index. */
static void set_up(const u8 *bytes, u32 len)
{
	port_reset();
	port_map(HDR, bytes, len, (struct vma){0});
	for (u32 i = 0; i < COUNT(stack); i++)
		stack[i] = 0xf00 + i;
	port_map(STACK, stack, sizeof(stack), (struct vma){0});
	memset(&m, 0, sizeof(m));
	for (u32 i = 0; i < RIP; i++)
		m.reg[i] = 0x1000 * (i + 1);
	m.reg[RSP] = m.sp = STACK;
	m.pc = PC;
	m.hdr = HDR;
	m.cfa = STACK + 0x100;
	m.row.cfa_kind = CFA_EXPR;
}

/* @insns as the expression of the CFA. */
static u32 run(const u8 *insns, u32 len)
{
	static u8 bytes[4096];

	assert_true(len < 0x4000 && len + 2 <= sizeof(bytes));
	bytes[0] = 0x80 | (len & 0x7f);
	bytes[1] = len >> 7;
	memcpy(bytes + 2, insns, len);
	set_up(bytes, len + 2);
	return expr_row(&m);
}

#define TWO(x, y, op) {0x08, x, 0x09, (u8)(y), op}, 5

static const struct vector {
	const char *name;
	u8 insns[16];
	u32 len;
	u64 result;
} vectors[] = {
	{"addr", BYTES(0x03, 1, 2, 3, 4, 5, 6, 7, 8), 0x0807060504030201},
	{"deref", BYTES(0x77, 16, 0x06), 0xf02},
	{"const1u", BYTES(0x08, 0xff), 0xff},
	{"const1s", BYTES(0x09, 0xff), ~0ULL},
	{"const2u", BYTES(0x0a, 0xfe, 0xff), 0xfffe},
	{"const2s", BYTES(0x0b, 0xfe, 0xff), -2ULL},
	{"const4u", BYTES(0x0c, 0xfd, 0xff, 0xff, 0xff), 0xfffffffd},
	{"const4s", BYTES(0x0d, 0xfd, 0xff, 0xff, 0xff), -3ULL},
	{"const8u", BYTES(0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80), 0x8000000000000001},
	{"const8s", BYTES(0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80), 0x8000000000000001},
	{"constu", BYTES(0x10, 0xff, 0x7f), 0x3fff},
	{"consts", BYTES(0x11, 0xff, 0x7f), ~0ULL},
	{"constu of ten bytes", BYTES(0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), ~0ULL},
	{"dup", BYTES(0x35, 0x12, 0x22), 10},
	{"drop", BYTES(0x35, 0x36, 0x13), 5},
	{"over", BYTES(0x35, 0x36, 0x14, 0x1c), 1},
	{"pick the top", BYTES(0x35, 0x36, 0x15, 0, 0x1c), 0},
	{"pick the bottom", BYTES(0x35, 0x36, 0x37, 0x15, 2), 5},
	{"swap", BYTES(0x35, 0x37, 0x16, 0x1c), 2},
	{"abs", BYTES(0x09, 0xf0, 0x19), 16},
	{"abs of what is positive", BYTES(0x09, 0x10, 0x19), 16},
	{"and", TWO(0x3c, 0x0f, 0x1a), 0x0c},
	{"minus", TWO(5, 7, 0x1c), -2ULL},
	{"mul", TWO(5, -7, 0x1e), -35ULL},
	{"neg", BYTES(0x35, 0x1f), -5ULL},
	{"not", BYTES(0x35, 0x20), ~5ULL},
	{"or", TWO(0x30, 0x0f, 0x21), 0x3f},
	{"plus", TWO(5, -7, 0x22), -2ULL},
	{"plus_uconst", BYTES(0x35, 0x23, 0x80, 0x01), 133},
	{"shl", TWO(5, 4, 0x24), 80},
	{"shr", BYTES(0x09, 0xf0, 0x34, 0x25), 0x0fffffffffffffff},
	{"shra", BYTES(0x09, 0xf0, 0x34, 0x26), ~0ULL},
	{"xor", TWO(0x3c, 0x0f, 0x27), 0x33},
	{"eq, equal", TWO(5, 5, 0x29), 1},
	{"eq, not equal", TWO(5, 6, 0x29), 0},
	{"ge, equal", TWO(5, 5, 0x2a), 1},
	{"ge, signed", TWO(5, -1, 0x2a), 1},
	{"gt, equal", TWO(5, 5, 0x2b), 0},
	{"gt, signed", TWO(5, -1, 0x2b), 1},
	{"le, equal", TWO(5, 5, 0x2c), 1},
	{"le, signed", TWO(5, -1, 0x2c), 0},
	{"lt, equal", TWO(5, 5, 0x2d), 0},
	{"lt, signed", TWO(5, -1, 0x2d), 0},
	{"ne, equal", TWO(5, 5, 0x2e), 0},
	{"ne, not equal", TWO(5, 6, 0x2e), 1},
	{"lit0", BYTES(0x30), 0},
	{"lit31", BYTES(0x4f), 31},
	{"breg0", BYTES(0x70, 8), 0x1008},
	{"breg7", BYTES(0x77, 0x78), STACK - 8},
	{"breg15", BYTES(0x7f, 0), 0x10000},
	{"breg16 is the PC", BYTES(0x80, 1), PC + 1},
	{"nop", BYTES(0x35, 0x96), 5},
	/* As ld writes it for .plt: rsp + 8 + ((rip & 15) >= 11) * 8 */
	{"the PLT's", BYTES(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22), STACK + 8},
};

static void each_operation_computes_what_dwarf_says(void **state)
{
	for (size_t i = 0; i < COUNT(vectors); i++) {
		const struct vector *v = &vectors[i];

		print_message("  %s\n", v->name);
		assert_int_equal(run(v->insns, v->len), 0);
		assert_int_equal(m.cfa, v->result);
	}
}

static bool is_known(u8 op)
{
	static const u8 known[] = {
		0x03, 0x06, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12,
		0x13, 0x14, 0x15, 0x16, 0x19, 0x1a, 0x1c, 0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23,
		0x24, 0x25, 0x26, 0x27, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x96,
	};

	return memchr(known, op, sizeof(known)) || (op >= 0x30 && op <= 0x4f) || (op >= 0x70 && op <= 0x80);
}

static void other_operations_are_refused_by_their_number(void **state)
{
	for (u32 op = 0; op < 256; op++) {
		const u8 insns[] = {0x77, 0, 0x77, 0, op, 0, 0, 0, 0, 0, 0, 0, 0};
		u32 err = run(insns, is_known(op) ? 5 : sizeof(insns));

		if (is_known(op))
			continue;
		assert_int_equal(err, BAD_EXPRESSION);
		assert_int_equal(m.detail, op);
	}
}

static void operations_want_their_operands(void **state)
{
	static const u8 unary[] = {0x06, 0x12, 0x13, 0x19, 0x1f, 0x20, 0x23};
	static const u8 two[] = {0x14, 0x16, 0x1a, 0x1c, 0x1e, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27, 0x29, 0x2e};
	static const u8 pick[] = {0x35, 0x15, 1};

	for (size_t i = 0; i < COUNT(unary); i++)
		assert_int_equal(run((u8[]){unary[i], 0}, 2), BAD_EXPRESSION);
	for (size_t i = 0; i < COUNT(two); i++)
		assert_int_equal(run((u8[]){0x35, two[i]}, 2), BAD_EXPRESSION);
	assert_int_equal(run(pick, sizeof(pick)), BAD_EXPRESSION);
	assert_int_equal(run((u8[]){0x35, 0x13}, 2), BAD_EXPRESSION); /* nothing is left */
	assert_int_equal(run((u8[]){0}, 0), BAD_EXPRESSION);
}

static void the_operand_stack_has_a_limit(void **state)
{
	u8 insns[EXPR_DEPTH + 1];

	memset(insns, 0x31, sizeof(insns));
	assert_int_equal(run(insns, EXPR_DEPTH), 0);
	assert_int_equal(run(insns, EXPR_DEPTH + 1), BAD_EXPRESSION);
}

static void an_expression_has_a_limit(void **state)
{
	u8 insns[65];

	memset(insns, 0x96, sizeof(insns));
	insns[0] = 0x35;
	assert_int_equal(run(insns, 64), 0);
	assert_int_equal(run(insns, 65), BAD_EXPRESSION);
}

static void a_register_that_was_lost_is_named(void **state)
{
	static const u8 insns[] = {2, 0x76, 0};

	set_up(insns, sizeof(insns));
	m.invalid = 1 << RBP;
	assert_int_equal(expr_row(&m), CFA_REGISTER_LOST);
	assert_int_equal(m.detail, RBP);
}

static void a_register_is_read_where_it_lies(void **state)
{
	static const u8 insns[] = {2, 0x76, 4};

	set_up(insns, sizeof(insns));
	m.lazy = 1 << RBP;
	m.reg[RBP] = STACK + 24;
	assert_int_equal(expr_row(&m), 0);
	assert_int_equal(m.cfa, 0xf03 + 4);
	assert_int_equal(m.reg[RBP], 0xf03);
	assert_int_equal(m.lazy, 0);

	m.lazy = 1 << RBP;
	m.reg[RBP] = STACK + 24;
	port_not_safe(STACK, STACK + 4096);
	stack_forget(&m);
	assert_int_equal(expr_row(&m), PAGE_NOT_SAFE);
}

static void the_expression_of_a_register_starts_with_the_cfa(void **state)
{
	/* CFA: rsp + 64; rbx lies at CFA - 16, r12 is CFA + 8 */
	static const u8 bytes[] = {3, 0x77, 0xc0, 0x00, 2, 0x40, 0x1c, 2, 0x23, 8};

	set_up(bytes, sizeof(bytes));
	m.row.rule[SLOT_RBX] = RULE_EXPR;
	m.row.off[SLOT_RBX] = 4;
	m.row.rule[SLOT_R12] = RULE_VAL_EXPR;
	m.row.off[SLOT_R12] = 7;
	assert_int_equal(expr_row(&m), 0);
	assert_int_equal(m.cfa, STACK + 64);
	assert_int_equal(m.value[SLOT_RBX], STACK + 64 - 16);
	assert_int_equal(m.value[SLOT_R12], STACK + 64 + 8);
	assert_int_equal(m.expressions, 3);

	m.row.cfa_kind = CFA_REG; /* the CFA was found without an expression */
	m.cfa = STACK + 0x800;
	assert_int_equal(expr_row(&m), 0);
	assert_int_equal(m.value[SLOT_RBX], STACK + 0x800 - 16);
}

static void what_cannot_be_read_says_why(void **state)
{
	static const u8 null[] = {2, 0x30, 0x06}, unaligned[] = {3, 0x77, 3, 0x06};
	static u8 page[PAGE_BYTES];

	set_up(null, sizeof(null));
	assert_int_equal(expr_row(&m), STACK_UNREADABLE);
	m.row.cfa_off = 0x10000;
	assert_int_equal(expr_row(&m), TABLE_UNREADABLE);
	m.row.cfa_off = 0;
	port_not_safe(HDR, HDR + 1);
	assert_int_equal(expr_row(&m), PAGE_NOT_SAFE);

	set_up(unaligned, sizeof(unaligned));
	assert_int_equal(expr_row(&m), 0);
	assert_int_equal(m.cfa, 0xf010000000000ULL);

	page[PAGE_BYTES - 1] = 20; /* the length is there, the expression is not */
	set_up(page, sizeof(page));
	m.row.cfa_off = PAGE_BYTES - 1;
	assert_int_equal(expr_row(&m), TABLE_UNREADABLE);
	page[PAGE_BYTES - 3] = 2; /* all of it is there, up to the last byte */
	page[PAGE_BYTES - 2] = 0x77;
	page[PAGE_BYTES - 1] = 8;
	m.row.cfa_off = PAGE_BYTES - 3;
	assert_int_equal(expr_row(&m), 0);
	assert_int_equal(m.cfa, STACK + 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operation_computes_what_dwarf_says),
		cmocka_unit_test(other_operations_are_refused_by_their_number),
		cmocka_unit_test(operations_want_their_operands),
		cmocka_unit_test(the_operand_stack_has_a_limit),
		cmocka_unit_test(an_expression_has_a_limit),
		cmocka_unit_test(a_register_that_was_lost_is_named),
		cmocka_unit_test(a_register_is_read_where_it_lies),
		cmocka_unit_test(the_expression_of_a_register_starts_with_the_cfa),
		cmocka_unit_test(what_cannot_be_read_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
