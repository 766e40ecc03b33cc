/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read and write stacks as FSMB, version 2, the format in which a kernel with the ftrace stackmap exposes its stacks.
 *
 * 	header		magic, version, number of stacks, 0
 * 	each stack	id, number of frames, references, 0; frames
 *
 * Everything is in the byte order of the writer, which the magic shows. Frames have 8 bytes, all else 4. In a file with
 * names, the last word of the header is FSMB_SECTIONS, and sections follow the stacks: fsmb_section.c.
 */
#include <dusk/stackmap.h>
#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/error.h"
#include "lib/stacks/fsmb.h"
#include "lib/stacks/fsmb_section.h"
#include "lib/stacks/stackset.h"

#define FSMB_MAGIC 0x464d5342 /* "FSMB" */
#define FSMB_VERSION 2
#define FSMB_BYTES_MAX ((size_t)2 << 30)

struct fsmb_header {
	uint32_t magic, version, nr_stacks, reserved;
};

struct fsmb_stack {
	uint32_t id, nr, refs, reserved;
};

/* Parse the next stack; its frames stay in place. Returns false, with the damage noted, if it is not whole. */
static bool next(struct fsmb_reading *r, uint32_t nth, uint32_t nr_stacks, struct dusk_stack *ret)
{
	const struct fsmb_stack *e = (const void *)(r->bytes + r->at);
	size_t left = r->len - r->at;
	uint64_t *frame = (uint64_t *)(e + 1);

	if (left < sizeof(*e))
		return fsmb_broken(r, "the file ends at byte %zu, in stack %" PRIu32 " of %" PRIu32, r->len, nth + 1,
				   nr_stacks);
	*ret = (struct dusk_stack){fsmb_u32(r, e->id), fsmb_u32(r, e->nr), fsmb_u32(r, e->refs), frame};
	if (!ret->nr || e->reserved)
		return fsmb_broken(r, "byte %zu: stack %" PRIu32 " of %" PRIu32 " is none: %s", r->at, nth + 1,
				   nr_stacks, ret->nr ? "what is reserved is not 0" : "it has no frames");
	if (ret->nr > (left - sizeof(*e)) / sizeof(*frame))
		return fsmb_broken(r,
				   "byte %zu: stack %" PRIu32 " of %" PRIu32 " has %" PRIu32 " frames, and the file "
				   "ends at byte %zu",
				   r->at, nth + 1, nr_stacks, ret->nr, r->len);
	r->at += sizeof(*e) + ret->nr * sizeof(*frame);
	for (uint32_t i = 0; r->swapped && i < ret->nr; i++)
		frame[i] = bswap_64(frame[i]);
	return true;
}

/* Add all stacks to @set; *@ret says whether all were there. */
static int read_stacks(struct stackset *set, struct fsmb_reading *r, uint32_t nr_stacks, bool *ret)
{
	struct map ids = {};
	struct dusk_stack stack;
	bool whole = true, fresh;
	int err = 0;

	for (uint32_t i = 0; i < nr_stacks && whole && !err; i++) {
		size_t at = r->at;

		whole = next(r, i, nr_stacks, &stack);
		if (!whole)
			break;
		if (!map_at(&ids, stack.id, &fresh))
			err = -ENOMEM;
		else if (fresh)
			err = stackset_add(set, &stack);
		else
			whole = fsmb_broken(
				r, "byte %zu: stack %" PRIu32 " of %" PRIu32 " has the id of an earlier one, %" PRIu32,
				at, i + 1, nr_stacks, stack.id);
	}
	map_done(&ids);
	*ret = whole && !err;
	return err;
}

static int read_all(struct stackset *set, struct dusk_stack_names **names, struct fsmb_reading *r,
		    const struct fsmb_header *header)
{
	uint32_t nr_stacks = fsmb_u32(r, header->nr_stacks);
	bool whole = false, more = fsmb_u32(r, header->reserved) == FSMB_SECTIONS;
	int err = read_stacks(set, r, nr_stacks, &whole);

	if (!whole)
		return err;
	if (more)
		err = fsmb_read_sections(names, r);
	if (r->at < r->len && more)
		fsmb_broken(r, "byte %zu: %zu bytes more follow the last section", r->at, r->len - r->at);
	else if (r->at < r->len)
		fsmb_broken(r, "byte %zu: %zu bytes more follow the last of %" PRIu32 " stacks", r->at, r->len - r->at,
			    nr_stacks);
	return err;
}

/* Check that this is a file that can be read. */
static int check_header(struct fsmb_reading *r, const char *path, struct dusk_error *err)
{
	const struct fsmb_header *header = (const void *)r->bytes;

	if (r->len < sizeof(*header))
		return error_set(err, -EINVAL, "%s is no file of stacks (FSMB): it has %zu bytes, and a header %zu",
				 path, r->len, sizeof(*header));
	if (header->magic != FSMB_MAGIC && header->magic != bswap_32(FSMB_MAGIC))
		return error_set(err, -EINVAL, "%s is no file of stacks (FSMB): it begins with 0x%08" PRIx32, path,
				 header->magic);
	r->swapped = header->magic != FSMB_MAGIC;
	if (fsmb_u32(r, header->version) != FSMB_VERSION)
		return error_set(err, -EPROTONOSUPPORT, "%s is of version %" PRIu32 " of FSMB, and this dusk reads %d",
				 path, fsmb_u32(r, header->version), FSMB_VERSION);
	r->at = sizeof(*header);
	return 0;
}

int fsmb_parse(struct dusk_stacks **ret, char *bytes, size_t len, const char *path, struct dusk_error *err)
{
	char damage[sizeof((*ret)->damage)] = "";
	struct fsmb_reading r = {.bytes = bytes, .len = len, .damage = damage};
	struct dusk_stack_names *names = NULL;
	struct stackset set = {.store = bytes};
	int e = check_header(&r, path, err);

	if (!e)
		e = read_all(&set, &names, &r, (const void *)bytes);
	if (!e)
		e = stackset_steal(ret, &set);
	if (!e) {
		memcpy((*ret)->damage, damage, sizeof(damage));
		(*ret)->names = steal(names);
		(*ret)->identity = r.identity;
		(*ret)->address_shift = r.address_shift;
	}
	stacknames_free(names);
	stackset_done(&set);
	return e;
}

int dusk_stacks_read(struct dusk_stacks **ret, const char *path, struct dusk_error *err)
{
	size_t len;
	char *bytes;
	int e = file_read(&bytes, &len, path, FSMB_BYTES_MAX);

	if (e)
		return error_set(err, e, "cannot read %s: %s", path, e == -EINVAL ? "it is not a file" : strerror(-e));
	e = fsmb_parse(ret, bytes, len, path, err);
	return e == -ENOMEM ? error_set(err, e, "cannot read %s: %s", path, strerror(-e)) : e;
}

int dusk_stacks_write(const struct dusk_stacks *s, int fd)
{
	size_t names = fsmb_sections_bytes(s);
	struct fsmb_header header = {FSMB_MAGIC, FSMB_VERSION, s->nr, names ? FSMB_SECTIONS : 0};
	_cleanup_(freep) char *bytes = NULL;
	size_t len = sizeof(header) + names, at = sizeof(header);

	for (size_t i = 0; i < s->nr; i++)
		len += sizeof(struct fsmb_stack) + s->v[i].nr * sizeof(uint64_t);
	bytes = malloc(len);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, &header, sizeof(header));
	for (size_t i = 0; i < s->nr; i++) {
		const struct dusk_stack *stack = &s->v[i];
		struct fsmb_stack e = {stack->id, stack->nr, stack->refs < UINT32_MAX ? stack->refs : UINT32_MAX, 0};

		memcpy(bytes + at, &e, sizeof(e));
		memcpy(bytes + at + sizeof(e), stack->frame, stack->nr * sizeof(uint64_t));
		at += sizeof(e) + stack->nr * sizeof(uint64_t);
	}
	if (names)
		fsmb_put_sections(bytes + at, s);
	return file_write_fd(fd, bytes, len);
}
