/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The wire format: bytes as the specification of Protocol Buffers has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "export/protobuf.h"
#include "wire.h"

#define check(b, ...)                                            \
	do {                                                     \
		static const uint8_t want[] = {__VA_ARGS__};     \
		assert_false((b)->failed);                       \
		assert_int_equal((b)->nr, sizeof(want));         \
		assert_memory_equal((b)->v, want, sizeof(want)); \
	} while (0)

static void a_varint_has_seven_bits_a_byte(void **state)
{
	struct pb b = {0};

	pb_u64(&b, 1, 150);
	check(&b, 0x08, 0x96, 0x01);
	pb_done(&b);
}

static void the_largest_varint_has_ten_bytes(void **state)
{
	struct pb b = {0};

	pb_u64(&b, 15, UINT64_MAX);
	check(&b, 0x78, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
	pb_done(&b);
}

static void a_field_beyond_15_has_a_tag_of_two_bytes(void **state)
{
	struct pb b = {0};

	pb_u64(&b, 16, 0);
	check(&b, 0x80, 0x01, 0x00);
	pb_done(&b);
}

static void fixed_numbers_are_little_endian(void **state)
{
	struct pb b = {0};

	pb_fixed64(&b, 3, 0x0102030405060708);
	check(&b, 0x19, 8, 7, 6, 5, 4, 3, 2, 1);
	pb_done(&b);
}

static void strings_have_their_length_before_them(void **state)
{
	struct pb b = {0};

	pb_string(&b, 2, "testing");
	pb_string(&b, 2, "");
	check(&b, 0x12, 7, 't', 'e', 's', 't', 'i', 'n', 'g', 0x12, 0);
	pb_done(&b);
}

static void packed_numbers_share_a_tag(void **state)
{
	struct pb b = {0};
	size_t open = pb_open(&b, 4);

	pb_varint(&b, 3);
	pb_varint(&b, 270);
	pb_varint(&b, 86942);
	pb_close(&b, open);
	check(&b, 0x22, 6, 3, 0x8e, 2, 0x9e, 0xa7, 5);
	pb_done(&b);
}

static void an_empty_message_is_there(void **state)
{
	struct pb b = {0};

	pb_close(&b, pb_open(&b, 1));
	check(&b, 0x0a, 0);
	pb_done(&b);
}

/* Lengths around those that need another byte, in a message in a message. */
static void long_messages_nest(void **state)
{
	static const size_t lengths[] = {0, 1, 120, 126, 127, 128, 129, 16383, 16384, 70000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct pb b = {0};
		size_t outer = pb_open(&b, 1), inner = pb_open(&b, 2);
		char *text = calloc(1, lengths[i] + 1);
		struct wire w, in;

		memset(text, 'x', lengths[i]);
		pb_string(&b, 3, text);
		pb_close(&b, inner);
		pb_u64(&b, 4, 42);
		pb_close(&b, outer);
		pb_u64(&b, 5, 43);
		w = (struct wire){b.v, b.v + b.nr};
		in = wire_bytes(w, 1);
		assert_true(wire_equals(wire_bytes(wire_bytes(in, 2), 3), text));
		assert_int_equal(wire_value(in, 4, 0), 42);
		assert_int_equal(wire_value(w, 5, 0), 43);
		free(text);
		pb_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_varint_has_seven_bits_a_byte),
		cmocka_unit_test(the_largest_varint_has_ten_bytes),
		cmocka_unit_test(a_field_beyond_15_has_a_tag_of_two_bytes),
		cmocka_unit_test(fixed_numbers_are_little_endian),
		cmocka_unit_test(strings_have_their_length_before_them),
		cmocka_unit_test(packed_numbers_share_a_tag),
		cmocka_unit_test(an_empty_message_is_there),
		cmocka_unit_test(long_messages_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
