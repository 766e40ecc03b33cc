/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a function does that moves the stack pointer down and up again, without CFI for it. */
#pragma once

#define LIE               \
	"	push	$0\n"      \
	"	nop\n"          \
	"	add	$8, %rsp\n" \
	"	ret\n"
