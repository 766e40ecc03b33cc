/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does each frame get the function that is there, and only from a file that is the recorded one?
 *
 * The fixture (symbolize_fixture.c) is taken apart with strip and objcopy in the ways in which distributions do.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/profile/write/write.h"

static const char *fixture;
static char dir[] = "/tmp/dusk-symbols-XXXXXX";
static char path[64], binary[64];

static int make_dir(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/p.dusk", mkdtemp(dir));
	snprintf(binary, sizeof(binary), "%s/prog", dir);
	/* Nobody on the net is to be asked. */
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

static bool have(const char *tool)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", tool);
	return !system(command);
}

static int remove_dir(void **state)
{
	(void)state;
	shell("rm -rf %s", dir);
	return 0;
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

/* The build id of a loaded object, and where it is loaded: as the dynamic linker sees it. */
struct object {
	const char *name; /* a part of its path */
	char path[256], build_id[129];
	ElfW(Addr) base;
	const ElfW(Phdr) * phdr;
	int nr;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct object *o = ctx;

	(void)size;
	if (!strstr(info->dlpi_name, o->name))
		return 0;
	snprintf(o->path, sizeof(o->path), "%s", info->dlpi_name);
	o->base = info->dlpi_addr;
	o->phdr = info->dlpi_phdr;
	o->nr = info->dlpi_phnum;
	for (int i = 0; i < o->nr; i++) {
		const char *p = (const char *)o->base + o->phdr[i].p_vaddr, *end = p + o->phdr[i].p_memsz;

		while (o->phdr[i].p_type == PT_NOTE && p < end) {
			const ElfW(Nhdr) *n = (const void *)p;

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(n + 1, "GNU", 4))
				for (unsigned int k = 0; k < n->n_descsz; k++)
					sprintf(o->build_id + 2 * k, "%02x", ((const unsigned char *)(n + 1))[4 + k]);
			p += sizeof(*n) + ((n->n_namesz + 3) & ~3) + ((n->n_descsz + 3) & ~3);
		}
	}
	return 1;
}

/* Where in its file @address, of this process, comes from. */
static uint64_t offset_in(const struct object *o, const void *address)
{
	uint64_t link_time = (uintptr_t)address - o->base;

	for (int i = 0; i < o->nr; i++)
		if (o->phdr[i].p_type == PT_LOAD && link_time >= o->phdr[i].p_vaddr &&
		    link_time < o->phdr[i].p_vaddr + o->phdr[i].p_filesz)
			return link_time - o->phdr[i].p_vaddr + o->phdr[i].p_offset;
	fail();
	return 0;
}

/* Where in the file @name the function @symbol begins, and its build id, read from it while it has its symbols. */
static uint64_t offset_of(const char *name, const char *symbol, uint64_t *size, char *build_id)
{
	_cleanup_(closep) int fd = open(name, O_RDONLY);
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ, NULL));
	Elf_Scn *section = NULL;
	uint64_t offset = 0;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = elf_getdata(section, NULL);
		GElf_Shdr sh, code;

		gelf_getshdr(section, &sh);
		if (sh.sh_type == SHT_NOTE && build_id && data->d_size >= 36 &&
		    ((uint32_t *)data->d_buf)[2] == NT_GNU_BUILD_ID)
			for (int k = 0; k < 20; k++)
				sprintf(build_id + 2 * k, "%02x", ((unsigned char *)data->d_buf)[16 + k]);
		if (sh.sh_type != SHT_SYMTAB)
			continue;
		for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Sym sym;

			gelf_getsym(data, i, &sym);
			if (strcmp(elf_strptr(elf, sh.sh_link, sym.st_name), symbol))
				continue;
			gelf_getshdr(elf_getscn(elf, sym.st_shndx), &code);
			offset = sym.st_value - code.sh_addr + code.sh_offset;
			if (size)
				*size = sym.st_size;
		}
	}
	elf_end(elf);
	assert_int_not_equal(offset, 0);
	return offset;
}

struct want {
	uint64_t offset;
	bool is_return;
	const char *name; /* NULL: none */
	uint32_t function_offset;
};

/* A profile with one module and these frames, looked up; *@err is what was said. */
static struct dusk_profile *looked_up(const struct dusk_module *m, const struct want *wants, int nr,
				      const char *boot_id, const int *fds, struct dusk_error *err)
{
	struct dusk_symbol_options opts = {.sz = sizeof(opts), .module_fd = fds};
	struct profile_writer *w = NULL;
	struct dusk_profile *p = NULL;
	uint32_t module;

	assert_int_equal(profile_create(&w, path, -1, -1, NULL), 0);
	module = profile_module(w, m);
	for (int i = 0; i < nr; i++)
		profile_frame(w, module, wants[i].offset, wants[i].is_return, DUSK_BY_CFI);
	if (boot_id)
		profile_set(w, "boot_id", boot_id);
	assert_int_equal(profile_close(w, true, NULL), 0);
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(dusk_profile_symbolize(p, &opts, err), 0);
	return p;
}

static void check(const struct dusk_module *m, const struct want *wants, int nr, const char *module)
{
	_cleanup_(profile_freep) struct dusk_profile *p = looked_up(m, wants, nr, NULL, NULL, NULL);

	for (int i = 0; i < nr; i++) {
		const struct dusk_frame *f = &p->frames[i + 1];
		const struct dusk_function *function = &p->functions[f->function];

		if (!wants[i].name) {
			assert_int_equal(f->function, 0);
			continue;
		}
		assert_string_equal(function->name, wants[i].name);
		assert_string_equal(function->module, module);
		assert_int_equal(f->function_offset, wants[i].function_offset);
	}
}

static struct dusk_module prog_module(char *build_id)
{
	return (struct dusk_module){.kind = DUSK_MODULE_FILE, .pid = getpid(), .path = binary, .build_id = build_id};
}

static void functions_of_the_c_library_are_found(void **state)
{
	struct object o = {.name = "libc.so"};
	struct dusk_module m = {.kind = DUSK_MODULE_FILE, .pid = getpid()};
	uint64_t offset;

	(void)state;
	dl_iterate_phdr(find_object, &o);
	m.path = o.path;
	m.build_id = o.build_id;
	offset = offset_in(&o, dlsym(RTLD_DEFAULT, "lsearch"));
	check(&m,
	      (struct want[]){{offset, false, "lsearch", 0},
			      {offset + 5, false, "lsearch", 5},
			      {offset + 9, true, "lsearch", 9}},
	      3, strrchr(o.path, '/') + 1);
}

static void a_return_address_belongs_to_the_call_before_it(void **state)
{
	char build_id[64] = "";
	uint64_t size, offset;
	struct dusk_module m = prog_module(build_id);

	(void)state;
	shell("cp %s prog", fixture);
	offset = offset_of(binary, "fixture_outer", &size, build_id);
	check(&m,
	      (struct want[]){{offset + size, true, "fixture_outer", size},
			      {offset + size - 1, false, "fixture_outer", size - 1},
			      {offset, false, "fixture_outer", 0}},
	      3, "prog");
}

static void link_time_addresses_are_those_of_the_file(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	char build_id[64] = "";
	struct dusk_module m = prog_module(build_id);
	uint64_t offset;
	char line[64];

	(void)state;
	if (!have("nm"))
		skip();
	shell("cp %s prog; nm prog | awk '$3 == \"fixture_outer\" {print $1}' > address", fixture);
	offset = offset_of(binary, "fixture_outer", NULL, build_id);
	p = looked_up(&m, &(struct want){offset, true}, 1, NULL, NULL, NULL);
	snprintf(line, sizeof(line), "test $(printf %%d 0x$(cat address)) = %ju", (uintmax_t)p->frames[1].address);
	shell("%s", line);
}

/* The name of the function at @offset of prog, which has no symbol but an FDE. */
static const char *unnamed(char name[32], uint64_t offset)
{
	snprintf(name, 32, "prog+0x%jx", (uintmax_t)offset);
	return name;
}

static void a_stripped_function_goes_by_the_place_where_it_begins(void **state)
{
	char build_id[64] = "", name[32];
	struct dusk_module m = prog_module(build_id);
	uint64_t outer, inner;

	(void)state;
	if (!have("strip"))
		skip();
	outer = offset_of(fixture, "fixture_outer", NULL, build_id);
	inner = offset_of(fixture, "fixture_inner", NULL, NULL);
	shell("cp %s prog && strip prog", fixture);
	unnamed(name, inner);
	check(&m,
	      (struct want[]){{outer, false, "fixture_outer", 0}, {inner, false, name, 0}, {inner + 2, true, name, 2}},
	      3, "prog");
}

/*
 * An exported label of assembly code without a size or CFI, and behind it functions whose symbols were stripped; and one
 * with CFI.
 */
static void symbolize__a_symbol_without_a_size_ends_where_another_function_begins(void **state)
{
	char build_id[64] = "", name[64];
	struct dusk_module m = prog_module(build_id);
	uint64_t without, with, first, second;

	(void)state;
	if (!have("cc") || !have("strip"))
		skip();
	shell("cat >p.c <<'E'\n"
	      "__asm__(\".text\\n.globl bare\\nbare: nop\\n ret\\n.p2align 4\\n.globl covered\\n\"\n"
	      "        \"covered: .cfi_startproc\\n nop\\n ret\\n .cfi_endproc\\n nop\\n\");\n"
	      "__attribute__((noinline, used)) static int first(int x) { return x * 3; }\n"
	      "__attribute__((noinline, used)) static int second(int x) { return x * 5; }\n"
	      "int main(int c, char **v) { return first(c) + second(c); }\n"
	      "E\n"
	      "cc -O1 -fno-toplevel-reorder -rdynamic -Wl,--build-id=sha1 -o prog p.c && cp prog whole && strip prog");
	snprintf(name, sizeof(name), "%s/whole", dir);
	without = offset_of(name, "bare", NULL, build_id);
	with = offset_of(name, "covered", NULL, NULL);
	first = offset_of(name, "first", NULL, NULL);
	second = offset_of(name, "second", NULL, NULL);
	assert_true(without < with && with < first && first < second);
	check(&m,
	      (struct want[]){
		      {without + 1, false, "bare", 1}, {with + 1, false, "covered", 1}, {with + 2, false, NULL}},
	      3, "prog");
	unnamed(name, first);
	check(&m, &(struct want){first + 1, false, name, 1}, 1, "prog");
	unnamed(name, second);
	check(&m, &(struct want){second + 1, false, name, 1}, 1, "prog");
}

/* Where in prog its section @name begins. */
static uint64_t section_of_prog(const char *name)
{
	_cleanup_(closep) int fd = open(binary, O_RDONLY);
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ, NULL));
	Elf_Scn *section = NULL;
	uint64_t offset = 0;
	size_t names;
	GElf_Shdr sh;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &sh))
		if (!strcmp(elf_strptr(elf, names, sh.sh_name), name))
			offset = sh.sh_offset;
	elf_end(elf);
	return offset;
}

/* The ways in which linkers lay out stubs: bound at once, lazily, and for indirect branch tracking. */
static void symbolize__stubs_are_named_after_what_they_call(void **state)
{
	static const struct {
		const char *options, *section;
		uint64_t skip; /* the first stub of lazy ones is of the loader */
		const char *name;
	} table[] = {
		{"-fcf-protection=none", ".plt.got", 0, "__cxa_finalize@plt"},
		{"-fcf-protection=none", ".plt", 16, "random@plt"},
		{"-fcf-protection=full -Wl,-z,ibtplt", ".plt.sec", 0, "random@plt"},
	};
	char build_id[64] = "";
	struct dusk_module m = prog_module(build_id);

	(void)state;
	if (!have("cc"))
		skip();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t at;

		shell("echo 'int random(void); int main(void) { return random() + random(); }' >p.c && "
		      "cc -O1 -fno-builtin %s -Wl,--build-id=sha1 -o prog p.c",
		      table[i].options);
		offset_of(binary, "main", NULL, build_id);
		at = section_of_prog(table[i].section) + table[i].skip;
		check(&m, &(struct want){at + 6, false, table[i].name, 6}, 1, "prog");
	}
}

static void a_place_becomes_a_name_when_there_are_symbols(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	char build_id[64] = "", name[32];
	struct dusk_module m = prog_module(build_id);
	struct want want = {.is_return = false};

	(void)state;
	if (!have("strip"))
		skip();
	want.offset = offset_of(fixture, "fixture_inner", NULL, build_id);
	shell("cp %s prog && strip prog", fixture);
	p = looked_up(&m, &want, 1, NULL, NULL, NULL);
	assert_string_equal(p->functions[p->frames[1].function].name, unnamed(name, want.offset));
	assert_true(dusk_frame_lacks_symbol(p, &p->frames[1]));
	assert_false(dusk_profile_needs_names(p));
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	assert_true(dusk_profile_needs_names(p));
	unsetenv("DEBUGINFOD_URLS");
	shell("cp %s prog", fixture);
	assert_int_equal(dusk_profile_symbolize(p, NULL, NULL), 0);
	assert_string_equal(p->functions[p->frames[1].function].name, "fixture_inner");
	assert_false(dusk_frame_lacks_symbol(p, &p->frames[1]));
}

static void a_debug_file_is_found_by_its_link(void **state)
{
	char build_id[64] = "", name[32];
	struct dusk_module m = prog_module(build_id);
	uint64_t inner;

	(void)state;
	if (!have("strip") || !have("objcopy"))
		skip();
	inner = offset_of(fixture, "fixture_inner", NULL, build_id);
	shell("cp %s prog && objcopy --only-keep-debug prog prog.debug && strip prog && "
	      "objcopy --add-gnu-debuglink=prog.debug prog",
	      fixture);
	check(&m, &(struct want){inner + 1, false, "fixture_inner", 1}, 1, "prog");
	shell("rm prog.debug");
	unnamed(name, inner);
	check(&m, &(struct want){inner + 1, false, name, 1}, 1, "prog");
}

static void small_debug_data_in_the_file_is_read(void **state)
{
	char build_id[64] = "";
	struct dusk_module m = prog_module(build_id);
	uint64_t inner;

	(void)state;
	if (!have("strip") || !have("objcopy") || !have("xz"))
		skip();
	inner = offset_of(fixture, "fixture_inner", NULL, build_id);
	shell("cp %s prog && objcopy --only-keep-debug prog mini && "
	      "objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbol=fixture_inner mini mini2 "
	      "&& "
	      "xz -f mini2 && strip prog && objcopy --add-section .gnu_debugdata=mini2.xz prog",
	      fixture);
	check(&m, &(struct want){inner, false, "fixture_inner", 0}, 1, "prog");
}

static void a_file_with_another_build_id_is_not_believed(void **state)
{
	char build_id[64] = "";
	struct dusk_module m = prog_module(build_id);
	uint64_t offset;

	(void)state;
	shell("cp %s prog", fixture);
	offset = offset_of(binary, "fixture_outer", NULL, build_id);
	check(&m, &(struct want){offset, false, "fixture_outer", 0}, 1, "prog");
	build_id[0] ^= 1;
	check(&m, &(struct want){offset, false, NULL, 0}, 1, "prog");
}

static void without_a_build_id_device_and_inode_decide(void **state)
{
	struct dusk_module m = prog_module((char *)"");
	uint64_t offset;
	struct stat st;

	(void)state;
	shell("cp %s prog", fixture);
	offset = offset_of(binary, "fixture_outer", NULL, NULL);
	check(&m, &(struct want){offset, false, NULL, 0}, 1, "prog");
	assert_int_equal(stat(binary, &st), 0);
	m.dev = st.st_dev;
	m.ino = st.st_ino;
	check(&m, &(struct want){offset, false, "fixture_outer", 0}, 1, "prog");
	m.ino++;
	check(&m, &(struct want){offset, false, NULL, 0}, 1, "prog");
}

static void a_file_that_is_gone_is_read_from_its_descriptor(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	char build_id[64] = "";
	struct dusk_module m = prog_module(build_id);
	uint64_t offset;
	int fds[2] = {-1, -1};

	(void)state;
	shell("cp %s prog", fixture);
	offset = offset_of(binary, "fixture_outer", NULL, build_id);
	fds[1] = open(binary, O_RDONLY);
	unlink(binary);
	p = looked_up(&m, &(struct want){offset, false}, 1, NULL, fds, NULL);
	assert_string_equal(p->functions[p->frames[1].function].name, "fixture_outer");
	assert_int_equal(close(fds[1]), 0);
}

static void a_broken_file_harms_only_itself(void **state)
{
	char build_id[64] = "";
	uint64_t offset = offset_of(fixture, "fixture_outer", NULL, build_id);
	struct dusk_module m = prog_module((char *)"");
	_cleanup_(freep) char *whole = NULL;
	uint32_t seed = 11;
	struct stat st;
	size_t len;

	(void)state;
	assert_int_equal(file_read(&whole, &len, fixture, 1 << 26), 0);
	for (int i = 0; i < 120; i++) {
		_cleanup_(freep) char *bytes = malloc(len);
		_cleanup_(fclosep) FILE *f = fopen(binary, "w");
		size_t keep = i % 3 ? len : len * (i % 50) / 50;

		memcpy(bytes, whole, len);
		/* Mostly headers, as those lead astray. */
		for (int k = 0; k < 8; k++) {
			seed = seed * 1664525 + 1013904223;
			bytes[(seed >> 8) % (k & 1 ? 1000 : len)] = seed >> 24;
			seed = seed * 1664525 + 1013904223;
			bytes[len - 1 - (seed >> 8) % 2500] = seed >> 24;
		}
		fwrite(bytes, 1, keep, f);
		fflush(f);
		assert_int_equal(fstat(fileno(f), &st), 0);
		m.dev = st.st_dev;
		m.ino = st.st_ino;
		dusk_profile_free(looked_up(&m, (struct want[]){{offset, true}, {0, true}, {UINT64_MAX >> 1, false}}, 3,
					    NULL, NULL, NULL));
	}
}

static void the_vdso_is_our_own(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct dusk_module m = {.kind = DUSK_MODULE_VDSO, .pid = getpid(), .path = "[vdso]"};
	struct object o = {.name = "vdso"};
	struct want wants[256] = {0};
	int found = 0;

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR) || !dl_iterate_phdr(find_object, &o))
		skip();
	m.build_id = o.build_id;
	for (int i = 0; i < 256; i++)
		wants[i].offset = i * 16;
	p = looked_up(&m, wants, 256, NULL, NULL, NULL);
	for (uint32_t i = 1; i < p->nr_functions; i++) {
		assert_string_equal(p->functions[i].module, "[vdso]");
		found += !!strstr(p->functions[i].name, "clock_gettime");
	}
	assert_true(found > 0);
	o.build_id[3] ^= 1;
	dusk_profile_free(p);
	p = looked_up(&m, wants, 256, NULL, NULL, NULL);
	assert_int_equal(p->nr_functions, 1);
}

static void the_kernel_is_looked_up_in_the_same_boot_only(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *same = NULL, *other = NULL;
	struct dusk_module m = {.kind = DUSK_MODULE_KERNEL, .path = "[kernel]"};
	_cleanup_(freep) char *boot_id = NULL, *kallsyms = NULL;
	struct want want = {.is_return = false};
	struct dusk_error err;
	char *line = NULL;
	size_t len;

	(void)state;
	assert_int_equal(file_read(&boot_id, &len, "/proc/sys/kernel/random/boot_id", 4096), 0);
	boot_id[strcspn(boot_id, "\n")] = 0;
	if (file_read(&kallsyms, &len, "/proc/kallsyms", 1 << 28) ||
	    !(line = strstr(kallsyms, " T schedule_timeout\n")))
		skip();
	while (line > kallsyms && line[-1] != '\n')
		line--;
	want.offset = strtoull(line, NULL, 16) + 1;
	same = looked_up(&m, &want, 1, boot_id, NULL, &err);
	if (want.offset == 1) {
		/* Hidden from us: that is said, and nothing is made up. */
		assert_non_null(strstr(err.text, "kptr_restrict"));
		assert_int_equal(same->frames[1].function, 0);
		return;
	}
	assert_string_equal(err.text, "");
	assert_string_equal(same->functions[same->frames[1].function].name, "schedule_timeout");
	assert_string_equal(same->functions[same->frames[1].function].module, "[kernel]");
	assert_int_equal(same->frames[1].function_offset, 1);
	other = looked_up(&m, &want, 1, "00000000-0000-0000-0000-000000000000", NULL, NULL);
	assert_int_equal(other->frames[1].function, 0);
}

static void jit_code_is_named_by_its_map(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct dusk_module m = {.kind = DUSK_MODULE_ANON, .pid = getpid(), .path = "[anon]"};
	const struct want wants[] = {{0x7000, true}, {0x7001, true}, {0x9000, false}};
	char map[64];
	FILE *f;

	(void)state;
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	f = fopen(map, "w");
	fputs("7000 100 JS:*render /srv/app.js:3\n", f);
	fclose(f);
	p = looked_up(&m, wants, 3, NULL, NULL, NULL);
	unlink(map);
	assert_int_equal(p->frames[1].function, 0);
	assert_string_equal(p->functions[p->frames[2].function].name, "JS:*render /srv/app.js:3");
	assert_string_equal(p->functions[p->frames[2].function].module, "[anon]");
	assert_int_equal(p->frames[3].function, 0);
}

static int stop_at_once(void *ctx, uint32_t done, uint32_t total)
{
	++*(int *)ctx;
	assert_true(done <= total);
	return 1;
}

static int count(void *ctx, uint32_t done, uint32_t total)
{
	*(uint32_t *)ctx = done;
	assert_int_equal(total, 1);
	return 0;
}

static void progress_is_reported_and_can_stop(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	char build_id[64] = "";
	struct dusk_module m = prog_module(build_id);
	struct want want = {.is_return = false};
	int calls = 0;
	uint32_t done = 77;
	struct dusk_symbol_options opts = {.sz = sizeof(opts), .progress = stop_at_once, .ctx = &calls};
	struct dusk_symbol_options counted = {.sz = sizeof(opts), .progress = count, .ctx = &done};

	(void)state;
	/* While the file is not there nothing can be named. */
	unlink(binary);
	want.offset = offset_of(fixture, "fixture_outer", NULL, build_id);
	p = looked_up(&m, &want, 1, NULL, NULL, NULL);
	shell("cp %s prog", fixture);
	assert_int_equal(dusk_profile_symbolize(p, &opts, NULL), -ECANCELED);
	assert_int_equal(calls, 1);
	assert_int_equal(p->nr_functions, 1);
	assert_int_equal(dusk_profile_symbolize(p, &counted, NULL), 0);
	assert_int_equal(done, 1);
	assert_int_equal(p->nr_functions, 2);
	/* Once more: what has a name keeps it. */
	unlink(binary);
	assert_int_equal(dusk_profile_symbolize(p, NULL, NULL), 0);
	assert_string_equal(p->functions[p->frames[1].function].name, "fixture_outer");
	assert_int_equal(p->nr_functions, 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_the_c_library_are_found),
		cmocka_unit_test(a_return_address_belongs_to_the_call_before_it),
		cmocka_unit_test(link_time_addresses_are_those_of_the_file),
		cmocka_unit_test(a_stripped_function_goes_by_the_place_where_it_begins),
		cmocka_unit_test(symbolize__a_symbol_without_a_size_ends_where_another_function_begins),
		cmocka_unit_test(symbolize__stubs_are_named_after_what_they_call),
		cmocka_unit_test(a_place_becomes_a_name_when_there_are_symbols),
		cmocka_unit_test(a_debug_file_is_found_by_its_link),
		cmocka_unit_test(small_debug_data_in_the_file_is_read),
		cmocka_unit_test(a_file_with_another_build_id_is_not_believed),
		cmocka_unit_test(without_a_build_id_device_and_inode_decide),
		cmocka_unit_test(a_file_that_is_gone_is_read_from_its_descriptor),
		cmocka_unit_test(a_broken_file_harms_only_itself),
		cmocka_unit_test(the_vdso_is_our_own),
		cmocka_unit_test(the_kernel_is_looked_up_in_the_same_boot_only),
		cmocka_unit_test(jit_code_is_named_by_its_map),
		cmocka_unit_test(progress_is_reported_and_can_stop),
	};

	if (argc < 2)
		return 2;
	fixture = realpath(argv[1], NULL); /* the shell works in another folder */
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
