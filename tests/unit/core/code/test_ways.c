/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does code that is followed to a return say the same as its CFI does?
 *
 *	test_ways FILE...
 *
 * objdump prints where instructions begin. At one of eleven, and behind each call, the row that CFI gives is compared with the
 * row that is found without it. Where compilers put a call that never returns, and other code of the function behind it,
 * there is a wrong row now and then; it leads to no call then, and the walk does not go there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/code/way_out.h"
#include "core/tables/ehframe.h"
#include "port/map_file.h"

#define BIAS 0x100000000000ULL
#define STEP 11
#define SKIP 77

static struct ehframe ehframe;
static struct modules ms;
static struct machine m;
static unsigned long compared, equal, wrong;

/* The core's row at @pc. 0 or an enum outcome. */
static u32 row_at(u64 pc)
{
	u32 err;

	if (module_find(&ms, pc) && module_enter(&ms, pc))
		return NO_MAPPING;
	ehframe.pc = pc;
	err = ehframe_find(&ehframe, module_here(&ms));
	return err ? err : ehframe_row(&ehframe);
}

/* Where CFI has a register saved, has the other row, or says that it has not changed since? */
static bool registers_differ(const struct row *cfi, const struct row *way)
{
	for (u32 slot = 0; slot < NR_SAVED; slot++)
		if (cfi->rule[slot] == RULE_OFFSET && way->rule[slot] == RULE_OFFSET &&
		    cfi->off[slot] != way->off[slot])
			return true;
	return false;
}

static void compare(const char *path, u64 pc, bool is_return)
{
	const struct row *cfi = &ehframe.cfi.row;

	if (row_at(BIAS + pc - is_return) || cfi->cfa_kind != CFA_REG)
		return;
	compared++;
	m.pc = BIAS + pc;
	m.pc_is_exact = !is_return;
	if (way_out_row(&m, true) || m.row.cfa_reg != cfi->cfa_reg)
		return;
	if (m.row.cfa_off == cfi->cfa_off && !registers_differ(cfi, &m.row)) {
		equal++;
		return;
	}
	if (wrong++ < 10)
		printf("%s: 0x%llx: the CFA is %+d by CFI, and not %+d\n", path, pc, cfi->cfa_off, m.row.cfa_off);
}

static bool is_call(const char *instruction)
{
	return strstr(instruction, "\tcall") || strstr(instruction, "\tbl\t") || strstr(instruction, "\tblr\t");
}

static int check_file(const char *path)
{
	_cleanup_(freep) char *line = NULL;
	bool is_behind_call = false, is_i386;
	char command[4096];
	unsigned long nr = 0;
	size_t room = 0;
	FILE *dump;

	if (port_map_file(path, BIAS, &is_i386))
		return -ENOENT;
	modules_reset(&ms);
	modules_distrust(&ms);
	ehframe_start(&ehframe);
	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn '%s' 2>/dev/null", path);
	dump = popen(command, "r");
	if (!dump)
		return -errno;
	while (getline(&line, &room, dump) > 0) {
		u64 pc;

		if (line[0] != ' ' || sscanf(line, " %llx:", &pc) != 1)
			continue;
		if (is_behind_call)
			compare(path, pc, true);
		else if (++nr % STEP == 0 && !strstr(line, "nop") && !strstr(line, "xchg   %ax,%ax"))
			compare(path, pc, false);
		is_behind_call = is_call(line);
	}
	pclose(dump);
	return 0;
}

int main(int argc, char **argv)
{
	if (system("objdump --version >/dev/null 2>&1")) {
		printf("objdump is not there to say where instructions begin (binutils)\n");
		return SKIP;
	}
	for (int i = 1; i < argc; i++)
		check_file(argv[i]);
	if (!compared) {
		printf("none of the files is there\n");
		return SKIP;
	}
	printf("%lu places, %lu equal, %lu wrong\n", compared, equal, wrong);
	return equal < compared / 4 * 3 || wrong > compared / 400;
}
