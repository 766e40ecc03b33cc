/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parse /proc/kallsyms.
 *
 * A line is "ADDRESS TYPE NAME", followed by a tab and "[MODULE]" if it is not of the kernel proper. There are no
 * sizes: a function ends where the next one begins. After the last function in a region of memory nothing is known, so
 * an address farther from a symbol than any function is long has no name.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/rank.h"
#include "base/vec.h"
#include "lib/symbols/ksyms.h"

#define MAX_BYTES ((size_t)256 << 20)
#define MAX_FUNCTION_BYTES (1 << 20)

struct ksym {
	uint64_t address; /* must be first: rank_of() */
	const char *name, *module;
	bool global;
};

struct ksyms {
	char *text;
	struct vec(struct ksym) syms; /* sorted by address, one per address */
};

/*
 * Order by address; of several names for one address the global one comes first, as the best known, then the shortest.
 */
static int by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;
	size_t x_len, y_len;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	x_len = strlen(x->name);
	y_len = strlen(y->name);
	return x_len != y_len ? (x_len < y_len ? -1 : 1) : strcmp(x->name, y->name);
}

/* Parse @line. Only functions are kept; *@hidden stays true while all addresses are zero. */
static int parse_line(struct ksyms *k, char *line, bool *hidden)
{
	struct ksym sym = {.module = "[kernel]"};
	char *p, *tab;

	sym.address = strtoull(line, &p, 16);
	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return 0;
	if (!strchr("tTwW", p[1]))
		return 0;
	if (!sym.address)
		return 0;
	*hidden = false;
	sym.global = p[1] == 'T';
	sym.name = p + 3;
	tab = strchr(p + 3, '\t');
	if (tab) {
		*tab = 0;
		sym.module = tab + 1;
	}
	return *sym.name ? vec_push(&k->syms, sym) : 0;
}

static void keep_one_each(struct ksyms *k)
{
	size_t kept = 0;

	if (!k->syms.nr)
		return;
	qsort(k->syms.v, k->syms.nr, sizeof(*k->syms.v), by_address);
	for (size_t i = 1; i < k->syms.nr; i++)
		if (k->syms.v[i].address != k->syms.v[kept].address)
			k->syms.v[++kept] = k->syms.v[i];
	k->syms.nr = kept + 1;
}

int ksyms_parse(struct ksyms **ret, char *text, size_t len_bytes)
{
	struct ksyms *k = calloc(1, sizeof(*k));
	bool hidden = true;
	int rc = 0;

	if (!k) {
		free(text);
		return -ENOMEM;
	}
	k->text = text;
	for (char *line = text, *end; !rc && line < text + len_bytes; line = end + 1) {
		end = memchr(line, '\n', text + len_bytes - line);
		if (!end)
			end = text + len_bytes;
		*end = 0;
		rc = parse_line(k, line, &hidden);
	}
	if (!rc && hidden && len_bytes)
		rc = -EPERM;
	if (rc) {
		ksyms_free(k);
		return rc;
	}
	keep_one_each(k);
	*ret = k;
	return 0;
}

int ksyms_load(struct ksyms **ret)
{
	size_t len;
	char *text;
	int rc = file_read(&text, &len, "/proc/kallsyms", MAX_BYTES);

	return rc ?: ksyms_parse(ret, text, len);
}

/* Return how many begin at or before @address. */
static size_t rank(const struct ksyms *k, uint64_t address)
{
	return rank_of(k->syms.v, k->syms.nr, sizeof(*k->syms.v), address);
}

const char *ksyms_find(const struct ksyms *k, uint64_t address, uint64_t *start, const char **module)
{
	size_t low = rank(k, address);
	const struct ksym *sym;

	if (!low)
		return NULL;
	sym = &k->syms.v[low - 1];
	if (address - sym->address >= MAX_FUNCTION_BYTES)
		return NULL;
	*start = sym->address;
	*module = sym->module;
	return sym->name;
}

uint64_t ksyms_end(const struct ksyms *k, uint64_t start)
{
	size_t next = rank(k, start);

	if (next == k->syms.nr || k->syms.v[next].address - start >= MAX_FUNCTION_BYTES)
		return 0;
	return k->syms.v[next].address;
}

void ksyms_free(struct ksyms *k)
{
	if (!k)
		return;
	vec_done(&k->syms);
	free(k->text);
	free(k);
}
