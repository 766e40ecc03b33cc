/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operands of USDT arguments, as the compiler writes them to assembler code: x0, w1, 5, [sp, 16]. */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/arch/probe_regs.h"

/* x0 to x30, w0 to w30 and sp. */
static inline const char *operand_register(const char *name, size_t len)
{
	char want[8];

	if (len < 2 || len > 3)
		return NULL;
	snprintf(want, sizeof(want), "%.*s", (int)len, name);
	if (*want == 'w')
		*want = 'x';
	for (size_t i = 0; i < 32; i++)
		if (!strcmp(probe_registers[i], want))
			return probe_registers[i];
	return NULL;
}

/*
 * Write what fetches @operand, of @len bytes, for a definition in tracefs. Returns 0, or -EOPNOTSUPP: it has an index, or is
 * floating-point.
 */
static inline int usdt_operand(char *ret, size_t room, const char *operand, size_t len)
{
	const char *reg = operand_register(operand, len), *end = operand + len, *comma;
	char *behind;
	long long n = 0;

	if (reg)
		return snprintf(ret, room, "%%%s", reg) < (int)room ? 0 : -EOPNOTSUPP;
	errno = 0;
	if (len && *operand != '[') {
		n = strtoll(operand + (*operand == '#'), &behind, 0);
		return !errno && behind == end && behind > operand && snprintf(ret, room, "\\%lld", n) < (int)room
			       ? 0
			       : -EOPNOTSUPP;
	}
	if (len < 4 || end[-1] != ']')
		return -EOPNOTSUPP;
	comma = memchr(operand, ',', len);
	reg = operand_register(operand + 1, (comma ? comma : end - 1) - (operand + 1));
	if (comma) {
		comma += 1 + strspn(comma + 1, " #");
		n = strtoll(comma, &behind, 0);
		if (errno || behind == comma || behind != end - 1 || n != (int)n)
			return -EOPNOTSUPP;
	}
	return reg && snprintf(ret, room, "%+lld(%%%s)", n, reg) < (int)room ? 0 : -EOPNOTSUPP;
}
