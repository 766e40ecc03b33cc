/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is it known where instructions begin? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "lib/record/probe_place.h"

#ifdef __x86_64__
/* endbr64; push %rbp; mov %rsp,%rbp; movabs $1,%rax; cmpl $0,0(%rip); lock incl 8(%rsp); vzeroupper; vpalignr; nopw; movw $1,(%rax,%rbx) */
static const uint8_t code[] = "\xf3\x0f\x1e\xfa"
			      "\x55"
			      "\x48\x89\xe5"
			      "\x48\xb8\1\0\0\0\0\0\0\0"
			      "\x83\x3d\0\0\0\0\0"
			      "\xf0\xff\x44\x24\x08"
			      "\xc5\xf8\x77"
			      "\xc4\xe3\x75\x0f\xc2\x04"
			      "\x66\x0f\x1f\x44\0\0"
			      "\x66\xc7\x04\x18\1\0"
			      "\xc3";
static const uint64_t begins[] = {0, 4, 5, 8, 18, 25, 30, 33, 39, 45, 51};
#else
static const uint8_t code[] = "\x1f\x20\x03\xd5\x1f\x20\x03\xd5\xc0\x03\x5f\xd6";
static const uint64_t begins[] = {0, 4, 8};
#endif

static void probe_place__is_where_an_instruction_begins(void **state)
{
	int fd = memfd_create("code", MFD_CLOEXEC);
	size_t next = 0;

	assert_int_equal(pwrite(fd, code, sizeof(code), 100), sizeof(code));
	for (uint64_t into = 0; into < sizeof(code) - 1; into++) {
		bool want = next < sizeof(begins) / sizeof(begins[0]) && begins[next] == into;

		next += want;
		if (probe_place_begins(fd, 100, into) != want)
			fail_msg("at %zu", (size_t)into);
	}
	assert_int_equal(next, sizeof(begins) / sizeof(begins[0]));
	assert_false(probe_place_begins(fd, 100, 4000)); /* beyond the file */
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(probe_place__is_where_an_instruction_begins)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
