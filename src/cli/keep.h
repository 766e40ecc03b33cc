/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of an older profile of the same name? It is kept as FILE.old, unless the new one comes to nothing. */
#pragma once
#include <stdbool.h>

struct keep {
	const char *path;
	char *old;		/* NULL: there was nothing to keep */
	bool made;		/* there is a new file, and it is ours to take back */
};

/* 0 or a negative errno. @k is to be freed with keep_done(). */
int keep_old(struct keep *k, const char *path);

/* The new profile comes to nothing: take it away, and put the old one back. */
void keep_undo(struct keep *k);
void keep_done(struct keep *k);
