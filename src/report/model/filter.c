/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Select the stacks of a profile, and the functions in them, that a view shows. See filter.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/model/expression.h"
#include "report/model/filter.h"
#include "report/model/native.h"
#include "report/model/setting.h"
#include "report/model/synthetic.h"
#include "report/model/label.h"

enum { MET_FOCUS = 1, MET_IGNORE = 2, MET_HIDE = 4 };

struct sieve {
	const struct dusk_profile *profile;
	const struct filter *filter;
	const struct dusk_profile *whole; /* as it was recorded */
	struct labels *labels;
	unsigned char *label_met; /* by label: MET_... */
	unsigned char *place_met; /* by place: MET_... of its frame and of all its callers */
	uint32_t *shown;	  /* by place: itself, or the nearest caller that is not hidden; 0: none */
	bool *synthetic;	  /* by node */
	bool *left;		  /* by place: it, or a caller, is shown and not synthetic */
};

const char *filter_refuse(const char *regex, char *text, size_t size)
{
	regex_t compiled;

	if (expression_compile(&compiled, regex, text, size))
		return text;
	regfree(&compiled);
	return NULL;
}

static int match(struct sieve *s, const char *regex, unsigned char bit)
{
	regex_t compiled;
	char text[128];
	int err;

	if (!regex)
		return 0;
	err = expression_compile(&compiled, regex, text, sizeof(text));
	if (err)
		return err;
	for (uint32_t i = 0; i < s->labels->names.nr; i++)
		if (!regexec(&compiled, label_function(s->labels, i), 0, NULL, 0) ||
		    !regexec(&compiled, label_module(s->labels, i), 0, NULL, 0))
			s->label_met[i] |= bit;
	regfree(&compiled);
	return 0;
}

/* Is @module the name of a shared library: libc.so.6, libfoo.so, [vdso]? */
static bool is_library(const char *module)
{
	const char *so = strstr(module, ".so");

	while (so && so[3] && so[3] != '.')
		so = strstr(so + 3, ".so");
	return so || !strcmp(module, "[vdso]");
}

/* Does @path begin with one of these, up to a NULL? */
static bool begins_with(const char *path, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (!strncmp(path, *beginnings, strlen(*beginnings)))
			return true;
	return false;
}

/*
 * Is the source file @path of a language's own library, or of a package that was installed? Those of PHP are in vendor/, by Composer. Files of Java are
 * in the folders of their package; what has no file is the runtime's, as of V8.
 */
static bool is_library_source(const char *path)
{
	static const char *const beginnings[] = {"<frozen ", "<internal:", "phar://", "java/", "javax/",       "jdk/",
						 "sun/",     "com/sun/",   "[java]",  "node:", "[javascript]", NULL};
	static const char *const folders[] = {
		"/lib/python3",	 "/lib64/python3",  "/site-packages/", "/dist-packages/",
		"/vendor/",	 "/usr/share/php/", "/node_modules/",  "/usr/share/nodejs/",
		"/perl/5.",	 "/perl5/",	    "/perl-base/",     "/site_perl/",
		"/vendor_perl/", "/lib/ruby/",	    "/gems/",	       "/rubygems-integration/"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strstr(path, folders[i]))
			return true;
	return begins_with(path, beginnings);
}

/* Files in different folders may have the same label: one of the user's own is enough. */
static void match_foreign_sources(struct sieve *s)
{
	const struct dusk_profile *p = s->profile;

	for (int own = 0; own < 2; own++)
		for (uint32_t i = 1; i < p->nr_frames; i++) {
			const struct dusk_module *m = &p->modules[p->frames[i].module];
			uint32_t label = s->labels->of_frame[i];

			if (m->kind != DUSK_MODULE_SOURCE || is_library_source(m->path) == own)
				continue;
			if (own)
				s->label_met[label] &= ~MET_HIDE;
			else
				s->label_met[label] |= MET_HIDE;
		}
}

/* An interpreter is not the user's own, also if it is the program itself. */
static int match_interpreters(struct sieve *s)
{
	_cleanup_(freep) bool *interprets = calloc(s->whole->nr_modules + 1UL, sizeof(*interprets));

	if (!interprets)
		return -ENOMEM;
	native_interpreters(s->whole, interprets);
	for (uint32_t i = 1; i < s->profile->nr_frames; i++)
		if (interprets[s->profile->frames[i].module])
			s->label_met[s->labels->of_frame[i]] |= MET_HIDE;
	return 0;
}

static int match_foreign(struct sieve *s)
{
	for (uint32_t i = 0; i < s->labels->names.nr; i++)
		if (s->labels->kernel[i] || is_library(label_module(s->labels, i)))
			s->label_met[i] |= MET_HIDE;
	match_foreign_sources(s);
	return match_interpreters(s);
}

static int match_labels(struct sieve *s)
{
	int err = labels_new(&s->labels, s->profile, LABEL_FUNCTION);

	if (err)
		return err;
	s->label_met = calloc(s->labels->names.nr + 1, sizeof(*s->label_met));
	if (!s->label_met)
		return -ENOMEM;
	if (s->filter->own)
		err = match_foreign(s);
	if (!err)
		err = match(s, s->filter->focus, MET_FOCUS);
	if (!err)
		err = match(s, s->filter->ignore, MET_IGNORE);
	return err ? err : match(s, s->filter->hide, MET_HIDE);
}

/* One pass is enough: callers have smaller numbers than what they call. */
static int match_places(struct sieve *s, struct dusk_node *nodes)
{
	const struct dusk_profile *p = s->profile;
	uint32_t nr = nr_places(p);

	s->place_met = calloc((size_t)nr + 1, sizeof(*s->place_met));
	s->shown = calloc((size_t)nr + 1, sizeof(*s->shown));
	s->left = calloc((size_t)nr + 1, sizeof(*s->left));
	s->synthetic = synthetic_nodes(p);
	if (!s->place_met || !s->shown || !s->left || !s->synthetic)
		return -ENOMEM;
	for (uint32_t i = 1; i < nr; i++) {
		uint32_t parent = place_parent(p, i);
		unsigned char met = s->label_met[place_label(s->labels, i)];

		s->place_met[i] = met | s->place_met[parent];
		s->shown[i] = met & MET_HIDE ? s->shown[parent] : i;
		s->left[i] = s->left[parent] || (!(met & MET_HIDE) && (i >= p->nr_nodes || !s->synthetic[i]));
		if (i < p->nr_nodes)
			nodes[i].parent = s->shown[parent];
	}
	return 0;
}

/* Is @sample kept? If so, set its node to the innermost one that is shown. */
static bool keep(const struct sieve *s, struct dusk_sample *sample)
{
	uint32_t place = place_of(s->profile, sample);

	if (s->filter->focus && !(s->place_met[place] & MET_FOCUS))
		return false;
	if (s->place_met[place] & MET_IGNORE || !s->left[place])
		return false;
	if (sample->node)
		sample->node = s->shown[place];
	return true;
}

static void choose(const struct sieve *s, struct filtered *f)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < f->profile.nr_samples; i++)
		if (keep(s, &f->samples[i]))
			f->samples[nr++] = f->samples[i];
	f->profile.nr_samples = nr;
	nr = 0;
	for (uint64_t i = 0; i < f->profile.nr_occurrences; i++)
		if (keep(s, &f->occurrences[i].sample))
			f->occurrences[nr++] = f->occurrences[i];
	f->profile.nr_occurrences = nr;
}

int filtered_own_column(void **column, void **view, size_t nr, size_t more, size_t size)
{
	void *copy;

	if (*column && !more)
		return 0;
	copy = realloc(*column, (nr + more + 1) * size);
	if (!copy)
		return -ENOMEM;
	if (!*column && nr)
		memcpy(copy, *view, nr * size);
	memset((char *)copy + nr * size, 0, (more + 1) * size);
	*column = *view = copy;
	return 0;
}

/* Is @s kept by all but its stack? Adds it to the sums of its source, also if it is not of @kind. */
static bool select_sample(struct filtered *f, const struct selector *is, const struct dusk_sample *s,
			  enum time_base kind)
{
	struct dusk_sample part = *s;
	bool kept = selector_has(is, s);
	struct amount a;

	selection_cut(is->selection, &part);
	a = amount_of(&part);
	if (kept)
		amount_add(s->source == DUSK_OFF_CPU ? &f->off_cpu : &f->cpu, &a);
	else if (selector_is_idle(is, s))
		amount_add(&f->idle, &a);
	return kept && time_base_has(kind, s->source);
}

static int select_samples(struct filtered *f, const struct selector *is, enum time_base kind)
{
	struct dusk_profile *p = &f->profile;
	uint64_t nr = 0, i;

	while (nr < p->nr_samples && select_sample(f, is, &p->samples[nr], kind))
		nr++;
	if (nr == p->nr_samples)
		return 0;
	if (filtered_own(f, samples, p->nr_samples, 0))
		return -ENOMEM;
	for (i = nr + 1; i < p->nr_samples; i++)
		if (select_sample(f, is, &p->samples[i], kind))
			f->samples[nr++] = p->samples[i];
	p->nr_samples = nr;
	return 0;
}

static int select_occurrences(struct filtered *f, const struct selector *is, enum time_base kind)
{
	struct dusk_profile *p = &f->profile;
	uint64_t nr = 0;

	if (kind != TIME_BASE_WALL && kind != TIME_BASE_EVENT)
		p->nr_occurrences = 0;
	if (filtered_own(f, occurrences, p->nr_occurrences, 0))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		if (selector_has(is, &p->occurrences[i].sample))
			f->occurrences[nr++] = p->occurrences[i];
	p->nr_occurrences = nr;
	return 0;
}

static int select_all(struct filtered *f, const struct selection *only, enum time_base kind)
{
	_cleanup_(selector_done) struct selector is = {0};

	return selector_init(&is, &f->profile, only) ?: select_samples(f, &is, kind) ?: select_occurrences(f, &is, kind);
}

/* Keep samples by the module of their innermost frame, and cut off-CPU intervals to the range of time. */
static int select_modules(struct filtered *f, const struct selection *only)
{
	_cleanup_(freep) bool *place = NULL;
	struct dusk_profile *p = &f->profile;
	uint64_t nr = 0;
	int err = selection_places(&place, p, only) ?: filtered_own(f, samples, p->nr_samples, 0);

	if (err)
		return err;
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		selection_cut(only, &f->samples[i]);
		if (!place || place[place_of(p, &f->samples[i])])
			f->samples[nr++] = f->samples[i];
	}
	p->nr_samples = nr;
	nr = 0;
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		if (!place || place[place_of(p, &f->occurrences[i].sample)])
			f->occurrences[nr++] = f->occurrences[i];
	p->nr_occurrences = nr;
	return 0;
}

/* Remove scheduler functions at the inner end of off-CPU stacks. A stack of nothing else is kept as it is. */
static int trim(struct filtered *f)
{
	struct dusk_profile *p = &f->profile;
	_cleanup_(freep) bool *scheduler = calloc((size_t)p->nr_frames + 1, sizeof(*scheduler)); /* by frame */

	if (!scheduler || filtered_own(f, samples, p->nr_samples, 0))
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_frames; i++)
		scheduler[i] = p->modules[p->frames[i].module].kind == DUSK_MODULE_KERNEL &&
			       is_scheduler(p->functions[p->frames[i].function].name);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = f->samples[i].node;

		while (node && scheduler[p->nodes[node].frame])
			node = p->nodes[node].parent;
		if (node && f->samples[i].source == DUSK_OFF_CPU)
			f->samples[i].node = node;
	}
	return 0;
}

static int sift(struct filtered *f, const struct filter *filter, const struct dusk_profile *whole)
{
	struct sieve s = {.profile = &f->profile, .filter = filter, .whole = whole};
	int err = match_labels(&s);

	if (!err)
		err = filtered_own(f, nodes, f->profile.nr_nodes, 0);
	if (!err)
		err = filtered_own(f, samples, f->profile.nr_samples, 0);
	if (!err)
		err = filtered_own(f, occurrences, f->profile.nr_occurrences, 0);
	if (!err)
		err = match_places(&s, f->nodes);
	if (!err)
		choose(&s, f);
	labels_free(s.labels);
	free(s.label_met);
	free(s.place_met);
	free(s.shown);
	free(s.left);
	free(s.synthetic);
	return err;
}

/* When does the last @last_ns of the recording begin? */
static uint64_t begin_of_last(const struct dusk_profile *p, uint64_t last_ns)
{
	uint64_t end_ns = setting_u64(p, "duration_ns");

	if (!end_ns && p->nr_samples) /* it was not ended, or not yet */
		end_ns = p->samples[p->nr_samples - 1].time_ns;
	return end_ns > last_ns ? end_ns - last_ns : 0;
}

/* What is idle is known by all intervals, of which @f may have a part; trim() changes no place in a program. */
static int mark(struct filtered *f, const struct dusk_profile *whole, bool idle_marks)
{
	_cleanup_(idle_freep) struct idle *idle = NULL;
	int err = idle_marks ? idle_new(&idle, whole) : 0;

	return err ?: synthetic_marks(f, idle);
}

int filtered_init(struct filtered *ret, const struct dusk_profile *p, const struct filter *f)
{
	enum time_base kind = time_base_of(p, f->kind);
	struct selection only = f->only;
	int err;

	if (only.last_ns)
		only.from_ns = begin_of_last(p, only.last_ns);
	*ret = (struct filtered){.profile = *p};
	err = select_all(ret, &only, kind);
	if (!err && f->hide_native)
		err = native_hide(ret);
	if (!err && f->trim && time_base_has(kind, DUSK_OFF_CPU))
		err = trim(ret);
	if (!err && f->marks)
		err = mark(ret, p, f->idle_marks);
	if (!err && f->wakers)
		err = synthetic_wakers(ret, p, f->wakers, f->waker_processes);
	if (!err && (f->focus || f->ignore || f->hide || f->own))
		err = sift(ret, f, p);
	if (!err && (only.nr_dso || only.from_ns || only.to_ns))
		err = select_modules(ret, &only);
	return err;
}

void filtered_done(struct filtered *f)
{
	free(steal(f->marks));
	strings_done(&f->processes);
	free(steal(f->functions));
	free(steal(f->frames));
	free(steal(f->nodes));
	free(steal(f->samples));
	free(steal(f->occurrences));
	free(steal(f->event_name));
}
