/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "report/model/time_bucket.h"

#define S 1000000000ULL

static void a_span_has_a_hundred_parts_or_more(void **state)
{
	assert_int_equal(time_bucket_part_ns(86400 * S), 600 * S);
	assert_int_equal(time_bucket_part_ns(12 * 3600 * S), 300 * S);
	assert_int_equal(time_bucket_part_ns(3600 * S), 30 * S);
	assert_int_equal(time_bucket_part_ns(1000 * S), 10 * S);
	assert_int_equal(time_bucket_part_ns(0), 0);
}

/* Samples of a span, added up over its parts, are in the buckets in which they were before. */
static void buckets_have_whole_parts(void **state)
{
	for (uint64_t span_s = 100; span_s < 40 * 86400; span_s += 1 + span_s / 7) {
		uint64_t part_ns = time_bucket_part_ns(span_s * S);
		char window[32];
		struct dusk_setting setting = {"window_ns", window};
		struct dusk_sample sample[2] = {{.time_ns = 0}, {.time_ns = span_s * S}};
		struct dusk_profile p = {.samples = sample, .nr_samples = 2, .settings = &setting, .nr_settings = 1};

		assert_true(span_s * S / part_ns >= 100);
		snprintf(window, sizeof(window), "%llu", (unsigned long long)part_ns);
		assert_int_equal(time_buckets_of(&p).length_ns % part_ns, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_span_has_a_hundred_parts_or_more),
		cmocka_unit_test(buckets_have_whole_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
