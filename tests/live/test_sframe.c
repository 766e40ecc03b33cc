/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Are stacks whole and true where only .sframe can tell? Programs without CFI of their own, compiled to .sframe alone,
 * between frames of the C library and of programs that have .eh_frame.
 */
#include <dusk/dusk.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

#define LIBC "( \\S+)*" /* functions of the C library, which has few symbols */

static void need(const char *path)
{
	if (!access(path, R_OK))
		return;
	print_message("the assembler does not know --gsframe\n");
	skip();
}

static void check(const char *const *words, size_t least, const char *all, const char *often)
{
	const char *file = live_file("sframe.dusk");
	pid_t victim = live_start(true, words);
	size_t stacks = 0, whole = 0;

	assert_int_equal(RECORD_PROCESS(file, victim, 1200, "-F", "997", "--max-depth", "2048"), 0);
	live_end(victim);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		enum dusk_outcome_class class = live_class(p, s);
		char *sentence;

		if (class != DUSK_COMPLETE && class != DUSK_CUT)
			continue;
		sentence = live_sentence_at(p, s->node);
		if (class != DUSK_COMPLETE || !live_matches(sentence, all))
			fail_msg("not a stack of this program (%s): %s", live_outcome(p, s), sentence);
		stacks++;
		whole += live_matches(sentence, often);
		free(sentence);
	}
	print_message("%zu stacks, all complete; %zu like %s\n", stacks, whole, often);
	assert_true(whole > least);
}
#define CHECK(least, all, often, ...) check((const char *const[]){__VA_ARGS__, NULL}, least, all, often)

static bool has_section(const char *path, const char *section)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool found = false;
	size_t names;
	GElf_Shdr sh;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh);)
		found |= !strcmp(elf_strptr(elf, names, sh.sh_name), section);
	elf_end(elf);
	close(fd);
	return found;
}

/* The C library calls back, by frames that go by rbp: SFrame has to bring it back. */
static void a_program_that_only_sframe_describes(void **state)
{
	const char *often = "^main" LIBC " compare recurse\\*60 burn$";
	char all[256];

	need(live_victim("recurse_sframe"));
	snprintf(all, sizeof(all), "%s|^main" LIBC "( compare( recurse(\\*[0-9]+)?)?)?$", often);
	CHECK(50, all, often, live_victim("recurse_sframe"), "60");
}

static void a_library_that_has_no_eh_frame(void **state)
{
	const char *library = live_victim("libplugin_sframe.so");

	need(library);
	assert_true(has_section(library, ".sframe"));
	assert_false(has_section(library, ".eh_frame"));
	CHECK(50,
	      "^main( use( plugin_run( plugin_step(\\*[2-6])?)?| plugin_run plugin_step\\*7( back( burn)?)?| "
	      "\\S+( \\S+)*)?)?$",
	      "^main use plugin_run plugin_step\\*7 back burn$", live_victim("dlopen"), library, "stay");
}

/* Its calls are bound again and again. */
static void a_library_that_comes_and_goes(void **state)
{
	need(live_victim("libplugin_sframe.so"));
	CHECK(10, "^main( use" LIBC ")?$", "^main use plugin_run plugin_step\\*7 ", live_victim("dlopen"),
	      live_victim("libplugin_sframe.so"), "reopen");
}

/* Of the frames of @file, how many were left by @method? Of another one: it fails. */
static size_t by_method(const struct dusk_profile *p, const char *file, enum dusk_method method)
{
	size_t nr = 0;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		const char *path = p->modules[f->module].path, *slash = strrchr(path, '/');
		const char *name = p->functions[f->function].name;

		if (strcmp(slash ? slash + 1 : path, file))
			continue;
		/* What is interrupted between prologue and PLT may be known by its bytes, and some of it has CFI. */
		if (f->is_return && f->method != method)
			fail_msg("%s of %s: by %s", name, file, dusk_method_name(f->method));
		nr += f->is_return;
	}
	return nr;
}

static void each_frame_of_a_mixed_stack_tells_its_method(void **state)
{
	const char *sframe = live_victim("libplugin_sframe.so"), *bare = live_victim("libplugin_bare.so");
	const char *words[] = {live_victim("mixed"), sframe, bare, NULL};
	const char *file = live_file("mixed.dusk");
	size_t stacks = 0;
	pid_t victim;

	need(sframe);
	victim = live_start(true, words);
	assert_int_equal(RECORD_PROCESS(file, victim, 1200, "-F", "997"), 0);
	live_end(victim);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		char *sentence;

		if (live_class(p, &p->samples[i]) != DUSK_COMPLETE)
			continue;
		sentence = live_sentence_at(p, p->samples[i].node);
		stacks += !strcmp(sentence,
				  "main use plugin_run plugin_step*3 through plugin_run plugin_step*3 back burn");
		free(sentence);
	}
	print_message("%zu stacks through three kinds of files\n", stacks);
	assert_true(stacks > 50);
	assert_true(by_method(p, "mixed", DUSK_BY_CFI) >= 4);
	assert_true(by_method(p, "libplugin_sframe.so", DUSK_BY_SFRAME) >= 3);
	assert_true(by_method(p, "libplugin_bare.so", DUSK_BY_FRAME_POINTER) >= 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_only_sframe_describes),
		cmocka_unit_test(a_library_that_has_no_eh_frame),
		cmocka_unit_test(a_library_that_comes_and_goes),
		cmocka_unit_test(each_frame_of_a_mixed_stack_tells_its_method),
	};

	elf_version(EV_CURRENT);
	return LIVE_MAIN(argc, argv, tests);
}
