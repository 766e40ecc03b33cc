/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a function does that puts its return address elsewhere, without CFI for it. */
#pragma once

#define LIE                       \
	"	str	x30, [sp, #-16]!\n" \
	"	mov	x30, #0\n"          \
	"	nop\n"                  \
	"	ldr	x30, [sp], #16\n"   \
	"	ret\n"
