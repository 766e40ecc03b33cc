/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <elf.h>
#include "abi/frame.h"
#include "core/tables/encoding.h"
#include "image.h"
#include "port_buffer.h"
#include "test_arch.h"

static void program_header(struct writer *w, u32 type, u32 flags, u64 off, u64 size)
{
	Elf64_Phdr ph = {
		.p_type = type,
		.p_flags = flags,
		.p_offset = off,
		.p_vaddr = off,
		.p_paddr = off,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = type == PT_NOTE ? 4 : 0x1000,
	};

	put(w, &ph, sizeof(ph));
}

static void headers(struct image *im)
{
	struct writer w = {.bytes = im->bytes, .room = 0x1000};
	Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = TEST_MACHINE,
		.e_version = EV_CURRENT,
		.e_entry = 0x1f00,
		.e_phoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 5,
	};

	put(&w, &eh, sizeof(eh));
	program_header(&w, PT_LOAD, PF_R, 0, 0x1000);
	program_header(&w, PT_LOAD, PF_R | PF_X, 0x1000, 0x1000);
	program_header(&w, PT_LOAD, PF_R, 0x2000, IMAGE_BYTES - 0x2000);
	program_header(&w, PT_NOTE, PF_R, 0x800, 36);
	program_header(&w, PT_GNU_EH_FRAME, PF_R, 0x2000, 0x1000);
	seek(&w, 0x800);
	put32(&w, 4);
	put32(&w, 20);
	put32(&w, NT_GNU_BUILD_ID);
	put_text(&w, "GNU");
	for (u32 i = 0; i < 20; i++)
		put8(&w, 0xa0 + i);
}

void image_init(struct image *im)
{
	memset(im, 0, sizeof(*im));
	headers(im);
	im->eh_frame = (struct writer){
		.bytes = im->bytes + 0x3000,
		.addr = IMAGE_EH_FRAME,
		.room = IMAGE_BYTES - 0x3000,
	};
	im->up = (struct writer){
		.bytes = (u8 *)im->stack,
		.addr = STACK_END - IMAGE_STACK_BYTES,
		.room = IMAGE_STACK_BYTES,
	};
	image_cie(im, "zR", INSNS(PE_SDATA4_PCREL), INSNS(0x0c, REG_SP, 8, 0x80 | REG_RA, 1));
}

static u32 begin(struct writer *w)
{
	put32(w, 0);
	return w->len;
}

static void finish(struct writer *w, u32 start)
{
	put_align(w, 4);
	fix32(w, start - 4, w->len - start);
}

u64 image_cie(struct image *im, const char *augmentation, const u8 *data, u32 data_len, const u8 *insns, u32 len)
{
	struct writer *w = &im->eh_frame;
	u32 start;

	im->cie = here(w);
	start = begin(w);
	put32(w, 0);
	put8(w, 1);
	put_text(w, augmentation);
	put_uleb(w, 1);
	put_sleb(w, -8);
	put8(w, REG_RA);
	if (data) {
		put_uleb(w, data_len);
		put(w, data, data_len);
	}
	put(w, insns, len);
	finish(w, start);
	return im->cie;
}

void image_fde(struct image *im, u64 start, u64 size, const u8 *insns, u32 len)
{
	struct writer *w = &im->eh_frame;
	u32 first;

	assert(im->nr < MAX_FUNCTIONS);
	im->start[im->nr] = start - IMAGE_HDR;
	im->fde[im->nr++] = here(w) - IMAGE_HDR;
	first = begin(w);
	put32(w, here(w) - im->cie);
	put32(w, start - here(w));
	put32(w, size);
	put_uleb(w, 0);
	put(w, insns, len);
	finish(w, first);
}

void image_map(struct image *im)
{
	struct writer w = {.bytes = im->bytes + 0x2000, .addr = IMAGE_HDR, .room = 0x1000};

	put32(&im->eh_frame, 0);
	put8(&w, 1);
	put8(&w, PE_SDATA4_PCREL);
	put8(&w, PE_UDATA4);
	put8(&w, 0x3b);
	put32(&w, IMAGE_EH_FRAME - here(&w));
	put32(&w, im->nr);
	for (u32 i = 0; i < im->nr; i++) {
		put32(&w, im->start[i]);
		put32(&w, im->fde[i]);
	}
	image_map_bytes(im);
}

void image_map_bytes(struct image *im)
{
	struct vma file = {.dev = 1, .ino = IMAGE_INO};

	port_map(IMAGE_BASE, im->bytes, 0x1000, file);
	file.offset = 0x1000;
	file.executable = 1;
	port_map(IMAGE_CODE, im->bytes + 0x1000, 0x1000, file);
	file.offset = 0x2000;
	file.executable = 0;
	port_map(IMAGE_HDR, im->bytes + 0x2000, IMAGE_BYTES - 0x2000, file);
	port_map(STACK_END - IMAGE_STACK_BYTES, im->stack, IMAGE_STACK_BYTES, (struct vma){0});
}

void image_again(struct image *im, struct walk *w, u64 pc)
{
	memset(&w->machine, 0, sizeof(w->machine));
	modules_distrust(&w->modules);
	w->machine.reg[REG_PC] = pc;
	w->machine.reg[REG_SP] = STACK_END - IMAGE_STACK_BYTES;
	walk_start(w);
}

void image_start(struct image *im, struct walk *w, u64 pc)
{
	w->max_depth = DEFAULT_DEPTH;
	w->no_cache = 1;
	modules_reset(&w->modules);
	image_again(im, w, pc);
}

u64 image_frame(const struct walk *w, u64 pc, bool is_return)
{
	return frame_make(w->modules.range[0].module, pc - IMAGE_BASE, is_return);
}
