/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk sframe: print the .sframe of a file in the form of readelf --sframe, which knows only one version of it. */
#include <inttypes.h>
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/output.h"

#define DWARF_RBP 6
#define DWARF_RSP 7

static const struct option options[] = {{0}};

static void sframe_freep(struct dusk_sframe **s)
{
	dusk_sframe_free(*s);
}

static void write_flags(FILE *out, const struct dusk_sframe *s)
{
	const char *names[] = {s->sorted ? "SFRAME_F_FDE_SORTED" : NULL,
			       s->frame_pointer ? "SFRAME_F_FRAME_POINTER" : NULL,
			       s->pcrel ? "SFRAME_F_FDE_FUNC_START_PCREL" : NULL};
	const char *before = "    Flags: ";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i]) {
			fprintf(out, "%s%s", before, names[i]);
			before = ",\n           ";
		}
	if (s->unknown_flags) {
		fprintf(out, "%s%" PRIu32, before, s->unknown_flags);
		before = NULL;
	}
	fprintf(out, "%s\n", before && *before == ' ' ? "    Flags: NONE" : "");
}

static void write_header(FILE *out, const struct dusk_sframe *s)
{
	fprintf(out, "Contents of the SFrame section .sframe:\n  Header :\n\n    Version: SFRAME_VERSION_%" PRIu32 "\n",
		s->version);
	write_flags(out, s);
	if (s->fp_offset)
		fprintf(out, "    CFA fixed FP offset: %" PRId32 "\n", s->fp_offset);
	if (s->ra_offset)
		fprintf(out, "    CFA fixed RA offset: %" PRId32 "\n", s->ra_offset);
	fprintf(out, "    Num FDEs: %" PRIu32 "\n    Num FREs: %" PRIu32 "\n\n  Function Index :\n", s->nr_functions,
		s->claimed_rows);
}

/* "sp+16", "c-16", "(fp-8)", "r10+0". In flexible functions, parentheses mark a value that lies at the address. */
static const char *rule_text(char text[32], const struct dusk_sframe_rule *r, bool flexible)
{
	bool paren = flexible && r->lies_there;
	char name[16];

	switch (r->base) {
	case DUSK_SFRAME_UNCHANGED: return "u";
	case DUSK_SFRAME_FIXED: return "f";
	case DUSK_SFRAME_LEFT_OUT: return "U";
	case DUSK_SFRAME_CFA: snprintf(name, sizeof(name), "c"); break;
	case DUSK_SFRAME_REGISTER:
		if (r->reg == DWARF_RSP || r->reg == DWARF_RBP)
			snprintf(name, sizeof(name), "%s", r->reg == DWARF_RSP ? "sp" : "fp");
		else
			snprintf(name, sizeof(name), "r%" PRIu32, r->reg);
		break;
	}
	snprintf(text, 32, "%s%s%+" PRId32 "%s", paren ? "(" : "", name, r->offset, paren ? ")" : "");
	return text;
}

static void write_row(FILE *out, const struct dusk_sframe_row *r, bool flexible)
{
	char cfa[32], fp[32], ra[32];

	fprintf(out, "    %016" PRIx64 "  ", r->address);
	if (r->outermost)
		fputs("RA undefined\n", out);
	else
		fprintf(out, "%-10s%-10s%s\n", rule_text(cfa, &r->cfa, flexible), rule_text(fp, &r->fp, flexible),
			rule_text(ra, &r->ra, flexible));
}

static void write_function(FILE *out, const struct dusk_sframe *s, uint32_t i)
{
	const struct dusk_sframe_function *f = &s->functions[i];

	fprintf(out, "\n    func idx [%" PRIu32 "]: pc = 0x%" PRIx64 ", size = %" PRIu32 " bytes", i, f->address,
		f->size);
	if (f->signal || f->flexible)
		fprintf(out, ", attr = \"%s%s\"", f->signal ? "S" : "", f->flexible ? "F" : "");
	fprintf(out, "\n    STARTPC%-8s CFA       FP        RA\n", f->masked ? "[m]" : "");
	for (uint32_t n = 0; n < f->nr; n++)
		write_row(out, &s->rows[f->first + n], f->flexible);
}

static int run(const struct command *self, int argc, char **argv)
{
	_cleanup_(sframe_freep) struct dusk_sframe *s = NULL;
	struct dusk_error err;
	struct output out;
	int status, next;

	if (!command_options(self, argc, argv, NULL, &next, &status))
		return status;
	if (argc - next != 1)
		return say_usage(self, argc > next ? "one file at a time, not also '%s'" : "which file?%s",
				 argc > next ? argv[next + 1] : "");
	if (dusk_sframe_read(&s, argv[next], &err)) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	status = output_open(&out, NULL, true);
	if (status)
		return status;
	write_header(out.file, s);
	for (uint32_t i = 0; i < s->nr_functions; i++)
		write_function(out.file, s, i);
	return output_close(&out, 0);
}

const struct command cmd_sframe = {
	.name = "sframe",
	.summary = "What .sframe of a program or library says: the SFrame unwind table",
	.arguments = "FILE",
	.options = options,
	.run = run,
};
