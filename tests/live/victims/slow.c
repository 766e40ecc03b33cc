/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slow mappings: exits among as many mappings as it may have, all of them below the program.
 * slow deep: exits within 1,500 calls of functions whose CFI programs have 400 instructions each.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "victim.h"
#include "victim_code.h"

#define LOW ((char *)0x10000000)
#define PAGE 4096UL
#define PAGES 128000UL

#define NOP10 "0,0,0,0,0,0,0,0,0,0,"
#define NOP100 NOP10 NOP10 NOP10 NOP10 NOP10 NOP10 NOP10 NOP10 NOP10 NOP10
__asm__(DEEP(".cfi_escape " NOP100 NOP100 NOP100 NOP100 "0\n"));
extern void deep(long left);

int main(int argc, char **argv)
{
	char *low;

	if (argc > 1 && !strcmp(argv[1], "deep"))
		deep(1500);
	low = mmap(LOW, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (low == MAP_FAILED)
		return 1;
	for (unsigned long i = 0; i < PAGES; i += 2)
		if (mprotect(low + i * PAGE, PAGE, PROT_READ))
			break;
	syscall(SYS_exit_group, 0);
}
