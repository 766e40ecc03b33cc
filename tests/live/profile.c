/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* live.h: what a profile says of its stacks. */
#include "live.h"
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dusk_profile *live_read(const char *file)
{
	struct dusk_profile *p = NULL;
	struct dusk_error err = {""};

	if (dusk_profile_read(&p, file, &err))
		fail_msg("cannot read %s: %s", file, err.text);
	return p;
}

uint64_t live_counter(const struct dusk_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strcmp(p->counters[i].name, name))
			return p->counters[i].value;
	fail_msg("the profile has no counter %s", name);
	return 0;
}

static const struct dusk_frame *frame_of(const struct dusk_profile *p, uint32_t node)
{
	return &p->frames[p->nodes[node].frame];
}

static bool is_kernel(const struct dusk_profile *p, uint32_t node)
{
	return p->modules[frame_of(p, node)->module].kind == DUSK_MODULE_KERNEL;
}

void live_user_stack(const struct dusk_profile *p, uint32_t node, struct live_stack *ret)
{
	ret->nr = 0;
	for (; node; node = p->nodes[node].parent) {
		const struct dusk_frame *f = frame_of(p, node);

		if (is_kernel(p, node))
			continue;
		assert_true(ret->nr < MAX_LIVE_DEPTH);
		ret->frame[ret->nr++] = (struct live_frame){
			.path = p->modules[f->module].path,
			.name = f->function ? p->functions[f->function].name : NULL,
			.offset = f->offset,
			.is_return = f->is_return,
		};
	}
}

bool live_kernel_has(const struct dusk_profile *p, uint32_t node, const char *name)
{
	for (; node && is_kernel(p, node); node = p->nodes[node].parent) {
		uint32_t function = frame_of(p, node)->function;

		if (function && !strcmp(p->functions[function].name, name))
			return true;
	}
	return false;
}

static const char *name_of(const struct live_frame *f)
{
	return f->name ? f->name : "?";
}

/* From glibc 2.41 on it leads from a function that can be cancelled to the kernel. */
static bool is_cancellation(const struct live_frame *f)
{
	return f->name && strstr(f->name, "_syscall_cancel");
}

char *live_sentence(const struct live_stack *s)
{
	size_t inmost = 0, at = s->nr, size, times;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	while (at && strcmp(name_of(&s->frame[at - 1]), "main"))
		at--;
	if (!at)
		at = s->nr;
	while (inmost < at && is_cancellation(&s->frame[inmost]))
		inmost++;
	for (const char *space = ""; at > inmost; at -= times, space = " ") {
		const char *name = name_of(&s->frame[at - 1]);

		for (times = 1; times < at - inmost && !strcmp(name, name_of(&s->frame[at - 1 - times]));)
			times++;
		fprintf(f, "%s%s", space, name);
		if (times > 1)
			fprintf(f, "*%zu", times);
	}
	fclose(f);
	return text;
}

char *live_sentence_at(const struct dusk_profile *p, uint32_t node)
{
	static struct live_stack stack;

	live_user_stack(p, node, &stack);
	return live_sentence(&stack);
}

enum dusk_outcome_class live_class(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return p->outcomes[s->outcome].kind;
}

const char *live_outcome(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return p->outcomes[s->outcome].name;
}

uint64_t live_outcome_samples(const struct dusk_profile *p, const char *outcome)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += !strcmp(live_outcome(p, &p->samples[i]), outcome);
	return nr;
}

static void expect_frames(const struct dusk_profile *p)
{
	static struct live_stack stack;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (live_class(p, s) != DUSK_COMPLETE)
			continue;
		live_user_stack(p, s->node, &stack);
		if (!stack.nr)
			fail_msg("complete (%s), but without a user stack", live_outcome(p, s));
	}
}

void live_check_counters(const struct dusk_profile *p)
{
#define N(name) live_counter(p, name)
	uint64_t walked = N("walks") + N("closed-exec") + N("closed-exiting") + N("closed-no-walker") +
			  N("closed-lost") + N("closed-idle") - N("unasked");
	uint64_t pending = live_outcome_samples(p, "pending");
	uint64_t refused = N("refused-no-state") + N("refused-contended") + N("refused-again") + N("refused-excluded") +
			   N("refused-schedule");

	print_message("%llu samples: %llu of the kernel, %llu refused, %llu joined, %llu afterwards, %llu scheduled "
		      "(%llu pending); "
		      "lost %llu samples, %llu stacks\n",
		      (unsigned long long)N("samples"), (unsigned long long)N("no-user"), (unsigned long long)refused,
		      (unsigned long long)N("joined"), (unsigned long long)N("afterwards"),
		      (unsigned long long)N("scheduled"), (unsigned long long)pending,
		      (unsigned long long)N("lost-samples"), (unsigned long long)N("lost-stacks"));
	assert_true(p->finished);
	assert_int_equal(N("samples") + N("offcpu-intervals") + N("wakers"), N("no-user") + N("requests"));
	assert_int_equal(N("requests"),
			 refused + N("cached") + N("walked-nofault") + N("joined") + N("afterwards") + N("scheduled"));
	assert_true(N("scheduled") >= walked);
	assert_true(N("scheduled") - walked <= pending + N("lost-samples")); /* or a wait is not counted */
	assert_true(pending == 0 || N("scheduled") > walked || N("lost-stacks"));
	assert_int_equal(p->nr_samples, N("samples") - N("lost-samples"));
	expect_frames(p);
#undef N
}

bool live_is_of(const struct dusk_profile *p, const struct dusk_sample *s, pid_t pid)
{
	return p->threads[s->thread].pid == pid;
}

struct live_tally live_count(const struct dusk_profile *p, pid_t pid)
{
	struct live_tally t = {0};

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		enum dusk_outcome_class class = live_class(p, s);

		if (class == DUSK_ABSENT || (pid && !live_is_of(p, s, pid)))
			continue;
		t.samples++;
		t.walked += class == DUSK_COMPLETE || class == DUSK_CUT;
		t.complete += class == DUSK_COMPLETE;
	}
	return t;
}

bool live_matches(const char *text, const char *pattern)
{
	regex_t r;
	int err;

	assert_int_equal(regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB), 0);
	err = regexec(&r, text, 0, NULL, 0);
	regfree(&r);
	return !err;
}
