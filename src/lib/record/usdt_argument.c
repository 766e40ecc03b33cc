/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments of USDT probes: operands of instructions, which may be anything, as they come from a program's file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/arch/usdt_operand.h"
#include "lib/record/probe_arguments.h"

/* Where the size of an argument begins at @at, return the length of "-4@" or "8f@", or 0. */
static size_t size_of(const char *at)
{
	size_t len = *at == '-', digits = strspn(at + len, "0123456789");

	len += digits;
	len += digits && at[len] == 'f';
	return digits && at[len] == '@' ? len + 1 : 0;
}

/* Find argument @number, and its length; on arm64 there are blanks in it. */
static const char *find(const char *operands, unsigned int number, size_t *len)
{
	const char *at = operands;

	while (number && *at) {
		const char *next = at + strspn(at, " "), *end = next;

		if (!*next)
			return NULL;
		do
			end += strcspn(end, " "), end += strspn(end, " ");
		while (*end && !size_of(end));
		*len = end - next;
		while (*len && next[*len - 1] == ' ')
			(*len)--;
		if (!--number)
			return next;
		at = end;
	}
	return NULL;
}

int usdt_argument(char *ret, size_t room, char type[8], const char *operands, unsigned int number)
{
	size_t len, head;
	const char *at = find(operands, number, &len);
	long bytes;

	if (!at)
		return -ENOENT;
	head = size_of(at);
	bytes = strtol(at, NULL, 10);
	if (!head || head > len || at[head - 2] == 'f' || labs(bytes) > 8 || !bytes ||
	    (labs(bytes) & (labs(bytes) - 1)))
		return -EOPNOTSUPP;
	snprintf(type, 8, "%c%d", bytes < 0 ? 's' : 'u', (int)labs(bytes) * 8);
	return usdt_operand(ret, room, at + head, len - head);
}
