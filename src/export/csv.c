/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to comma-separated values (RFC 4180): a row for each sample.
 *
 * The stack is the last common column: its functions from the outermost to the innermost, separated by ';', which
 * becomes ':' in names. If there are off-CPU intervals, three columns follow that only they have: the state, the
 * nanoseconds that the thread was runnable, and the number of off-CPU intervals in a sum.
 */
#include <errno.h>
#include <inttypes.h>
#include "base/cleanup.h"
#include "export/export.h"
#include "export/names.h"
#include "export/samples.h"
#include "report/text.h"

struct writer {
	const struct dusk_profile *profile;
	struct names *names;
	FILE *out;
	struct path path;
	bool intervals;
};

/* Write a part of a quoted field. */
static void put_piece(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '"')
			putc('"', out);
		putc(*name == ';' ? ':' : *name, out);
	}
}

static int put_stack(struct writer *w, const struct dusk_sample *s)
{
	if (path_to(&w->path, w->profile, s->node))
		return -ENOMEM;
	putc('"', w->out);
	for (size_t i = w->path.nr; i > 0; i--) {
		const char *name = w->names->function[place_label(w->names->labels, w->path.v[i - 1])];

		if (i == w->path.nr && text_is_formula(name))
			putc('\'', w->out);
		put_piece(w->out, name);
		if (i > 1)
			putc(';', w->out);
	}
	putc('"', w->out);
	return 0;
}

static void put_text(FILE *out, const char *text)
{
	putc(',', out);
	text_csv(out, text);
}

static int put_sample(struct writer *w, const struct dusk_sample *s)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_thread *t = &p->threads[s->thread];
	uint32_t label = place_label(w->names->labels, place_of(p, s));
	int err;

	fprintf(w->out, "%" PRIu64 ",%d,%d", s->time_ns, t->pid, t->tid);
	put_text(w->out, w->names->thread[s->thread]);
	putc(',', w->out);
	if (s->cpu != DUSK_NO_CPU)
		fprintf(w->out, "%u", s->cpu);
	fprintf(w->out, ",%s,%" PRIu64, sources[sample_source(s)].name, s->value_ns);
	put_text(w->out, p->outcomes[s->outcome].name);
	put_text(w->out, w->names->function[label]);
	put_text(w->out, w->names->module[label]);
	putc(',', w->out);
	err = put_stack(w, s);
	if (w->intervals && s->source == DUSK_OFF_CPU)
		fprintf(w->out, ",%s,%" PRIu64 ",%" PRIu32, dusk_state_name(s->state), s->runnable_ns, s->count);
	else if (w->intervals)
		fputs(",,,", w->out);
	fputs("\r\n", w->out);
	return err;
}

int csv_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	struct writer w = {.profile = p, .out = out, .intervals = samples_have(p, DUSK_OFF_CPU)};
	int err = names_new(&names, p);

	if (err)
		return err;
	w.names = names;
	fprintf(out, "time_ns,pid,tid,comm,cpu,source,value_ns,outcome,function,module,stack%s\r\n",
		w.intervals ? ",state,runnable_ns,count" : "");
	for (uint64_t i = 0; i < p->nr_samples && !err && !ferror(out); i++)
		err = put_sample(&w, &p->samples[i]);
	vec_done(&w.path);
	return err;
}
