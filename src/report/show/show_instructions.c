/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Print the samples of a function beside its instructions. See show_annotation.h. */
#include <inttypes.h>
#include "base/json.h"
#include "report/model/label.h"
#include "report/show/show_annotation.h"
#include "report/text.h"

void annotation_header(FILE *out, const struct dusk_profile *p, const struct annotation *a, const struct dusk_code *c,
		       uint64_t all)
{
	fputs("# function:  ", out);
	text_write(out, p->functions[a->function].name, TEXT_TERMINAL);
	fputs("\n# file:      ", out);
	text_write(out, p->modules[a->module].path, TEXT_TERMINAL);
	if (!annotation_is_source(a, p))
		fprintf(out, ", 0x%" PRIx64 " to 0x%" PRIx64, c->start, c->end);
	fprintf(out, "\n# samples:   %" PRIu64 " of %" PRIu64, a->samples, all);
	if (a->elsewhere)
		fprintf(out, "; %" PRIu64 " more in other %s", a->elsewhere,
			a->other == ANNOTATE_ANY ? "builds of this file" : "functions of this name");
	if (a->other != ANNOTATE_ANY) {
		fputs(", as ", out);
		text_write(out, p->functions[a->function].name, TEXT_TERMINAL);
		fprintf(out, "@0x%" PRIx64, a->other);
	}
	fputs("\n#\n", out);
}

static double percent(const struct annotation *a, uint64_t samples)
{
	return a->samples ? 100.0 * samples / a->samples : 0;
}

/* As text, no samples are left blank, since most of a function has none. */
void weight_show(FILE *out, const struct annotation *a, uint64_t samples, const struct show_options *o)
{
	double p = percent(a, samples);

	if (o->form == SHOW_CSV)
		fprintf(out, "%.4f,%" PRIu64, p, samples);
	else if (samples)
		fprintf(out, "%s%7.2f%%%s  %9" PRIu64 "  ", color_of(o->color, p), p, color_end(o->color, p), samples);
	else
		fprintf(out, "%21s", "");
}

const struct dusk_code_line *line_at(const struct dusk_code *c, uint64_t address)
{
	uint32_t low = 0, high = c->nr_lines;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->lines[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->lines[low - 1].line ? &c->lines[low - 1] : NULL;
}

static void show_object(FILE *out, const struct annotation *a, const struct dusk_code *c, const struct instruction *at,
			uint64_t samples, const struct dusk_code_line *line)
{
	struct json j = {.out = out};
	char address[32];

	snprintf(address, sizeof(address), "0x%" PRIx64, at->address);
	json_object(&j, NULL);
	json_double(&j, "self_percent", percent(a, samples));
	json_u64(&j, "self", samples);
	json_string(&j, "address", address);
	json_string(&j, "instruction", at->text);
	json_string(&j, "file", line ? c->files[line->file] : NULL);
	json_u64(&j, "line", line ? line->line : 0);
	json_object_end(&j);
	putc('\n', out);
}

static void show_row(FILE *out, const struct dusk_code *c, const struct instruction *at,
		     const struct dusk_code_line *line)
{
	fprintf(out, ",0x%" PRIx64 ",", at->address);
	text_csv(out, at->text);
	putc(',', out);
	text_csv(out, line ? c->files[line->file] : "");
	fprintf(out, ",%" PRIu32 "\n", line ? line->line : 0);
}

static void show_titles(FILE *out, enum show_form form)
{
	switch (form) {
	case SHOW_TEXT: fputs("#   Self    Samples  Address   Instruction\n", out); break;
	case SHOW_CSV: fputs("self_percent,self,address,instruction,file,line\n", out); break;
	case SHOW_NDJSON:
		fputs("{\"schema\":\"dusk-instructions-1\","
		      "\"columns\":[\"self_percent\",\"self\",\"address\",\"instruction\",\"file\",\"line\"]}\n",
		      out);
		break;
	}
}

static bool same_line(const struct dusk_code_line *a, const struct dusk_code_line *b)
{
	return a && b && a->file == b->file && a->line == b->line;
}

/* Print a line with the source position where the code of another source line begins. */
static void show_position(FILE *out, const struct dusk_code *c, const struct dusk_code_line *line)
{
	fprintf(out, "%21s# ", "");
	text_write(out, c->files[line->file], TEXT_TERMINAL);
	fprintf(out, ":%" PRIu32 "\n", line->line);
}

void instructions_show(FILE *out, const struct annotation *a, const struct dusk_code *c, const struct instruction *v,
		       size_t nr, const struct show_options *o)
{
	const struct dusk_code_line *before = NULL;

	show_titles(out, o->form);
	for (size_t i = 0; i < nr && !ferror(out); i++) {
		const struct dusk_code_line *line = line_at(c, v[i].address);
		uint64_t samples = annotation_sum(a, v[i].address, i + 1 < nr ? v[i + 1].address : c->end);

		if (o->form == SHOW_NDJSON) {
			show_object(out, a, c, &v[i], samples, line);
			continue;
		}
		if (o->form == SHOW_TEXT && line && !same_line(line, before))
			show_position(out, c, line);
		before = line;
		weight_show(out, a, samples, o);
		if (o->form == SHOW_CSV) {
			show_row(out, c, &v[i], line);
			continue;
		}
		fprintf(out, "%8" PRIx64 "  ", v[i].address);
		text_write(out, v[i].text, TEXT_TERMINAL);
		putc('\n', out);
	}
}
