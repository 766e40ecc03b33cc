/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does the core read the CFI of real files as binutils do?
 *
 *	test_rows FILE...
 *
 * `readelf -wF` prints each row of each FDE. Each is compared with the core's, at the first and the last PC that it
 * is good for. The two share no line of code.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "core/arch/regs.h"
#include "core/tables/ehframe.h"
#include "lib/arch/names.h"
#include "port/port_buffer.h"

#define BIAS 0x100000000000ULL
#define MAX_COLUMNS 32
#define SKIP 77

/* A table as readelf prints it: of one FDE, or of a CIE. */
struct table {
	u64 start, end; /* of the FDE; 0: a CIE */
	int nr;
	char name[MAX_COLUMNS][16]; /* of the columns; the first two are LOC and CFA */
};

static struct ehframe ehframe;
static unsigned long rows, differ;
static bool is_i386;
static u32 file_class;

/* Program header @i of the file @bytes, of whichever class. */
static Elf64_Phdr program_header(const u8 *bytes, int i)
{
	const Elf32_Ehdr *narrow = (const void *)bytes;
	const Elf64_Ehdr *eh = (const void *)bytes;
	const Elf32_Phdr *ph;

	if (eh->e_ident[EI_CLASS] == ELFCLASS64)
		return ((const Elf64_Phdr *)(bytes + eh->e_phoff))[i];
	ph = (const Elf32_Phdr *)(bytes + narrow->e_phoff) + i;
	return (Elf64_Phdr){.p_type = ph->p_type,
			    .p_flags = ph->p_flags,
			    .p_offset = ph->p_offset,
			    .p_vaddr = ph->p_vaddr,
			    .p_filesz = ph->p_filesz};
}

/* Map the file's segments as the loader would, but whatever may be read. */
static int map_file(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *eh;
	struct stat st;
	int nr;
	u8 *bytes;

	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(*eh))
		return -ENOENT;
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	eh = (const void *)bytes;
	is_i386 = eh->e_machine == EM_386;
	nr = eh->e_ident[EI_CLASS] == ELFCLASS64 ? eh->e_phnum : ((const Elf32_Ehdr *)bytes)->e_phnum;
	port_reset();
	for (int i = 0; i < nr; i++) {
		Elf64_Phdr ph = program_header(bytes, i);
		u64 slack = ph.p_offset & (PAGE_BYTES - 1);
		struct vma like = {.dev = 1, .ino = st.st_ino, .offset = ph.p_offset - slack};

		if (ph.p_type != PT_LOAD || ph.p_flags & PF_W)
			continue;
		like.executable = ph.p_flags & PF_X;
		port_map(BIAS + ph.p_vaddr - slack, bytes + like.offset, ph.p_filesz + slack, like);
	}
	return 0;
}

/* The core's row at @pc, to ehframe.cfi.row. 0 or an enum outcome. */
static u32 row_at(struct modules *ms, u64 pc)
{
	u32 err;

	if (module_find(ms, pc) && module_enter(ms, pc))
		return NO_MAPPING;
	ehframe.pc = pc;
	err = ehframe_find(&ehframe, module_here(ms));
	if (err)
		return err;
	file_class = module_here(ms)->class;
	return ehframe_row(&ehframe);
}

/* What the file calls a register of ours. */
static u32 number_of(u32 reg)
{
	u32 i = 0;

	while (known_reg(file_class, i) != reg)
		i++;
	return i;
}

/* A rule in readelf's words. It says "u" for registers that nothing was said of, too. */
static void say_rule(char *buf, size_t size, u32 slot)
{
	s32 off = ehframe.cfi.row.off[slot];

	switch (ehframe.cfi.row.rule[slot]) {
	case RULE_OFFSET: snprintf(buf, size, "c%+d", off); break;
	case RULE_VAL_OFFSET: snprintf(buf, size, "v%+d", off); break;
	case RULE_REGISTER: snprintf(buf, size, "r%u", number_of(off)); break;
	case RULE_EXPR: snprintf(buf, size, "exp"); break;
	case RULE_VAL_EXPR: snprintf(buf, size, "vexp"); break;
	default: snprintf(buf, size, "u");
	}
}

static void say_cfa(char *buf, size_t size)
{
	if (ehframe.cfi.row.cfa_kind == CFA_EXPR)
		snprintf(buf, size, "exp");
	else
		snprintf(buf, size, "%s%+d", register_name(ehframe.cfi.row.cfa_reg, is_i386), ehframe.cfi.row.cfa_off);
}

static void complain(const char *path, u64 pc, const char *column, const char *theirs, const char *ours)
{
	if (differ++ < 20)
		printf("%s: 0x%llx: %s is %s, and not %s\n", path, pc, column, theirs, ours);
}

static u32 slot_of_name(const char *name)
{
	if (!strcmp(name, "ra"))
		return SLOT_RA;
	for (u32 i = 0; i < NR_REGS; i++)
		if (i != REG_RA && !strcmp(name, register_name(i, is_i386)))
			return slot_of[i];
	return NR_SLOTS;
}

static void compare(const char *path, struct modules *ms, const struct table *t, char *const *word, u64 pc)
{
	u32 seen = 0, err = row_at(ms, BIAS + pc);
	char ours[32];

	rows++;
	if (err) {
		snprintf(ours, sizeof(ours), "outcome %u", err);
		complain(path, pc, "the row", "there", ours);
		return;
	}
	say_cfa(ours, sizeof(ours));
	if (strcmp(word[1], ours))
		complain(path, pc, "CFA", word[1], ours);
	for (int i = 2; i < t->nr; i++) {
		u32 slot = slot_of_name(t->name[i]);

		if (slot == NR_SLOTS)
			continue;
		seen |= 1 << slot;
		say_rule(ours, sizeof(ours), slot);
		if (strcmp(!strcmp(word[i], "s") ? "u" : word[i], ours))
			complain(path, pc, t->name[i], word[i], ours);
	}
	for (u32 slot = 0; slot < NR_SLOTS; slot++)
		if (!(seen >> slot & 1) && ehframe.cfi.row.rule[slot] != RULE_SAME)
			complain(path, pc, register_name(reg_of_slot[slot], is_i386), "not mentioned", "a rule");
}

static int split(char *line, char **word)
{
	int nr = 0;

	for (char *w = strtok(line, " \n"); w && nr < MAX_COLUMNS; w = strtok(NULL, " \n"))
		if (w[0] != '(') /* "r5 (rdi)" */
			word[nr++] = w;
	return nr;
}

static void take_head(struct table *t, char **word, int nr)
{
	t->nr = nr;
	for (int i = 0; i < nr; i++)
		snprintf(t->name[i], sizeof(t->name[i]), "%s", word[i]);
}

static int check_file(const char *path)
{
	_cleanup_(freep) char *line = NULL, *last = NULL;
	static struct modules ms;
	struct table t = {0};
	char command[4096], *word[MAX_COLUMNS], *last_word[MAX_COLUMNS];
	size_t room = 0;
	u64 last_pc = 0;
	FILE *dump;

	if (map_file(path))
		return -ENOENT;
	modules_reset(&ms);
	ms.compat = is_i386;
	modules_distrust(&ms);
	ehframe_start(&ehframe);
	snprintf(command, sizeof(command), "readelf -wF '%s' 2>/dev/null", path);
	dump = popen(command, "r");
	if (!dump)
		return -errno;
	while (getline(&line, &room, dump) > 0) {
		const char *fde = strstr(line, " FDE "), *pc = strstr(line, " pc=");
		int nr;

		/* The last row of an FDE is good to its end, unless it begins there. */
		if (last && last_pc < t.end && (fde || line[0] == '\n'))
			compare(path, &ms, &t, last_word, t.end - 1);
		if (fde || line[0] == '\n') {
			free(steal(last));
			t.end = 0;
		}
		if (fde && pc)
			sscanf(pc, " pc=%llx..%llx", &t.start, &t.end);
		if (!t.end)
			continue;
		if (strstr(line, "LOC")) {
			take_head(&t, word, split(line, word));
			continue;
		}
		if (fde)
			continue;
		if (last) {
			u64 next = strtoull(line, NULL, 16);

			if (next > last_pc)
				compare(path, &ms, &t, last_word, next - 1);
			free(steal(last));
		}
		last = strdup(line);
		nr = split(last, last_word);
		if (nr != t.nr) {
			complain(path, t.start, "a line", "of as many columns as its head", "fewer");
			free(steal(last));
			continue;
		}
		last_pc = strtoull(last_word[0], NULL, 16);
		if (last_pc < t.end)
			compare(path, &ms, &t, last_word, last_pc);
	}
	pclose(dump); /* it fails for files that merely make it wonder */
	return 0;
}

int main(int argc, char **argv)
{
	int files = 0;

	if (system("readelf --version >/dev/null 2>&1")) {
		printf("readelf is not there to compare with (binutils)\n");
		return SKIP;
	}
	for (int i = 1; i < argc; i++) {
		unsigned long before = rows;

		if (check_file(argv[i]) || rows == before)
			continue;
		printf("%s: %lu rows\n", argv[i], rows - before);
		files++;
	}
	if (!files) {
		printf("none of the files is there\n");
		return SKIP;
	}
	printf("%lu rows of %d files, %lu differ\n", rows, files, differ);
	return differ != 0;
}
