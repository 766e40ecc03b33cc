/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the stack cache find a stack exactly if all that its walk depended on is as it was? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/walk/stack_cache.h"
#include "port/port_buffer.h"

#define STACK 0x7ffffff00000ULL
#define WORDS 2048 /* of the stack */
#define SP (STACK + 64 * sizeof(u64))
#define ID 4711

static u64 stack[WORDS];
static u64 reg[NR_REGS];
static struct stack_cache_key key;
static struct walk_trace trace;
static struct stack_snapshot now;

/* The word @i words above the stack pointer. */
static u64 *word(u32 i)
{
	return &stack[(SP - STACK) / sizeof(u64) + i];
}

/* The walk read the words @i to @i + @nr. */
static void read_words(u32 i, u32 nr)
{
	for (; nr; i++, nr--)
		read_log_add(&trace.reads, i * sizeof(u64), *word(i));
}

/*
 * No cached_stack; a stack on which each word tells where it is, a process that stands on it, and a walk that read
 * nothing yet.
 */
static int begin(void **state)
{
	port_reset();
	port_map(STACK, stack, sizeof(stack), (struct vma){0});
	memset(stack_cache, 0, sizeof(stack_cache));
	for (u32 i = 0; i < WORDS; i++)
		stack[i] = 0x100000 + i;
	for (u32 i = 0; i < NR_REGS; i++)
		reg[i] = 0x2000 + i;
	key = (struct stack_cache_key){0xffff888012345000, 99, 0x401234, SP, 3, 8};
	trace = (struct walk_trace){.base = SP};
	return 0;
}

static u32 find(void)
{
	return stack_cache_find(&key, reg, &now);
}

static void put(u32 id)
{
	stack_cache_put(&key, reg, &trace, id);
}

static struct cached_stack *cached_stack_with(u32 id)
{
	for (u32 i = 0; i < STACK_CACHE_ENTRIES; i++)
		if (stack_cache[i].stack == id)
			return &stack_cache[i];
	return NULL;
}

static void what_was_put_is_found_again(void **state)
{
	read_words(1, 20);
	assert_int_equal(find(), 0);
	put(ID);
	assert_int_equal(find(), ID);
	put(ID + 1);
	assert_int_equal(find(), ID + 1);
}

static void a_change_of_any_word_that_was_read_misses_and_of_no_other(void **state)
{
	read_words(3, 5);
	read_words(500, 30);
	read_words(READ_LOG_SPAN - 1, 1);
	put(ID);
	for (u32 i = 0; i < READ_LOG_SPAN + 8; i++) {
		bool was_read = (i >= 3 && i < 8) || (i >= 500 && i < 530) || i == READ_LOG_SPAN - 1;

		*word(i) ^= 1ULL << i % 64;
		assert_int_equal(find(), was_read ? 0 : ID);
		*word(i) ^= 1ULL << i % 64;
	}
	assert_int_equal(find(), ID);
}

static void a_word_that_comes_back_is_a_hit_again(void **state)
{
	read_words(0, 1);
	put(ID);
	*word(0) = 0;
	assert_int_equal(find(), 0);
	*word(0) = trace.reads.word[0];
	assert_int_equal(find(), ID);
}

/* Change @field, of @bytes, of the key, until it shares its entry with the old one. */
static void collide(void *field, size_t bytes)
{
	struct stack_cache_key old = key, other;

	for (u32 i = 0; i < 1000000; i++) {
		u64 val = 0;

		key = old;
		put(ID);
		memcpy(&val, field, bytes);
		val += 8 * (i + 1);
		memcpy(field, &val, bytes);
		other = key;
		put(ID + 1);
		key = old;
		if (!find()) {
			key = other;
			return;
		}
	}
	fail();
}

/* All words are alike, so that the key alone can tell. */
static void each_field_of_the_key_counts(void **state)
{
	struct stack_cache_key old = key;
	static const struct {
		size_t at, bytes;
	} field[] = {
#define FIELD(name) {offsetof(struct stack_cache_key, name), sizeof(((struct stack_cache_key *)0)->name)}
		FIELD(mm), FIELD(start_boottime), FIELD(ip), FIELD(exec_id), FIELD(mm_sequence), FIELD(sp),
	};

	memset(stack, 0, sizeof(stack));
	port_unmap(STACK);
	for (u64 i = 0; i < 100; i++)
		port_map(STACK + i * sizeof(stack), stack, sizeof(stack), (struct vma){0});
	read_words(0, 4);
	for (u32 i = 0; i < COUNT(field); i++) {
		struct stack_cache_key other;

		collide((u8 *)&key + field[i].at, field[i].bytes);
		other = key;
		put(ID + 1);
		assert_int_equal(find(), ID + 1);
		key = old;
		assert_int_equal(find(), 0);
		put(ID);
		assert_int_equal(find(), ID);
		key = other;
		assert_int_equal(find(), 0);
		key = old;
	}
}

static void each_register_that_was_used_counts_and_no_other(void **state)
{
	u8 saved[NR_DEPENDS];

	memcpy(saved, reg_of_slot, sizeof(saved));
	read_words(0, 3);
	for (u32 i = 0; i < COUNT(saved); i++)
		for (u32 j = 0; j <= COUNT(saved); j++) {
			trace.used = 1u << saved[i] | (j < COUNT(saved) ? 1u << saved[j] : 0);
			put(ID);
			for (u32 n = 0; n < NR_REGS; n++) {
				reg[n] ^= 1ULL << 63;
				assert_int_equal(find(), trace.used >> n & 1 ? 0 : ID);
				reg[n] ^= 1ULL << 63;
			}
			assert_int_equal(find(), ID);
		}
}

static void a_walk_that_used_other_registers_is_not_cached(void **state)
{
	read_words(0, 3);
	for (u32 n = 0; n < NR_REGS; n++) {
		trace.used = 1u << n | 1u << REG_FP;
		if (DEPENDS_REGS >> n & 1)
			continue;
		put(ID);
		assert_int_equal(find(), 0);
		assert_null(cached_stack_with(ID));
	}
}

static void a_walk_that_read_nothing_or_too_much_is_not_cached(void **state)
{
	put(ID);
	assert_int_equal(find(), 0);
	read_words(0, READ_LOG_WORDS);
	put(ID + 1);
	assert_int_equal(find(), ID + 1);
	read_words(READ_LOG_WORDS, 1);
	put(ID);
	assert_int_equal(find(), ID + 1);
	read_log_clear(&trace.reads);
	put(ID);
	assert_int_equal(find(), ID + 1);
}

static void a_stack_that_is_not_there_misses(void **state)
{
	read_words(0, 3);
	put(ID);
	port_fail_read(1, -EFAULT, false);
	assert_int_equal(find(), 0);
	assert_int_equal(find(), ID);
	port_unmap(STACK);
	assert_int_equal(find(), 0);
}

static void no_more_of_the_stack_is_read_than_the_walk_did(void **state)
{
	u32 last = (STACK + sizeof(stack) - SP) / sizeof(u64) - 1;

	read_words(0, 3);
	put(ID);
	port_not_safe(SP + 24, STACK + sizeof(stack));
	assert_int_equal(find(), ID);
	assert_true(last > READ_LOG_SPAN);
	port_not_safe(SP + 16, SP + 24);
	assert_int_equal(find(), 0);
}

static void an_entry_that_is_being_written_is_neither_read_nor_overwritten(void **state)
{
	struct cached_stack *m;
	u32 sequence;

	read_words(0, 3);
	put(ID);
	m = cached_stack_with(ID);
	assert_non_null(m);
	sequence = m->sequence++;
	assert_int_equal(find(), 0);
	put(ID + 1);
	assert_int_equal(m->stack, ID);
	assert_int_equal(m->sequence, sequence + 1);
	m->sequence = sequence;
	assert_int_equal(find(), ID);
}

static void an_entry_that_is_half_written_is_read_within_its_bounds(void **state)
{
	struct cached_stack *m;

	read_words(0, 3);
	put(ID);
	m = cached_stack_with(ID);
	m->reads.span = READ_LOG_SPAN + 1;
	assert_int_equal(find(), 0);
	m->reads.span = 0;
	assert_int_equal(find(), 0);
}

static void an_empty_table_finds_nothing(void **state)
{
	memset(&key, 0, sizeof(key));
	memset(reg, 0, sizeof(reg));
	port_map(0, stack, sizeof(stack), (struct vma){0});
	assert_int_equal(find(), 0);
}

static void many_stand_side_by_side(void **state)
{
	u32 found = 0;

	read_words(0, 3);
	for (u32 i = 0; i < 256; i++) {
		key.ip = 0x401000 + i;
		put(1 + i);
	}
	for (u32 i = 0; i < 256; i++) {
		u32 id;

		key.ip = 0x401000 + i;
		id = find();
		assert_true(!id || id == 1 + i);
		found += id != 0;
	}
	assert_true(found > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_was_put_is_found_again, begin),
		cmocka_unit_test_setup(a_change_of_any_word_that_was_read_misses_and_of_no_other, begin),
		cmocka_unit_test_setup(a_word_that_comes_back_is_a_hit_again, begin),
		cmocka_unit_test_setup(each_field_of_the_key_counts, begin),
		cmocka_unit_test_setup(each_register_that_was_used_counts_and_no_other, begin),
		cmocka_unit_test_setup(a_walk_that_used_other_registers_is_not_cached, begin),
		cmocka_unit_test_setup(a_walk_that_read_nothing_or_too_much_is_not_cached, begin),
		cmocka_unit_test_setup(a_stack_that_is_not_there_misses, begin),
		cmocka_unit_test_setup(no_more_of_the_stack_is_read_than_the_walk_did, begin),
		cmocka_unit_test_setup(an_entry_that_is_being_written_is_neither_read_nor_overwritten, begin),
		cmocka_unit_test_setup(an_entry_that_is_half_written_is_read_within_its_bounds, begin),
		cmocka_unit_test_setup(an_empty_table_finds_nothing, begin),
		cmocka_unit_test_setup(many_stand_side_by_side, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
