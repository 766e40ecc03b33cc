/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/fde_index.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/descriptor.h"

/*
 * .eh_frame_hdr (LSB 5 §10.6) as linkers write it: version 1, pointer pcrel|sdata4, count udata4, table datarel|sdata4.
 */
struct hdr {
	uint32_t form;
	int32_t eh_frame;
	uint32_t count;
};

#define HDR_FORM 0x3b031b01
#define MAX_FDES (1 << 24)

/* The beginning of an FDE with pcrel|sdata4 addresses, as on x86-64. */
struct fde {
	uint32_t bytes, cie;
	int32_t start;
	uint32_t size;
};

/* An entry of the table, relative to the header. */
struct entry {
	int32_t start, fde;
};

struct fde_index {
	int fd;
	uint64_t hdr;	    /* link-time address of the header */
	uint64_t to_offset; /* file offset minus link-time address, near the header */
	uint32_t nr;
	struct entry entry[];
};

static bool find_hdr(GElf_Phdr *ret, Elf *elf)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, ret) && ret->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

static bool is_sorted(const struct fde_index *f)
{
	for (uint32_t i = 1; i < f->nr; i++)
		if (f->entry[i].start < f->entry[i - 1].start)
			return false;
	return true;
}

int fde_index_read(struct fde_index **ret, Elf *elf, int fd)
{
	struct fde_index *f;
	struct hdr hdr;
	GElf_Phdr ph;
	size_t bytes;

	*ret = NULL;
	if (!find_hdr(&ph, elf) || pread(fd, &hdr, sizeof(hdr), ph.p_offset) != sizeof(hdr))
		return 0;
	if (hdr.form != HDR_FORM || !hdr.count || hdr.count > MAX_FDES)
		return 0;
	bytes = hdr.count * sizeof(f->entry[0]);
	f = malloc(sizeof(*f) + bytes);
	if (!f)
		return -ENOMEM;
	f->fd = -1;
	f->hdr = ph.p_vaddr;
	f->to_offset = ph.p_offset - ph.p_vaddr;
	f->nr = hdr.count;
	if (pread(fd, f->entry, bytes, ph.p_offset + sizeof(hdr)) != (ssize_t)bytes || !is_sorted(f)) {
		fde_index_free(f);
		return 0;
	}
	f->fd = descriptor_copy(fd);
	*ret = f;
	return 0;
}

uint32_t fde_index_nr(const struct fde_index *f)
{
	return f ? f->nr : 0;
}

bool fde_index_code(const struct fde_index *f, uint32_t i, uint64_t *start, uint64_t *end)
{
	const struct entry *e = &f->entry[i];
	struct fde fde;

	if (pread(f->fd, &fde, sizeof(fde), f->hdr + (int64_t)e->fde + f->to_offset) != sizeof(fde))
		return false;
	*start = f->hdr + (int64_t)e->start;
	*end = *start + fde.size;
	return true;
}

/* Return how many of the FDEs begin at or before @address. */
static uint32_t rank(const struct fde_index *f, uint64_t address)
{
	uint32_t low = 0, high = fde_index_nr(f), middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (f->hdr + (int64_t)f->entry[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool fde_index_extent(const struct fde_index *f, uint64_t address, uint64_t *start, uint64_t *end)
{
	uint32_t i = rank(f, address);
	uint64_t begin, behind;

	if (!i || !fde_index_code(f, i - 1, &begin, &behind) || address - begin >= behind - begin)
		return false;
	*start = begin;
	*end = behind;
	return true;
}

uint64_t fde_index_next(const struct fde_index *f, uint64_t address)
{
	uint32_t i = rank(f, address);

	return i < fde_index_nr(f) ? f->hdr + (int64_t)f->entry[i].start : UINT64_MAX;
}

bool fde_index_find(const struct fde_index *f, uint64_t address, uint64_t *start)
{
	uint64_t end;

	return fde_index_extent(f, address, start, &end);
}

void fde_index_free(struct fde_index *f)
{
	if (!f)
		return;
	closep(&f->fd);
	free(f);
}
