/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Needs in words. See needs.h. */
#include "cli/view/needs.h"
#include <stdlib.h>
#include <string.h>
#include "cli/cmdline/command.h"

#define NS_A_S 1000000000ULL
#define SUMS_MAX 1000000 /* what a view can show of times, such as the rows of a flame graph */

/* A server's "*" is any text, as a pattern's, and it knows no more of patterns. What is not known is "", which is not asked for. */
static bool can_ask(const char *pattern)
{
	return !strpbrk(pattern, "?[]\\\n") && strspn(pattern, "*") != strlen(pattern);
}

static bool can_ask_all(const char *const *patterns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!can_ask(patterns[i]))
			return false;
	return nr;
}

/* Each word ends with a newline. */
static void put_label(FILE *out, enum thread_label which, const char *pattern)
{
	const char *name = thread_label_name(which);

	fprintf(out, "%s=%s\n", name, pattern);
	if (which == LABEL_UNIT)
		fprintf(out, "%s=%s.service\n", name, pattern);
	if (which == LABEL_CONTAINER) /* the beginning of an id is enough */
		fprintf(out, "%s=%s*\n", name, pattern);
}

static bool can_ask_pids(const struct selection *s)
{
	for (size_t i = 0; i < s->nr_pid; i++)
		if (s->pid[i] <= 0)
			return false;
	return s->nr_pid;
}

/* The keys by which @s selects. */
static unsigned int keys_of(const struct selection *s)
{
	unsigned int keys = (s->nr_comm ? KEY_COMM : 0) | (s->nr_pid || s->nr_tid ? KEY_PID : 0) |
			    (s->from_ns || s->to_ns || s->last_ns ? KEY_TIME : 0);

	for (enum thread_label i = 0; i < NR_THREAD_LABELS; i++)
		if (s->nr_label[i])
			keys |= key_of_label(i);
	return keys;
}

/* Does it tell each sum, or thread, apart? */
static bool is_whole(const struct needs *n)
{
	return n->whole || n->filter->only.min_ns || n->filter->only.ignore_idle;
}

void needs_reduce(const struct needs *n, struct dusk_merge_options *o, uint64_t span_ns)
{
	uint64_t part_ns = time_bucket_part_ns(span_ns);
	unsigned int selected;
	bool shows_pids;

	if (!n || is_whole(n))
		return;
	selected = keys_of(&n->filter->only);
	if (!((n->keys | selected) & KEY_TIME)) {
		o->sum_ns = UINT64_MAX;
	} else if (!(selected & KEY_TIME) && part_ns >= NS_A_S) {
		o->sum_ns = part_ns;
		o->max_sums = SUMS_MAX;
	}
	shows_pids = n->keys & (KEY_PID | KEY_TID);
	o->alike = !(selected & KEY_PID) && (!shows_pids || n->max_threads);
	o->max_threads = shows_pids ? n->max_threads : 0;
}

static void put_selection(FILE *out, const struct selection *s)
{
	for (enum thread_label i = 0; i < NR_THREAD_LABELS; i++)
		if (i != LABEL_CGROUP && can_ask_all(s->label[i], s->nr_label[i]))
			for (size_t k = 0; k < s->nr_label[i]; k++)
				put_label(out, i, s->label[i][k]);
	if (can_ask_all(s->comm, s->nr_comm))
		for (size_t k = 0; k < s->nr_comm; k++)
			fprintf(out, "comm=%s\n", s->comm[k]);
	if (can_ask_pids(s))
		for (size_t k = 0; k < s->nr_pid; k++)
			fprintf(out, "pid=%d\n", s->pid[k]);
}

static const char *stacks_of(const struct needs *n)
{
	if (n->no_stacks)
		return "none";
	switch (n->filter->kind) {
	case TIME_BASE_USUAL: return "usual";
	case TIME_BASE_CPU: return "cpu";
	case TIME_BASE_OFF_CPU: return "off-cpu";
	default: return "all";
	}
}

static void put_apart(FILE *out, unsigned int keys)
{
	/* The path of a cgroup is made of other labels; a service may be the name of a thread, but is a column. */
	if (keys & KEY_CGROUP)
		keys |= KEY_UNIT | KEY_CONTAINER | KEY_POD | KEY_NAMESPACE;
	if (keys & KEY_TID)
		keys |= KEY_PID;
	fputs("by=", out);
	for (enum thread_label i = 0; i < NR_THREAD_LABELS; i++)
		if (i != LABEL_CGROUP && keys & key_of_label(i))
			fprintf(out, "%s,", thread_label_name(i));
	fprintf(out, "%s%s%s\n", keys & KEY_COMM ? "comm," : "", keys & KEY_PID ? "pid," : "",
		keys & KEY_TIME ? "time," : "");
}

int needs_say(const struct needs *n, char **text, const char *ret[NEEDS_WORDS])
{
	const struct selection *s = n ? &n->filter->only : NULL;
	size_t len, nr = 0;
	FILE *out = open_memstream(text, &len);
	char *rest;

	if (out && n) {
		put_selection(out, s);
		fprintf(out, "stacks=%s\n", stacks_of(n));
		if (!is_whole(n))
			put_apart(out, n->keys | keys_of(s));
		if (!n->left_out)
			fputs("others=one\n", out);
		if (n->left_out || n->filter->kind == TIME_BASE_USUAL)
			fprintf(out, "rest=%s\n", n->left_out ? "sums" : "usual");
	}
	if (!out || fclose(out)) {
		say("out of memory");
		return STATUS_FAILED;
	}
	for (char *word = strtok_r(*text, "\n", &rest); word && nr < NEEDS_WORDS - 1;
	     word = strtok_r(NULL, "\n", &rest))
		ret[nr++] = word;
	ret[nr] = NULL;
	return STATUS_OK;
}
