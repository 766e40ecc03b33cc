/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Regular expressions that end. See expression.h. */
#include "report/model/expression.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *at;
	bool refers; /* to what a group has matched */
};

/* Behind "[...]", in which "]" is the first character, or part of "[:alpha:]", "[=a=]" and "[.a.]". */
static const char *behind_set(const char *at)
{
	at += 1 + (at[1] == '^');
	at += *at == ']';
	while (*at && *at != ']') {
		bool named = *at == '[' && at[1] && strchr(":=.", at[1]);
		const char end[] = {named ? at[1] : 0, ']', 0};
		const char *behind = named ? strstr(at + 2, end) : NULL;

		at = behind ? behind + 2 : at + 1;
	}
	return at + (*at == ']');
}

/* How often "{3}", "{3,5}" or "{3,}" has what is before it written out. Anything else counts once. */
static uint64_t repeated(struct reader *r)
{
	char *end;
	uint64_t least = strtoul(r->at + 1, &end, 10), most = least;

	if (*end == ',')
		most = isdigit((unsigned char)end[1]) ? strtoul(end + 1, &end, 10) : (end++, least + 1);
	if (*end != '}') {
		r->at++;
		return 1;
	}
	r->at = end + 1;
	most = most > least ? most : least;
	return most < EXPRESSION_SIZE ? most + !most : EXPRESSION_SIZE;
}

static uint64_t size_of_group(struct reader *r, bool inner);

/* The size of what is at r->at, which is no operator. */
static uint64_t size_of_one(struct reader *r)
{
	uint64_t size = 1;

	if (*r->at == '(') {
		r->at++;
		size = size_of_group(r, true);
		r->at += *r->at == ')';
		return size;
	}
	if (*r->at == '[') {
		r->at = behind_set(r->at);
		return size;
	}
	if (*r->at == '\\' && r->at[1])
		r->refers |= isdigit((unsigned char)*++r->at) != 0;
	r->at++;
	return size;
}

/* Of what is up to the end, or if @inner up to ")". */
static uint64_t size_of_group(struct reader *r, bool inner)
{
	uint64_t size = 1, one;

	while (*r->at && size <= EXPRESSION_SIZE && !(inner && *r->at == ')')) {
		one = size_of_one(r);
		while (*r->at && strchr("*+?{", *r->at) && one <= EXPRESSION_SIZE) {
			if (*r->at == '{') {
				one *= repeated(r);
				continue;
			}
			one *= *r->at == '+' ? 2 : 1; /* a+ is aa* */
			r->at++;
		}
		size += one;
	}
	return size;
}

/* Why it may not be compiled; NULL: it may. */
static const char *refused(const char *regex)
{
	struct reader r = {.at = regex};

	if (strlen(regex) > EXPRESSION_BYTES || size_of_group(&r, false) > EXPRESSION_SIZE + 1)
		return "with all repetitions written out it has more than 1000 characters";
	return r.refers ? "it refers to what has matched before" : NULL;
}

int expression_compile(regex_t *ret, const char *regex, char *text, size_t size)
{
	const char *why = refused(regex);
	int err;

	if (why) {
		snprintf(text, size, "%s", why);
		return -EINVAL;
	}
	err = regcomp(ret, regex, REG_EXTENDED | REG_NOSUB);
	if (!err)
		return 0;
	regerror(err, ret, text, size);
	return err == REG_ESPACE ? -ENOMEM : -EINVAL;
}
