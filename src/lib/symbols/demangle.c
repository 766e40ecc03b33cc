/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Demangle symbols with libiberty.
 *
 * Mangled names can refer back to parts of themselves, so a short one can expand to a name that fits into no memory,
 * and symbols come from untrusted files. Hence the output is taken piece by piece, and if it gets too long the
 * demangler is left by longjmp(). It allocates only on its own stack (except for a Rust identifier with non-ASCII
 * letters, which then leaks some bytes of heap).
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libiberty/demangle.h>

#include "base/cleanup.h"
#include "lib/symbols/demangle.h"
#include "lib/symbols/plt.h"

#define MAX_SYMBOL_BYTES 8192
#define MAX_NAME_BYTES 16384
#define MAX_D_BACKREFS 12 /* each can double the name, and the demangler of D has no callback to leave it by */

struct output {
	jmp_buf too_long;
	size_t len;
	char text[MAX_NAME_BYTES];
};

static void take(const char *piece, size_t len, void *opaque)
{
	struct output *out = opaque;

	if (len >= sizeof(out->text) - out->len)
		longjmp(out->too_long, 1);
	memcpy(out->text + out->len, piece, len);
	out->len += len;
}

/*
 * _R is Rust's own scheme. Its older one looks like C++ with a hash as the last name: rust_demangle_callback() checks.
 */
static char *cpp_or_rust(const char *symbol)
{
	struct output *out = malloc(sizeof(*out));
	char *name = NULL;

	if (!out)
		return NULL;
	if (!setjmp(out->too_long)) {
		out->len = 0;
		if (rust_demangle_callback(symbol, 0, take, out)) {
			name = strndup(out->text, out->len);
		} else if (symbol[1] == 'Z') {
			out->len = 0;
			if (cplus_demangle_v3_callback(symbol, 0, take, out))
				name = strndup(out->text, out->len);
		}
	}
	free(out);
	return name;
}

static char *d(const char *symbol)
{
	int backrefs = 0;

	for (const char *s = symbol; *s; s++)
		backrefs += *s == 'Q';
	return backrefs > MAX_D_BACKREFS ? NULL : dlang_demangle(symbol, 0);
}

char *demangle(const char *symbol)
{
	if (symbol[0] != '_' || strnlen(symbol, MAX_SYMBOL_BYTES) == MAX_SYMBOL_BYTES)
		return NULL;
	switch (symbol[1]) {
	case 'Z':
	case 'R': return cpp_or_rust(symbol);
	case 'D': return d(symbol);
	default: return NULL;
	}
}

char *demangle_symbol(const char *symbol, enum mangling m)
{
	size_t len = strcspn(symbol, "@");
	_cleanup_(freep) char *plain = strndup(symbol, len);
	_cleanup_(freep) char *name = plain ? demangle(plain) : NULL;
	char *stub;

	if (plain && !name)
		name = mangling_read(m, plain);
	if (plain && !name)
		name = steal(plain);
	if (!name || strcmp(symbol + len, PLT_SUFFIX))
		return steal(name);
	return asprintf(&stub, "%s" PLT_SUFFIX, name) < 0 ? NULL : stub;
}
