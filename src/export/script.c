/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to the text of perf script, in the form that its readers expect.
 *
 *	comm  pid/tid  [cpu]  seconds.micros:  period event:
 *	\taddress function+0xoffset (module)
 *	\taddress function (inlined)
 *
 * The frames of a sample follow it, the innermost first, and an empty line ends it. stackcollapse-perf.pl accepts at
 * most two words as the name of a task, and takes a number in it for the TID, so blanks become '_', as it does itself;
 * and it misses a name of one letter unless two blanks follow. It and the Firefox Profiler drop functions whose names
 * begin with a parenthesis, hence "{anonymous}". A module must not have blanks. The Firefox Profiler recognizes the
 * kernel by "[kernel.kallsyms]".
 *
 * An occurrence of an event has no period; the fields follow the event's name.
 *
 * An off-CPU interval is a sample of the event "off-cpu" at its end, whose period is its length. Data for which perf
 * has no field is in comments below that line, which readers skip. Above it, the Firefox Profiler would not recognize
 * the file by its first line.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "export/export.h"
#include "export/names.h"
#include "export/samples.h"
#include "report/text.h"
#include "report/model/wakers.h"

static void write_function(FILE *out, const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";

	if (!strncmp(name, anonymous, strlen(anonymous))) {
		fputs("{anonymous}", out);
		name += strlen(anonymous);
	}
	fputs(name, out);
}

static void write_module(FILE *out, const struct names *n, uint32_t frame)
{
	const struct dusk_profile *p = n->labels->profile;
	const struct dusk_frame *f = &p->frames[frame];
	const struct dusk_module *m = &p->modules[f->module];
	const char *kernel = f->function ? n->module[n->labels->of_frame[frame]] : "";

	putc('(', out);
	if (f->is_inlined) {
		fputs("inlined)", out);
		return;
	}
	if (m->kind == DUSK_MODULE_KERNEL)
		text_write(out, *kernel && strcmp(kernel, "[kernel]") ? kernel : "[kernel.kallsyms]", TEXT_PATH);
	else
		text_write(out, f->module && *m->path ? n->path[f->module] : "[unknown]", TEXT_PATH);
	putc(')', out);
}

/* The method follows the module, where readers ignore it. */
static void write_method(FILE *out, const struct dusk_frame *f)
{
	if (f->method != DUSK_BY_NOTHING)
		fprintf(out, " %s", dusk_method_name(f->method));
}

static void write_frame(FILE *out, const struct names *n, uint32_t frame, bool methods)
{
	const struct dusk_frame *f = &n->labels->profile->frames[frame];

	bool has_address = n->labels->profile->modules[f->module].kind != DUSK_MODULE_SOURCE;

	fprintf(out, "\t%16" PRIx64 " ", has_address ? f->address : 0);
	if (f->function) {
		write_function(out, n->function[n->labels->of_frame[frame]]);
		if (!f->is_inlined && has_address)
			fprintf(out, "+0x%" PRIx32, f->function_offset);
	} else {
		fputs("[unknown]", out);
	}
	putc(' ', out);
	write_module(out, n, frame);
	if (methods)
		write_method(out, f);
	putc('\n', out);
}

static void write_interval(FILE *out, const struct dusk_sample *s)
{
	fprintf(out, "# %s %.6f ms, runnable %.6f ms", dusk_state_name(s->state), s->value_ns / 1e6,
		s->runnable_ns / 1e6);
	if (!sample_has_time(s))
		fprintf(out, ", the sum of %" PRIu32, s->count);
	putc('\n', out);
}

/* Comments again, since readers would take the waker's frames for the thread's own. */
static void write_waker(FILE *out, const struct names *n, const struct dusk_waker *by, bool methods)
{
	const struct dusk_profile *p = n->labels->profile;
	const struct dusk_thread *t = &p->threads[by->thread];
	uint32_t end = waker_end(p, by);

	fputs("# woken by ", out);
	text_write(out, waker_name(p, by), TEXT_WORD);
	if (by->kind == DUSK_WAKER_TASK)
		fprintf(out, "  %d/%d", t->pid, t->tid);
	putc('\n', out);
	for (uint32_t at = by->node; at != end; at = p->nodes[at].parent) {
		putc('#', out);
		write_frame(out, n, p->nodes[at].frame, methods);
	}
}

static void write_task(FILE *out, const struct dusk_profile *p, const struct dusk_sample *s)
{
	const struct dusk_thread *t = &p->threads[s->thread];
	const char *comm = *t->comm && *t->comm != '#' ? t->comm : ":";

	text_write(out, comm, TEXT_WORD);
	if (comm != t->comm)
		fprintf(out, "%d", t->tid);
	fprintf(out, "  %5d/%-5d [%03u] %5" PRIu64 ".%06" PRIu64 ": ", t->pid, t->tid, sample_cpu(s),
		s->time_ns / 1000000000, s->time_ns / 1000 % 1000000);
}

static void write_stack(FILE *out, const struct names *n, const struct dusk_sample *s, bool methods)
{
	const struct dusk_profile *p = n->labels->profile;

	if (!s->node) {
		fprintf(out, "\t%16x [no stack: ", 0);
		text_write(out, p->outcomes[s->outcome].name, TEXT_TERMINAL);
		fputs("] ([unknown])\n", out);
	}
	for (uint32_t at = s->node; at; at = p->nodes[at].parent)
		write_frame(out, n, p->nodes[at].frame, methods);
	putc('\n', out);
}

static void write_sample(FILE *out, const struct names *n, const struct dusk_sample *s, const char *event, bool methods)
{
	const struct dusk_profile *p = n->labels->profile;

	write_task(out, p, s);
	fprintf(out, "%10" PRIu64 " ", s->value_ns);
	text_write(out, s->source == DUSK_OFF_CPU ? sources[DUSK_OFF_CPU].name : event, TEXT_WORD);
	fputs(": \n", out);
	if (s->source == DUSK_OFF_CPU)
		write_interval(out, s);
	if (s->waker)
		write_waker(out, n, &p->wakers[s->waker], methods);
	write_stack(out, n, s, methods);
}

static void write_occurrence(FILE *out, const struct names *n, const struct dusk_occurrence *o, bool methods)
{
	const struct dusk_profile *p = n->labels->profile;

	write_task(out, p, &o->sample);
	text_write(out, p->events[o->event].name, TEXT_WORD);
	fputs(": ", out);
	text_write(out, o->fields, TEXT_TERMINAL);
	putc('\n', out);
	write_stack(out, n, &o->sample, methods);
}

int script_write(FILE *out, const struct dusk_profile *p, const struct export_options *how)
{
	const char *event = dusk_profile_setting(p, "event");
	_cleanup_(names_freep) struct names *names = NULL;
	uint64_t i = 0, k = 0;
	int err = names_new(&names, p);

	if (err)
		return err;
	while ((i < p->nr_samples || k < p->nr_occurrences) && !ferror(out)) {
		const struct dusk_sample *sample = i < p->nr_samples ? &p->samples[i] : NULL;
		const struct dusk_occurrence *o = k < p->nr_occurrences ? &p->occurrences[k] : NULL;

		if (sample && sample->source == DUSK_EVENT) {
			i++; /* it is written as an occurrence */
		} else if (o && (!sample || o->sample.time_ns < sample->time_ns)) {
			write_occurrence(out, names, o, how->methods);
			k++;
		} else {
			write_sample(out, names, sample, event ? event : "cpu-clock", how->methods);
			i++;
		}
	}
	return 0;
}
