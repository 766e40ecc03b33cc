/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Guess a misspelled name: one that begins like the word, or else the nearest by edit distance. */
#include <string.h>
#include "cli/cmdline/options.h"

#define MAX_WORD 32
#define MIN_START 3

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* The number of insertions, deletions, replacements and swaps of neighbours that turn @b into @a. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int d[MAX_WORD + 1][MAX_WORD + 1];
	size_t na = strnlen(a, MAX_WORD), nb = strnlen(b, MAX_WORD);

	for (size_t i = 0; i <= na; i++)
		d[i][0] = i;
	for (size_t k = 0; k <= nb; k++)
		d[0][k] = k;
	for (size_t i = 1; i <= na; i++)
		for (size_t k = 1; k <= nb; k++) {
			d[i][k] = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
			d[i][k] = least(d[i][k], least(d[i - 1][k], d[i][k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[na][nb];
}

static bool begins(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), len = na < nb ? na : nb;

	return len >= MIN_START && !strncmp(a, b, len);
}

const char *suggest(const char *word, const char *const *names)
{
	unsigned int best = strlen(word) / 3 + 1; /* more mistakes are not a misspelling */
	const char *found = NULL;

	if (strlen(word) > MAX_WORD)
		return NULL;
	for (; *names; names++) {
		unsigned int far = begins(word, *names) ? 0 : distance(word, *names);

		if (far < best || (far == best && !found && far * 2 < strlen(*names))) {
			best = far;
			found = *names;
		}
	}
	return found;
}
