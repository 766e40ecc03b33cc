/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A function whose CFI forgets that it has pushed something: a walk by it misses a frame, and step has to say
 * so.
 */
__asm__(".text\n"
	".globl lie\n"
	".type lie, @function\n"
	"lie:\n"
	".cfi_startproc\n"
	"	push	$0\n"
	"	nop\n"
	"	add	$8, %rsp\n"
	"	ret\n"
	".cfi_endproc\n"
	".size lie, .-lie\n");

void lie(void);

int main(void)
{
	lie();
	return 0;
}
