/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many stacks reach their root? The same rule for every profiler.
 *
 *	roots dusk FILE COMM...		a profile of dusk's
 *	roots perf COMM... < TEXT	what `perf script -F comm,tid,ip,sym,dso` wrote
 *
 * Counts the samples of the threads that go by one of the names COMM. The root is reached if the outermost user frame
 * lies
 *	- within 64 bytes of the entry point of the file it is in: _start, of the program or of the dynamic linker; or
 *	- in libc's code that calls main(), just before or in __libc_start_main(): it has no frame pointer, so that a chain
 *	  of frame pointers cannot go on from there; or
 *	- in libc's clone() or clone3(), where threads begin; or
 *	- in Go's goexit() or clone(), where goroutines and threads of Go begin.
 * Names play no part: stock programs are stripped. A sample without any user frame counts as one that does not.
 *
 * Prints: samples, samples that reach the root. For dusk also what its own aggregation says: complete, and those of
 * them that were walked at all; and a line "outcome NAME COUNT" for each outcome that is not complete.
 */
#include <ctype.h>
#include <dusk/dusk.h>
#include <err.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_BYTES 64
#define CALLS_MAIN_BYTES 256 /* before and behind __libc_start_main() */
#define CLONE_BYTES 96
#define CLONE3_BYTES 40
#define GOEXIT_BYTES 8
#define GO_CLONE_BYTES 192
#define MAX_FILES 512
#define LINE_BYTES 8192

/* Where roots are in a file: offsets in it, -1 where it has none. */
struct file {
	char *path;
	long start, main, clone, clone3, goexit, go_clone;
};

static struct file files[MAX_FILES];
static int nr_files;

static char **names;
static int nr_names;

static long file_offset(Elf *elf, uint64_t address)
{
	GElf_Phdr p;

	for (int i = 0; gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
			return address - p.p_vaddr + p.p_offset;
	return -1;
}

/* Where the function @name of a symbol table (SHT_DYNSYM, SHT_SYMTAB) is, or -1. */
static long find_function(Elf *elf, uint32_t table, const char *name)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		GElf_Sym sym;

		if (!gelf_getshdr(section, &header) || header.sh_type != table)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &sym); i++)
			if (sym.st_value && !strcmp(elf_strptr(elf, header.sh_link, sym.st_name), name))
				return file_offset(elf, sym.st_value);
	}
	return -1;
}

/*
 * clone3() has no symbol in a stripped libc, but a number, 435: mov $435,%eax; syscall. The thread that calls it comes
 * back right behind that; what the new thread calls returns some bytes further.
 */
static long find_clone3(Elf *elf)
{
	static const unsigned char code[] = {0xb8, 0xb3, 0x01, 0, 0, 0x0f, 0x05};
	size_t size;
	const char *image = elf_rawfile(elf, &size);
	const char *found = image ? memmem(image, size, code, sizeof(code)) : NULL;

	return found ? found - image + (long)sizeof(code) + 1 : -1;
}

/* The files are those of this machine's distribution: trusted. */
static void look_into(struct file *f)
{
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	GElf_Ehdr header;
	Elf *elf;

	f->start = f->main = f->clone = f->clone3 = f->goexit = f->go_clone = -1;
	if (fd < 0)
		return;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (gelf_getehdr(elf, &header)) {
		f->start = header.e_entry ? file_offset(elf, header.e_entry) : -1;
		f->goexit = find_function(elf, SHT_SYMTAB, "runtime.goexit.abi0");
		f->go_clone = find_function(elf, SHT_SYMTAB, "runtime.clone.abi0");
		if (strstr(f->path, "/libc.so")) {
			f->main = find_function(elf, SHT_DYNSYM, "__libc_start_main") - CALLS_MAIN_BYTES;
			f->clone = find_function(elf, SHT_DYNSYM, "clone");
			f->clone3 = find_clone3(elf);
		}
	}
	elf_end(elf);
	close(fd);
}

static const struct file *file(const char *path)
{
	for (int i = 0; i < nr_files; i++)
		if (!strcmp(files[i].path, path))
			return &files[i];
	if (nr_files == MAX_FILES)
		errx(1, "more than %d files", MAX_FILES);
	files[nr_files].path = strdup(path);
	if (!files[nr_files].path)
		err(1, NULL);
	look_into(&files[nr_files]);
	return &files[nr_files++];
}

static bool is_in(long offset, long start, long bytes)
{
	return start >= 0 && offset >= start && offset - start < bytes;
}

static bool is_root(const char *path, long offset)
{
	const struct file *f = file(path);

	return is_in(offset, f->start, START_BYTES) || is_in(offset, f->main, 2 * CALLS_MAIN_BYTES) ||
	       is_in(offset, f->clone, CLONE_BYTES) || is_in(offset, f->clone3, CLONE3_BYTES) ||
	       is_in(offset, f->goexit, GOEXIT_BYTES) || is_in(offset, f->go_clone, GO_CLONE_BYTES);
}

static bool wanted(const char *comm)
{
	for (int i = 0; i < nr_names; i++)
		if (!strcmp(names[i], comm))
			return true;
	return false;
}

static bool dusk_reaches_root(const struct dusk_profile *p, const struct dusk_sample *s)
{
	const struct dusk_frame *f;
	uint32_t node = s->node;

	while (p->nodes[node].parent)
		node = p->nodes[node].parent;
	f = &p->frames[p->nodes[node].frame];
	return p->modules[f->module].kind == DUSK_MODULE_FILE && is_root(p->modules[f->module].path, f->offset);
}

static int count_dusk(const char *path)
{
	unsigned long samples = 0, reached = 0, complete = 0, walked = 0;
	struct dusk_error error;
	struct dusk_profile *p;
	unsigned long *by_outcome;

	if (dusk_profile_read(&p, path, &error))
		errx(1, "%s", error.text);
	by_outcome = calloc(p->nr_outcomes, sizeof(*by_outcome));
	if (!by_outcome)
		err(1, NULL);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		enum dusk_outcome_class class = p->outcomes[s->outcome].kind;

		if (class == DUSK_ABSENT || !wanted(p->threads[s->thread].comm))
			continue;
		samples++;
		reached += s->node && dusk_reaches_root(p, s);
		complete += class == DUSK_COMPLETE;
		walked += class == DUSK_COMPLETE || class == DUSK_CUT;
		if (class != DUSK_COMPLETE)
			by_outcome[s->outcome]++;
	}
	printf("%lu %lu %lu %lu\n", samples, reached, complete, walked);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		if (by_outcome[i])
			printf("outcome %s %lu\n", p->outcomes[i].name, by_outcome[i]);
	free(by_outcome);
	dusk_profile_free(p);
	return 0;
}

/* "     27304 __libc_start_main (/usr/lib/x86_64-linux-gnu/libc.so.6)": the offset and the file. */
static bool read_frame(char *line, long *offset, char **path)
{
	char *open = strrchr(line, '('), *close = strrchr(line, ')');

	*offset = strtoul(line, NULL, 16);
	if (!open || !close || close < open)
		return false;
	*close = 0;
	*path = open + 1;
	return *offset != 0;
}

/* Cut the characters of @kind off the end of @text. */
static void cut(char *text, int (*kind)(int c))
{
	char *end = text + strlen(text);

	while (end > text && kind((unsigned char)end[-1]))
		*--end = 0;
}

/* A sample is a line that begins with a name, frames from the innermost outwards, and an empty line. */
static int count_perf(void)
{
	static char line[LINE_BYTES], root[LINE_BYTES];
	unsigned long samples = 0, reached = 0;
	bool inside = false;
	long offset = 0, at;
	char *path;

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!inside) {
			cut(line, isspace);
			cut(line, isdigit); /* the thread's number */
			cut(line, isspace);
			inside = *line && wanted(line + strspn(line, " "));
			samples += inside;
			offset = 0;
		} else if (!*line) {
			reached += offset && is_root(root, offset);
			inside = false;
		} else if (read_frame(line, &at, &path)) {
			offset = at;
			strcpy(root, path);
		}
	}
	reached += inside && offset && is_root(root, offset);
	printf("%lu %lu\n", samples, reached);
	return 0;
}

int main(int argc, char **argv)
{
	bool dusk = argc > 3 && !strcmp(argv[1], "dusk");

	if (!dusk && (argc < 3 || strcmp(argv[1], "perf")))
		errx(2, "usage: roots dusk FILE COMM... | roots perf COMM...");
	elf_version(EV_CURRENT);
	names = argv + (dusk ? 3 : 2);
	nr_names = argc - (dusk ? 3 : 2);
	return dusk ? count_dusk(argv[2]) : count_perf();
}
