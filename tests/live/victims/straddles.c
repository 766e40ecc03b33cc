/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * straddles NUMBER: main, then one of some functions, then burn. The FDEs of these functions lie across the end of a
 * page of .eh_frame, and the page behind it is not in this process's page table: what reads without faulting does not
 * have it. Once the file NUMBER says so, all pages are touched. Each function saves rbx, so that its CFA is not that of
 * a guess.
 */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "victim.h"
#include "victim_code.h"

#define PAGE 4096UL
#define FUNCTIONS 2000
#define HEADER 17 /* bytes of an FDE up to its instructions */

volatile unsigned long sink;
static volatile unsigned long *number;
static const int32_t *hdr;

__asm__(STRADDLE);
extern const char straddle[];

KNOWN static void burn(void)
{
	BURN(200000);
}

static int find_hdr(struct dl_phdr_info *info, size_t size, void *ctx)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			hdr = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 1; /* the program itself comes first */
}

/* All that is mapped read-only, so that nothing else is missing. */
static void touch_all(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512], what[8];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &start, &end, what) == 3 &&
		    (!strcmp(what, "r--p") || !strcmp(what, "r-xp")) && !strstr(line, "[v"))
			for (; start < end; start += PAGE)
				sink += *(volatile const char *)start;
	if (maps)
		fclose(maps);
}

int main(int argc, char **argv)
{
	void (*chosen[64])(void (*)(void));
	uintptr_t behind[64], fde, code;
	unsigned nr = 0;

	number = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, open(argv[1], O_RDWR), 0);
	dl_iterate_phdr(find_hdr, NULL);
	if (number == MAP_FAILED || !hdr)
		return 1;
	for (int32_t i = 0; i < hdr[2] && nr < 64; i++) {
		code = (uintptr_t)hdr + hdr[3 + 2 * i];
		fde = (uintptr_t)hdr + hdr[4 + 2 * i];
		if (code - (uintptr_t)straddle >= FUNCTIONS * STRADDLE_BYTES || fde % PAGE + HEADER <= PAGE ||
		    fde / PAGE % 2)
			continue;
		behind[nr] = (fde + PAGE) & -PAGE;
		chosen[nr++] = (void (*)(void (*)(void)))code;
	}
	number[1] = nr;
	touch_all();
	say_ready();
	for (unsigned i = 0;; i = (i + 1) % nr) {
		for (unsigned k = 0; k < nr; k++)
			if (*number)
				sink += *(volatile const char *)behind[k];
			else
				madvise((void *)behind[k], PAGE, MADV_DONTNEED);
		chosen[i](burn);
		number[2]++;
	}
}
