/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/commands/explain.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/output.h"

static void walk_freep(struct dusk_walk **w)
{
	dusk_walk_free(*w);
}

static void write_json(FILE *out, const struct dusk_walk *w)
{
	for (uint32_t i = 0; i < w->nr; i++) {
		const struct dusk_walk_frame *f = &w->frames[i];
		struct json j = {.out = out};

		json_object(&j, NULL);
		json_u64(&j, "frame", i);
		json_u64(&j, "address", f->address);
		json_string(&j, "module", f->module);
		json_u64(&j, "offset", f->offset);
		json_string(&j, "function", f->function);
		json_u64(&j, "function_offset", f->function_offset);
		json_bool(&j, "return", f->is_return);
		json_bool(&j, "signal", f->is_signal);
		json_string(&j, "method", dusk_method_name(f->method));
		json_string(&j, "rules", f->rules);
		json_u64(&j, "sp", f->sp);
		json_u64(&j, "cfa", f->cfa);
		if (i + 1 == w->nr)
			json_string(&j, "outcome", w->outcome->name);
		json_object_end(&j);
		putc('\n', out);
	}
}

static void write_frame(FILE *out, const struct dusk_walk *w, uint32_t i)
{
	const struct dusk_walk_frame *f = &w->frames[i];

	fprintf(out, "\n#%-3" PRIu32 " %016" PRIx64 "  ", i, f->address);
	if (*f->function)
		fprintf(out, "%s+0x%" PRIx32 "  ", f->function, f->function_offset);
	fprintf(out, "%s+0x%" PRIx64 "%s\n", f->module, f->offset, f->is_signal ? "  (signal frame)" : "");
	if (f->method == DUSK_BY_NOTHING) {
		fprintf(out, "     sp %016" PRIx64 "%s%s\n", f->sp, *f->rules ? ", the end: " : "", f->rules);
		return;
	}
	fprintf(out, "     sp %016" PRIx64 ", ", f->sp);
	if (f->cfa)
		fprintf(out, "CFA %016" PRIx64 ", ", f->cfa);
	fprintf(out, "by %s%s%s\n", dusk_method_name(f->method), *f->rules ? ": " : "", f->rules);
}

static void write_text(FILE *out, const struct dusk_walk *w)
{
	fprintf(out, "%s", w->comm);
	if (w->tid)
		fprintf(out, ", thread %d", w->tid);
	fprintf(out, ": %" PRIu32 " frame%s\n", w->nr, w->nr == 1 ? "" : "s");
	for (uint32_t i = 0; i < w->nr; i++)
		write_frame(out, w, i);
	fprintf(out, "\n%s (%s): %s\n", w->outcome->kind == DUSK_COMPLETE ? "complete" : "cut", w->outcome->name,
		w->outcome->sentence);
	if (!w->tid && !w->agrees)
		fputs("The specimen says otherwise: this version of dusk walks it differently, or it is damaged.\n",
		      out);
}

/* The specimen is a part of a process's memory: as private as the output of a view, and written by the same rules. */
static int walk_and_keep(struct dusk_walk **ret, pid_t tid, const char *keep, int *status, struct dusk_error *err)
{
	struct output out;
	char path[32];
	int failed;

	*status = output_open(&out, keep, false);
	if (*status)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(out.file));
	failed = dusk_walk_thread(ret, tid, path, err);
	if (failed)
		output_discard(&out);
	else
		*status = output_close(&out, 0);
	return failed;
}

static int walk(struct dusk_walk **ret, const char *what, const char *keep)
{
	struct dusk_error err = {""};
	char *end;
	long tid = strtol(what, &end, 10);
	int failed, status = STATUS_OK;

	if (*end || end == what || tid <= 0 || tid != (int)tid)
		failed = dusk_walk_specimen(ret, what, &err);
	else if (keep)
		failed = walk_and_keep(ret, tid, keep, &status, &err);
	else
		failed = dusk_walk_thread(ret, tid, NULL, &err);
	if (!failed)
		return status;
	say("%s", err.text);
	return failed == -EPERM || failed == -EACCES ? STATUS_PRIVILEGE : STATUS_FAILED;
}

int walk_explain(const char *what, const char *keep, bool json)
{
	_cleanup_(walk_freep) struct dusk_walk *w = NULL;
	struct output out;
	int status = walk(&w, what, keep);

	if (status)
		return status;
	status = output_open(&out, NULL, true);
	if (status)
		return status;
	if (json)
		write_json(out.file, w);
	else
		write_text(out.file, w);
	return output_close(&out, 0);
}
