/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/symbolizer.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/name.h"
#include "lib/symbols/demangle.h"

#define PROGRESS_FRAMES 1024

bool symbolizer_stop(struct symbolizer *s)
{
	if (!s->stopped && s->opts->progress && s->opts->progress(s->opts->ctx, s->done, s->total))
		s->stopped = true;
	return s->stopped;
}

int symbolizer_step(struct symbolizer *s)
{
	return ++s->done % PROGRESS_FRAMES == 0 && symbolizer_stop(s) ? -ECANCELED : 0;
}

uint32_t *symbolizer_function_at(struct symbolizer *s, const char *symbol, const char *module, bool *fresh)
{
	_cleanup_(freep) char *key = NULL;
	uint32_t number;
	int len = asprintf(&key, "%s\n%s", symbol, module);

	if (len < 0) {
		key = NULL;
		return NULL;
	}
	return strings_number(&s->keys, key, len, &number, NULL) ? NULL : map_at(&s->numbers, number, fresh);
}

/* Return the name to show for @symbol. What is no file's has no versions. */
static char *readable_name(const struct symbolizer *s, const char *symbol, const char *module)
{
	char *name;

	if (*module != '[')
		return demangle_symbol(symbol, s->mangling);
	name = demangle(symbol);
	return name ? name : strdup(symbol);
}

/* The name of function @f was cut, or its symbol. */
static void note_cut(struct symbolizer *s, const struct dusk_function *f)
{
	s->first_cut = s->cut++ ? s->first_cut : f->module;
}

int symbolizer_function(struct symbolizer *s, const char *symbol, const char *module, uint32_t *ret)
{
	char symbol_room[NAME_LIMIT_BYTES + 1], name_room[NAME_LIMIT_BYTES + 1];
	_cleanup_(freep) char *name = NULL;
	struct dusk_function f;
	uint32_t *function;
	bool fresh;

	symbol = name_limit(symbol_room, symbol);
	function = symbolizer_function_at(s, symbol, module, &fresh);

	if (!function)
		return -ENOMEM;
	if (fresh) {
		name = readable_name(s, symbol, module);
		f.symbol = strings_intern(s->strings, symbol);
		f.name = name ? strings_intern(s->strings, name_limit(name_room, name)) : NULL;
		f.module = strings_intern(s->strings, module);
		if (!f.symbol || !f.name || !f.module || vec_push(&s->functions, f))
			return -ENOMEM;
		*function = s->functions.nr - 1;
		if (name_was_cut(f.symbol) || name_was_cut(f.name))
			note_cut(s, &f);
	}
	*ret = *function;
	return 0;
}

int symbolizer_name(struct symbolizer *s, struct dusk_frame *f, const char *symbol, const char *module, uint64_t start)
{
	uint64_t distance = f->address - start;
	uint32_t function;
	int rc = symbolizer_function(s, symbol, module, &function);

	if (rc)
		return rc;
	f->function = function;
	f->function_offset = distance > UINT32_MAX ? UINT32_MAX : distance;
	return 0;
}
