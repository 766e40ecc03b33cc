/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "report/model/decode.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "report/text.h"

#define LINE_BYTES 8192	       /* longer lines are copied, but not searched */
#define MAX_COOKIES (1u << 22) /* that are learned: further ones stay unresolved */
#define MAX_WORD 64
#define PRINTK "bpf_trace_printk:"
#define INDENT "        "

struct line {
	char text[LINE_BYTES];
	size_t len;
	bool whole;   /* the text is a whole line, without NUL bytes */
	bool goes_on; /* the rest of the line is still to be read */
};

/* The marks of a line. */
struct marks {
	bool has_kernel, has_user, has_cookie, has_map;
	bool is_end; /* the line says what a cookie is: its text begins with the cookie */
	uint32_t kernel, user, map;
	uint64_t cookie;
	char word[MAX_WORD]; /* why the user stack is cut: "[no-fde]"; "": it is complete */
};

/* Read the next line, or the next piece of a line that is too long. Returns 1; 0 at the end; or a negative errno. */
static int next_line(FILE *in, struct line *l)
{
	bool begins = !l->goes_on;
	int c;

	for (l->len = 0; l->len < sizeof(l->text) - 1;) {
		c = getc(in);
		if (c == EOF)
			break;
		l->text[l->len++] = c;
		if (c == '\n')
			break;
	}
	if (!l->len)
		return ferror(in) ? -(errno ?: EIO) : 0;
	l->text[l->len] = 0;
	l->goes_on = l->text[l->len - 1] != '\n' && l->len == sizeof(l->text) - 1;
	l->whole = begins && !l->goes_on && strlen(l->text) == l->len;
	return 1;
}

static const char *last(const char *text, const char *what)
{
	const char *found = NULL;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		found = at;
	return found;
}

/* Find the number in the last <@name NUMBER> of @text, if it is at most @max. */
static bool find_number(const char *text, const char *name, int base, uint64_t max, uint64_t *ret)
{
	char open[24], *end;
	const char *at;
	uint64_t number;

	snprintf(open, sizeof(open), "<%s ", name);
	at = last(text, open);
	if (!at)
		return false;
	at += strlen(open);
	if (base == 16 ? !isxdigit((unsigned char)*at) : !isdigit((unsigned char)*at))
		return false;
	errno = 0;
	number = strtoull(at, &end, base);
	if (errno || *end != '>' || number > max)
		return false;
	*ret = number;
	return true;
}

static bool find_number32(const char *text, const char *name, int base, uint32_t *ret)
{
	uint64_t number;

	if (!find_number(text, name, base, UINT32_MAX, &number))
		return false;
	*ret = number;
	return true;
}

/*
 * The text that a BPF program printed, or NULL if none did. Before the time, "12968.803205: ", stand the name of a
 * task, which can be any 15 bytes, and its CPU: too short to contain a time and the event's name.
 */
static const char *printed(const char *text)
{
	for (const char *at = strstr(text, ": "); at; at = strstr(at + 1, ": ")) {
		if (at == text || !isdigit((unsigned char)at[-1]))
			continue;
		at += 2;
		while (*at == ' ')
			at++;
		if (strncmp(at, PRINTK, strlen(PRINTK)))
			return NULL;
		at += strlen(PRINTK);
		return at + strspn(at, " ");
	}
	return NULL;
}

/* Find the "[no-fde]" behind the last mark. */
static void find_word(const char *text, char ret[MAX_WORD])
{
	const char *mark = strrchr(text, '>'), *open = mark ? strchr(mark, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	if (close && close - open + 2 <= MAX_WORD)
		snprintf(ret, MAX_WORD, "%.*s", (int)(close - open + 1), open);
}

static bool find_marks(const struct line *l, struct marks *ret)
{
	const char *text;

	*ret = (struct marks){0};
	if (!l->whole || !strchr(l->text, '<'))
		return false;
	text = printed(l->text);
	ret->has_kernel = find_number32(l->text, "stack_id", 10, &ret->kernel);
	ret->has_user = find_number32(l->text, "user", 10, &ret->user);
	ret->has_map = find_number32(l->text, "map", 16, &ret->map);
	ret->has_cookie = text && find_number(l->text, "cookie", 16, UINT64_MAX, &ret->cookie);
	ret->is_end = ret->has_cookie && ret->has_user && ret->has_map && !strncmp(text, "<cookie ", 8);
	if (ret->has_user && text)
		find_word(l->text, ret->word);
	return ret->has_kernel || ret->has_user || ret->has_cookie;
}

static bool is_foreign(const struct decode *d, const struct marks *m)
{
	return m->has_map && m->map != d->identity;
}

static int learn(struct decode *d, const struct marks *m)
{
	struct decode_end end = {.user = m->user};
	uint32_t *index;
	bool fresh;
	int err;

	if (!m->is_end || is_foreign(d, m) || d->ends.nr >= MAX_COOKIES)
		return 0;
	index = map_at(&d->by_cookie, m->cookie, &fresh);
	if (!index)
		return -ENOMEM;
	if (!fresh) { /* a cookie is resolved once: if two lines disagree, one of them is forged */
		d->ends.v[*index].disputed |= d->ends.v[*index].user != m->user;
		return 0;
	}
	*index = d->ends.nr;
	err = strings_number(&d->words, m->word, strlen(m->word), &end.word, NULL);
	return err ?: vec_push(&d->ends, end);
}

int decode_learn(struct decode *d, FILE *in)
{
	struct line l = {0};
	struct marks m;
	int err;

	while ((err = next_line(in, &l)) > 0)
		if (find_marks(&l, &m) && (err = learn(d, &m)))
			return err;
	d->learned = true;
	return err;
}

/* Copy the line, with characters that are not safe on a terminal escaped. */
static void copy(FILE *out, struct line *l)
{
	bool ends = l->text[l->len - 1] == '\n';
	char *end = l->text + l->len - ends;

	*end = 0;
	for (char *at = l->text; at < end;) {
		char *stop = at + strcspn(at, "\t"), was = *stop;

		*stop = 0;
		text_write(out, at, TEXT_TERMINAL);
		if (stop < end)
			fputs(was ? "\t" : "\\x00", out);
		at = stop + 1;
	}
	if (ends)
		putc('\n', out);
}

static void show_stack(struct decode *d, FILE *out, const char *what, uint32_t id, uint32_t *number)
{
	struct dusk_stack stack;

	if (!id)
		return;
	if (!d->find(d->ctx, id, &stack)) {
		*number = stackmap_frames_text(out, &stack, d->names, INDENT, *number);
		return;
	}
	d->missing++;
	fprintf(out, INDENT "[%s %" PRIu32 " is not in the stackmap]\n", what, id);
}

static void show_cookie(struct decode *d, FILE *out, uint64_t cookie, uint32_t *number)
{
	const uint32_t *index = map_find(&d->by_cookie, cookie);
	const struct decode_end *end;
	const char *word;

	if (!index) {
		d->unresolved++;
		fprintf(out, INDENT "[no line says what cookie %" PRIx64 " is]\n", cookie);
		return;
	}
	end = &d->ends.v[*index];
	if (end->disputed) {
		d->unresolved++;
		fprintf(out, INDENT "[lines disagree on what cookie %" PRIx64 " is]\n", cookie);
		return;
	}
	word = strings_text(&d->words, end->word);
	show_stack(d, out, "user", end->user, number);
	if (*word) {
		fputs(INDENT, out);
		text_write(out, word, TEXT_TERMINAL);
		putc('\n', out);
	}
}

static void show(struct decode *d, FILE *out, const struct marks *m)
{
	uint32_t number = 0;

	d->lines++;
	if (is_foreign(d, m)) {
		d->foreign++;
		d->foreign_identity = m->map;
		return;
	}
	if (m->is_end && d->learned)
		return; /* its stack is shown below the line with the request */
	if (m->has_kernel)
		show_stack(d, out, "stack_id", m->kernel, &number);
	if (m->has_user)
		show_stack(d, out, "user", m->user, &number);
	else if (m->has_cookie && d->learned)
		show_cookie(d, out, m->cookie, &number);
}

int decode_write(struct decode *d, FILE *in, FILE *out)
{
	struct line l = {0};
	struct marks m;
	bool found;
	int err;

	while ((err = next_line(in, &l)) > 0) {
		bool ends = l.text[l.len - 1] == '\n';

		found = find_marks(&l, &m);
		copy(out, &l);
		if (found && !ends)
			putc('\n', out);
		if (found)
			show(d, out, &m);
		if (ferror(out) || (d->live && fflush(out)))
			return 0;
	}
	return err;
}

void decode_done(struct decode *d)
{
	map_done(&d->by_cookie);
	vec_done(&d->ends);
	strings_done(&d->words);
}
