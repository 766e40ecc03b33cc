/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program to walk: an ELF file of three segments, its unwind tables, and a stack.
 *
 *	file     0  ELF header, program headers, notes	r--
 *	    0x1000  code				r-x
 *	    0x2000  .eh_frame_hdr, .eh_frame		r--
 *
 * Link-time addresses are file offsets, unless set otherwise; the file is mapped at IMAGE_BASE.
 */
#pragma once
#include "abi/types.h"
#include "core/walk/walk.h"
#include "writer.h"

#define IMAGE_BASE 0x400000ULL
#define IMAGE_CODE (IMAGE_BASE + 0x1000)
#define IMAGE_HDR (IMAGE_BASE + 0x2000)
#define IMAGE_EH_FRAME (IMAGE_BASE + 0x3000)
#define IMAGE_BYTES 0x6000
#define IMAGE_INO 42
#define STACK_END 0x7ffffffff000ULL
#define IMAGE_STACK_BYTES 0x80000

#define MAX_FUNCTIONS 64

struct image {
	u8 bytes[IMAGE_BYTES];
	struct writer eh_frame;
	u32 fde[MAX_FUNCTIONS], start[MAX_FUNCTIONS]; /* for the table: distances from IMAGE_HDR */
	u32 nr;
	u64 cie;
	u64 stack[IMAGE_STACK_BYTES / 8]; /* below STACK_END */
	struct writer up;		  /* the stack, written from the innermost frame on */
};

/* Call frame instructions. */
#define INSNS(...) (const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__})

/* An image without functions; the CIE is "zR", pc-relative, CFA = rsp + 8, RA at CFA - 8. */
void image_init(struct image *im);

/* Write a CIE. @data: augmentation data without its length, or NULL if @augmentation does not begin with z. */
u64 image_cie(struct image *im, const char *augmentation, const u8 *data, u32 data_len, const u8 *insns, u32 len);

/* Write an FDE of the last CIE for @size bytes of code at @start; for the table, in the order of @start. */
void image_fde(struct image *im, u64 start, u64 size, const u8 *insns, u32 len);

/* End .eh_frame, write the table to .eh_frame_hdr and map all. */
void image_map(struct image *im);

/* The mappings only, from the bytes as they are. */
void image_map_bytes(struct image *im);

/* A walker that stands at @pc in the innermost frame, whose stack pointer is the start of im->up. */
void image_start(struct image *im, struct walk *w, u64 pc);

/* The same process once more, whose mappings may have changed: @w keeps what it knows of it. */
void image_again(struct image *im, struct walk *w, u64 pc);

/* The frame of the image's module at @pc. */
u64 image_frame(const struct walk *w, u64 pc, bool is_return);
