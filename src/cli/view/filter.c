/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that select samples and stacks. See filter.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/view/filter.h"
#include "report/model/occurrences.h"
#include "report/model/setting.h"
#include "report/text.h"
#include "report/model/wakers.h"

#define EVENTS_LISTED 8

int time_base_choose(const struct command *self, const struct time_base_choice *c, const struct filter_options *f,
		     enum time_base usual, enum time_base *ret)
{
	const char *length = f->min_ns ? "min" : f->ignore_idle ? "ignore-idle" : NULL;

	if (c->cpu + c->off_cpu + c->wall + (c->event != NULL) > 1)
		return say_usage(self, "--cpu, --off-cpu, --wall and --event exclude each other");
	if (c->weight && (c->cpu || c->off_cpu || c->wall))
		return say_usage(self, "--weight %s is about occurrences of an event, which --%s leaves out", c->weight,
				 c->cpu	      ? "cpu"
				 : c->off_cpu ? "off-cpu"
					      : "wall");
	if (length && (c->cpu || c->event))
		return say_usage(self, "--%s is about off-CPU intervals, which --%s leaves out", length,
				 c->cpu ? "cpu" : "event");
	if (length && usual != TIME_BASE_WALL)
		usual = TIME_BASE_OFF_CPU;
	*ret = c->cpu		       ? TIME_BASE_CPU
	       : c->off_cpu	       ? TIME_BASE_OFF_CPU
	       : c->wall	       ? TIME_BASE_WALL
	       : c->event || c->weight ? TIME_BASE_EVENT
				       : usual;
	return STATUS_OK;
}

/* List the events that have occurred: "sched:sched_switch, sched:sched_waking, ...". */
static char *list_events(const struct dusk_profile *p)
{
	_cleanup_(freep) bool *named = calloc(p->nr_events + 1UL, sizeof(*named));
	char *text = NULL;
	size_t size, nr = 0;
	FILE *f = named ? open_memstream(&text, &size) : NULL;

	if (!f)
		return NULL;
	for (uint64_t i = 0; i < p->nr_occurrences; i++) {
		uint32_t event = p->occurrences[i].event;

		if (named[event])
			continue;
		named[event] = true;
		if (nr < EVENTS_LISTED)
			fputs(nr ? ", " : "", f), text_write(f, p->events[event].name, TEXT_TERMINAL);
		nr++;
	}
	if (nr > EVENTS_LISTED)
		fprintf(f, ", and %zu more", nr - EVENTS_LISTED);
	return fclose(f) ? NULL : text;
}

static int refuse_event(const struct dusk_profile *p, const char *path, const char *name)
{
	_cleanup_(freep) char *list = list_events(p);

	if (!p->nr_occurrences)
		say("%s has no occurrences of events; dusk record -e sched:sched_switch records some", path);
	else if (name)
		say("%s has no event %s; of those that were recorded there occurred %s", path, name,
		    list ? list : "others");
	else
		say("%s has several events, choose one with --event: %s", path, list ? list : "dusk info lists them");
	return STATUS_FAILED;
}

/* Say what is left out of occurrences of @event that are weighed by @field; that may be all of them. */
static int say_weighed(const char *event, const char *field, const struct occurrences_weighed *w)
{
	if (w->left_out == w->nr && w->nr) {
		say("no occurrence of %s has a number in '%s'; fields of one: %s", event, field,
		    *w->fields ? w->fields : "none");
		return STATUS_FAILED;
	}
	if (w->left_out)
		say("%" PRIu64 " of %" PRIu64
		    " occurrences are left out: they have no number in '%s', a negative one, or one beyond "
		    "1 TiB",
		    w->left_out, w->nr, field);
	return STATUS_OK;
}

/* Occurrences of @event of @p, weighed by a field, if they are; "count" is no field of most events. */
static int choose_occurrences(struct filtered *ret, const struct dusk_profile *p, uint32_t event, const char *field)
{
	struct occurrences_weighed weighed;
	int err = occurrences_init(ret, p, event, field, &weighed);

	if (!err && field && weighed.left_out == weighed.nr && !strcmp(field, "count")) {
		filtered_done(ret);
		field = NULL;
		err = occurrences_init(ret, p, event, field, &weighed);
	}
	if (err) {
		say("out of memory");
		return STATUS_FAILED;
	}
	return field ? say_weighed(p->events[event].name, field, &weighed) : STATUS_OK;
}

int kind_settle(struct filtered *of_event, const struct dusk_profile **p, const char *path,
		const struct time_base_choice *c, enum time_base *kind)
{
	int64_t event;
	int status;

	*kind = time_base_of(*p, *kind);
	if (*kind != TIME_BASE_EVENT)
		return STATUS_OK;
	event = c->event ? occurrences_find(*p, c->event) : occurrences_only(*p);
	if (event < 0)
		return refuse_event(*p, path, c->event);
	status = choose_occurrences(of_event, *p, event, c->weight);
	if (status)
		return status;
	*p = &of_event->profile;
	return STATUS_OK;
}

const char *wakers_choice(size_t i)
{
	static const char *const numbers[MAX_WAKERS] = {"1", "2", "3", "4", "5", "6", "7", "8"};

	return i < MAX_WAKERS ? numbers[i] : NULL;
}

int wakers_choose(uint32_t *ret, const char *wakers, const struct dusk_profile *p, const char *path)
{
	*ret = wakers ? atoi(wakers) : 0;
	if (!wakers || p->nr_wakers > 1)
		return STATUS_OK;
	say("%s says nothing of wakers; dusk record -e offcpu --wakers records them", path);
	return STATUS_FAILED;
}

int filter_choose(const struct command *self, const struct filter_options *o, struct filter *ret)
{
	const char *names[] = {"focus", "ignore", "hide"}, *regexes[] = {o->focus, o->ignore, o->hide};
	char text[128];

	for (size_t i = 0; i < 3; i++)
		if (regexes[i] && filter_refuse(regexes[i], text, sizeof(text)))
			return say_usage(self, "--%s '%s' is no regular expression: %s", names[i], regexes[i], text);
	ret->focus = o->focus;
	ret->ignore = o->ignore;
	ret->hide = o->hide;
	ret->own = o->own;
	ret->hide_native = !o->native;
	ret->only = (struct selection){
		.comm = o->comm.v,
		.nr_comm = o->comm.nr,
		.dso = o->dso.v,
		.nr_dso = o->dso.nr,
		.pid = o->pid.v,
		.nr_pid = o->pid.nr,
		.tid = o->tid.v,
		.nr_tid = o->tid.nr,
		.state = o->state.v,
		.nr_state = o->state.nr,
		.from_ns = o->time.from_ns,
		.to_ns = o->time.to_ns,
		.last_ns = o->time.last_ns,
		.min_ns = o->min_ns,
		.ignore_idle = o->ignore_idle,
	};
	for (enum thread_label i = 0; i < NR_THREAD_LABELS; i++) {
		ret->only.label[i] = o->label[i].v;
		ret->only.nr_label[i] = o->label[i].nr;
	}
	return STATUS_OK;
}

int filter_before(const struct command *self, const char *text, const char **pattern, struct filter *ret)
{
	const char *is = strchr(text, '=');

	for (enum thread_label i = 0; is && i < NR_THREAD_LABELS; i++) {
		const char *name = thread_label_name(i);

		if (strlen(name) != (size_t)(is - text) || memcmp(name, text, is - text))
			continue;
		*pattern = is + 1;
		ret->only.label[i] = pattern;
		ret->only.nr_label[i] = 1;
		return STATUS_OK;
	}
	return say_usage(self, "--before takes a label and its name, such as version=8a6e*; not '%s'", text);
}

int filter_apply(struct filtered *ret, const struct dusk_profile *p, const struct filter *f)
{
	int err = filtered_init(ret, p, f);

	if (!err)
		return STATUS_OK;
	say("cannot choose stacks: %s", strerror(-err));
	return STATUS_FAILED;
}

static bool selects(const struct filter_options *o)
{
	for (enum thread_label i = 0; i < NR_THREAD_LABELS; i++)
		if (o->label[i].nr)
			return true;
	return o->comm.nr || o->dso.nr || o->state.nr || o->pid.nr || o->tid.nr || o->time.from_ns || o->time.to_ns ||
	       o->time.last_ns || o->min_ns || o->ignore_idle || o->own || o->focus || o->ignore || o->hide;
}

/* Sums of a window have the time of its beginning: why may a range of time within it have nothing? */
static const char *of_windows(const struct dusk_profile *p, char ret[160])
{
	uint64_t ns = setting_u64(p, "window_ns");

	if (!ns)
		return "";
	snprintf(ret, 160, "; samples are summed over windows of %g s, and have the time at which theirs begins",
		 ns / 1e9);
	return ret;
}

int filter_check_empty(const struct filtered *seen, const struct dusk_profile *p, const char *path,
		       const struct filter_options *o, const struct time_base_choice *c, char *const *argv)
{
	_cleanup_(freep) char *words = NULL;
	char text[160];
	size_t size;
	FILE *f;

	if (seen->profile.nr_samples || seen->profile.nr_occurrences)
		return STATUS_OK;
	if ((c && c->off_cpu) || o->min_ns || o->ignore_idle)
		if (!time_base_has_any(p, DUSK_OFF_CPU)) {
			say("%s has no off-CPU intervals; dusk record -e cpu,offcpu records them", path);
			return STATUS_NOTHING;
		}
	if (c && c->cpu && !time_base_has_any(p, DUSK_CPU)) {
		say("%s has no samples of CPU time; dusk record -e cpu,offcpu records them", path);
		return STATUS_NOTHING;
	}
	if (!selects(o))
		return STATUS_OK;
	f = open_memstream(&words, &size);
	for (; f && *argv; argv++)
		fprintf(f, " %s", *argv);
	if (f)
		fclose(f);
	say("nothing in %s matches: dusk%s%s", path, words ? words : "",
	    o->time.from_ns || o->time.to_ns || o->time.last_ns ? of_windows(p, text) : "");
	return STATUS_NOTHING;
}
