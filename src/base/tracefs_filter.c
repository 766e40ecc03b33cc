/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/tracefs_filter.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LABELS 128
#define MAX_DEPTH 32

/* What follows is not known while it is parsed: a label stands for it, which becomes a step or another label. */
struct parser {
	const char *text, *at, *why;
	struct tracefs_filter *f;
	unsigned int nr_labels;
	int step_of[MAX_LABELS], label_of[MAX_LABELS]; /* -1: none */
	int depth;
};

enum { LABEL_ACCEPT, LABEL_REJECT, NR_ENDS };

static int fail(struct parser *p, const char *why)
{
	p->why = why;
	return -EINVAL;
}

static void skip(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool take(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip(p);
	if (strncmp(p->at, word, len))
		return false;
	p->at += len;
	return true;
}

static int new_label(struct parser *p)
{
	if (p->nr_labels == MAX_LABELS)
		return -1;
	p->step_of[p->nr_labels] = p->label_of[p->nr_labels] = -1;
	return p->nr_labels++;
}

static int take_field(struct parser *p, struct tracefs_comparison *c)
{
	size_t len = 0;

	skip(p);
	c->at = p->at - p->text;
	while (isalnum((unsigned char)p->at[len]) || p->at[len] == '_' || p->at[len] == '.')
		len++;
	if (!len || isdigit((unsigned char)*p->at))
		return fail(p, "the name of a field is missing");
	if (len >= sizeof(c->field))
		return fail(p, "this name is too long");
	memcpy(c->field, p->at, len);
	p->at += len;
	return 0;
}

/* Take the operator; *@not: it is the opposite of what is compared. */
static int take_operator(struct parser *p, struct tracefs_comparison *c, bool * not)
{
	static const struct {
		const char *word;
		enum filter_compare compare;
		bool not, prefix;
	} operators[] = {
		{"==", FILTER_EQUAL, false, false},  {"!=", FILTER_EQUAL, true, false},
		{"<=", FILTER_GREATER, true, false}, {">=", FILTER_LESS, true, false},
		{"<", FILTER_LESS, false, false},    {">", FILTER_GREATER, false, false},
		{"~", FILTER_EQUAL, false, true},
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (take(p, operators[i].word)) {
			c->compare = operators[i].compare;
			c->is_prefix = operators[i].prefix;
			*not = operators[i].not;
			return 0;
		}
	skip(p);
	if (*p->at == '&' && p->at[1] != '&') {
		p->at++;
		c->compare = FILTER_BITS;
		return 0;
	}
	return fail(p, "==, !=, <, <=, >, >=, & or ~ is missing");
}

static int take_text(struct parser *p, struct tracefs_comparison *c)
{
	const char *end = strchr(p->at + 1, *p->at);
	size_t len = end ? (size_t)(end - p->at - 1) : 0;
	bool star = c->is_prefix && len && end[-1] == '*';

	if (!end)
		return fail(p, "this text has no end");
	if (c->compare != FILTER_EQUAL)
		return fail(p, "a text is compared by ==, != or ~ only");
	len -= star;
	if (len >= sizeof(c->text))
		return fail(p, "this text is longer than 31 bytes");
	if (c->is_prefix && memchr(p->at + 1, '*', len))
		return fail(p, "of patterns only those with one *, at the end, are taken");
	memcpy(c->text, p->at + 1, len);
	c->is_text = true;
	c->is_prefix = star;
	p->at = end + 1;
	return 0;
}

static int take_value(struct parser *p, struct tracefs_comparison *c)
{
	bool negative;
	char *end;

	skip(p);
	if (*p->at == '"' || *p->at == '\'')
		return take_text(p, c);
	if (c->is_prefix)
		return fail(p, "~ needs a text in quotation marks");
	negative = *p->at == '-';
	if (!isdigit((unsigned char)p->at[negative]))
		return fail(p, "a number, or a text in quotation marks, is missing");
	errno = 0;
	c->number = strtoull(p->at + negative, &end, 0);
	if (errno || isalnum((unsigned char)*end))
		return fail(p, "this is no number");
	if (negative)
		c->number = -c->number;
	p->at = end;
	return 0;
}

static int take_comparison(struct parser *p, int yes, int no)
{
	struct tracefs_comparison *c = &p->f->step[p->f->nr];
	bool not = false;
	int err;

	if (p->f->nr == FILTER_STEPS)
		return fail(p, "more than 16 comparisons are too many");
	err = take_field(p, c);
	err = err ?: take_operator(p, c, &not);
	err = err ?: take_value(p, c);
	c->yes = not ? no : yes;
	c->no = not ? yes : no;
	p->f->nr++;
	return err;
}

static int take_or(struct parser *p, int yes, int no);

static int take_unary(struct parser *p, int yes, int no)
{
	int err;

	skip(p);
	if (*p->at == '!' && p->at[1] != '=') {
		p->at++;
		return ++p->depth > MAX_DEPTH ? fail(p, "this is too deep") : take_unary(p, no, yes);
	}
	if (!take(p, "("))
		return take_comparison(p, yes, no);
	if (++p->depth > MAX_DEPTH)
		return fail(p, "this is too deep");
	err = take_or(p, yes, no);
	if (!err && !take(p, ")"))
		err = fail(p, "a ) is missing");
	return err;
}

/* Parse what @word stands between. @part: one of it; it decides by itself if @ends is where it leads, else the next does. */
static int take_list(struct parser *p, const char *word, int (*part)(struct parser *p, int yes, int no), int yes,
		     int no, bool all)
{
	for (;;) {
		int next = new_label(p), err;

		if (next < 0)
			return fail(p, "this is too long");
		err = all ? part(p, next, no) : part(p, yes, next);
		if (err)
			return err;
		if (!take(p, word)) {
			p->label_of[next] = all ? yes : no;
			return 0;
		}
		p->step_of[next] = p->f->nr;
	}
}

static int take_and(struct parser *p, int yes, int no)
{
	return take_list(p, "&&", take_unary, yes, no, true);
}

static int take_or(struct parser *p, int yes, int no)
{
	return take_list(p, "||", take_and, yes, no, false);
}

static uint8_t resolve(const struct parser *p, uint8_t label)
{
	while (p->label_of[label] >= 0)
		label = p->label_of[label];
	return label == LABEL_ACCEPT ? FILTER_ACCEPT : label == LABEL_REJECT ? FILTER_REJECT : p->step_of[label];
}

int tracefs_filter_parse(struct tracefs_filter *ret, const char *text, size_t *at, const char **why)
{
	struct tracefs_filter f = {0};
	struct parser p = {.text = text, .at = text, .f = &f, .nr_labels = NR_ENDS};
	int err;

	p.label_of[LABEL_ACCEPT] = p.label_of[LABEL_REJECT] = -1;
	err = take_or(&p, LABEL_ACCEPT, LABEL_REJECT);
	skip(&p);
	if (!err && *p.at)
		err = fail(&p, "&& or || is missing, or this is too much");
	for (uint32_t i = 0; !err && i < f.nr; i++) {
		f.step[i].yes = resolve(&p, f.step[i].yes);
		f.step[i].no = resolve(&p, f.step[i].no);
	}
	*at = p.at - text;
	*why = p.why;
	if (!err)
		*ret = f;
	return err;
}
