/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the build id found where a file has it: in a segment, or, in a file without segments, in a section? */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/buildid.h"

struct note {
	Elf64_Nhdr head;
	char name[4];
	uint8_t id[8];
};

static const struct note of_segment = {{4, 8, NT_GNU_BUILD_ID}, "GNU", {1, 2, 3, 4, 5, 6, 7, 8}},
			 of_section = {{4, 8, NT_GNU_BUILD_ID}, "GNU", {9, 8, 7, 6, 5, 4, 3, 2}};

/* A file with a note in a segment, if it is @in_segment, and one in a section of @type. */
static const char *build_id_of(bool in_segment, uint32_t type)
{
	static char ret[BUILDID_TEXT_BYTES];
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segment;
		Elf64_Shdr section[2];
		struct note notes[2];
	} f = {.notes = {of_segment, of_section}};
	int fd = memfd_create("elf", MFD_CLOEXEC);

	memcpy(f.head.e_ident, ELFMAG, SELFMAG);
	f.head.e_ident[EI_CLASS] = ELFCLASS64;
	f.head.e_ident[EI_DATA] = ELFDATA2LSB;
	f.head.e_phoff = offsetof(typeof(f), segment);
	f.head.e_phentsize = sizeof(f.segment);
	f.head.e_phnum = in_segment;
	f.head.e_shoff = offsetof(typeof(f), section);
	f.head.e_shentsize = sizeof(f.section[0]);
	f.head.e_shnum = 2;
	f.segment.p_type = PT_NOTE;
	f.segment.p_offset = offsetof(typeof(f), notes);
	f.segment.p_filesz = sizeof(f.notes[0]);
	f.section[1].sh_type = type;
	f.section[1].sh_offset = offsetof(typeof(f), notes[1]);
	f.section[1].sh_size = sizeof(f.notes[1]);
	assert_int_equal(write(fd, &f, sizeof(f)), sizeof(f));
	assert_int_equal(buildid_read(ret, sizeof(ret), fd), 0);
	close(fd);
	return ret;
}

static void a_segment_has_it_else_a_section(void **state)
{
	assert_string_equal(build_id_of(true, SHT_NOTE), "0102030405060708");
	assert_string_equal(build_id_of(false, SHT_NOTE), "0908070605040302");
	assert_string_equal(build_id_of(false, SHT_PROGBITS), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_segment_has_it_else_a_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
