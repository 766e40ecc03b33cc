/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parse command lines by tables of options. See options.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "cli/cmdline/options.h"

#define MAX_LIST 65536

struct parser {
	const struct option *table;
	int argc;
	char **argv;
	char *into;
	struct options_result *result;
	int at; /* index of the current word */
};

#define fail(p, ...) (snprintf((p)->result->error, sizeof((p)->result->error), __VA_ARGS__), -EINVAL)

/* Parse a decimal number up to @max at *@s, and advance *@s past it. Returns 0 or -EINVAL. */
static int digits(const char **s, uint64_t max, uint64_t *ret)
{
	uint64_t n = 0;

	if (**s < '0' || **s > '9')
		return -EINVAL;
	for (; **s >= '0' && **s <= '9'; ++*s) {
		n = n * 10 + (**s - '0');
		if (n > max)
			return -EINVAL;
	}
	*ret = n;
	return 0;
}

/* The same with a fraction, in units of 10^-9. */
static int decimal(const char **s, uint64_t max, uint64_t *ret)
{
	uint64_t n, unit = 100000000;

	if (digits(s, max, &n))
		return -EINVAL;
	n *= 1000000000;
	if (**s == '.')
		for (++*s; **s >= '0' && **s <= '9'; ++*s, unit /= 10)
			n += unit * (**s - '0');
	*ret = n;
	return 0;
}

int duration_parse(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t us;
	} units[] = {{"", 1000000},   {"s", 1000000},	 {"ms", 1000},	    {"us", 1},
		     {"m", 60000000}, {"h", 3600000000}, {"d", 86400000000}};
	uint64_t n;

	if (decimal(&text, 1000000, &n))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(text, units[i].name)) {
			unsigned __int128 ns = (unsigned __int128)n * units[i].us / 1000000;

			if (ns > UINT64_MAX)
				return -EINVAL;
			*ret_ns = ns;
			return 0;
		}
	return -EINVAL;
}

bool option_is_given(const struct option *o, const void *from)
{
	const void *member = (const char *)from + o->offset;

	switch (o->kind) {
	case OPTION_FLAG: return *(const bool *)member;
	case OPTION_NUMBER: return *(const uint32_t *)member;
	default: return *(const char *const *)member;
	}
}

/* Parse FROM-TO, FROM- or -LAST. */
static int parse_range(const char *text, struct time_range *ret)
{
	const char *dash = strchr(text, '-');
	struct time_range range = {0};
	char from[32];

	if (!dash || dash - text >= (ptrdiff_t)sizeof(from) || (dash == text && !dash[1]))
		return -EINVAL;
	snprintf(from, sizeof(from), "%.*s", (int)(dash - text), text);
	if (!*from) {
		if (duration_parse(dash + 1, &range.last_ns) || !range.last_ns)
			return -EINVAL;
	} else if (duration_parse(from, &range.from_ns) || (dash[1] && duration_parse(dash + 1, &range.to_ns)) ||
		   (dash[1] && range.to_ns <= range.from_ns)) {
		return -EINVAL;
	}
	*ret = range;
	return 0;
}

static int parse_size(const char *text, uint64_t max, uint64_t *ret)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t n;

	if (digits(&text, max, &n))
		return -EINVAL;
	unit = *text ? strchr(units, *text) : NULL;
	if (unit) {
		int shift = 10 * (unit - units + 1);

		if (n > max >> shift)
			return -EINVAL;
		n <<= shift;
		text++;
	}
	*ret = n;
	return *text ? -EINVAL : 0;
}

/* Write a size with the largest unit of which it is a multiple: 512K, 16M. */
static void write_size(char text[16], uint64_t bytes)
{
	const char *unit = "\0KMG";

	for (; bytes && !(bytes & 1023) && unit[1]; bytes >>= 10)
		unit++;
	snprintf(text, 16, "%llu%.1s", (unsigned long long)bytes, unit);
}

static int parse_numbers(const struct option *o, const char *text, struct number_list *list)
{
	struct vec(int) all = {list->v, 0, list->nr};
	int err = -EINVAL;

	do {
		uint64_t from, to;

		if (digits(&text, o->max, &from))
			goto out;
		to = from;
		if (*text == '-') {
			text++;
			if (digits(&text, o->max, &to))
				goto out;
		}
		if (from < o->min || to < from || to - from >= MAX_LIST - all.nr)
			goto out;
		for (; from <= to; from++)
			if (vec_push(&all, (int)from)) {
				err = -ENOMEM;
				goto out;
			}
	} while (*text == ',' && text++);
	err = *text ? -EINVAL : 0;
out:
	list->v = all.v;
	list->nr = all.nr;
	return err;
}

/* As strsep() by commas, but not by those in parentheses. */
static char *next_piece(char **rest)
{
	char *piece = *rest, *at = piece;
	int depth = 0;

	if (!piece)
		return NULL;
	for (; *at && (*at != ',' || depth > 0); at++)
		depth += (*at == '(') - (*at == ')');
	*rest = *at ? at + 1 : NULL;
	*at = 0;
	return piece;
}

/* The pieces point into one copy of @text. */
static int parse_texts(const char *text, struct text_list *list)
{
	struct vec(const char *) all = {list->v, 0, list->nr};
	char *copy = strdup(text), *rest = copy, *piece;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (piece = next_piece(&rest)))
		if (*piece)
			err = vec_push(&all, piece);
	free(list->copy);
	list->copy = copy;
	list->v = all.v;
	list->nr = all.nr;
	return err ? err : all.nr ? 0 : -EINVAL;
}

static bool is_flag(const struct option *o)
{
	return o->kind == OPTION_FLAG || o->kind == OPTION_OFF;
}

/* The choice of @o that is equal to @text, or NULL. */
static const char *find_choice(const struct option *o, const char *text)
{
	const char *name;

	for (size_t i = 0; (name = o->choice(i)); i++)
		if (!strcmp(name, text))
			return name;
	return NULL;
}

static int parse_value(const struct option *o, const char *text, char *member)
{
	const char *end = text;
	uint64_t n;

	switch (o->kind) {
	case OPTION_FLAG:
	case OPTION_OFF: return -EINVAL;
	case OPTION_TEXT: *(const char **)member = text; return *text ? 0 : -EINVAL;
	case OPTION_NUMBER_MAX:
		if (!strcmp(text, "max")) {
			*(uint32_t *)member = UINT32_MAX;
			return 0;
		}
		/* fall through */
	case OPTION_NUMBER:
		if (digits(&end, o->max, &n) || *end || n < o->min)
			return -EINVAL;
		*(uint32_t *)member = n;
		return 0;
	case OPTION_PERCENT:
		if (decimal(&end, 100, &n) || (*end && strcmp(end, "%")) || n > 100000000000)
			return -EINVAL;
		*(double *)member = n / 1e9;
		return 0;
	case OPTION_DURATION:
	case OPTION_DURATION_0:
		if (duration_parse(text, &n) || (!n && o->kind == OPTION_DURATION))
			return -EINVAL;
		*(uint64_t *)member = n;
		return 0;
	case OPTION_RANGE: return parse_range(text, (struct time_range *)member);
	case OPTION_SIZE:
		if (parse_size(text, o->max, &n) || n < o->min || n > o->max)
			return -EINVAL;
		*(uint64_t *)member = n;
		return 0;
	case OPTION_NUMBERS: return parse_numbers(o, text, (struct number_list *)member);
	case OPTION_TEXTS: return parse_texts(text, (struct text_list *)member);
	case OPTION_CHOICE: return (*(const char **)member = find_choice(o, text)) ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static int refuse_choice(struct parser *p, const struct option *o, const char *text)
{
	char list[128] = "";
	const char *name;
	size_t len = 0;

	for (size_t i = 0; (name = o->choice(i)) && len < sizeof(list); i++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? " or " : "", name);
	return fail(p, "--%s takes %s, not '%s'", o->name, list, text);
}

static int refuse_value(struct parser *p, const struct option *o, const char *text)
{
	const char *name = o->name;
	char least[16], most[16];

	switch (o->kind) {
	case OPTION_SIZE:
		write_size(least, o->min);
		write_size(most, o->max);
		return fail(p, "--%s takes a size from %s to %s, not '%s'", name, least, most, text);
	case OPTION_NUMBER:
		return fail(p, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", name, o->min, o->max,
			    text);
	case OPTION_NUMBER_MAX:
		return fail(p, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", or max, not '%s'", name, o->min,
			    o->max, text);
	case OPTION_PERCENT: return fail(p, "--%s takes a percentage from 0 to 100, not '%s'", name, text);
	case OPTION_DURATION:
	case OPTION_DURATION_0:
		return fail(p, "--%s takes a duration such as 10s, 500ms, 2m or 1h, not '%s'", name, text);
	case OPTION_RANGE: return fail(p, "--%s takes a range such as 1.8s-2.6s, 2s- or -500ms, not '%s'", name, text);
	case OPTION_NUMBERS:
		return fail(p, "--%s takes a list of numbers from %" PRIu64 " to %" PRIu64 " such as 1,2,5-7, not '%s'",
			    name, o->min, o->max, text);
	case OPTION_CHOICE: return refuse_choice(p, o, text);
	default: return fail(p, "--%s takes a value that is not empty", name);
	}
}

/* Set the member of @o from @text, or from the next word if that is NULL. */
static int set(struct parser *p, const struct option *o, const char *text)
{
	int err;

	if (is_flag(o)) {
		if (text)
			return fail(p, "--%s takes no value", o->name);
		*(bool *)(p->into + o->offset) = o->kind == OPTION_FLAG;
		return 0;
	}
	if (!text && o->kind == OPTION_CHOICE) {
		text = p->at + 1 < p->argc && find_choice(o, p->argv[p->at + 1]) ? p->argv[++p->at] : o->choice(0);
	} else if (!text) {
		if (p->at + 1 >= p->argc)
			return fail(p, "--%s needs a value: %s", o->name, o->value);
		text = p->argv[++p->at];
	}
	err = parse_value(o, text, p->into + o->offset);
	return err == -EINVAL ? refuse_value(p, o, text) : err;
}

static int unknown(struct parser *p, const char *name)
{
	const char *names[64] = {"help"}, *near;
	size_t nr = 1;

	for (const struct option *o = p->table; o->name && nr < 63; o++)
		names[nr++] = o->name;
	near = suggest(name, names);
	if (near)
		return fail(p, "unknown option '--%s'; did you mean --%s?", name, near);
	return fail(p, "unknown option '--%s'", name);
}

static int parse_long(struct parser *p, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	char name[64];

	if (len == 4 && !strncmp(word, "help", len) && !equals) {
		p->result->help = true;
		return 0;
	}
	for (const struct option *o = p->table; o->name; o++)
		if (strlen(o->name) == len && !strncmp(o->name, word, len))
			return set(p, o, equals ? equals + 1 : NULL);
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), word);
	return unknown(p, name);
}

static int parse_letters(struct parser *p, const char *word)
{
	for (; *word; word++) {
		const struct option *o = p->table;
		int err;

		if (*word == 'h') {
			p->result->help = true;
			continue;
		}
		while (o->name && o->letter != *word)
			o++;
		if (!o->name)
			return fail(p, "unknown option '-%c'", *word);
		if (!is_flag(o))
			return set(p, o, word[1] ? word + 1 : NULL);
		err = set(p, o, NULL);
		if (err)
			return err;
	}
	return 0;
}

int options_parse(const struct option *table, int argc, char **argv, void *into, struct options_result *ret)
{
	struct parser p = {table, argc, argv, into, ret, 1};

	*ret = (struct options_result){0};
	for (; p.at < argc; p.at++) {
		const char *word = argv[p.at];
		int err;

		if (word[0] != '-' || !word[1])
			break;
		if (!strcmp(word, "--")) {
			ret->ended = true;
			p.at++;
			break;
		}
		err = word[1] == '-' ? parse_long(&p, word + 2) : parse_letters(&p, word + 1);
		if (err)
			return err;
	}
	ret->next = p.at;
	return 0;
}

void options_done(const struct option *table, void *into)
{
	for (const struct option *o = table; o->name; o++) {
		void *member = (char *)into + o->offset;

		if (o->kind == OPTION_NUMBERS) {
			free(((struct number_list *)member)->v);
		} else if (o->kind == OPTION_TEXTS) {
			free(((struct text_list *)member)->v);
			free(((struct text_list *)member)->copy);
		}
	}
}

static void help_line(FILE *out, char letter, const char *name, const char *value, const char *help)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ', letter ? ',' : ' ',
		 name, value ? " " : "", value ? value : "");
	fprintf(out, "  %-30s %s\n", left, help);
}

void options_help(FILE *out, const struct option *table)
{
	for (const struct option *o = table; o->name; o++)
		help_line(out, o->letter, o->name, o->value, o->help);
	help_line(out, 'h', "help", NULL, "this text");
}
