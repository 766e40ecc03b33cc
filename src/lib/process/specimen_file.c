/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file format of a specimen: lines, the first of which is SIGNATURE.
 *
 * 	comm NAME
 * 	depth FRAMES					maximum number of frames of the walk
 * 	register NAME VALUE				rax to rip, cs; missing ones are 0
 * 	mapping LINE					as in /proc/PID/maps
 * 	memory ADDRESS BYTES data|file			the lines up to the next memory are its content
 * 	 ADDRESS HEX					32 bytes; lines of zeros are left out
 * 	frame ADDRESS exact|return PLACE		what the walk found, innermost first; PLACE is informative
 * 	outcome NAME
 *
 * Numbers are hexadecimal except depth and BYTES. Lines that begin with # are comments.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/cleanup.h"
#include "lib/arch/names.h"
#include "lib/error.h"
#include "lib/profile/file/abi_names.h"
#include "lib/process/specimen.h"

#define SIGNATURE "dusk specimen 1"
#define LINE_BYTES 32
#define MAX_BYTES (64u << 20) /* of memory, in total */
#define MAX_LINES (4u << 20)

static void write_block(const struct specimen_block *b, FILE *out)
{
	static const u8 zeroes[LINE_BYTES];

	fprintf(out, "memory %" PRIx64 " %u %s\n", (uint64_t)b->addr, b->len, b->is_file ? "file" : "data");
	for (u32 at = 0; at < b->len; at += LINE_BYTES) {
		u32 nr = b->len - at < LINE_BYTES ? b->len - at : LINE_BYTES;

		if (!memcmp(b->bytes + at, zeroes, nr))
			continue;
		fprintf(out, " %" PRIx64 " ", (uint64_t)b->addr + at);
		for (u32 i = 0; i < nr; i++)
			fprintf(out, "%02x", b->bytes[at + i]);
		putc('\n', out);
	}
}

static void write_frame(const struct specimen *s, const struct specimen_frame *f, FILE *out)
{
	const struct target_mapping *m = target_find(&s->target, f->pc - !f->pc_is_exact);

	fprintf(out, "frame %" PRIx64 " %s", (uint64_t)f->pc, f->pc_is_exact ? "exact" : "return");
	if (m)
		fprintf(out, " %s+0x%" PRIx64, m->path, (uint64_t)(f->pc - m->vma.start + m->vma.offset));
	putc('\n', out);
}

int specimen_write(const struct specimen *s, FILE *out)
{
	fprintf(out, SIGNATURE "\ncomm %s\ndepth %u\n", s->comm, s->max_depth);
	for (u32 i = 0; i < TRACE_REGS; i++)
		if (s->regs[i] && (i != REG_MODE || regs_compat(s->regs)))
			fprintf(out, "register %s %" PRIx64 "\n", input_name(i), (uint64_t)s->regs[i]);
	for (size_t i = 0; i < s->target.mappings.nr; i++)
		fprintf(out, "mapping %s\n", s->target.mappings.v[i].line);
	for (size_t i = 0; i < s->frames.nr; i++)
		write_frame(s, &s->frames.v[i], out);
	fprintf(out, "outcome %s\n", outcomes[s->outcome].name);
	for (size_t i = 0; i < s->blocks.nr; i++)
		write_block(&s->blocks.v[i], out);
	return ferror(out) ? -EIO : 0;
}

static int read_register(struct specimen *s, const char *rest)
{
	uint64_t value;
	char name[8];

	if (sscanf(rest, "%7s %" SCNx64, name, &value) != 2)
		return -EINVAL;
	for (u32 i = 0; i < TRACE_REGS; i++)
		if (!strcmp(name, input_name(i))) {
			s->regs[i] = value;
			return 0;
		}
	return -EINVAL;
}

static int read_block(struct specimen *s, const char *rest)
{
	const struct specimen_block *last = s->blocks.nr ? &s->blocks.v[s->blocks.nr - 1] : NULL;
	struct specimen_block b = {};
	uint64_t addr, sum = 0;
	char kind[8];

	if (sscanf(rest, "%" SCNx64 " %u %7s", &addr, &b.len, kind) != 3)
		return -EINVAL;
	for (size_t i = 0; i < s->blocks.nr; i++)
		sum += s->blocks.v[i].len;
	if (addr % 8 || b.len % 8 || !b.len || sum + b.len > MAX_BYTES || addr + b.len < addr ||
	    (last && addr < last->addr + last->len))
		return -EINVAL;
	b.addr = addr;
	b.is_file = !strcmp(kind, "file");
	b.bytes = calloc(1, b.len);
	if (!b.bytes || vec_push(&s->blocks, b)) {
		free(b.bytes);
		return -ENOMEM;
	}
	return 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read bytes of the last block. */
static int read_bytes(struct specimen *s, const char *rest)
{
	struct specimen_block *b = s->blocks.nr ? &s->blocks.v[s->blocks.nr - 1] : NULL;
	uint64_t addr;
	int hex = 0;

	if (!b || sscanf(rest, "%" SCNx64 " %n", &addr, &hex) != 1 || !hex || addr < b->addr)
		return -EINVAL;
	for (u64 at = addr - b->addr; at < b->len; at++, hex += 2) {
		int high = digit(rest[hex]), low = high < 0 ? -1 : digit(rest[hex + 1]);

		if (low < 0)
			return rest[hex] == '\n' || !rest[hex] ? 0 : -EINVAL;
		b->bytes[at] = high << 4 | low;
	}
	return rest[hex] == '\n' || !rest[hex] ? 0 : -EINVAL;
}

static int read_frame(struct specimen *s, const char *rest)
{
	uint64_t pc;
	char kind[8];

	if (sscanf(rest, "%" SCNx64 " %7s", &pc, kind) != 2)
		return -EINVAL;
	return vec_push(&s->frames, ((struct specimen_frame){pc, !strcmp(kind, "exact")}));
}

static int read_outcome_name(struct specimen *s, const char *rest)
{
	for (u32 i = 0; i < NR_OUTCOMES; i++)
		if (strlen(outcomes[i].name) == strcspn(rest, "\n") &&
		    !strncmp(rest, outcomes[i].name, strlen(outcomes[i].name))) {
			s->outcome = i;
			return 0;
		}
	return -EINVAL;
}

static int read_mapping(struct specimen *s, const char *rest)
{
	return target_map(&s->target, rest);
}

static int read_comm(struct specimen *s, const char *rest)
{
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)strcspn(rest, "\n"), rest);
	return 0;
}

static int read_depth(struct specimen *s, const char *rest)
{
	return sscanf(rest, "%u", &s->max_depth) == 1 && s->max_depth && s->max_depth <= MAX_DEPTH ? 0 : -EINVAL;
}

static int read_line(struct specimen *s, const char *line)
{
	static const struct {
		const char *word;
		int (*read)(struct specimen *s, const char *rest);
	} kinds[] = {
		{" ", read_bytes},	    {"comm ", read_comm},
		{"depth ", read_depth},	    {"register ", read_register},
		{"mapping ", read_mapping}, {"memory ", read_block},
		{"frame ", read_frame},	    {"outcome ", read_outcome_name},
	};

	if (*line == '#')
		return 0;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (!strncmp(line, kinds[i].word, strlen(kinds[i].word)))
			return kinds[i].read(s, line + strlen(kinds[i].word));
	return -EINVAL;
}

int specimen_read(struct specimen **ret, const char *path, struct dusk_error *err)
{
	_cleanup_(specimen_freep) struct specimen *s = calloc(1, sizeof(*s));
	_cleanup_(fclosep) FILE *in = fopen(path, "re");
	_cleanup_(freep) char *line = NULL;
	size_t room = 0;
	int failed;

	if (!s)
		return error_set(err, -ENOMEM, "out of memory");
	specimen_init(s);
	if (!in)
		return error_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	if (getline(&line, &room, in) < 0 || strcmp(line, SIGNATURE "\n"))
		return error_set(err, -EINVAL, "%s is no specimen: it does not begin with '" SIGNATURE "'", path);
	for (unsigned int nr = 2; nr < MAX_LINES && getline(&line, &room, in) > 0; nr++) {
		failed = read_line(s, line);
		if (failed == -ENOMEM)
			return error_set(err, failed, "out of memory");
		if (failed)
			return error_set(err, -EINVAL, "%s: line %u makes no sense", path, nr);
	}
	if (!s->frames.nr || !s->max_depth)
		return error_set(err, -EINVAL, "%s is cut short", path);
	*ret = steal(s);
	return 0;
}
