/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/fetches.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/arch/probe_regs.h"

#define MAX_ARGUMENT 512

/* A place in the text, and whether memory of the user or of the kernel is meant. */
struct reader {
	const char *at;
	bool user, bad;
};

static bool take(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(r->at, word, len))
		return false;
	r->at += len;
	return true;
}

static uint64_t take_number(struct reader *r)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(r->at, &end, 0);
	if (end == r->at || errno || *r->at == '-' || *r->at == '+')
		r->bad = true;
	r->at = end;
	return n;
}

static void use_register(struct reader *r, struct fetch *x, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(probe_registers) / sizeof(probe_registers[0]); i++)
		if (strlen(probe_registers[i]) == len && !memcmp(probe_registers[i], name, len)) {
			x->reg = i;
			return;
		}
	r->bad = true;
}

static void use_argument(struct reader *r, struct fetch *x, uint64_t n)
{
	if (n < 1 || n > sizeof(probe_argument_registers) / sizeof(probe_argument_registers[0]))
		r->bad = true;
	else
		use_register(r, x, probe_argument_registers[n - 1], strlen(probe_argument_registers[n - 1]));
}

/* Follow @x once more: the word becomes what is @offset behind where it points. */
static void use_pointer(struct reader *r, struct fetch *x, int64_t offset)
{
	if (x->pointers >= MAX_POINTERS || offset != (int32_t)offset)
		r->bad = true;
	else
		x->offset[x->pointers++] = offset;
}

static void take_variable(struct reader *r, struct fetch *x)
{
	if (take(r, "stack")) {
		use_register(r, x, "sp", 2);
		if (*r->at >= '0' && *r->at <= '9')
			use_pointer(r, x, take_number(r) * sizeof(long));
	} else if (take(r, "retval")) {
		use_register(r, x, PROBE_RESULT, strlen(PROBE_RESULT));
	} else if (take(r, "arg")) {
		use_argument(r, x, take_number(r));
	} else if (take(r, "comm") || take(r, "COMM")) {
		x->from = FETCH_COMM;
	} else {
		r->bad = true;
	}
}

/* Take what no parentheses are around. */
static void take_word(struct reader *r, struct fetch *x)
{
	size_t len;

	if (take(r, "%")) {
		len = strcspn(r->at, "):[ ");
		use_register(r, x, r->at, len);
		r->at += len;
	} else if (take(r, "$")) {
		take_variable(r, x);
	} else if (take(r, "\\")) {
		x->from = FETCH_NUMBER;
		x->number = take(r, "-") ? -take_number(r) : take_number(r);
	} else if (!r->user && take(r, "@")) {
		x->from = FETCH_NUMBER;
		x->number = take_number(r);
		x->kernel = 1;
		use_pointer(r, x, 0);
	} else {
		r->bad = true;
	}
}

/* Take "+OFFSET(...)", of which the innermost is followed first. */
static void take_place(struct reader *r, struct fetch *x)
{
	int64_t offset[MAX_POINTERS];
	int nr = 0;

	x->kernel = !r->user;
	while (!r->bad && (*r->at == '+' || *r->at == '-')) {
		bool down = *r->at++ == '-';

		if (take(r, "u"))
			x->kernel = 0;
		if (nr == MAX_POINTERS) {
			r->bad = true;
			return;
		}
		offset[nr] = take_number(r);
		offset[nr] = down ? -offset[nr] : offset[nr];
		nr++;
		r->bad |= !take(r, "(");
	}
	if (!r->bad)
		take_word(r, x);
	while (!r->bad && nr--) {
		use_pointer(r, x, offset[nr]);
		r->bad |= !take(r, ")");
	}
}

/* Bits of a number, arrays, and names of the kernel's objects are not fetched. */
static void take_type(struct reader *r, struct fetch *x, bool is_text)
{
	bool text = false;

	if (take(r, ":")) {
		text = !strcmp(r->at, "string") || !strcmp(r->at, "ustring");
		if (!strcmp(r->at, "ustring"))
			x->kernel = 0;
		r->bad |= *r->at == 'b' || strchr(r->at, '[') || (!text && is_text && x->from != FETCH_COMM);
	} else {
		r->bad |= *r->at;
	}
	if (x->from == FETCH_COMM)
		r->bad |= x->pointers || !is_text;
	else
		r->bad |= is_text != text || (text && !x->pointers);
}

static bool is_size(size_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static int parse_one(struct fetch *ret, const char *argument, bool user, const struct fields *f, uint32_t number)
{
	const char *equals = strchr(argument, '=');
	struct reader r = {.at = equals ? equals + 1 : argument, .user = user};
	struct fetch x = {0};
	struct field_place place;
	char name[MAX_ARGUMENT];

	if (!equals)
		return -EOPNOTSUPP;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - argument), argument);
	if (fields_place(f, number, name, &place))
		return -EOPNOTSUPP;
	take_place(&r, &x);
	if (!r.bad)
		take_type(&r, &x, place.is_dynamic);
	if (r.bad || (!place.is_dynamic && !is_size(place.bytes)))
		return -EOPNOTSUPP;
	x.at = place.offset;
	x.bytes = place.is_dynamic ? 0 : place.bytes;
	*ret = x;
	return 0;
}

int fetches_parse(struct probe *ret, const char *arguments, bool user, const struct fields *f, uint32_t number)
{
	struct probe p = {0};

	while (arguments += strspn(arguments, " \n"), *arguments) {
		size_t len = strcspn(arguments, " \n");
		char one[MAX_ARGUMENT];

		if (p.nr == MAX_FETCHES || len >= sizeof(one))
			return -EOPNOTSUPP;
		memcpy(one, arguments, len);
		one[len] = 0;
		if (parse_one(&p.fetch[p.nr], one, user, f, number))
			return -EOPNOTSUPP;
		p.nr++;
		arguments += len;
	}
	*ret = p;
	return 0;
}
