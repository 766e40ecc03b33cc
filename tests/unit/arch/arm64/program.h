/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs of arm64 to walk: functions with CFI, calls between them, and their stack. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/code/rules.h"
#include "core/walk/nofault.h"
#include "port/image.h"
#include "port/port_buffer.h"
#include "test_arch.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define RETURN(n) (FUNCTION(n) + 16) /* behind a call, once call_before() has put one there */
#define BARE (IMAGE_CODE + 0x800)    /* code without CFI */
#define STACK (STACK_END - IMAGE_STACK_BYTES)
#define PAC 0x002a000000000000ULL

static struct image im;
static struct walk w;

static inline void put_code(u64 addr, const u32 *code, size_t nr)
{
	memcpy(im.bytes + (addr - IMAGE_BASE), code, nr * sizeof(*code));
}

#define CODE(addr, ...) put_code((addr), (const u32[]){__VA_ARGS__}, COUNT(((const u32[]){__VA_ARGS__})))

/* Functions as compilers make them: the CIE says that CFA = sp and the return address is in x30. */
static inline void begin(void)
{
	static u32 number;

	port_reset();
	port_module_number(++number); /* nothing that was learnt of an earlier image is true */
	image_init(&im);
	image_cie(&im, "zR", INSNS(0x1b), INSNS(0x0c, SP, 0));
	for (u32 n = 0; n < 8; n++)
		test_call(&im.bytes[RETURN(n) - IMAGE_BASE]);
}

/* stp x29,x30,[sp,#-16 * @words / 2]!: the frame of function @n has so many words, x29 and x30 first. */
static inline void function(u32 n, u32 words)
{
	image_fde(&im, FUNCTION(n), 64, INSNS(0x0e, 8 * words, 0x80 | X29, words, 0x80 | X30, words - 1));
}

static inline void outermost(u32 n)
{
	image_fde(&im, FUNCTION(n), 64, INSNS(0x07, X30));
}

/* Start at @pc, with @lr in x30. */
static inline void start(u64 pc, u64 lr)
{
	image_map(&im);
	image_start(&im, &w, pc);
	w.machine.reg[X30] = lr;
}

static inline void assert_frames(u32 nr, const u64 *pcs)
{
	assert_int_equal(w.out.nr, nr);
	for (u32 i = 0; i < nr; i++)
		assert_int_equal(frame_place(w.out.frame[i]), image_frame(&w, pcs[i], i > 0));
}
