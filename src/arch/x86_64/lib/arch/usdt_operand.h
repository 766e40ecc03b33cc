/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operands of USDT arguments, as the compiler writes them to assembler code: %eax, $5, -8(%rbp). */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/arch/probe_regs.h"

/* Is @name, of @len bytes, a part of the register that the kernel calls @reg, its lowest? */
static inline bool operand_is_in(const char *name, size_t len, const char *reg)
{
	static const char *const forms[] = {"r%s", "e%s", "%s", "%sd", "%sw", "%sb", "%sl"};
	char form[16], low[16];

	snprintf(low, sizeof(low), "%.1sl", reg); /* al, bl, cl, dl */
	if (reg[1] == 'x' && strlen(low) == len && !memcmp(low, name, len))
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		bool numbered = reg[0] == 'r';

		if (numbered ? i == 0 || i == 1 || i == 6 : i >= 3 && i != 6)
			continue;
		snprintf(form, sizeof(form), forms[i], reg);
		if (strlen(form) == len && !memcmp(form, name, len))
			return true;
	}
	return false;
}

static inline const char *operand_register(const char *name, size_t len)
{
	static const char *const all[] = {"ax", "bx", "cx",  "dx",  "si",  "di",  "bp",	 "sp",
					  "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (operand_is_in(name, len, all[i]))
			return all[i];
	return NULL;
}

/*
 * Write what fetches @operand, of @len bytes, for a definition in tracefs. Returns 0, or -EOPNOTSUPP: it has an index, or is a
 * symbol, or floating-point.
 */
static inline int usdt_operand(char *ret, size_t room, const char *operand, size_t len)
{
	const char *reg, *end = operand + len;
	char *behind;
	long long n = 0;

	if (len < 2)
		return -EOPNOTSUPP;
	if (*operand == '%') {
		reg = operand_register(operand + 1, len - 1);
		return reg && snprintf(ret, room, "%%%s", reg) < (int)room ? 0 : -EOPNOTSUPP;
	}
	errno = 0;
	if (*operand == '$') {
		n = strtoll(operand + 1, &behind, 0);
		return !errno && behind == end && snprintf(ret, room, "\\%lld", n) < (int)room ? 0 : -EOPNOTSUPP;
	}
	behind = (char *)operand;
	if (*operand != '(')
		n = strtoll(operand, &behind, 0);
	if (errno || (behind == operand && *operand != '(') || n != (int)n || end - behind < 4 || behind[0] != '(' ||
	    behind[1] != '%' || end[-1] != ')')
		return -EOPNOTSUPP;
	reg = operand_register(behind + 2, end - 1 - (behind + 2));
	return reg && snprintf(ret, room, "%+lld(%%%s)", n, reg) < (int)room ? 0 : -EOPNOTSUPP;
}
