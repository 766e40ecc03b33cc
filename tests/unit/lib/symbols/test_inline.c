/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does each address get the functions that were inlined there, with file and line?
 *
 * inline_fixture.cc is compiled in the ways in which debug information comes, and addr2line is asked for the same
 * addresses. The cache and broken files follow: they must change nothing, and harm nothing.
 */
#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/buildid.h"
#include "lib/symbols/cache.h"
#include "lib/symbols/elfread.h"
#include "lib/profile/write/write.h"
#include "lib/symbols/symbols.h"

#define STEP 3 /* bytes from one address to the next: not each is where an instruction begins */

static const char *fixture;
static char dir[] = "/tmp/dusk-inline-XXXXXX";
static char path[64], binary[64], folder[64];

static int make_dir(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/p.dusk", dir);
	snprintf(binary, sizeof(binary), "%s/prog", dir);
	snprintf(folder, sizeof(folder), "%s/cache/dusk", dir);
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

static void shell(const char *format, ...)
{
	char command[4096], all[4200];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(all, sizeof(all), "cd %s && { %s; } >log 2>&1 || { cat log; exit 1; }", dir, command);
	assert_int_equal(system(all), 0);
}

static int remove_dir(void **state)
{
	(void)state;
	shell("rm -rf %s", dir);
	return 0;
}

static bool have(const char *tool)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", tool);
	return !system(command);
}

/* The fixture as "prog", with these options. */
static void compile_by(const char *compiler, const char *options)
{
	if (!have(compiler) || !have("addr2line"))
		skip();
	shell("rm -rf prog* cache && %s -O2 %s -Wl,--build-id=sha1 -o prog %s", compiler, options, fixture);
}

static void compile(const char *options)
{
	compile_by("c++", options);
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

static void symfile_free_it(struct symfile **s)
{
	symfile_free(*s);
}

/* Where .text lies in memory and in the file; both are the same for what ld links without being asked. */
static void find_text(uint64_t *start, uint64_t *end)
{
	char line[128];
	FILE *f;

	shell("readelf -SW prog | sed 's/\\[ *[0-9]*\\]//' | awk '$1 == \".text\" {print $3, $4, $5}' > text");
	snprintf(line, sizeof(line), "%s/text", dir);
	f = fopen(line, "r");
	assert_non_null(f);
	{
		unsigned long address, offset, size;

		assert_int_equal(fscanf(f, "%lx %lx %lx", &address, &offset, &size), 3);
		assert_int_equal(address, offset);
		*start = address;
		*end = address + size;
	}
	fclose(f);
}

/* A profile with a frame for each STEP bytes of prog's code; a sample stands on a stack of the first @depth of them. */
static struct dusk_profile *record(uint64_t start, uint64_t end, uint32_t depth)
{
	_cleanup_(closep) int fd = open(binary, O_RDONLY);
	char build_id[129] = "";
	struct dusk_module m = {.kind = DUSK_MODULE_FILE, .pid = getpid(), .path = binary, .build_id = build_id};
	struct profile_writer *w = NULL;
	struct dusk_profile *p = NULL;
	uint32_t module, node = 0;

	if (fd >= 0)
		buildid_read(build_id, sizeof(build_id), fd);
	if (!*build_id) {
		struct stat st;

		assert_int_equal(fstat(fd, &st), 0);
		m.dev = st.st_dev;
		m.ino = st.st_ino;
	}
	assert_int_equal(profile_create(&w, path, -1, -1, NULL), 0);
	module = profile_module(w, &m);
	for (uint64_t at = start; at < end; at += STEP) {
		uint32_t frame = profile_frame(w, module, at, false, DUSK_BY_CFI);

		if (frame <= depth)
			node = profile_node(w, node, frame);
	}
	profile_thread(w, 1, 1, "prog");
	profile_sample(w, &(struct dusk_sample){.node = node});
	assert_int_equal(profile_close(w, true, NULL), 0);
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	return p;
}

static struct dusk_profile *looked_up(const char *cache, struct dusk_error *err)
{
	struct dusk_symbol_options o = {.sz = sizeof(o), .cache = cache};
	struct dusk_profile *p;
	uint64_t start, end;

	find_text(&start, &end);
	p = record(start, end, 10);
	assert_int_equal(dusk_profile_symbolize(p, &o, err), 0);
	return p;
}

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/*
 * "function\nfile:line\n" of each place of a frame, as addr2line -f -i writes it, without folders and discriminators.
 */
static void write_places(FILE *out, const struct dusk_profile *p, const struct dusk_frame *f)
{
	for (uint32_t i = 0; i < f->nr_lines; i++) {
		const struct dusk_line *l = &p->lines[f->first_line + i];

		fprintf(out, "%s\n", p->functions[l->function].symbol);
		if (!*l->file)
			fputs("??:?\n", out);
		else if (l->line)
			fprintf(out, "%s:%u\n", base_name(l->file), l->line);
		else
			fprintf(out, "%s:?\n", base_name(l->file));
	}
}

/* What addr2line says of code that we know nothing of is not compared: it names it after the nearest symbol. */
static void agrees_with_addr2line(bool binutils)
{
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(NULL, NULL);
	char name[128];
	uint32_t inlined = 0, lines = 0;
	FILE *f;

	snprintf(name, sizeof(name), "%s/addresses", dir);
	f = fopen(name, "w");
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (p->frames[i].nr_lines)
			fprintf(f, "0x%jx\n", (uintmax_t)p->frames[i].address);
	fclose(f);
	snprintf(name, sizeof(name), "%s/ours", dir);
	f = fopen(name, "w");
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		if (!p->frames[i].nr_lines)
			continue;
		fprintf(f, "0x%016jx\n", (uintmax_t)p->frames[i].address);
		write_places(f, p, &p->frames[i]);
		inlined += p->frames[i].nr_lines > 1;
		lines++;
	}
	fclose(f);
	/* Much of the program is inlined code, so that nothing can be right by chance. */
	assert_true(lines > 300 && inlined > 100);
	/* Without folders and discriminators; "?" where there is no line. */
	shell("cat > tidy.sed << 'END'\n"
	      "s/ (discriminator [0-9]*)$//\n"
	      "s|^[^ ]*/\\([^/]*:[0-9?]*\\)$|\\1|\n"
	      "s/:0$/:?/\n"
	      "s/^0x0*/0x/\n"
	      "END\n:");
	/* That of binutils gives some blocks the name of the function around them: its places only. */
	if (binutils)
		shell("places() { awk '/^0x/ {print; n = 0; next} ++n %% 2 == 0' | sed -f tidy.sed; }; "
		      "addr2line -a -f -i -e prog < addresses | places > theirs; places < ours > lines; "
		      "diff -U6 theirs lines | head -60; cmp theirs lines");
	if (have("llvm-addr2line-19"))
		shell("llvm-addr2line-19 -a -f -i -e prog < addresses | sed -f tidy.sed > theirs; "
		      "sed -f tidy.sed ours > all; diff -U6 theirs all | head -60; cmp theirs all");
}

static void dwarf_5_agrees_with_addr2line(void **state)
{
	(void)state;
	compile("-g -gdwarf-5");
	agrees_with_addr2line(true);
}

static void dwarf_4_agrees_with_addr2line(void **state)
{
	(void)state;
	compile("-g -gdwarf-4");
	agrees_with_addr2line(true);
}

static void split_units_agree_with_addr2line(void **state)
{
	(void)state;
	compile("-g -gdwarf-5 -gsplit-dwarf");
	/* That of binutils 2.40 does not find what is in .dwo. */
	agrees_with_addr2line(false);
}

/* Names and lines, but nothing inlined; and that is said. */
static void functions_are_missing(void)
{
	struct dusk_error err = {""};
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(folder, &err);
	uint32_t lines = 0;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		assert_true(p->frames[i].nr_lines <= 1);
		assert_true(!p->frames[i].nr_lines || p->frames[i].function);
		lines += p->frames[i].nr_lines;
	}
	assert_true(lines > 300);
	assert_non_null(strstr(err.text, "inlined functions are missing in 1 compilation unit of"));
}

static void without_its_split_units_code_has_names_and_lines(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	compile("-g -gdwarf-5 -gsplit-dwarf");
	shell("mkdir progs && mv prog-*.dwo progs");
	functions_are_missing();
	/* And when they have come, the cache does not keep that they were missing. */
	shell("mv progs/* .");
	p = looked_up(folder, NULL);
	assert_true(p->nr_lines > p->nr_frames);
}

/* libdw reads packages itself since 0.191. */
static void packages_of_split_units(const char *compiler, const char *options, const char *packer)
{
	if (!have(packer))
		skip();
	compile_by(compiler, options);
	shell("timeout 20 %s -e prog -o prog.dwp && rm prog-*.dwo", packer);
	if (strverscmp(dwfl_version(NULL), "0.191") < 0)
		functions_are_missing();
	else
		agrees_with_addr2line(false);
}

static void packages_of_dwarf_5_are_read_or_it_is_said(void **state)
{
	(void)state;
	packages_of_split_units("clang++-19", "-g -gdwarf-5 -gsplit-dwarf", "llvm-dwp-19");
}

static void packages_of_dwarf_4_are_read_or_it_is_said(void **state)
{
	(void)state;
	packages_of_split_units("c++", "-g -gdwarf-4 -gsplit-dwarf", "dwp");
}

static void compressed_sections_are_read(void **state)
{
	(void)state;
	compile("-g -gz");
	agrees_with_addr2line(true);
}

static void inline__sections_compressed_by_zstd_agree_with_addr2line(void **state)
{
	(void)state;
	compile("-g");
	if (system("objcopy --help | grep -q zstd"))
		skip();
	shell("objcopy --compress-debug-sections=zstd prog && readelf -SW prog | grep -q 'debug_info.* C '");
	agrees_with_addr2line(true);
}

/* Where the debug information cannot be read the functions have their names, and that is said. */
static void inline__what_cannot_be_unpacked_is_said(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct dusk_error err = {""};

	(void)state;
	compile("-g");
	if (system("objcopy --help | grep -q zstd"))
		skip();
	shell("objcopy --compress-debug-sections=zstd prog && at=$(readelf -SW prog | sed 's/\\[ *[0-9]*\\]//' | "
	      "awk '$1 == \".debug_info\" {print $4}') && "
	      "printf 'XXXXXXXXXXXX' | dd of=prog bs=1 seek=$((0x$at + 24)) conv=notrunc");
	p = looked_up(folder, &err);
	assert_non_null(strstr(err.text, "could not be read to the end"));
	assert_true(p->nr_functions > 3);
	assert_int_equal(p->nr_lines, 0);
	shell("test ! -e cache"); /* once it can be read, it is */
}

static void lines_come_from_a_separate_file(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *whole = NULL, *apart = NULL;

	(void)state;
	compile("-g");
	whole = looked_up(NULL, NULL);
	shell("objcopy --only-keep-debug prog prog.debug && strip prog && objcopy --add-gnu-debuglink=prog.debug prog");
	apart = looked_up(NULL, NULL);
	assert_int_equal(apart->nr_lines, whole->nr_lines);
	shell("rm prog.debug");
	profile_freep(&apart);
	apart = looked_up(NULL, NULL);
	assert_int_equal(apart->nr_lines, 0);
}

/* The same lines and functions, whatever their numbers. */
static void assert_same(const struct dusk_profile *a, const struct dusk_profile *b)
{
	assert_int_equal(a->nr_frames, b->nr_frames);
	assert_int_equal(a->nr_lines, b->nr_lines);
	for (uint32_t i = 1; i < a->nr_frames; i++) {
		const struct dusk_frame *f = &a->frames[i], *g = &b->frames[i];

		assert_int_equal(f->nr_lines, g->nr_lines);
		assert_string_equal(a->functions[f->function].symbol, b->functions[g->function].symbol);
		assert_int_equal(f->function_offset, g->function_offset);
		for (uint32_t k = 0; k < f->nr_lines; k++) {
			const struct dusk_line *l = &a->lines[f->first_line + k], *m = &b->lines[g->first_line + k];

			assert_string_equal(a->functions[l->function].symbol, b->functions[m->function].symbol);
			assert_string_equal(l->file, m->file);
			assert_int_equal(l->line, m->line);
		}
	}
}

static void what_dwz_shared_is_found_in_its_file(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *whole = NULL, *shared = NULL;

	(void)state;
	if (!have("dwz"))
		skip();
	compile("-g -gdwarf-4");
	whole = looked_up(NULL, NULL);
	shell("cp prog prog.2 && dwz -m prog.shared -r prog prog.2 && readelf -SW prog | grep gnu_debugaltlink");
	shared = looked_up(NULL, NULL);
	assert_same(whole, shared);
}

static void the_profile_keeps_lines(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL, *again = NULL;

	(void)state;
	compile("-g");
	p = looked_up(NULL, NULL);
	assert_int_equal(dusk_profile_save_symbols(p, path, NULL), 0);
	assert_int_equal(dusk_profile_read(&again, path, NULL), 0);
	assert_same(p, again);
	/* Once more: what is there is replaced. */
	assert_int_equal(dusk_profile_save_symbols(again, path, NULL), 0);
	profile_freep(&again);
	assert_int_equal(dusk_profile_read(&again, path, NULL), 0);
	assert_same(p, again);
}

static void without_lines_debug_information_is_not_read(void **state)
{
	struct dusk_symbol_options o = {.sz = sizeof(o), .no_lines = true, .cache = folder};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	uint64_t start, end;

	(void)state;
	compile("-g");
	find_text(&start, &end);
	p = record(start, end, 1);
	assert_int_equal(dusk_profile_symbolize(p, &o, NULL), 0);
	assert_true(p->nr_functions > 5);
	assert_int_equal(p->nr_lines, 0);
	/* And no message says that there is none. */
	profile_freep(&p);
	p = looked_up(folder, NULL);
	assert_true(p->nr_lines > 100);
}

static void unfolded_stacks_have_a_node_for_each_function(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	const char *want[1024];
	uint32_t nr = 0, at;

	(void)state;
	compile("-g");
	p = looked_up(NULL, NULL);
	for (at = p->samples[0].node; at; at = p->nodes[at].parent) {
		const struct dusk_frame *f = &p->frames[p->nodes[at].frame];

		for (uint32_t k = 0; k < f->nr_lines; k++)
			want[nr++] = p->functions[p->lines[f->first_line + k].function].name;
		if (!f->nr_lines)
			want[nr++] = p->functions[f->function].name;
	}
	assert_true(nr > 10);
	assert_int_equal(dusk_profile_unfold(p), 0);
	at = p->samples[0].node;
	for (uint32_t i = 0; i < nr; i++) {
		const struct dusk_frame *f = &p->frames[p->nodes[at].frame];

		assert_true(p->nodes[at].parent < at);
		assert_true(f->nr_lines <= 1);
		assert_string_equal(p->functions[f->function].name, want[i]);
		if (f->nr_lines)
			assert_int_equal(p->lines[f->first_line].function, f->function);
		at = p->nodes[at].parent;
	}
	assert_int_equal(at, 0);
}

static void a_second_look_up_needs_no_file(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *first = NULL, *second = NULL;
	uint64_t start, end;
	struct dusk_symbol_options o = {.sz = sizeof(o), .cache = folder};

	(void)state;
	compile("-g");
	first = looked_up(folder, NULL);
	find_text(&start, &end);
	second = record(start, end, 10);
	shell("rm prog");
	assert_int_equal(dusk_profile_symbolize(second, &o, NULL), 0);
	assert_same(first, second);
}

/* The one file in the cache. */
static void cached_file(char *ret, size_t room)
{
	DIR *d = opendir(folder);
	struct dirent *de;

	assert_non_null(d);
	while ((de = readdir(d)) && *de->d_name == '.')
		;
	assert_non_null(de);
	snprintf(ret, room, "%s/%s", folder, de->d_name);
	closedir(d);
}

static void a_damaged_cache_changes_nothing(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *good = NULL;
	_cleanup_(freep) char *whole = NULL;
	char name[512];
	size_t len;

	(void)state;
	compile("-g");
	good = looked_up(folder, NULL);
	cached_file(name, sizeof(name));
	assert_int_equal(file_read(&whole, &len, name, 1 << 26), 0);
	for (int i = 0; i < 40; i++) {
		_cleanup_(profile_freep) struct dusk_profile *p = NULL;
		_cleanup_(fclosep) FILE *f = fopen(name, "w");
		size_t at = len * i / 40;

		whole[at] ^= 0x20;
		fwrite(whole, 1, i % 2 ? len : at, f);
		fflush(f);
		whole[at] ^= 0x20;
		p = looked_up(folder, NULL);
		assert_same(good, p);
	}
}

static void a_cache_of_somebody_else_is_left_alone(void **state)
{
	_cleanup_(symfile_free_it) struct symfile *s = symfile_new();

	(void)state;
	compile("-g");
	dusk_profile_free(looked_up(folder, NULL));
	assert_int_equal(cache_store(s, folder, "0123456789abcdef", -1, CACHE_MAX_BYTES), 0);
	shell("chmod 777 cache/dusk");
	assert_int_equal(cache_store(s, folder, "0123456789abcdef", -1, CACHE_MAX_BYTES), -EPERM);
	assert_int_equal(cache_load(s, folder, "0123456789abcdef", -1), -EPERM);
	shell("chmod 700 cache/dusk");
	if (!geteuid()) {
		shell("chown 65534 cache/dusk/0123456789abcdef");
		assert_int_equal(cache_load(s, folder, "0123456789abcdef", -1), -EPERM);
		shell("chown 0 cache/dusk/0123456789abcdef && chmod 622 cache/dusk/0123456789abcdef");
		assert_int_equal(cache_load(s, folder, "0123456789abcdef", -1), -EPERM);
	}
	shell("mv cache/dusk cache/real && ln -s real cache/dusk");
	assert_true(cache_load(s, folder, "0123456789abcdef", -1) < 0);
	assert_int_equal(cache_store(s, folder, "../../passwd", -1, CACHE_MAX_BYTES), -EINVAL);
}

static void the_cache_forgets_what_was_used_least_recently(void **state)
{
	_cleanup_(symfile_free_it) struct symfile *s = symfile_new();
	char name[16], list[128];

	(void)state;
	shell("rm -rf cache && mkdir cache");
	for (int i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "%08d", i);
		assert_int_equal(cache_store(s, folder, name, -1, CACHE_MAX_BYTES), 0);
		shell("touch -d 2020-01-0%d cache/dusk/%s", i + 1, name);
	}
	assert_int_equal(cache_load(s, folder, "00000000", -1), 0);
	/* Each has a head only: there is room for the one that was just read, the one that is new, and the youngest. */
	assert_int_equal(cache_store(s, folder, "00000009", -1, 3 * 24), 0);
	snprintf(list, sizeof(list), "test \"$(cd cache/dusk && echo *)\" = '00000000 00000008 00000009'");
	shell("%s", list);
}

/* Store and load the same, and something small that pushes it out; the number of loads that were not whole. */
static int use_cache(const struct symfile *s)
{
	static const uint64_t room[] = {CACHE_MAX_BYTES, 16};
	int bad = 0;

	for (int i = 0; i < 60; i++) {
		_cleanup_(symfile_free_it) struct symfile *t = symfile_new();
		int rc;

		bad += !!cache_store(s, folder, "0123456789abcdef", -1, room[i % 7 == 6]);
		rc = cache_load(t, folder, "0123456789abcdef", -1);
		bad += rc ? rc != -ENOENT : symfile_file_hash(t) != symfile_file_hash(s);
	}
	return bad;
}

static void many_at_once_see_whole_files(void **state)
{
	_cleanup_(symfile_free_it) struct symfile *s = symfile_new();
	_cleanup_(closep) int fd = -1;
	uint64_t offset = 0x1200;
	struct elfread e = {.path = binary, .offsets = &offset, .nr = 1, .lines = true};
	pid_t children[4];
	int status;

	(void)state;
	compile("-g");
	shell("mkdir -p cache");
	e.fd = fd = open(binary, O_RDONLY);
	assert_int_equal(elfread(s, &e), 0);
	assert_true(symfile_has_units(s));
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (!children[i])
			_exit(use_cache(s));
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	/* Nothing unfinished stays behind. */
	shell("test -z \"$(find cache/dusk -name '.?*')\"");
}

static void a_file_cut_short_while_it_is_read_costs_its_names_only(void **state)
{
	_cleanup_(freep) char *whole = NULL;
	_cleanup_(closep) int fd = -1;
	size_t len;
	pid_t cutter;

	(void)state;
	compile("-g");
	assert_int_equal(file_read(&whole, &len, binary, 1 << 26), 0);
	fd = open(binary, O_RDWR);
	cutter = fork();
	if (!cutter)
		while (getppid() > 1)
			if (ftruncate(fd, len / 3) || pwrite(fd, whole, len, 0) != (ssize_t)len)
				_exit(1);
	for (int i = 0; i < 40; i++) {
		_cleanup_(profile_freep) struct dusk_profile *p = record(0x1100, 0x1900, 1);

		assert_int_equal(dusk_profile_symbolize(p, NULL, NULL), 0);
	}
	kill(cutter, SIGKILL);
	waitpid(cutter, NULL, 0);
}

static void broken_debug_information_leaves_the_names(void **state)
{
	_cleanup_(freep) char *whole = NULL;
	uint32_t seed = 3, reported = 0;
	uint64_t start, end;
	size_t len;

	(void)state;
	compile("-g");
	find_text(&start, &end);
	assert_int_equal(file_read(&whole, &len, binary, 1 << 26), 0);
	for (int i = 0; i < 60; i++) {
		_cleanup_(freep) char *bytes = malloc(len);
		_cleanup_(profile_freep) struct dusk_profile *p = NULL;
		struct dusk_error err;
		FILE *f;

		memcpy(bytes, whole, len);
		/* Behind the code and before the symbols, which are the last quarter: debug information. */
		for (int k = 0; k < 200; k++) {
			seed = seed * 1664525 + 1013904223;
			bytes[len / 4 + (seed >> 4) % (len / 2)] = seed >> 20;
		}
		f = fopen(binary, "w");
		fwrite(bytes, 1, len, f);
		fclose(f);
		p = record(start, end, 1);
		assert_int_equal(dusk_profile_symbolize(p, NULL, &err), 0);
		assert_true(p->frames[p->nr_frames / 2].function);
		reported += !!*err.text;
	}
	assert_true(reported > 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dwarf_5_agrees_with_addr2line),
		cmocka_unit_test(dwarf_4_agrees_with_addr2line),
		cmocka_unit_test(split_units_agree_with_addr2line),
		cmocka_unit_test(without_its_split_units_code_has_names_and_lines),
		cmocka_unit_test(packages_of_dwarf_5_are_read_or_it_is_said),
		cmocka_unit_test(packages_of_dwarf_4_are_read_or_it_is_said),
		cmocka_unit_test(compressed_sections_are_read),
		cmocka_unit_test(inline__sections_compressed_by_zstd_agree_with_addr2line),
		cmocka_unit_test(inline__what_cannot_be_unpacked_is_said),
		cmocka_unit_test(what_dwz_shared_is_found_in_its_file),
		cmocka_unit_test(lines_come_from_a_separate_file),
		cmocka_unit_test(the_profile_keeps_lines),
		cmocka_unit_test(without_lines_debug_information_is_not_read),
		cmocka_unit_test(unfolded_stacks_have_a_node_for_each_function),
		cmocka_unit_test(a_second_look_up_needs_no_file),
		cmocka_unit_test(a_damaged_cache_changes_nothing),
		cmocka_unit_test(a_cache_of_somebody_else_is_left_alone),
		cmocka_unit_test(the_cache_forgets_what_was_used_least_recently),
		cmocka_unit_test(many_at_once_see_whole_files),
		cmocka_unit_test(a_file_cut_short_while_it_is_read_costs_its_names_only),
		cmocka_unit_test(broken_debug_information_leaves_the_names),
	};

	if (argc < 2)
		return 2;
	fixture = realpath(argv[1], NULL);
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
