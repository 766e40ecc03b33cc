/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a profile stay one that can be read, however long the names are that somebody gives to his functions and files?
 *
 * A program is compiled whose names are longer than a whole profile may be; and each way by which names come is taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/name.h"
#include "lib/buildid.h"
#include "lib/profile/write/write.h"
#include "lib/symbols/symfile.h"

#define LONG_BYTES (17 << 20)	  /* more than a reader of profiles takes as one text */
#define LONG_FILE_BYTES (1 << 20) /* gcc's limit is somewhere above */

static char dir[] = "/tmp/dusk-long-names-XXXXXX";
static char path[64], binary[64];

static int make_dir(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/p.dusk", dir);
	snprintf(binary, sizeof(binary), "%s/prog", dir);
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

static void shell(const char *command)
{
	char all[1024];

	snprintf(all, sizeof(all), "cd %s && { %s; } >log 2>&1 || { head -c 1000 log; exit 1; }", dir, command);
	assert_int_equal(system(all), 0);
}

static int remove_dir(void **state)
{
	(void)state;
	shell("rm -rf ../\"${PWD##*/}\"");
	return 0;
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

static void put_long(FILE *f, char c, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		putc(c, f);
}

/* A program with a function, a function inlined into it, and a source file whose names are that long. */
static void compile(void)
{
	char name[64];
	FILE *f;

	if (system("command -v cc >/dev/null"))
		skip();
	snprintf(name, sizeof(name), "%s/prog.c", dir);
	f = fopen(name, "w");
	fputs("volatile int v;\n#line 1 \"", f);
	put_long(f, 'f', LONG_FILE_BYTES);
	fputs("\"\nstatic inline __attribute__((always_inline)) void ", f);
	put_long(f, 'i', LONG_BYTES);
	fputs("(void) { v++; v++; }\n__attribute__((noinline)) void ", f);
	put_long(f, 'o', LONG_BYTES);
	fputs("(void) { v++; ", f);
	put_long(f, 'i', LONG_BYTES);
	fputs("(); v++; }\nint main(void) { ", f);
	put_long(f, 'o', LONG_BYTES);
	fputs("(); }\n", f);
	assert_int_equal(fclose(f), 0);
	shell("cc -g -O1 -Wl,--build-id=sha1 -o prog prog.c");
}

static void find_text(uint64_t *start, uint64_t *end)
{
	_cleanup_(closep) int fd = open(binary, O_RDONLY);
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ, NULL));
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr sh;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &sh))
		if (!strcmp(elf_strptr(elf, names, sh.sh_name), ".text")) {
			*start = sh.sh_offset;
			*end = sh.sh_offset + sh.sh_size;
		}
	elf_end(elf);
}

/* What is longest in a profile, and whether something in it was cut. */
static void check_names(const struct dusk_profile *p, bool *function, bool *line, bool *file)
{
	for (uint32_t i = 0; i < p->nr_functions; i++) {
		const struct dusk_function *f = &p->functions[i];

		assert_true(strlen(f->name) <= NAME_LIMIT_BYTES && strlen(f->symbol) <= NAME_LIMIT_BYTES);
		*function |= name_was_cut(f->name) && f->name[0] != 'i';
		*line |= name_was_cut(f->name) && f->name[0] == 'i';
	}
	for (uint32_t i = 0; i < p->nr_lines; i++) {
		assert_true(strlen(p->lines[i].file) <= NAME_LIMIT_BYTES);
		*file |= name_was_cut(p->lines[i].file);
	}
}

/* A profile with frames of module @m at these places, looked up, written and read again. */
static struct dusk_profile *written(const struct dusk_module *m, uint64_t start, uint64_t end, struct dusk_error *said)
{
	struct dusk_symbol_options o = {.sz = sizeof(o)};
	struct dusk_profile *p = NULL, *again = NULL;
	struct profile_writer *w = NULL;
	uint32_t module;

	assert_int_equal(profile_create(&w, path, -1, -1, NULL), 0);
	module = profile_module(w, m);
	for (uint64_t at = start; at < end; at++)
		profile_frame(w, module, at, false, DUSK_BY_CFI);
	assert_int_equal(profile_close(w, true, NULL), 0);
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(dusk_profile_symbolize(p, &o, said), 0);
	assert_int_equal(dusk_profile_save_symbols(p, path, NULL), 0);
	dusk_profile_free(p);
	assert_int_equal(dusk_profile_read(&again, path, NULL), 0);
	return again;
}

static void long_names__of_an_elf_file_are_cut_and_counted(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	bool function = false, line = false, file = false;
	char build_id[BUILDID_TEXT_BYTES] = "";
	_cleanup_(closep) int fd = -1;
	struct dusk_module m = {.kind = DUSK_MODULE_FILE, .pid = getpid(), .path = binary, .build_id = build_id};
	struct dusk_error said;
	uint64_t start = 0, end = 0;

	(void)state;
	compile();
	fd = open(binary, O_RDONLY);
	assert_int_equal(buildid_read(build_id, sizeof(build_id), fd), 0);
	find_text(&start, &end);
	p = written(&m, start, end, &said);
	check_names(p, &function, &line, &file);
	assert_true(function && line && file);
	assert_non_null(strstr(said.text, "2 names of functions"));
	assert_non_null(strstr(said.text, "the first in prog"));
}

static void long_names__of_a_perf_map_are_cut_and_counted(void **state)
{
	struct dusk_module m = {.kind = DUSK_MODULE_ANON, .pid = getpid(), .path = "[anon]"};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	bool function = false, line = false, file = false;
	struct dusk_error said;
	char map[64];
	FILE *f;

	(void)state;
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	f = fopen(map, "w");
	fputs("7000 100 ", f);
	put_long(f, 'j', LONG_BYTES);
	fputs("\n", f);
	fclose(f);
	p = written(&m, 0x7000, 0x7001, &said);
	unlink(map);
	check_names(p, &function, &line, &file);
	assert_true(function);
	assert_non_null(strstr(said.text, "1 name of a function"));
}

/* What a reader that was taken over, or a cache, may say: chunks with names that the honest one would have cut. */
static void long_names__in_a_chunk_are_refused(void **state)
{
	(void)state;
	for (size_t len = NAME_LIMIT_BYTES; len <= NAME_LIMIT_BYTES + 1; len++) {
		size_t bytes = (sizeof(struct symfile_file) + 1 + len + 1 + 7) & ~7UL;
		struct symfile_chunk *chunk = calloc(1, sizeof(*chunk) + bytes);
		struct symfile_file *head = (struct symfile_file *)(chunk + 1);
		struct symfile *s = symfile_new();

		head->string_bytes = 1 + len + 1;
		memset((char *)(head + 1) + 1, 'x', len);
		*chunk = (struct symfile_chunk){SYMFILE_MAGIC, SYMFILE_FILE, bytes, symfile_hash(head, bytes)};
		assert_int_equal(symfile_take(s, chunk, sizeof(*chunk) + bytes),
				 len <= NAME_LIMIT_BYTES ? (int)(sizeof(*chunk) + bytes) : -EBADMSG);
		symfile_free(s);
		free(chunk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_names__of_an_elf_file_are_cut_and_counted),
		cmocka_unit_test(long_names__of_a_perf_map_are_cut_and_counted),
		cmocka_unit_test(long_names__in_a_chunk_are_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
