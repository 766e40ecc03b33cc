/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * marked: main, work, hit: 20 times, with numbers and a text as arguments; a USDT probe in work() that is passed only while its
 * semaphore says that somebody looks at it. The note is what sys/sdt.h of systemtap would write. Prints how often it was passed.
 */
#include <stdio.h>
#include "victim.h"

volatile unsigned long sink;
volatile unsigned short marked_semaphore __attribute__((section(".probes"), used));

asm(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
    ".weak _.stapsdt.base\n"
    ".hidden _.stapsdt.base\n"
    "_.stapsdt.base: .space 1\n"
    ".size _.stapsdt.base, 1\n"
    ".popsection\n");

#define MARK(n, text)                                             \
	asm volatile("990: nop\n"                                 \
		     ".pushsection .note.stapsdt,\"\",\"note\"\n" \
		     ".balign 4\n"                                \
		     ".4byte 992f-991f, 994f-993f, 3\n"           \
		     "991: .asciz \"stapsdt\"\n"                  \
		     "992: .balign 4\n"                           \
		     "993: .8byte 990b\n"                         \
		     ".8byte _.stapsdt.base\n"                    \
		     ".8byte marked_semaphore\n"                  \
		     ".asciz \"dusk\"\n"                          \
		     ".asciz \"mark\"\n"                          \
		     ".asciz \"-4@%[number] 8@%[pointer]\"\n"     \
		     "994: .balign 4\n"                           \
		     ".popsection\n" ::[number] "r"(n),           \
		     [pointer] "r"(text))

KNOWN unsigned long hit(int n, const char *text)
{
	sink += n + text[0];
	return n * 2;
}

KNOWN int work(void)
{
	int passed = 0;

	for (int i = 0; i < 20; i++) {
		sink += hit(-i, "a text");
		if (marked_semaphore) {
			MARK(-i, "a mark");
			passed++;
		}
	}
	return passed;
}

int main(void)
{
	const volatile char *read_it = "a text a mark"; /* the page of the texts is in memory */

	sink += read_it[0] + "a text"[sink & 1] + "a mark"[sink & 1];
	printf("passed %d\n", work());
	return 0;
}
