/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Guess a misspelled name: one that begins like the word, or else the nearest by edit distance. */
#include <string.h>
#include "base/edit_distance.h"
#include "cli/cmdline/options.h"

#define MIN_START 3

static bool begins(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), len = na < nb ? na : nb;

	return len >= MIN_START && !strncmp(a, b, len);
}

const char *suggest(const char *word, const char *const *names)
{
	unsigned int best = strlen(word) / 3 + 1; /* more mistakes are not a misspelling */
	const char *found = NULL;

	if (strlen(word) > EDIT_MAX_BYTES)
		return NULL;
	for (; *names; names++) {
		unsigned int far = begins(word, *names) ? 0 : edit_distance(word, *names);

		if (far < best || (far == best && !found && far * 2 < strlen(*names))) {
			best = far;
			found = *names;
		}
	}
	return found;
}
