/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Name the frames of a profile.
 *
 * It goes module by module, so that each file is opened once. Files and the vDSO are named by their symfile
 * (symfile.h), memory without a file by what its JIT wrote (jits.h), and the kernel by /proc/kallsyms
 * (ksyms.h) or, in another boot, by its image. A file is used only if it is the recorded one (module_file.h). A frame
 * that cannot be named keeps function 0; a frame that has a name keeps it.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/name.h"
#include "base/path.h"
#include "lib/symbols/cache.h"
#include "lib/symbols/confined.h"
#include "lib/symbols/elfread.h"
#include "lib/error.h"
#include "lib/options.h"
#include "lib/process/identity.h"
#include "lib/profile/read/read.h"
#include "lib/symbols/module_file.h"
#include "lib/symbols/servers.h"
#include "lib/symbols/symbols.h"
#include "lib/symbols/symbolizer.h"
#include "lib/symbols/symfile.h"

#define MAX_SPENT_S 60 /* on reading files that are not in the cache, in total */

static int stop_reading(void *ctx)
{
	return symbolizer_stop(ctx);
}

/* Open the recorded file of module @i. *@other: see module_file_open(). */
int symbolizer_open(const struct symbolizer *s, uint32_t i, char **other)
{
	const struct dusk_module *m = &s->p->modules[i];
	int fd = s->opts->module_fd && s->opts->module_fd[i] >= 0 ? fcntl(s->opts->module_fd[i], F_DUPFD_CLOEXEC, 3)
								  : -1;

	*other = NULL;
	if (fd >= 0 && identity_recorded(m, fd))
		return fd;
	closep(&fd);
	return module_file_open(m, dusk_profile_setting(s->p, "kernel"), other);
}

/* Add the functions at @address with their source lines. The last one is the function of the frame itself. */
static int add_lines(struct symbolizer *s, struct dusk_frame *f, const struct symfile_place *places, size_t nr,
		     const char *module)
{
	f->first_line = s->lines.nr;
	for (size_t i = 0; i < nr; i++) {
		struct dusk_line line = {f->function, places[i].line, strings_intern(s->strings, places[i].file)};
		const char *name = *places[i].function ? places[i].function : "[inlined]";

		if (!line.file || (i + 1 < nr && symbolizer_function(s, name, module, &line.function)) ||
		    vec_push(&s->lines, line))
			return -ENOMEM;
	}
	f->nr_lines = nr;
	return 0;
}

/*
 * Name @f, which has its code at @address, by its symbol, its debug information, or the file offset of its beginning.
 */
static int name_code(struct symbolizer *s, struct dusk_frame *f, const struct symfile *symfile, const char *module,
		     uint64_t address)
{
	struct symfile_place places[SYMFILE_PLACES];
	size_t nr = s->opts->no_lines ? 0 : symfile_places(symfile, address, places);
	char unnamed[NAME_MAX + 32];
	const char *symbol;
	uint64_t start;
	int rc;

	f->address = address + f->is_return;
	symbol = symfile_find(symfile, address, &start);
	if (!symbol && symfile_find_unnamed(symfile, address, &start)) {
		snprintf(unnamed, sizeof(unnamed), "%s+0x%" PRIx64, module, f->offset - (f->address - start));
		symbol = nr && *places[nr - 1].function ? places[nr - 1].function : unnamed;
	}
	if (!symbol)
		return 0;
	rc = symbolizer_name(s, f, symbol, module, start);
	return rc || !nr ? rc : add_lines(s, f, places, nr, module);
}

/* Debug information may have been installed since the file was looked up without. */
static bool may_have_more(const struct symbolizer *s, const struct symfile *symfile, const char *build_id)
{
	return !symfile_has_units(symfile) &&
	       ((!s->opts->no_servers && servers_named()) || symbols_installed(build_id));
}

static const char *cache_of(const struct symbolizer *s, const struct dusk_module *m)
{
	return *m->build_id ? s->opts->cache : NULL;
}

/* Return whether @symfile has enough for the frames of @g. */
static bool suffices(const struct symbolizer *s, const struct symfile *symfile, const struct group *g)
{
	if (!symfile_has_file(symfile))
		return false;
	for (uint32_t i = 0; i < g->nr && !s->opts->no_lines; i++) {
		uint64_t address;

		if (!symfile_address(symfile, group_place(s, g, i), &address) && symfile_lacks(symfile, address))
			return false;
	}
	return true;
}

static void note_late(struct symbolizer *s, const char *path)
{
	s->first_late = s->late++ ? s->first_late : path;
}

static void note_broken(struct symbolizer *s, const char *path)
{
	s->first_broken = s->broken++ ? s->first_broken : path;
}

static void note_apart(struct symbolizer *s, const char *path, uint64_t units)
{
	s->first_apart = s->apart ? s->first_apart : path;
	s->apart += units;
}

/* Note how reading the file of @m to @symfile has ended. Returns whether all of it was read. */
static bool was_read(struct symbolizer *s, const struct dusk_module *m, const struct symfile *symfile,
		     const struct elfread *e)
{
	const struct symfile_end *end = symfile_end(symfile);

	s->server_silent |= e->silent;
	if (e->late)
		note_late(s, m->path);
	else if (!end || end->broken)
		note_broken(s, m->path);
	else if (end->apart)
		note_apart(s, m->path, end->apart);
	else
		return true;
	return false;
}

/* Read from the file @fd of @m what @symfile lacks. @complete is set if it is all that there is. */
static int read_file(struct symbolizer *s, const struct dusk_module *m, const struct group *g, int fd,
		     struct symfile *symfile, bool *complete)
{
	uint64_t began_ns = now_ns();
	_cleanup_(freep) uint64_t *offsets = calloc(g->nr + 1UL, sizeof(*offsets));
	struct elfread e = {
		.fd = fd,
		.path = m->path,
		.pid = m->pid,
		.offsets = offsets,
		.nr = g->nr,
		.lines = !s->opts->no_lines,
		.no_servers = s->server_silent || s->opts->no_servers,
		.stop = stop_reading,
		.ctx = s,
	};
	int rc;

	if (fd < 0 || s->unconfined)
		return 0;
	if (s->spent_ns > MAX_SPENT_S * 1000000000ULL) {
		note_late(s, m->path);
		return 0;
	}
	if (!offsets)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->nr; i++)
		offsets[i] = group_place(s, g, i);
	rc = elfread(symfile, &e);
	if (rc == -ENOMEM || rc == -ECANCELED)
		return rc;
	if (rc == -EOPNOTSUPP) {
		s->unconfined = true;
		return 0;
	}
	s->spent_ns += now_ns() - began_ns;
	*complete = was_read(s, m, symfile, &e) && e.lines;
	return 0;
}

/* Get the symfile of a module, to be freed with symfile_free(). */
static int know_file(struct symbolizer *s, uint32_t module, const struct group *g, struct symfile **ret)
{
	const struct dusk_module *m = &s->p->modules[module];
	_cleanup_(symfile_freep) struct symfile *symfile = symfile_new();
	_cleanup_(freep) char *other = NULL;
	_cleanup_(closep) int fd = symbolizer_open(s, module, &other);
	const char *cache = cache_of(s, m);
	bool complete = false;
	int rc = 0;

	if (symfile && cache && !cache_load(symfile, cache, m->build_id, fd) &&
	    may_have_more(s, symfile, m->build_id)) {
		symfile_free(symfile);
		symfile = symfile_new();
	}
	if (!symfile)
		return -ENOMEM;
	if (!suffices(s, symfile, g))
		rc = read_file(s, m, g, fd, symfile, &complete);
	if (complete && cache)
		cache_store(symfile, cache, m->build_id, fd, CACHE_MAX_BYTES); /* a failure is harmless */
	if (!rc)
		*ret = steal(symfile);
	return rc;
}

int symbolize_file(struct symbolizer *s, uint32_t module, const struct group *g)
{
	_cleanup_(symfile_freep) struct symfile *symfile = NULL;
	int rc = know_file(s, module, g, &symfile);

	if (!rc)
		s->mangling = symfile_mangling(symfile);
	for (uint32_t i = 0; !rc && i < g->nr; i++) {
		struct dusk_frame *f = &s->p->frames[g->frames[i]];
		uint64_t address;

		/* A call at the very end of a function, or of a segment, returns past it, so look up the call. */
		if (!symfile_address(symfile, group_place(s, g, i), &address))
			rc = name_code(s, f, symfile, path_name(s->p->modules[module].path), address);
		rc = rc ?: symbolizer_step(s);
	}
	s->mangling = MANGLING_MARKED;
	return rc;
}

static int name_group(struct symbolizer *s, uint32_t module, const struct group *g)
{
	switch (s->p->modules[module].kind) {
	case DUSK_MODULE_FILE:
	case DUSK_MODULE_VDSO: return symbolize_file(s, module, g);
	case DUSK_MODULE_ANON: return symbolize_anon(s, module, g);
	case DUSK_MODULE_KERNEL: return symbolize_kernel(s, module, g);
	default: return 0;
	}
}

/* Group frames without a name by module: those of module m are @order[@first[m]] to @order[@first[m + 1] - 1]. */
static int group_frames(const struct dusk_profile *p, uint32_t **order, uint32_t **first)
{
	_cleanup_(freep) uint32_t *at = calloc(p->nr_modules + 1UL, sizeof(*at));
	_cleanup_(freep) uint32_t *frames = calloc(p->nr_frames + 1UL, sizeof(*frames));

	if (!at || !frames)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_frames; i++)
		at[p->frames[i].module] += dusk_frame_lacks_symbol(p, &p->frames[i]);
	for (uint32_t m = 1; m <= p->nr_modules; m++)
		at[m] += at[m - 1];
	/* Each entry is the end of its module's frames; filling backwards from there makes it their beginning. */
	for (uint32_t i = p->nr_frames; i-- > 1;)
		if (dusk_frame_lacks_symbol(p, &p->frames[i]))
			frames[--at[p->frames[i].module]] = i;
	*order = steal(frames);
	*first = steal(at);
	return 0;
}

static int name_all(struct symbolizer *s)
{
	_cleanup_(freep) uint32_t *order = NULL, *first = NULL;
	int rc = group_frames(s->p, &order, &first);

	if (rc)
		return rc;
	s->total = first[s->p->nr_modules];
	for (uint32_t m = 1; m < s->p->nr_modules; m++) {
		struct group g = {order + first[m], first[m + 1] - first[m], 0};

		if (!g.nr)
			continue;
		if (s->p->modules[m].kind != DUSK_MODULE_KERNEL && symbolizer_stop(s))
			return -ECANCELED;
		rc = name_group(s, m, &g);
		if (rc)
			return rc;
		s->done = first[m + 1];
	}
	symbolizer_stop(s);
	return s->stopped && s->done < s->total ? -ECANCELED : 0;
}

/*
 * Which functions are of code that an interpreter runs? What these are called is what a process says, and none of them is to stand
 * for one of a file. Free it with free(); NULL: memory is short.
 */
static bool *find_sources(const struct dusk_profile *p)
{
	bool *of_source = calloc(p->nr_functions + 1UL, sizeof(*of_source));

	for (uint32_t i = 1; of_source && i < p->nr_frames; i++)
		if (p->modules[p->frames[i].module].kind == DUSK_MODULE_SOURCE)
			of_source[p->frames[i].function] = true;
	return of_source;
}

/* Take over the functions that @p already has. */
static int take_functions(struct symbolizer *s)
{
	_cleanup_(freep) bool *of_source = find_sources(s->p);

	if (!of_source)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->p->nr_functions; i++) {
		const struct dusk_function *f = &s->p->functions[i];
		uint32_t *number;
		bool fresh;

		if (vec_push(&s->functions, *f))
			return -ENOMEM;
		if (!i || of_source[i])
			continue;
		number = symbolizer_function_at(s, f->symbol, f->module, &fresh);
		if (!number)
			return -ENOMEM;
		*number = i;
	}
	for (uint32_t i = 0; i < s->p->nr_lines; i++)
		if (vec_push(&s->lines, s->p->lines[i]))
			return -ENOMEM;
	return s->functions.nr ? 0 : vec_push(&s->functions, ((struct dusk_function){"", "", ""}));
}

/* Report it, unless @err already has a text. */
static void say_broken(struct symbolizer *s)
{
	if (!s->err || *s->err->text)
		return;
	error_set(s->err, 0, "%u %s could not be read to the end, %s%s: names or lines of functions are missing",
		  s->broken, s->broken == 1 ? "file" : "files", s->broken == 1 ? "" : "the first is ", s->first_broken);
}

static void say_late(struct symbolizer *s)
{
	if (s->err && !*s->err->text)
		error_set(
			s->err, 0,
			"%u %s not read to the end within %d s each and %d s in all, %s%s: names or lines of functions "
			"are missing",
			s->late, s->late == 1 ? "file was" : "files were", CONFINED_PATIENCE_S, MAX_SPENT_S,
			s->late == 1 ? "" : "the first is ", s->first_late);
}

static void say_unconfined(struct symbolizer *s)
{
	if (s->err && !*s->err->text)
		error_set(s->err, 0,
			  "files were not read, for what reads them cannot be confined here: names of functions are "
			  "missing; seccomp(2) with user notification is needed (Linux 5.14), which a container may "
			  "forbid");
}

static void say_large(struct symbolizer *s)
{
	if (!s->err || *s->err->text)
		return;
	error_set(s->err, 0,
		  "what the JIT of process %d%s wrote of its functions is too large to be read (a perf map of 256 MiB, "
		  "a jitdump of 1 GiB are not): their names are missing",
		  s->first_large, s->large > 1 ? ", and of others," : "");
}

static void say_cut(struct symbolizer *s)
{
	if (s->err && !*s->err->text)
		error_set(s->err, 0, "%" PRIu64 " %s than %d bytes %s cut and ends in \"" NAME_MARK "\", %s%s", s->cut,
			  s->cut == 1 ? "name of a function that is longer" : "names of functions that are longer",
			  NAME_LIMIT_BYTES, s->cut == 1 ? "was" : "were", s->cut == 1 ? "in " : "the first in ",
			  s->first_cut);
}

static void say_silent(struct symbolizer *s)
{
	if (s->err && !*s->err->text)
		error_set(s->err, 0,
			  "the server in $DEBUGINFOD_URLS sends nothing, and was not asked again: names or lines of "
			  "functions may be missing");
}

static void say_apart(struct symbolizer *s)
{
	bool packages = strverscmp(dwfl_version(NULL), "0.191") >= 0;

	if (!s->err || *s->err->text)
		return;
	error_set(s->err, 0, "inlined functions are missing in %" PRIu64 " compilation %s of %s%s: %s", s->apart,
		  s->apart == 1 ? "unit" : "units", s->first_apart, s->apart == 1 ? "" : " and others",
		  packages
			  ? "their .dwo or .dwp files are not here"
			  : "their .dwo files are not here, and .dwp files are read with elfutils 0.191 or later only");
}

int recorded_symbolize(struct dusk_profile *p, struct recorded *r, const struct dusk_symbol_options *opts,
		       struct dusk_error *err)
{
	struct dusk_symbol_options o;
	struct symbolizer s = {.p = p, .opts = &o, .err = err, .recorded = r};
	bool taken;
	int rc = options_take(&o, sizeof(o), opts, "cannot look functions up", err);

	if (rc)
		return rc;
	if (err)
		err->text[0] = 0;
	s.strings = profile_strings(p);
	rc = s.strings ? take_functions(&s) : -ENOMEM;
	taken = !rc;
	if (!rc)
		rc = name_all(&s);
	/* Keep the names found so far, also if the look-up was stopped. */
	if (taken) {
		free(p->functions);
		p->nr_functions = s.functions.nr;
		p->functions = vec_steal(&s.functions);
		free(p->lines);
		p->nr_lines = s.lines.nr;
		p->lines = vec_steal(&s.lines);
	}
	p->symbolized = p->symbolized || !rc;
	if (!rc && s.unconfined)
		say_unconfined(&s);
	if (!rc && s.late)
		say_late(&s);
	if (!rc && s.broken)
		say_broken(&s);
	if (!rc && s.large)
		say_large(&s);
	if (!rc && s.apart)
		say_apart(&s);
	if (!rc && s.cut)
		say_cut(&s);
	if (!rc && s.server_silent)
		say_silent(&s);
	if (!r)
		jits_free(s.jits);
	free(s.seen);
	vec_done(&s.lives);
	vec_done(&s.functions);
	vec_done(&s.lines);
	strings_done(&s.keys);
	map_done(&s.numbers);
	if (rc == -ECANCELED)
		return error_set(err, rc, "symbols were stopped: %u of %u frames are looked up", s.done, s.total);
	return rc ? error_set(err, rc, "cannot look up symbols: %s", strerror(-rc)) : 0;
}

int dusk_profile_symbolize(struct dusk_profile *p, const struct dusk_symbol_options *opts, struct dusk_error *err)
{
	return recorded_symbolize(p, NULL, opts, err);
}
