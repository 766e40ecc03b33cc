/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does the core read the CFI of real files as binutils do?
 *
 *	test_rows FILE...
 *
 * `readelf -wF` prints each row of each FDE. Each is compared with the core's, at the first and the last PC that it
 * is good for. The two share no line of code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "core/arch/regs.h"
#include "core/tables/ehframe.h"
#include "lib/arch/names.h"
#include "port/map_file.h"

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

	if (port_map_file(path, BIAS, &is_i386))
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
