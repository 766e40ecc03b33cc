/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk stacks: show the stacks of a process's threads without stopping them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <dusk/unwind.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "base/privilege.h"
#include "cli/cmdline/command.h"
#include "cli/view/group_threads.h"
#include "cli/cmdline/output.h"
#include "cli/cmdline/stop.h"
#include "report/model/unsure.h"
#include "report/text.h"

#define MAX_PIDS 256
#define NAMED_THREADS 8 /* threads of a group that are listed before "and N more" */

struct options {
	bool all, each, kernel, kernel_threads, native, json;
	struct number_list tids;
};

static const struct option options[] = {
	{'a', "all", OPTION_FLAG, offsetof(struct options, all), NULL, "all processes"},
	{'t', "tid", OPTION_NUMBERS, offsetof(struct options, tids), "TIDS", "these threads", 1, INT32_MAX},
	{0, "each", OPTION_FLAG, offsetof(struct options, each), NULL, "print equal stacks one by one"},
	{'k', "kernel", OPTION_FLAG, offsetof(struct options, kernel), NULL, "the kernel's frames, too (default)"},
	{0, "no-kernel", OPTION_OFF, offsetof(struct options, kernel), NULL, "the user stacks only"},
	{0, "kernel-threads", OPTION_FLAG, offsetof(struct options, kernel_threads), NULL,
	 "--all: threads of the kernel, too"},
	{0, "native", OPTION_FLAG, offsetof(struct options, native), NULL, "functions that run interpreted code, too"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object a line and thread"},
	{0},
};

struct view {
	FILE *out;
	struct dusk_unwinder *unwinder;
	const struct options *options;
	struct thread_groups all;
	uint32_t left_out; /* threads that the user may not look at */
};

static void view_done(struct view *v)
{
	group_threads_done(&v->all);
	dusk_unwind_close(v->unwinder);
}

static bool is_kernel_thread(const struct dusk_thread_stack *t)
{
	return !strcmp(dusk_outcome(t->outcome)->name, "kernel-thread");
}

static int take(void *ctx, const struct dusk_thread_stack *t)
{
	struct view *v = ctx;

	if (v->options->all && !v->options->kernel_threads && is_kernel_thread(t))
		return 0;
	if (privilege_may_look(t->tid)) {
		v->left_out++;
		return 0;
	}
	return group_threads_add(&v->all, t);
}

static const char *state_name(char state, const struct dusk_outcome *outcome)
{
	switch (state) {
	case 'R': return strcmp(outcome->name, "running") ? "waiting for a CPU" : "running";
	case 'S': return "sleeping";
	case 'D': return "in an uninterruptible sleep";
	case 'T': return "stopped";
	case 't': return "stopped by a tracer";
	case 'Z':
	case 'X': return "dead";
	case 'P': return "parked";
	}
	return "idle";
}

/* "read+0x12 (libc.so.6)", "0x12 [anon]", "Shop.order (shop.py:31)" */
static void write_place(const struct view *v, const struct dusk_place *place)
{
	bool is_file = place->module[0] != '[';

	if (place->function)
		text_write(v->out, place->function, TEXT_TERMINAL);
	if (!place->is_source || !place->function)
		fprintf(v->out, "%s0x%" PRIx64, place->function ? "+" : "", place->offset);
	fputs(is_file ? " (" : " ", v->out);
	text_write(v->out, place->module, TEXT_TERMINAL);
	if (place->line)
		fprintf(v->out, ":%" PRIu32, place->line);
	if (is_file)
		putc(')', v->out);
}

static void write_frames(struct view *v, const uint64_t *frame, uint32_t nr, uint32_t *number)
{
	struct dusk_place place;
	bool ran_source = false; /* the frame before it did */

	for (uint32_t i = 0; i < nr; i++) {
		dusk_unwind_place(v->unwinder, frame[i], &place);
		if (place.is_source || !ran_source || v->options->native) {
			fprintf(v->out, "    #%-3" PRIu32 " ", (*number)++);
			write_place(v, &place);
			putc('\n', v->out);
		}
		ran_source = place.is_source;
	}
}

/* "3 threads sleeping (S): 812 redis-server, 813 bio_close_file, ..." */
static void write_threads(struct view *v, const struct thread_group *g)
{
	const struct grouped_thread *t = &v->all.threads.v[g->first];

	fprintf(v->out, "\n  %" PRIu32 " thread%s %s (%c): ", g->nr, g->nr == 1 ? "" : "s",
		state_name(g->state, dusk_outcome(g->outcome)), g->state);
	for (uint32_t i = 0; i < g->nr && i < NAMED_THREADS; i++) {
		fprintf(v->out, "%s%d ", i ? ", " : "", t->tid);
		text_write(v->out, t->comm, TEXT_TERMINAL);
		if (t->next)
			t = &v->all.threads.v[t->next - 1];
	}
	if (g->nr > NAMED_THREADS)
		fprintf(v->out, ", and %" PRIu32 " more", g->nr - NAMED_THREADS);
	putc('\n', v->out);
}

static void write_group(struct view *v, const struct thread_group *g)
{
	const uint64_t *frame = v->all.frames.v + g->first_frame;
	const struct dusk_outcome *outcome = dusk_outcome(g->outcome);
	uint32_t number = 0;

	write_threads(v, g);
	write_frames(v, frame, g->nr_kernel, &number);
	write_frames(v, frame + g->nr_kernel, g->nr_user, &number);
	if (outcome->kind != DUSK_COMPLETE)
		fprintf(v->out, "    [%s: %s]\n", outcome->name, outcome->sentence);
	else if (unsure_frames(frame + g->nr_kernel, g->nr_user))
		fputs("    [unsure: left by the frame pointer alone where it stands; a caller may be missing]\n",
		      v->out);
}

/* Write the name of the process whose first group is @g, and the number of its threads here. */
static void write_process(struct view *v, const struct thread_group *g)
{
	const struct thread_group *end = v->all.groups.v + v->all.groups.nr;
	const struct grouped_thread *name = &v->all.threads.v[g->first];
	uint32_t nr = 0;

	for (const struct thread_group *of = g; of < end && of->pid == g->pid; of++) {
		nr += of->nr;
		if (v->all.threads.v[of->first].tid < name->tid)
			name = &v->all.threads.v[of->first];
	}
	fprintf(v->out, "%sprocess %d ", g == v->all.groups.v ? "" : "\n", g->pid);
	text_write(v->out, name->comm, TEXT_TERMINAL);
	fprintf(v->out, ", %" PRIu32 " thread%s\n", nr, nr == 1 ? "" : "s");
}

static void write_text(struct view *v)
{
	for (size_t i = 0; i < v->all.groups.nr; i++) {
		const struct thread_group *g = &v->all.groups.v[i];

		if (!i || g[-1].pid != g->pid)
			write_process(v, g);
		write_group(v, g);
	}
}

static void write_json_frames(struct view *v, struct json *j, const char *key, const uint64_t *frame, uint32_t nr)
{
	struct dusk_place place;

	json_array(j, key);
	for (uint32_t i = 0; i < nr; i++) {
		dusk_unwind_place(v->unwinder, frame[i], &place);
		json_object(j, NULL);
		json_string(j, "function", place.function);
		json_u64(j, "offset", place.offset);
		json_string(j, "module", place.module);
		if (place.line)
			json_u64(j, "line", place.line);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_json(struct view *v)
{
	for (size_t i = 0; i < v->all.threads.nr; i++) {
		const struct grouped_thread *t = &v->all.threads.v[i];
		const struct thread_group *g = &v->all.groups.v[t->group];
		const uint64_t *frame = v->all.frames.v + g->first_frame;
		struct json j = {.out = v->out};
		char state[2] = {g->state};

		json_object(&j, NULL);
		json_i64(&j, "pid", g->pid);
		json_i64(&j, "tid", t->tid);
		json_string(&j, "comm", t->comm);
		json_string(&j, "state", state);
		json_string(&j, "outcome", dusk_outcome(g->outcome)->name);
		json_bool(&j, "unsure", unsure_frames(frame + g->nr_kernel, g->nr_user));
		json_u64(&j, "switches", t->switches);
		write_json_frames(v, &j, "kernel", frame, g->nr_kernel);
		write_json_frames(v, &j, "user", frame + g->nr_kernel, g->nr_user);
		json_object_end(&j);
		putc('\n', v->out);
	}
}

static int show(struct view *v)
{
	struct output out;
	int status = output_open(&out, NULL, true);

	if (status)
		return status;
	v->out = out.file;
	if (v->options->json) {
		write_json(v);
	} else {
		group_threads_sort(&v->all);
		write_text(v);
	}
	return output_close(&out, 0);
}

/* Check that all named tasks are ones that the user may look at. */
static int check_owner(const char *what, const pid_t *ids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (privilege_may_look(ids[i]) == -EACCES) {
			say("%s %d is not yours to look at: only its own user may, and root", what, ids[i]);
			return STATUS_PRIVILEGE;
		}
	return STATUS_OK;
}

/* Check that all named processes and threads exist. */
static int check_presence(const struct view *v, const struct dusk_threads_options *chosen)
{
	for (size_t i = 0; i < chosen->nr_pids; i++) {
		bool found = false;

		for (size_t k = 0; k < v->all.groups.nr; k++)
			found |= v->all.groups.v[k].pid == chosen->pids[i];
		if (!found) {
			say("there is no process %d", chosen->pids[i]);
			return STATUS_FAILED;
		}
	}
	for (size_t i = 0; i < chosen->nr_tids; i++) {
		bool found = false;

		for (size_t k = 0; k < v->all.threads.nr; k++)
			found |= v->all.threads.v[k].tid == chosen->tids[i];
		if (!found) {
			say("there is no thread %d", chosen->tids[i]);
			return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

static int look(struct view *v, const struct dusk_threads_options *chosen)
{
	struct dusk_error err = {""};
	int error, status;

	status = check_owner("process", chosen->pids, chosen->nr_pids)
			 ?: check_owner("thread", chosen->tids, chosen->nr_tids);
	if (status)
		return status;
	stop_catch();
	stop_at_once(true);
	error = dusk_unwind_open(&v->unwinder, NULL, &err);
	if (!error && *err.text)
		say("%s", err.text);
	if (!error && !stop_count)
		error = dusk_unwind_threads(v->unwinder, chosen, take, v, &err);
	if (stop_count)
		return 128 + stop_signal;
	status = phase_enter(PHASE_NAMING);
	if (status)
		return status;
	if (v->left_out)
		say("%" PRIu32 " threads of others are left out: only their own users may look at them, and root",
		    v->left_out);
	if (!error)
		return check_presence(v, chosen) ?: show(v);
	if (error == -ETIMEDOUT && v->all.threads.nr)
		show(v); /* the threads found so far */
	say("%s", err.text);
	return error == -EPERM || error == -EOPNOTSUPP ? STATUS_PRIVILEGE : STATUS_FAILED;
}

static int parse_pids(const struct command *self, const char **words, size_t nr, pid_t *ret)
{
	for (size_t i = 0; i < nr; i++) {
		char *end;
		unsigned long pid = strtoul(words[i], &end, 10);

		if (*end || words[i][0] < '0' || words[i][0] > '9' || !pid || pid > INT32_MAX)
			return say_usage(self, "'%s' is no process id", words[i]);
		ret[i] = pid;
	}
	return STATUS_OK;
}

static int choose(const struct command *self, const struct options *o, const char **words, size_t nr)
{
	pid_t pids[MAX_PIDS];
	struct dusk_threads_options chosen = {
		.sz = sizeof(chosen),
		.pids = pids,
		.nr_pids = nr,
		.tids = o->tids.v,
		.nr_tids = o->tids.nr,
		.no_kernel = !o->kernel,
		.stops = &stop_count,
	};
	_cleanup_(view_done) struct view v = {.options = o, .all.each = o->each || o->json};
	int status = parse_pids(self, words, nr, pids);

	if (status)
		return status;
	if (o->all && (nr || o->tids.nr))
		return say_usage(self, "--all and single processes or threads exclude each other");
	if (!o->all && !nr && !o->tids.nr)
		return say_usage(self, "which process? Its id, or --all");
	return look(&v, &chosen);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.kernel = true};
	const char *words[MAX_PIDS];
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, words, MAX_PIDS, &nr, &status))
		return status;
	status = choose(self, &o, words, nr);
	options_done(options, &o);
	return status;
}

const struct command cmd_stacks = {
	.name = "stacks",
	.summary = "Where the threads of a process stand, without stopping them",
	.arguments = "[options] PID...",
	.phase = PHASE_SETUP,
	.options = options,
	.run = run,
};
