/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turn perf's records into a profile. See import.h. */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/offcpu.h"
#include "abi/outcome.h"
#include "lib/record/import.h"
#include "lib/process/made_memory.h"
#include "lib/profile/file/schema.h"

#define RECORDS_A_LOOK 4096 /* between two calls of stop(), and of profile_commit() */

/* Marks in stacks, PERF_CONTEXT_KERNEL and so on: they say to what the frames after them belong. */
#define MARK_KERNEL ((uint64_t)-128)
#define MARK_USER ((uint64_t)-512)
#define MARK_USER_DEFERRED ((uint64_t)-640)
#define FIRST_MARK ((uint64_t)-4095)

static bool is_vdso(const char *path)
{
	return !strcmp(path, "[vdso]");
}

/*
 * If this is another boot, another process may have the number by now: 0, so that no JIT map of this machine is used.
 */
static uint32_t anon_module(struct import *im, uint32_t pid)
{
	struct dusk_module m = {
		.kind = DUSK_MODULE_ANON, .pid = im->same_boot ? pid : 0, .path = "[anon]", .build_id = ""};

	return profile_module(im->writer, &m);
}

/* Find the build id of @path in the file's list. */
static int known_build_id(struct import *im, const char *path, const char **ret)
{
	uint32_t number;

	if (strings_number(&im->paths, path, strlen(path), &number, NULL))
		return -ENOMEM;
	*ret = number < im->build_ids.nr ? im->data->build_ids[im->build_ids.v[number]].text : "";
	return 0;
}

static void file_module(struct import *im, const struct perfdata_record *r, const char *build_id, uint32_t *ret)
{
	struct dusk_module m = {
		.kind = is_vdso(r->text) ? DUSK_MODULE_VDSO : DUSK_MODULE_FILE,
		.pid = r->pid,
		.path = r->text,
		.build_id = build_id,
	};

	/* Inode numbers mean something on one machine only. */
	if (im->same_boot && m.kind == DUSK_MODULE_FILE) {
		m.dev = r->dev;
		m.ino = r->ino;
		m.generation = r->generation;
	}
	*ret = profile_module(im->writer, &m);
}

static int take_map(struct import *im, const struct perfdata_record *r)
{
	struct process_map m = {.start = r->start, .end = r->start + r->bytes, .offset = r->offset};
	const char *build_id = r->build_id;

	if (r->mode == PERFDATA_KERNEL || r->mode >= PERFDATA_HYPERVISOR || r->pid > INT_MAX || m.end < m.start)
		return 0;
	if (!is_vdso(r->text) && made_memory(r->text, r->flags & MAP_SHARED)) {
		m.what = anon_module(im, r->pid);
		m.offset = m.start;
	} else {
		if (!*build_id && known_build_id(im, r->text, &build_id))
			return -ENOMEM;
		file_module(im, r, build_id, &m.what);
	}
	return processes_map(&im->processes, r->pid, &m) ?: import_walk_take(im, r, build_id);
}

/* Store the frames of @r in im->kernel_ips and im->user_ips, and in *@cookie that of a deferred user stack, or 0. */
static int split(struct import *im, const struct perfdata_record *r, uint64_t *cookie)
{
	enum perfdata_mode mode = r->mode;
	const uint64_t *ips = r->nr_ips ? r->ips : &r->address;
	uint64_t nr = r->nr_ips ?: r->address != 0;
	int rc = 0;

	im->kernel_ips.nr = im->user_ips.nr = 0;
	im->are_calls = false;
	*cookie = 0;
	for (uint64_t i = 0; i < nr && !rc; i++) {
		if (ips[i] == MARK_USER_DEFERRED && i + 1 < nr) {
			*cookie = ips[++i];
			mode = PERFDATA_USER;
		} else if (ips[i] >= FIRST_MARK) {
			mode = ips[i] == MARK_KERNEL ? PERFDATA_KERNEL
			       : ips[i] == MARK_USER ? PERFDATA_USER
						     : PERFDATA_UNKNOWN;
		} else if (mode == PERFDATA_KERNEL) {
			rc = vec_push(&im->kernel_ips, ips[i]);
		} else if (mode == PERFDATA_USER) {
			rc = vec_push(&im->user_ips, ips[i]);
		} else {
			im->foreign++;
		}
	}
	return rc;
}

/*
 * A stack of calls that the CPU kept (perf record --call-graph lbr) takes the place of what frame pointers tell of user mode:
 * where the task was, and where each call is, the innermost first. Returns 0 or -ENOMEM.
 */
static int take_call_stack(struct import *im, const struct perfdata_record *r)
{
	int rc = 0;

	if (!r->nr_branches || !(r->event->branch_type & PERF_SAMPLE_BRANCH_CALL_STACK))
		return 0;
	if (!im->user_ips.nr)
		rc = vec_push(&im->user_ips, r->branches[0].to);
	im->user_ips.nr = 1;
	im->are_calls = true;
	for (uint64_t i = 0; i < r->nr_branches && !rc; i++)
		rc = vec_push(&im->user_ips, r->branches[i].from);
	return rc;
}

uint32_t import_frame(struct import *im, uint32_t pid, uint64_t ip, bool is_return)
{
	const struct process_map *m = processes_find(&im->processes, pid, ip - (is_return && ip));

	if (m)
		return profile_frame(im->writer, m->what, ip - m->start + m->offset, is_return, DUSK_BY_NOTHING);
	im->unmapped++;
	return profile_frame(im->writer, anon_module(im, pid), ip, is_return, DUSK_BY_NOTHING);
}

/* @are_calls: the callers' places are calls, not where these return to. */
static uint32_t user_node(struct import *im, uint32_t pid, const uint64_t *ips, uint64_t nr, bool are_calls)
{
	uint32_t node = 0;

	while (nr--)
		node = profile_node(im->writer, node, import_frame(im, pid, ips[nr], nr > 0 && !are_calls));
	return node;
}

static uint32_t kernel_on(struct import *im, uint32_t node, const uint64_t *ips, uint64_t nr)
{
	while (nr--)
		node = profile_node(im->writer, node,
				    profile_frame(im->writer, im->kernel, ips[nr], nr > 0, DUSK_BY_NOTHING));
	return node;
}

/*
 * perf does not say how the walk of a user stack ended. If there is no stack and nothing is mapped, nothing is missing.
 */
static uint8_t outcome_of(struct import *im, uint32_t pid, uint32_t user)
{
	if (user)
		return NOT_REPORTED;
	return processes_has_maps(&im->processes, pid) ? NOT_GIVEN : KERNEL_THREAD;
}

static uint64_t at_most(uint64_t value, uint64_t max)
{
	return value < max ? value : max;
}

static uint64_t weight_of(const struct import_use *use, const struct perfdata_record *r)
{
	uint64_t each = use->each_ns;

	if (use->in_ns || !each || !r->event->periods)
		return each && !use->in_ns ? each : at_most(r->period, PROFILE_MAX_NS);
	return at_most((__uint128_t)r->period * each * r->event->samples / r->event->periods, PROFILE_MAX_NS);
}

/* Return the sample without node and outcome. */
static struct dusk_sample sample_of(struct import *im, const struct import_use *use, const struct perfdata_record *r)
{
	const struct perfdata *d = im->data;
	uint64_t time = r->time_ns >= PERFDATA_SUM_NS ? d->last_ns : r->time_ns;
	struct dusk_sample s = {
		.time_ns = time > d->first_ns ? at_most(time - d->first_ns, PROFILE_MAX_NS) : 0,
		.value_ns = weight_of(use, r),
		.count = 1,
		.cpu = at_most(r->cpu, DUSK_NO_CPU),
	};
	const char *name = processes_name_of(&im->processes, r->tid);
	char number[16];

	snprintf(number, sizeof(number), r->tid ? ":%u" : "swapper", r->tid);
	s.thread = profile_thread(im->writer, r->pid, r->tid, *name ? name : number);
	if (use->as == IMPORT_TICKS) {
		s.value_ns = s.value_ns == im->period_ns ? 0 : s.value_ns; /* 0: the period of the profile */
		return s;
	}
	s.source = DUSK_OFF_CPU;
	s.state = OFFCPU_NOT_REPORTED;
	if (r->time_ns >= PERFDATA_SUM_NS)
		s.cpu = DUSK_NO_CPU;
	else if (s.cpu == DUSK_NO_CPU)
		s.cpu = 0; /* without a CPU it would be a sum */
	return s;
}

static void put(struct import *im, struct dusk_sample *s, uint32_t node, uint8_t outcome)
{
	s->node = node;
	s->outcome = outcome;
	im->samples += s->source == DUSK_CPU;
	im->intervals += s->source == DUSK_OFF_CPU;
	profile_sample(im->writer, s);
}

/* Return the head of the list of samples that wait for @cookie of @tid. NULL: out of memory. */
static uint32_t *waiting_for(struct import *im, uint32_t tid, uint64_t cookie)
{
	struct {
		uint64_t cookie, tid;
	} key = {cookie, tid};
	uint32_t number;

	if (strings_number(&im->cookies, &key, sizeof(key), &number, NULL))
		return NULL;
	if (number == im->heads.nr && vec_push(&im->heads, 0))
		return NULL;
	return number < im->heads.nr ? &im->heads.v[number] : NULL;
}

static int wait_for(struct import *im, const struct dusk_sample *s, const struct perfdata_record *r, uint64_t cookie)
{
	uint32_t *head = waiting_for(im, r->tid, cookie);
	struct import_waiting w = {.sample = *s, .pid = r->pid, .nr_kernel = im->kernel_ips.nr};

	if (!head || im->waiting.nr >= UINT32_MAX - 1)
		return -ENOMEM;
	w.next = *head;
	if (w.nr_kernel) {
		w.kernel = malloc(w.nr_kernel * sizeof(*w.kernel));
		if (!w.kernel)
			return -ENOMEM;
		memcpy(w.kernel, im->kernel_ips.v, w.nr_kernel * sizeof(*w.kernel));
	}
	if (vec_push(&im->waiting, w)) {
		free(w.kernel);
		return -ENOMEM;
	}
	*head = im->waiting.nr;
	return 0;
}

/* The user stack for @w has come: write the sample. */
static void come(struct import *im, struct import_waiting *w, uint32_t user, uint8_t outcome)
{
	put(im, &w->sample, kernel_on(im, user, w->kernel, w->nr_kernel), outcome);
	free(w->kernel);
	w->kernel = NULL;
	w->pid = UINT32_MAX; /* no process: it does not wait any more */
}

static int take_deferred(struct import *im, const struct perfdata_record *r)
{
	uint32_t *head = waiting_for(im, r->tid, r->cookie), user;

	if (!head)
		return -ENOMEM;
	if (!*head || r->pid > INT_MAX)
		return 0;
	user = user_node(im, r->pid, r->ips, r->nr_ips, false);
	for (uint32_t at = *head; at; at = im->waiting.v[at - 1].next)
		come(im, &im->waiting.v[at - 1], user, outcome_of(im, r->pid, user));
	*head = 0;
	return 0;
}

static int take_sample(struct import *im, const struct perfdata_record *r)
{
	const struct import_use *use = &im->uses[r->event - im->data->events];
	struct dusk_sample s;
	uint64_t cookie;
	uint8_t outcome = NOT_GIVEN;
	uint32_t user = 0;

	if (use->as == IMPORT_LEFT_OUT) {
		im->left_out++;
		return 0;
	}
	if (r->pid > INT_MAX || r->tid > INT_MAX) {
		im->refused++;
		return 0;
	}
	if (split(im, r, &cookie) || take_call_stack(im, r))
		return -ENOMEM;
	s = sample_of(im, use, r);
	if (cookie)
		return wait_for(im, &s, r, cookie);
	if (r->event->regs_user && s.source == DUSK_CPU)
		outcome = import_walk_run(im, r, &user);
	if (!user) {
		user = user_node(im, r->pid, im->user_ips.v, im->user_ips.nr, im->are_calls);
		outcome = user || !r->event->regs_user ? outcome_of(im, r->pid, user) : outcome;
	}
	put(im, &s, kernel_on(im, user, im->kernel_ips.v, im->kernel_ips.nr), outcome);
	return 0;
}

int import_record(void *import, const struct perfdata_record *r)
{
	struct import *im = import;

	if (++im->records % RECORDS_A_LOOK == 0) {
		int rc = im->stop && im->stop(im->ctx) ? -ECANCELED : profile_commit(im->writer, NULL);

		if (rc)
			return rc;
	}
	switch (r->kind) {
	case PERFDATA_SAMPLE: return take_sample(im, r);
	case PERFDATA_DEFERRED: return take_deferred(im, r);
	case PERFDATA_MAP: return take_map(im, r);
	case PERFDATA_NAME:
		return processes_name(&im->processes, r->pid, r->tid, r->text, r->exec) ?: import_walk_take(im, r, "");
	case PERFDATA_FORK:
		return processes_fork(&im->processes, &(struct process_fork){r->pid, r->tid, r->ppid, r->ptid, r->exec})
			       ?: import_walk_take(im, r, "");
	case PERFDATA_LOST: im->lost += r->lost; return 0;
	default: return 0;
	}
}

int import_end(struct import *im)
{
	for (size_t i = 0; i < im->waiting.nr; i++) {
		if (im->waiting.v[i].pid == UINT32_MAX)
			continue;
		come(im, &im->waiting.v[i], 0, PENDING);
		im->pending++;
	}
	return profile_commit(im->writer, NULL);
}

void import_done(struct import *im)
{
	for (size_t i = 0; i < im->waiting.nr; i++)
		free(im->waiting.v[i].kernel);
	vec_done(&im->waiting);
	vec_done(&im->heads);
	vec_done(&im->kernel_ips);
	vec_done(&im->user_ips);
	strings_done(&im->cookies);
	strings_done(&im->paths);
	vec_done(&im->build_ids);
	import_walk_done(im);
	processes_done(&im->processes);
	free(im->uses);
}
