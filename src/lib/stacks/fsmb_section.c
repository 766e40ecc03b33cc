/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sections behind the stacks of a file, which name the frames, so that they are readable on any machine.
 *
 * 	section		tag, version, length in bytes (8 bytes); the data, padded to a multiple of 8
 * 	FSMX, 1		the container of all other sections
 * 	TEXT, 1		strings, each with a 0 byte at its end
 * 	MODS, 1		struct stackfile, sorted by number, no duplicates: the file and its build id
 * 	NAME, 1		struct stackname, sorted by frame, no duplicates: the function
 * 	FROM, 1		dusk_stackmap_identity(), dusk_stacks.address_shift
 *
 * Tags and versions have 4 bytes, in the byte order of the file. Unknown sections are skipped.
 */
#include "lib/stacks/fsmb_section.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/frame.h"

#define VERSION 1

enum part_kind { TEXT, MODULES, NAMES, ORIGIN, NR_PARTS };

static const struct {
	uint32_t tag;
	char name[5];
} kinds[NR_PARTS] = {
	[TEXT] = {0x54455854, "TEXT"},
	[MODULES] = {0x4d4f4453, "MODS"},
	[NAMES] = {0x4e414d45, "NAME"},
	[ORIGIN] = {0x46524f4d, "FROM"},
};

struct section {
	uint32_t tag, version;
	uint64_t bytes;
};

/* The data of a section. */
struct part {
	char *data;
	size_t bytes;
};

bool fsmb_broken(struct fsmb_reading *r, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!*r->damage)
		vsnprintf(r->damage, sizeof(((struct dusk_stacks *)0)->damage), format, arguments);
	va_end(arguments);
	return false;
}

/* Check that a string begins at @at; the text ends with a 0 byte. */
static bool is_text(const struct dusk_stack_names *n, uint32_t at)
{
	return at < n->text_bytes;
}

static size_t padded(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

/* Take the section at r->at, which must end at or before @end, and advance r->at. Returns false if it is not whole. */
static bool take(struct fsmb_reading *r, size_t end, struct section *ret, struct part *ret_part)
{
	const struct section *head = (const void *)(r->bytes + r->at);
	size_t left = end - r->at;

	if (left < sizeof(*head))
		return fsmb_broken(r, "byte %zu: the head of a section is cut at byte %zu", r->at, end);
	left -= sizeof(*head);
	*ret = (struct section){fsmb_u32(r, head->tag), fsmb_u32(r, head->version), fsmb_u64(r, head->bytes)};
	if (ret->bytes > left || padded(ret->bytes) > left)
		return fsmb_broken(r, "byte %zu: section 0x%08" PRIx32 " of %" PRIu64 " bytes is cut at byte %zu",
				   r->at, ret->tag, ret->bytes, end);
	*ret_part = (struct part){r->bytes + r->at + sizeof(*head), ret->bytes};
	r->at += sizeof(*head) + padded(ret->bytes);
	return true;
}

/* Find the known sections that are whole, up to byte @end. */
static void find_parts(struct fsmb_reading *r, size_t end, struct part parts[NR_PARTS])
{
	struct section s;
	struct part part;

	while (r->at < end) {
		if (!take(r, end, &s, &part))
			return;
		for (int i = 0; i < NR_PARTS; i++) {
			if (s.tag != kinds[i].tag || s.version != VERSION)
				continue;
			if (parts[i].data)
				fsmb_broken(r, "byte %zu: there is a second section %s", part.data - r->bytes,
					    kinds[i].name);
			else
				parts[i] = part;
		}
	}
}

static void take_text(struct dusk_stack_names *n, struct fsmb_reading *r, const struct part *part)
{
	if (part->bytes && part->data[part->bytes - 1]) {
		fsmb_broken(r, "byte %zu: the last string of section TEXT has no end", part->data - r->bytes);
		return;
	}
	n->text = part->data;
	n->text_bytes = part->bytes;
}

/* Return how many entries of @size bytes a section has. */
static size_t count(struct fsmb_reading *r, const struct part *part, enum part_kind kind, size_t size)
{
	if (part->bytes % size)
		fsmb_broken(r, "byte %zu: section %s has %zu bytes, and an entry %zu", part->data - r->bytes,
			    kinds[kind].name, part->bytes, size);
	return part->bytes / size;
}

static void take_files(struct dusk_stack_names *n, struct fsmb_reading *r, const struct part *part)
{
	struct stackfile *f = (void *)part->data;
	size_t nr = count(r, part, MODULES, sizeof(*f));

	for (n->files = f; n->nr_files < nr; n->nr_files++, f++) {
		*f = (struct stackfile){fsmb_u32(r, f->number), fsmb_u32(r, f->path), fsmb_u32(r, f->build_id), 0};
		if (!f->number || f->number > FRAME_KERNEL || !is_text(n, f->path) || !is_text(n, f->build_id) ||
		    (n->nr_files && stackfile_order(f - 1, f) >= 0)) {
			fsmb_broken(r, "byte %zu: entry %zu of section MODS is none", (char *)f - r->bytes,
				    n->nr_files + 1);
			return;
		}
	}
}

static void take_names(struct dusk_stack_names *n, struct fsmb_reading *r, const struct part *part)
{
	struct stackname *e = (void *)part->data;
	size_t nr = count(r, part, NAMES, sizeof(*e));

	for (n->names = e; n->nr_names < nr; n->nr_names++, e++) {
		*e = (struct stackname){
			fsmb_u64(r, e->frame),
			fsmb_u32(r, e->outer),
			fsmb_u32(r, e->function),
			fsmb_u32(r, e->module),
			fsmb_u32(r, e->offset),
			fsmb_u32(r, e->size),
			0,
		};
		if (e->outer > 1 || !is_text(n, e->module) || !is_text(n, e->function) || !n->text[e->function] ||
		    (n->nr_names && stackname_order(e - 1, e) >= 0)) {
			fsmb_broken(r, "byte %zu: entry %zu of section NAME is none", (char *)e - r->bytes,
				    n->nr_names + 1);
			return;
		}
	}
}

struct origin {
	uint32_t identity, address_shift;
};

static void take_origin(struct fsmb_reading *r, const struct part *part)
{
	const struct origin *o = (const void *)part->data;
	uint32_t shift;

	if (part->bytes != sizeof(*o)) {
		fsmb_broken(r, "byte %zu: section FROM has %zu bytes, and not %zu", part->data - r->bytes, part->bytes,
			    sizeof(*o));
		return;
	}
	r->identity = fsmb_u32(r, o->identity);
	shift = fsmb_u32(r, o->address_shift);
	if (shift > FRAME_ADDRESS_SHIFT_MAX)
		fsmb_broken(r, "byte %zu: section FROM says that addresses lack %" PRIu32 " bits",
			    part->data - r->bytes, shift);
	else
		r->address_shift = shift;
}

static bool is_empty(const struct dusk_stack_names *n)
{
	return !n || !(n->nr_files + n->nr_names);
}

static int take_parts(struct dusk_stack_names **ret, struct fsmb_reading *r, const struct part parts[NR_PARTS])
{
	struct dusk_stack_names *n;

	if (parts[ORIGIN].data)
		take_origin(r, &parts[ORIGIN]);
	if (!parts[MODULES].data && !parts[NAMES].data)
		return 0;
	n = calloc(1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	take_text(n, r, &parts[TEXT]);
	take_files(n, r, &parts[MODULES]);
	take_names(n, r, &parts[NAMES]);
	if (is_empty(n))
		stacknames_free(n);
	else
		*ret = n;
	return 0;
}

int fsmb_read_sections(struct dusk_stack_names **ret, struct fsmb_reading *r)
{
	struct part parts[NR_PARTS] = {}, all;
	size_t begin = r->at, end;
	struct section s = {};
	bool whole = take(r, r->len, &s, &all);

	if (whole && s.tag != FSMB_SECTIONS)
		fsmb_broken(r, "byte %zu: sections should follow, and 0x%08" PRIx32 " does", begin, s.tag);
	if (s.tag != FSMB_SECTIONS || s.version != VERSION)
		return 0;
	end = whole ? r->at : r->len;
	r->at = begin + sizeof(s);
	find_parts(r, end, parts);
	r->at = end;
	return take_parts(ret, r, parts);
}

static size_t section_bytes(size_t bytes)
{
	return sizeof(struct section) + padded(bytes);
}

static bool has_origin(const struct dusk_stacks *s)
{
	return s->identity || s->address_shift;
}

size_t fsmb_sections_bytes(const struct dusk_stacks *s)
{
	const struct dusk_stack_names *n = s->names;
	size_t names = is_empty(n) ? 0
				   : section_bytes(n->text_bytes) + section_bytes(n->nr_files * sizeof(*n->files)) +
					     section_bytes(n->nr_names * sizeof(*n->names));
	size_t all = names + (has_origin(s) ? section_bytes(sizeof(struct origin)) : 0);

	return all ? sizeof(struct section) + all : 0;
}

static char *put(char *to, enum part_kind kind, const void *data, size_t bytes)
{
	struct section head = {kinds[kind].tag, VERSION, bytes};

	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	if (bytes)
		memcpy(to, data, bytes);
	memset(to + bytes, 0, padded(bytes) - bytes);
	return to + padded(bytes);
}

void fsmb_put_sections(char *to, const struct dusk_stacks *s)
{
	struct section head = {FSMB_SECTIONS, VERSION, fsmb_sections_bytes(s) - sizeof(head)};
	const struct dusk_stack_names *n = s->names;
	struct origin origin = {s->identity, s->address_shift};

	if (!fsmb_sections_bytes(s))
		return;
	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	if (!is_empty(n)) {
		to = put(to, TEXT, n->text, n->text_bytes);
		to = put(to, MODULES, n->files, n->nr_files * sizeof(*n->files));
		to = put(to, NAMES, n->names, n->nr_names * sizeof(*n->names));
	}
	if (has_origin(s))
		put(to, ORIGIN, &origin, sizeof(origin));
}
