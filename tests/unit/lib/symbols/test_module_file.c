/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a profile say of its kernel's functions in another boot, or on another machine?
 *
 * vmlinux_fixture.c stands for the kernel that was recorded, which KASLR had put elsewhere than where it was linked.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/profile/write/write.h"
#include "lib/symbols/module_file.h"
#include "lib/symbols/symbols.h"

#define ANOTHER_BOOT "00000000-0000-0000-0000-000000000000"
#define TEXT 0xffffffffa1000000 /* of the boot that was recorded; linked at ffffffff81000000 */
#define TEXT_SETTING "0xffffffffa1000000"
#define IN_A_MODULE 0xffffffffc0123456

static const char *fixture;
static char build_id[129], path[64], dir[] = "/tmp/dusk-recorded-XXXXXX";
static uint64_t vfs; /* the function, from the beginning of the code */
static int image = -1;

/* Where vfs_fixture lies. */
static void find_function(void)
{
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(image, ELF_C_READ, NULL));
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &sh))
		for (size_t i = 0; sh.sh_type == SHT_SYMTAB && i < sh.sh_size / sh.sh_entsize; i++)
			if (gelf_getsym(elf_getdata(section, NULL), i, &sym) &&
			    !strcmp(elf_strptr(elf, sh.sh_link, sym.st_name), "vfs_fixture"))
				vfs = sym.st_value - 0xffffffff81000000;
	elf_end(elf);
}

static int open_image(void **state)
{
	(void)state;
	image = open(fixture, O_RDONLY);
	find_function();
	snprintf(path, sizeof(path), "%s/p.dusk", mkdtemp(dir));
	unsetenv("DEBUGINFOD_URLS");
	return image < 0 || !vfs || buildid_read(build_id, sizeof(build_id), image) || !*build_id;
}

static int close_image(void **state)
{
	(void)state;
	close(image);
	unlink(path);
	return rmdir(dir);
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

/* The frames of a kernel with this build id, looked up with @fd for its image: 1 in vfs_fixture, 2 in a module. */
static struct dusk_profile *looked_up(const char *id, const char *text, int fd, struct dusk_error *err)
{
	struct dusk_module m = {.kind = DUSK_MODULE_KERNEL, .path = "[kernel]", .build_id = id};
	struct dusk_symbol_options o = {.sz = sizeof(o), .module_fd = (int[]){-1, fd}};
	struct profile_writer *w = NULL;
	struct dusk_profile *p = NULL;
	uint32_t module;

	assert_int_equal(profile_create(&w, path, -1, -1, NULL), 0);
	module = profile_module(w, &m);
	profile_frame(w, module, TEXT + vfs + 2, true, 0);
	profile_frame(w, module, IN_A_MODULE, false, 0);
	profile_set(w, "boot_id", ANOTHER_BOOT);
	profile_set(w, "kernel", "6.18.0-fixture");
	if (text)
		profile_set(w, "kernel_text", text);
	assert_int_equal(profile_close(w, true, NULL), 0);
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(dusk_profile_symbolize(p, &o, err), 0);
	return p;
}

static void functions_are_found_where_the_kernel_was(void **state)
{
	struct dusk_error err = {""};
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(build_id, TEXT_SETTING, image, &err);
	const struct dusk_frame *f = &p->frames[1];

	(void)state;
	assert_string_equal(err.text, "");
	assert_string_equal(p->functions[f->function].name, "vfs_fixture");
	assert_string_equal(p->functions[f->function].module, "[kernel]");
	assert_int_equal(f->function_offset, 2);
	assert_int_equal(f->address, 0xffffffff81000000 + vfs + 2);
}

static void inlined_functions_have_lines(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(build_id, TEXT_SETTING, image, NULL);
	const struct dusk_frame *f = &p->frames[1];

	(void)state;
	assert_int_equal(f->nr_lines, 2);
	assert_string_equal(p->functions[p->lines[f->first_line].function].name, "inlined");
	assert_non_null(strstr(p->lines[f->first_line].file, "vmlinux_fixture.c"));
}

static void what_lies_outside_of_the_image_is_not_guessed(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(build_id, TEXT_SETTING, image, NULL);

	(void)state;
	assert_int_equal(p->frames[2].function, 0);
}

static void an_image_with_another_build_id_is_not_believed(void **state)
{
	struct dusk_error err = {""};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	p = looked_up("0123456789abcdef0123456789abcdef01234567", TEXT_SETTING, image, &err);
	assert_int_equal(p->nr_functions, 1);
	assert_non_null(strstr(err.text, "of another boot, and the vmlinux of that kernel is not here"));
}

static void an_image_without_a_place_is_no_help(void **state)
{
	struct dusk_error err = {""};
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(build_id, NULL, image, &err);

	(void)state;
	assert_int_equal(p->nr_functions, 1);
	assert_non_null(strstr(err.text, "where its code was is not recorded"));
}

static void a_place_beyond_reason_finds_nothing(void **state)
{
	static const char *const places[] = {"",    "0", "-1", "0x0", "0xffffffffffffffff", "0xfffffffffffffffff0",
					     "text"};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		_cleanup_(profile_freep) struct dusk_profile *p = looked_up(build_id, places[i], image, NULL);

		assert_int_equal(p->nr_functions, 1);
	}
}

static void the_remedy_names_the_image(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(build_id, TEXT_SETTING, -1, NULL);
	char remedy[256];

	(void)state;
	dusk_symbol_hint(p, 1, remedy, sizeof(remedy));
	assert_non_null(strstr(remedy, "/usr/lib/debug/boot/vmlinux-6.18.0-fixture"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_where_the_kernel_was),
		cmocka_unit_test(inlined_functions_have_lines),
		cmocka_unit_test(what_lies_outside_of_the_image_is_not_guessed),
		cmocka_unit_test(an_image_with_another_build_id_is_not_believed),
		cmocka_unit_test(an_image_without_a_place_is_no_help),
		cmocka_unit_test(a_place_beyond_reason_finds_nothing),
		cmocka_unit_test(the_remedy_names_the_image),
	};

	if (argc < 2)
		return 2;
	fixture = argv[1];
	return cmocka_run_group_tests(tests, open_image, close_image);
}
