/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/mangling.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libiberty/demangle.h>

#include "base/cleanup.h"

#define MAX_SYMBOL_BYTES 4096
#define NAME(text) "\0" text "\0"

static bool has(const char *names, size_t bytes, const char *text, size_t len)
{
	return memmem(names, bytes, text, len);
}

/*
 * GNAT's binder writes adainit(), and each unit may have a procedure that elaborates it. gccgo's functions that begin a program are
 * called so in each, and in its library.
 */
enum mangling mangling_of(const char *names, size_t bytes)
{
	static const char init[] = NAME("adainit"), body[] = "___elabb", spec[] = "___elabs";
	static const char main[] = NAME("__go_init_main"), go[] = NAME("__go_go");

	if (has(names, bytes, init, sizeof(init) - 1) || has(names, bytes, body, sizeof(body)) ||
	    has(names, bytes, spec, sizeof(spec)))
		return MANGLING_GNAT;
	if (has(names, bytes, main, sizeof(main) - 1) || has(names, bytes, go, sizeof(go) - 1))
		return MANGLING_GCCGO;
	return MANGLING_MARKED;
}

/* Where the mark begins that the compiler adds to the name of a function that it has copied or split: ".constprop.0". */
static size_t clone_at(const char *symbol)
{
	static const char *const marks[] = {".constprop.", ".isra.", ".part.", ".cold", ".lto_priv."};
	size_t at = strlen(symbol);

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *mark = strstr(symbol, marks[i]);

		if (mark && (size_t)(mark - symbol) < at)
			at = mark - symbol;
	}
	return at;
}

/* libiberty writes what it cannot read in brackets. A task's body is called as the task, with "TB" or "TKB"; what is nested has a number. */
static char *read_gnat(char *symbol)
{
	size_t len = strcspn(symbol, ".");
	char *name;

	if (strspn(symbol + len, ".0123456789") == strlen(symbol + len))
		symbol[len] = 0;
	len = strlen(symbol);
	if (len > 3 && !strcmp(symbol + len - 3, "TKB"))
		symbol[len - 3] = 0;
	else if (len > 2 && !strcmp(symbol + len - 2, "TB"))
		symbol[len - 2] = 0;
	if (strncmp(symbol, "_ada_", 5) && !(islower((unsigned char)*symbol) && strstr(symbol, "__")))
		return NULL;
	name = ada_demangle(symbol, 0);
	if (name && *name != '<')
		return name;
	free(name);
	return NULL;
}

/* Return how many bytes at @in, behind an underscore, are a code, and write what it stands for; 0: none. */
static size_t read_code(const char *in, char **out)
{
	static const char of_digit[] = "./*,{}[]()", of_letter[] = "\" ;";
	unsigned int digits = *in == 'u' ? 4 : *in == 'U' ? 8 : 0, c = 0;

	if (*in >= '0' && *in <= '9')
		*(*out)++ = of_digit[*in - '0'];
	else if (*in >= 'a' && *in <= 'c')
		*(*out)++ = of_letter[*in - 'a'];
	else if (*in == '_')
		*(*out)++ = '_';
	else if (!digits)
		return 0;
	if (!digits)
		return 1;
	for (unsigned int i = 1; i <= digits; i++) {
		if (!isxdigit((unsigned char)in[i]))
			return 0;
		c = c << 4 | (isdigit((unsigned char)in[i]) ? in[i] - '0' : tolower((unsigned char)in[i]) - 'a' + 10);
	}
	if (c < 0x80 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	if (c >= 0x10000)
		*(*out)++ = 0xf0 | c >> 18;
	if (c >= 0x800)
		*(*out)++ = (c >= 0x10000 ? 0x80 | (c >> 12 & 0x3f) : 0xe0 | c >> 12);
	*(*out)++ = c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6;
	*(*out)++ = 0x80 | (c & 0x3f);
	return 1 + digits;
}

/* Names have a package, and so a dot. A function within a function is behind two of them. */
static char *read_gccgo(char *symbol)
{
	char *name = strchr(symbol, '.') ? malloc(strlen(symbol) + 1) : NULL, *out = name;

	if (!name)
		return NULL;
	for (const char *in = symbol; *in;) {
		size_t code = 0;

		if (*in == '_') {
			code = read_code(in + 1, &out);
			if (!code) {
				free(name);
				return NULL;
			}
		} else if (*in != '.' || in[1] != '.') {
			*out++ = *in;
		}
		in += 1 + code;
	}
	*out = 0;
	return name;
}

char *mangling_read(enum mangling m, const char *symbol)
{
	size_t len = strnlen(symbol, MAX_SYMBOL_BYTES), clone = len < MAX_SYMBOL_BYTES ? clone_at(symbol) : 0;
	_cleanup_(freep) char *plain = clone ? strndup(symbol, clone) : NULL, *name = NULL;
	char *all;

	if (!plain || m == MANGLING_MARKED)
		return NULL;
	name = m == MANGLING_GNAT ? read_gnat(plain) : read_gccgo(plain);
	if (!name || clone == len)
		return steal(name);
	return asprintf(&all, "%s [clone %s]", name, symbol + clone) < 0 ? NULL : all;
}
