/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that the libelf.a and libdw.a of Debian 13 (elfutils 0.192) call but do not contain, as they were built
 * without elfutils' internal library. Its search trees are those of the C library with a lock; these have none, as dusk
 * has no threads. If elfutils does not need them (0.188), the linker takes nothing from this file.
 */
#include <search.h>
#include <stddef.h>

struct tree {
	void *root; /* elfutils' lock follows */
};

typedef int (*compare_fn)(const void *, const void *);
typedef void (*free_fn)(void *);

void *eu_tsearch(const void *key, struct tree *t, compare_fn compare);
void *eu_tfind(const void *key, struct tree *t, compare_fn compare);
void *eu_tdelete(const void *key, struct tree *t, compare_fn compare);
void eu_tdestroy(struct tree *t, free_fn free_node);
void eu_search_tree_init(struct tree *t);
void eu_search_tree_fini(struct tree *t, free_fn free_node);

void *eu_tsearch(const void *key, struct tree *t, compare_fn compare)
{
	return tsearch(key, &t->root, compare);
}

void *eu_tfind(const void *key, struct tree *t, compare_fn compare)
{
	return tfind(key, &t->root, compare);
}

void *eu_tdelete(const void *key, struct tree *t, compare_fn compare)
{
	return tdelete(key, &t->root, compare);
}

void eu_tdestroy(struct tree *t, free_fn free_node)
{
	tdestroy(t->root, free_node);
	t->root = NULL;
}

void eu_search_tree_init(struct tree *t)
{
	t->root = NULL;
}

void eu_search_tree_fini(struct tree *t, free_fn free_node)
{
	eu_tdestroy(t, free_node);
}
