/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read .sframe of an ELF file with the core's decoder, as the kernel side does; the section is the target's memory
 * here.
 */
#include <dusk/dusk.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "core/arch/tables.h"
#include "core/tables/sframe.h"
#include "lib/arch/names.h"
#include "lib/error.h"
#include "lib/process/target.h"

#define PT_GNU_SFRAME 0x6474e554 /* missing in some elf.h */
#define SECTION_BYTES_MAX (1u << 30)

struct section {
	uint64_t addr, size;
	const uint8_t *bytes;
};

struct reading {
	struct target target; /* the section, as memory */
	struct section section;
	struct sframe core;
	struct vec(struct dusk_sframe_function) functions;
	struct vec(struct dusk_sframe_row) rows;
};

/* The reader reads ahead, so zeros follow the section, as in a page. is_inside() detects decoding past its end. */
static int read_section(struct target *t, void *dst, u32 len, u64 addr)
{
	const struct section *section = &((struct reading *)t)->section;
	u64 off = addr - section->addr, there;

	if (addr < section->addr || off >= section->size)
		return -EFAULT;
	there = section->size - off;
	if (there > len)
		there = len;
	memcpy(dst, section->bytes + off, there);
	memset((u8 *)dst + there, 0, len - there);
	return 0;
}

static bool is_inside(const struct reading *r)
{
	return reader_addr(&r->core.in) - r->section.addr <= r->section.size;
}

/* Decode what the decoder is positioned at. */
static bool take(struct reading *r)
{
	return !sframe_read(&r->core) && is_inside(r);
}

static bool find_by_name(struct section *ret, Elf *elf)
{
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh);) {
		const char *name = elf_strptr(elf, names, sh.sh_name);
		Elf_Data *data;

		if (!name || strcmp(name, ".sframe") || sh.sh_type == SHT_NOBITS)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			return false;
		*ret = (struct section){sh.sh_addr, data->d_size, data->d_buf};
		return true;
	}
	return false;
}

static bool find_by_segment(struct section *ret, Elf *elf)
{
	Elf_Data *data;
	GElf_Phdr ph;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_GNU_SFRAME)
			continue;
		data = elf_getdata_rawchunk(elf, ph.p_offset, ph.p_filesz, ELF_T_BYTE);
		if (!data || !data->d_buf)
			return false;
		*ret = (struct section){ph.p_vaddr, data->d_size, data->d_buf};
		return true;
	}
	return false;
}

static int find_section(struct section *ret, Elf *elf, const char *path, struct dusk_error *err)
{
	GElf_Ehdr eh;

	if (!elf || !gelf_getehdr(elf, &eh))
		return error_set(err, -ENOEXEC, "%s is not an ELF file", path);
	if (eh.e_machine != ARCH_ELF_MACHINE)
		return error_set(err, -EOPNOTSUPP,
				 "%s is not for " ARCH_NAME ", as this machine is: its SFrame is not read here", path);
	if (eh.e_type == ET_REL)
		return error_set(err, -EOPNOTSUPP, "%s is not linked: its .sframe has no addresses yet", path);
	if (!find_by_name(ret, elf) && !find_by_segment(ret, elf))
		return error_set(err, -ENODATA, "%s has no section .sframe; gcc -Wa,--gsframe makes one", path);
	if (ret->size > SECTION_BYTES_MAX)
		return error_set(err, -EINVAL, "%s: .sframe has more than 1 GiB", path);
	return 0;
}

/* Convert the control word of a flexible function's rule. */
static struct dusk_sframe_rule rule(const struct sframe_row *row, u32 at)
{
	u32 control = row->word[at];

	return (struct dusk_sframe_rule){
		.base = control & SFRAME_FROM_REG ? DUSK_SFRAME_REGISTER : DUSK_SFRAME_CFA,
		.reg = control & SFRAME_FROM_REG ? control >> SFRAME_REG_SHIFT : 0,
		.lies_there = control & SFRAME_LIES_THERE,
		.offset = sframe_offset(row, row->word[at + 1]),
	};
}

/* Returns false if words are missing or left over. */
static bool flexible_rules(struct dusk_sframe_row *ret, const struct sframe_row *row)
{
	u32 next = 2;

	if (row->nr < 2)
		return false;
	ret->cfa = rule(row, 0);
	if (row->nr > next && !row->word[next]) {
		ret->ra.base = DUSK_SFRAME_LEFT_OUT;
		next++;
	} else if (row->nr >= next + 2) {
		ret->ra = rule(row, next);
		next += 2;
	}
	if (row->nr >= next + 2) {
		ret->fp = rule(row, next);
		next += 2;
	}
	return row->nr == next;
}

static struct dusk_sframe_rule saved_at(const struct sframe_row *row, u32 word)
{
	return (struct dusk_sframe_rule){DUSK_SFRAME_CFA, .lies_there = true,
					 .offset = sframe_offset(row, row->word[word])};
}

static bool plain_rules(struct dusk_sframe_row *ret, const struct sframe_row *row)
{
	u32 fp = SFRAME_FIXED_RA ? 1 : 2; /* its word */

	ret->cfa.base = DUSK_SFRAME_REGISTER;
	ret->cfa.reg = row->from_sp ? REG_SP : REG_FP;
	ret->cfa.offset = sframe_offset(row, row->word[0]);
	if (!SFRAME_FIXED_RA)
		ret->ra = row->nr > 1 ? saved_at(row, 1) : (struct dusk_sframe_rule){DUSK_SFRAME_UNCHANGED};
	if (row->nr == fp + 1)
		ret->fp = saved_at(row, fp);
	return row->nr <= fp + 1;
}

/* Returns 0, -EINVAL or -ENOMEM. */
static int take_row(struct reading *r, const struct dusk_sframe_function *f)
{
	const struct sframe_row *row = &r->core.next;
	struct dusk_sframe_row *ret;

	if (!take(r))
		return -EINVAL;
	ret = vec_add(&r->rows);
	if (!ret)
		return -ENOMEM;
	ret->address = row->start + (f->masked ? 0 : f->address);
	ret->outermost = !row->nr;
	ret->ra.base = DUSK_SFRAME_FIXED;
	if (ret->outermost)
		return 0;
	return (f->flexible ? flexible_rules(ret, row) : plain_rules(ret, row)) ? 0 : -EINVAL;
}

static int take_function(struct reading *r, u32 i)
{
	struct dusk_sframe_function f = {.first = r->rows.nr};
	struct sframe *s = &r->core;
	int err = 0;

	sframe_at_function(s, i);
	if (!take(r))
		return -EINVAL;
	f.address = s->start;
	f.size = s->size;
	sframe_at_attributes(s);
	if (!take(r))
		return -EINVAL;
	f.nr = s->nr;
	f.masked = s->masked;
	f.flexible = s->flexible;
	f.signal = s->signal;
	sframe_at_rows(s);
	for (u32 n = 0; n < f.nr && !err; n++)
		err = take_row(r, &f);
	return err ? err : vec_push(&r->functions, f);
}

static int take_all(struct reading *r, const char *path, struct dusk_error *err)
{
	struct sframe *s = &r->core;
	int failed = 0;

	s->section = r->section.addr;
	sframe_at_header(s);
	if (!take(r))
		return error_set(err, -EINVAL, "%s: .sframe does not begin as version 1, 2 or 3 for " ARCH_NAME " does",
				 path);
	for (u32 i = 0; i < s->nr_functions && !failed; i++) {
		failed = take_function(r, i);
		if (failed == -EINVAL)
			error_set(err, failed, "%s: function %u in .sframe is malformed", path, i);
	}
	return failed == -ENOMEM ? error_set(err, failed, "out of memory") : failed;
}

static int hand_over(struct dusk_sframe **ret, struct reading *r, struct dusk_error *err)
{
	struct sframe *s = &r->core;
	struct dusk_sframe *all = calloc(1, sizeof(*all));

	if (!all)
		return error_set(err, -ENOMEM, "out of memory");
	all->version = s->version;
	all->sorted = s->flags & SFRAME_SORTED;
	all->frame_pointer = s->version < 3 && s->flags & SFRAME_FRAME_POINTER;
	all->pcrel = s->flags & SFRAME_PCREL;
	all->unknown_flags = s->flags & ~(SFRAME_SORTED | SFRAME_PCREL | (s->version < 3 ? SFRAME_FRAME_POINTER : 0));
	all->fp_offset = s->fixed_fp;
	all->ra_offset = s->fixed_ra;
	all->claimed_rows = s->nr_rows;
	all->nr_functions = r->functions.nr;
	all->nr_rows = r->rows.nr;
	all->functions = vec_steal(&r->functions);
	all->rows = vec_steal(&r->rows);
	*ret = all;
	return 0;
}

static void reading_done(struct reading *r)
{
	target_done(&r->target);
	vec_done(&r->functions);
	vec_done(&r->rows);
}

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

int dusk_sframe_read(struct dusk_sframe **ret, const char *path, struct dusk_error *err)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_endp) Elf *elf = NULL;
	_cleanup_(reading_done) struct reading r = {0};
	int failed;

	target_init(&r.target, read_section);
	if (fd < 0)
		return error_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	failed = find_section(&r.section, elf, path, err);
	if (failed)
		return failed;
	target_use(&r.target);
	failed = take_all(&r, path, err);
	return failed ? failed : hand_over(ret, &r, err);
}

void dusk_sframe_free(struct dusk_sframe *s)
{
	if (!s)
		return;
	free(s->functions);
	free(s->rows);
	free(s);
}
