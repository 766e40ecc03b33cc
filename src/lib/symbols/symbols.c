/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read the symbols of an ELF file.
 *
 * libdwfl finds the symbol tables, in the file and in its debug files. Its own look-up scans the whole table each time,
 * so the functions are extracted once and sorted into ranges. Each file has a Dwfl of its own, so that a broken one
 * does not affect others.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/name.h"
#include "base/strings.h"
#include "lib/buildid.h"
#include "lib/symbols/fde_index.h"
#include "lib/symbols/go_program.h"
#include "lib/symbols/opener.h"
#include "lib/symbols/plt.h"
#include "lib/symbols/ranges.h"
#include "lib/symbols/symbols.h"
#include "lib/symbols/zstd_sections.h"

#define MAX_SYMBOLS (1 << 24)
#define MAX_SEGMENTS 1024

struct candidate {
	uint64_t start, size;
	const char *name;
	uint64_t code_end;
	unsigned char type, binding;
};

struct candidates vec(struct candidate);

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct vec(struct symbols_segment) segments;
	struct ranges ranges; /* value: a pointer to the name */
	struct fde_index *fde_index;
	struct zstd_sections unpacked;
	struct go_program go;
	struct strings stubs; /* their names */
};

static int read_segments(struct symbols *s, Elf *elf)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return -ENOEXEC;
	for (size_t i = 0; i < nr && s->segments.nr < MAX_SEGMENTS; i++) {
		struct symbols_segment *segment;
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD)
			continue;
		segment = vec_add(&s->segments);
		if (!segment)
			return -ENOMEM;
		*segment = (struct symbols_segment){ph.p_offset, ph.p_filesz, ph.p_vaddr, ph.p_flags & PF_X};
	}
	return s->segments.nr ? 0 : -ENOEXEC;
}

/* Return the end of the code that contains the symbol, or 0 if it is not code. Section headers may be missing. */
static uint64_t code_end(const struct symbols *s, Elf *elf, GElf_Word index, uint64_t address)
{
	Elf_Scn *section = elf ? elf_getscn(elf, index) : NULL;
	GElf_Shdr sh;

	if (section && gelf_getshdr(section, &sh))
		return sh.sh_flags & SHF_EXECINSTR ? sh.sh_addr + sh.sh_size : 0;
	for (size_t i = 0; i < s->segments.nr; i++) {
		const struct symbols_segment *g = &s->segments.v[i];

		if (g->code && address >= g->address && address - g->address < g->file_bytes)
			return g->address + g->file_bytes;
	}
	return 0;
}

/* Collect functions, and labels in assembler code, which have no type. */
static int collect(const struct symbols *s, struct candidates *all)
{
	int nr = dwfl_module_getsymtab(s->module);

	for (int i = 1; i < nr && i < MAX_SYMBOLS; i++) {
		struct candidate c;
		GElf_Word section = 0;
		Dwarf_Addr bias;
		GElf_Sym sym;
		Elf *elf = NULL;

		c.name = dwfl_module_getsym_info(s->module, i, &sym, &c.start, &section, &elf, &bias);
		c.type = GELF_ST_TYPE(sym.st_info);
		if (!c.name || !*c.name || sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS)
			continue;
		if (c.type != STT_FUNC && c.type != STT_GNU_IFUNC && c.type != STT_NOTYPE)
			continue;
		c.start = sym.st_value;
		c.size = sym.st_size;
		c.binding = GELF_ST_BIND(sym.st_info);
		c.code_end = code_end(s, elf, section, c.start);
		if (!c.code_end || (c.type == STT_NOTYPE && strchr(".$", c.name[0])))
			continue;
		if (vec_push(all, c))
			return -ENOMEM;
	}
	return 0;
}

/* Collect what a Go program knows of its functions; a symbol at the same address wins, as it is global, or has the same name. */
static int collect_go(const struct symbols *s, struct candidates *all)
{
	struct gopclntab_function f;

	for (uint32_t i = 0; i < s->go.table.nr; i++) {
		struct candidate c = {.type = STT_FUNC, .binding = STB_LOCAL};

		if (!gopclntab_function(&s->go.table, i, &f))
			continue;
		c.start = f.start;
		c.size = f.end - f.start;
		c.name = f.name;
		c.code_end = code_end(s, NULL, 0, f.start);
		if (c.code_end && f.end <= c.code_end && vec_push(all, c))
			return -ENOMEM;
	}
	return 0;
}

static int collect_stubs(struct symbols *s, Elf *elf, struct candidates *all)
{
	char name[NAME_LIMIT_BYTES + sizeof(PLT_SUFFIX)], limited[NAME_LIMIT_BYTES + 1];
	struct plt plt;
	int rc = plt_read(&plt, elf);

	for (size_t i = 0; !rc && i < plt.stubs.nr; i++) {
		const struct plt_stub *stub = &plt.stubs.v[i];
		struct candidate c = {
			.start = stub->start, .size = stub->bytes, .type = STT_FUNC, .binding = STB_LOCAL};

		c.code_end = code_end(s, NULL, 0, c.start);
		snprintf(name, sizeof(name), "%s" PLT_SUFFIX, name_limit(limited, stub->function));
		c.name = c.code_end ? strings_intern(&s->stubs, name) : NULL;
		if (c.code_end && (!c.name || vec_push(all, c)))
			rc = -ENOMEM;
	}
	plt_done(&plt);
	return rc;
}

static int rank(const struct candidate *c)
{
	int underscores = strspn(c->name, "_");

	return (c->size ? 0 : 1000) + (c->type == STT_NOTYPE ? 100 : 0) + 10 * (underscores < 5 ? underscores : 5) +
	       (c->binding == STB_GLOBAL ? 0
		: c->binding == STB_WEAK ? 1
					 : 2);
}

/* Order by address. Of several names for one address the best known comes last, and so wins: free, not cfree. */
static int by_address(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	size_t x_len, y_len;
	int x_rank, y_rank;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	x_rank = rank(x);
	y_rank = rank(y);
	if (x_rank != y_rank)
		return x_rank > y_rank ? -1 : 1;
	x_len = strlen(x->name);
	y_len = strlen(y->name);
	return x_len != y_len ? (x_len > y_len ? -1 : 1) : strcmp(y->name, x->name);
}

static int add(struct symbols *s, const struct candidate *c, uint64_t end)
{
	return ranges_add(&s->ranges, c->start, end, (uintptr_t)c->name);
}

/*
 * Return where the function of a symbol without a size ends, at the latest at @end: at the end of its FDE, or where that of
 * another function begins, which may have no symbol.
 */
static uint64_t sizeless_end(const struct symbols *s, uint64_t start, uint64_t end)
{
	uint64_t begin, behind = fde_index_next(s->fde_index, start);

	fde_index_extent(s->fde_index, start, &begin, &behind);
	return behind < end ? behind : end;
}

/*
 * A symbol without a size extends to the next symbol or FDE, and yields to all that have one. Of nested functions the inner
 * one wins, as it begins later.
 */
static int add_all(struct symbols *s, const struct candidates *all)
{
	uint64_t next = UINT64_MAX;
	int rc = 0;

	for (size_t i = all->nr; !rc && i-- > 0;) {
		const struct candidate *c = &all->v[i];

		if (i + 1 < all->nr && all->v[i + 1].start != c->start)
			next = all->v[i + 1].start;
		if (!c->size)
			rc = add(s, c, sizeless_end(s, c->start, next < c->code_end ? next : c->code_end));
	}
	for (size_t i = 0; !rc && i < all->nr; i++) {
		const struct candidate *c = &all->v[i];

		if (c->size && c->start + c->size > c->start)
			rc = add(s, c, c->start + c->size);
	}
	return rc ?: ranges_build(&s->ranges);
}

static int read_symbols(struct symbols *s, Elf *elf)
{
	struct candidates all = {0};
	int rc;

	rc = collect(s, &all);
	rc = rc ?: go_program_read(&s->go, elf);
	rc = rc ?: collect_go(s, &all);
	rc = rc ?: collect_stubs(s, elf, &all);
	if (!rc && all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), by_address);
	rc = rc ?: add_all(s, &all);
	vec_done(&all);
	return rc;
}

static void symbols_freep(struct symbols **s)
{
	symbols_free(*s);
}

/*
 * Find the debug file by build id and debug link; else ask the parent of the confined process to get it from servers
 * (opener.h), which libdw cannot reach from there.
 */
static int find_debuginfo(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file,
			  const char *link, GElf_Word crc, char **ret)
{
	int fd = dwfl_standard_find_debuginfo(m, data, name, base, file, link, crc, ret);
	char wanted[sizeof(SERVERS_FILE) + BUILDID_TEXT_BYTES] = SERVERS_FILE;
	const unsigned char *id;
	GElf_Addr vaddr;
	int bytes;

	if (fd >= 0)
		return fd;
	bytes = dwfl_module_build_id(m, &id, &vaddr);
	if (bytes <= 0 || bytes > BUILDID_MAX_BYTES)
		return -1;
	buildid_hex(wanted + strlen(SERVERS_FILE), id, bytes);
	return open(wanted, O_RDONLY | O_CLOEXEC);
}

int symbols_report(Dwfl **dwfl, Dwfl_Module **module, int fd, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	_cleanup_(closep) int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0)
		return -errno;
	*dwfl = dwfl_begin(&callbacks);
	if (!*dwfl)
		return -ENOMEM;
	dwfl_report_begin(*dwfl);
	/* Base 0: link-time addresses. */
	*module = dwfl_report_elf(*dwfl, path, path, own, 0, true);
	if (!*module)
		return -ENOEXEC;
	steal_fd(&own);
	dwfl_report_end(*dwfl, NULL, NULL);
	return 0;
}

int symbols_open(struct symbols **ret, int fd, const char *path)
{
	_cleanup_(symbols_freep) struct symbols *s = calloc(1, sizeof(*s));
	GElf_Addr bias;
	Elf *elf;
	int rc;

	if (!s)
		return -ENOMEM;
	rc = symbols_report(&s->dwfl, &s->module, fd, path);
	if (rc)
		return rc;
	elf = dwfl_module_getelf(s->module, &bias);
	if (!elf)
		return -ENOEXEC;
	rc = read_segments(s, elf);
	rc = rc ?: fde_index_read(&s->fde_index, elf, fd);
	rc = rc ?: read_symbols(s, elf);
	if (rc)
		return rc;
	*ret = steal(s);
	return 0;
}

/* Two segments can share a page of the file, but code that was executed is in an executable one. */
int symbols_address(const struct symbols *s, uint64_t offset, uint64_t *ret)
{
	for (int need_code = 1; need_code >= 0; need_code--) {
		for (size_t i = 0; i < s->segments.nr; i++) {
			const struct symbols_segment *g = &s->segments.v[i];

			if (g->code == need_code && offset >= g->offset && offset - g->offset < g->file_bytes) {
				*ret = offset - g->offset + g->address;
				return 0;
			}
		}
	}
	return -ENOENT;
}

const char *symbols_find(const struct symbols *s, uint64_t address, uint64_t *start)
{
	const struct range *r = ranges_find(&s->ranges, address);

	if (!r)
		return NULL;
	*start = r->start;
	return (const char *)(uintptr_t)r->value;
}

bool symbols_find_unnamed(const struct symbols *s, uint64_t address, uint64_t *start)
{
	return fde_index_find(s->fde_index, address, start);
}

/* Return the file that has most to say: the debug file, if its symbols were taken; else the file itself. */
static Elf *telling_file(Dwfl_Module *module)
{
	Elf *elf = NULL, *of_symbol = NULL;
	GElf_Word section;
	GElf_Addr address;
	Dwarf_Addr bias;
	GElf_Sym sym;

	elf = dwfl_module_getelf(module, &bias);
	if (dwfl_module_getsymtab(module) > 1)
		dwfl_module_getsym_info(module, 1, &sym, &address, &section, &of_symbol, &bias);
	return of_symbol ? of_symbol : elf;
}

struct Dwarf *symbols_module_dwarf(Dwfl_Module *module, struct zstd_sections *unpacked)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);

	if (dwarf)
		return dwarf;
	zstd_sections_done(unpacked);
	zstd_sections_read(unpacked, telling_file(module));
	return unpacked->dwarf;
}

struct Dwarf *symbols_dwarf(struct symbols *s)
{
	return symbols_module_dwarf(s->module, &s->unpacked);
}

bool symbols_has_debug_sections(const struct symbols *s)
{
	Elf *elf = telling_file(s->module);
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr sh;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (name && sh.sh_type != SHT_NOBITS && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return true;
	}
	return false;
}

const struct symbols_segment *symbols_segments(const struct symbols *s, size_t *nr)
{
	*nr = s->segments.nr;
	return s->segments.v;
}

const struct ranges *symbols_ranges(const struct symbols *s)
{
	return &s->ranges;
}

const struct fde_index *symbols_fde_index(const struct symbols *s)
{
	return s->fde_index;
}

const struct go_program *symbols_go(const struct symbols *s)
{
	return &s->go;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	go_program_done(&s->go);
	zstd_sections_done(&s->unpacked);
	if (s->dwfl)
		dwfl_end(s->dwfl);
	vec_done(&s->segments);
	ranges_done(&s->ranges);
	fde_index_free(s->fde_index);
	strings_done(&s->stubs);
	free(s);
}

bool symbols_installed(const char *build_id)
{
	char path[256];

	if (strlen(build_id) < 3)
		return false;
	snprintf(path, sizeof(path), SYMBOLS_BY_BUILD_ID, build_id, build_id + 2);
	return !access(path, F_OK);
}
