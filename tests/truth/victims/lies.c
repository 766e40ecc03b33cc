/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A function whose CFI forgets that it has pushed something: a walk by it goes wrong, and step has to say so.
 */
#include "test_lie.h"

__asm__(".text\n"
	".globl lie\n"
	".type lie, %function\n"
	"lie:\n"
	".cfi_startproc\n" LIE ".cfi_endproc\n"
	".size lie, .-lie\n");

void lie(void);

int main(void)
{
	lie();
	return 0;
}
