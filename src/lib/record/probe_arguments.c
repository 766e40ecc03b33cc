/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/probe_arguments.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/event.h"
#include "lib/arch/probe_regs.h"
#include "lib/error.h"

#define VALUE_BYTES 512
#define NAME_BYTES 64

/* An argument under translation. */
struct translation {
	const struct probe_word *word;
	const char *usdt;
	const char *at; /* in the user's text */
	char value[VALUE_BYTES], name[NAME_BYTES], type[8];
	bool text; /* it is a string */
	struct dusk_error *err;
};

static int fail(struct translation *t, const char *why)
{
	return error_set(t->err, -EINVAL,
			 "%s(%s): %s at '%s'; arguments are arg1, retval, str(arg1), +8(arg1), as size=arg1:u64",
			 t->word->shown, t->word->arguments, why, t->at);
}

static int set(struct translation *t, const char *before, const char *value, const char *behind)
{
	char all[VALUE_BYTES];

	if (snprintf(all, sizeof(all), "%s%s%s", before, value, behind) >= (int)sizeof(all))
		return fail(t, "this is too long");
	memcpy(t->value, all, sizeof(all));
	return 0;
}

static int use_usdt(struct translation *t, unsigned long n)
{
	char value[VALUE_BYTES];
	int err = usdt_argument(value, sizeof(value), t->type, t->usdt, n);

	if (err)
		return fail(t, err == -ENOENT ? "the probe has fewer arguments" : "no probe can fetch this argument,");
	return set(t, "", value, "");
}

static int use_argument(struct translation *t, unsigned long n)
{
	if (t->usdt)
		return use_usdt(t, n);
	if (probe_word_returns(t->word))
		return fail(t, "where a function returns there are no arguments any more, only retval,");
	if (!n)
		return fail(t, "arg1 is the first one,");
	if (n > sizeof(probe_argument_registers) / sizeof(probe_argument_registers[0]))
		return fail(t, "arguments beyond those in registers cannot be fetched,");
	return set(t, "%", probe_argument_registers[n - 1], "");
}

/* The name of a value is that of its innermost word, unless the user gives one. */
static void name_it(struct translation *t, const char *name, size_t len)
{
	if (!*t->name && len < sizeof(t->name))
		snprintf(t->name, sizeof(t->name), "%.*s", (int)len, name);
}

static int take_word(struct translation *t)
{
	size_t len = 0;

	while (isalnum((unsigned char)t->at[len]) || t->at[len] == '_')
		len++;
	if (len == 6 && !strncmp(t->at, "retval", len)) {
		if (!probe_word_returns(t->word))
			return fail(t, "only where a function returns is there a retval,");
		name_it(t, t->at, len);
		t->at += len;
		return set(t, "$retval", "", "");
	}
	if (len > 3 && !strncmp(t->at, "arg", 3) && strspn(t->at + 3, "0123456789") == len - 3) {
		int err = use_argument(t, strtoul(t->at + 3, NULL, 10));

		name_it(t, t->at, len);
		t->at += err ? 0 : len;
		return err;
	}
	return fail(t, "this is no value");
}

static int take_value(struct translation *t, int depth);

/* Take what is in parentheses, and the one behind it. */
static int take_inner(struct translation *t, int depth)
{
	int err = depth >= MAX_POINTERS ? fail(t, "this is too deep") : take_value(t, depth + 1);

	if (err)
		return err;
	if (*t->at != ')')
		return fail(t, "a ) is missing");
	t->at++;
	return 0;
}

static int take_pointer(struct translation *t, int depth)
{
	size_t len = 1 + strspn(t->at + 1, "0123456789abcdefxABCDEFX");
	char offset[32];
	int err;

	if (len < 2 || len >= sizeof(offset) - 1 || t->at[len] != '(' || !isdigit((unsigned char)t->at[1]))
		return fail(t, "+N(VALUE) is what is N bytes behind where VALUE points,");
	snprintf(offset, sizeof(offset), "%.*s(", (int)len, t->at);
	t->at += len + 1;
	err = take_inner(t, depth);
	strcpy(t->type, "u64");
	return err ?: set(t, offset, t->value, ")");
}

static int take_text(struct translation *t, size_t len)
{
	int err;

	t->at += len;
	err = take_inner(t, 0);
	if (t->text)
		return fail(t, "a text is in no other");
	t->text = true;
	return err ?: set(t, "+0(", t->value, ")");
}

static int take_value(struct translation *t, int depth)
{
	if (*t->at == '+' || *t->at == '-')
		return take_pointer(t, depth);
	if (!depth && !strncmp(t->at, "str(", 4))
		return take_text(t, 4);
	if (!depth && !strncmp(t->at, "string(", 7))
		return take_text(t, 7);
	return take_word(t);
}

static int take_type(struct translation *t)
{
	static const char *const types[] = {"u8",  "u16", "u32", "u64", "s8",  "s16",
					    "s32", "s64", "x8",	 "x16", "x32", "x64"};
	size_t len;

	if (*t->at != ':')
		return 0;
	t->at++;
	if (t->text)
		return fail(t, "a text has no other type,");
	len = strcspn(t->at, ",");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i]) == len && !strncmp(t->at, types[i], len)) {
			strcpy(t->type, types[i]);
			t->at += len;
			return 0;
		}
	return fail(t, "types are u8, s8, x8 (hexadecimal) to u64, s64, x64,");
}

static int take_name(struct translation *t)
{
	size_t len = 0;

	while (isalnum((unsigned char)t->at[len]) || t->at[len] == '_')
		len++;
	if (t->at[len] != '=')
		return 0;
	if (!len || len >= sizeof(t->name) || isdigit((unsigned char)*t->at))
		return fail(t, "this is no name");
	name_it(t, t->at, len);
	t->at += len + 1;
	return 0;
}

static int append(char *ret, const char *name, const char *value, const char *type, struct translation *t)
{
	size_t len = strlen(ret);

	if (snprintf(ret + len, PROBE_DEFINITION_BYTES - len, " %s=%s:%s", name, value, type) >=
	    (int)(PROBE_DEFINITION_BYTES - len))
		return fail(t, "these are too many");
	return 0;
}

/* Translate one argument of the user's. */
static int take_one(struct translation *t, char *ret)
{
	int err;

	*t->name = *t->value = 0;
	t->text = false;
	strcpy(t->type, probe_word_returns(t->word) ? "s64" : "u64");
	err = take_name(t) ?: take_value(t, 0);
	err = err ?: take_type(t);
	if (!err && *t->at && *t->at != ',')
		err = fail(t, "this follows the argument");
	/* In kernel code a text may be the kernel's or the user's: what is at an address of user memory is the user's. */
	return err ?: append(ret, t->name, t->value, t->text ? "string" : t->type, t);
}

static int take_all(struct translation *t, char *ret)
{
	unsigned int nr = 0;
	int err = 0;

	t->at = t->word->arguments;
	while (!err && *t->at) {
		if (nr++ == MAX_FETCHES)
			return fail(t, "more than 16 cannot be fetched,");
		err = take_one(t, ret);
		if (!err && *t->at == ',' && !*++t->at)
			err = fail(t, "an argument is missing");
	}
	return err;
}

/* All arguments of a USDT probe that can be fetched, by their numbers. */
static int take_usdt(struct translation *t, char *ret)
{
	char name[NAME_BYTES], value[VALUE_BYTES];
	int err = 0;

	for (unsigned int n = 1; n <= MAX_FETCHES && err != -ENOENT; n++) {
		snprintf(name, sizeof(name), "arg%u", n);
		err = usdt_argument(value, sizeof(value), t->type, t->usdt, n);
		if (!err)
			err = append(ret, name, value, t->type, t);
		if (err && err != -ENOENT && err != -EOPNOTSUPP)
			return err;
	}
	return 0;
}

int probe_arguments(char ret[PROBE_DEFINITION_BYTES], const struct probe_word *w, const char *usdt,
		    struct dusk_error *err)
{
	struct translation t = {.word = w, .usdt = usdt, .err = err};

	*ret = 0;
	return usdt && !w->has_arguments ? take_usdt(&t, ret) : take_all(&t, ret);
}
