/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * poisons NUMBER: sorts, as `recurse` does, but has written to its own pages of the C library's .eh_frame: in the FDEs
 * of the functions that are in its stacks, each CFA lies 24 bytes further on. Through /proc/self/mem, if that can be:
 * then no mapping is changed, nor writable. It counts in the file NUMBER.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "victim.h"

volatile unsigned long sink;
static volatile unsigned long *number;
static uintptr_t hdr, text, text_end;
static int mem, done;

static int find_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	if (!strstr(info->dlpi_name, "/libc.so.6"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_GNU_EH_FRAME)
			hdr = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X) {
			text = info->dlpi_addr + ph->p_vaddr;
			text_end = text + ph->p_memsz;
		}
	}
	return 1;
}

static const uint8_t *skip_uleb(const uint8_t *p)
{
	while (*p++ & 0x80)
		;
	return p;
}

/* Kernels may refuse the first way; the second one changes mappings. */
static void write_byte(const uint8_t *at, uint8_t byte)
{
	void *page = (void *)((uintptr_t)at & -4096UL);

	if (pwrite(mem, &byte, 1, (uintptr_t)at) == 1)
		return;
	if (mprotect(page, 4096, PROT_READ | PROT_WRITE))
		exit(1);
	*(uint8_t *)at = byte;
	mprotect(page, 4096, PROT_READ);
}

/* Each DW_CFA_def_cfa_offset with an operand of one byte. */
static void poison_fde(const uint8_t *fde)
{
	const uint8_t *end = fde + 4 + *(const uint32_t *)fde, *p = skip_uleb(fde + 16);

	while (p < end) {
		uint8_t op = *p++;

		if (op == 0x0e && *p < 104)
			write_byte(p, *p + 24);
		if (op >> 6 == 2 || op == 0x0d || op == 0x0e)
			p = skip_uleb(p);
		else if (op == 0x0c)
			p = skip_uleb(skip_uleb(p));
		else if (op == 2 || op == 3 || op == 4)
			p += 1 << (op - 2);
		else if (op >> 6 != 1 && op >> 6 != 3 && op && op != 0x0a && op != 0x0b)
			return;
	}
}

static void poison(uintptr_t pc)
{
	const int32_t *word = (const int32_t *)hdr;
	const struct {
		int32_t start, fde;
	} *entry = (const void *)(word + 3);
	uint32_t low = 0, high = word[2];
	static uintptr_t seen[64];
	static int nr;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (hdr + entry[middle].start <= pc)
			low = middle;
		else
			high = middle;
	}
	for (int i = 0; i < nr; i++)
		if (seen[i] == hdr + entry[low].fde)
			return;
	seen[nr++] = hdr + entry[low].fde;
	poison_fde((const uint8_t *)seen[nr - 1]);
}

KNOWN static int compare(const void *a, const void *b)
{
	void *stack[64];
	int nr = done ? 0 : backtrace(stack, 64); /* the first time it loads libgcc, and that its tables */

	for (int i = 0; i < nr; i++)
		if ((uintptr_t)stack[i] - text < text_end - text)
			poison((uintptr_t)stack[i] - 1);
	done = 1;
	BURN(3000);
	++*number;
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR), values[64];
	void *ignored[4];

	number = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	mem = open("/proc/self/mem", O_RDWR);
	dl_iterate_phdr(find_libc, NULL);
	backtrace(ignored, 4);
	if (number == MAP_FAILED || mem < 0 || !hdr)
		return 1;
	for (unsigned long round = 0;; round++) {
		for (int i = 0; i < 64; i++)
			values[i] = i * 7919 % 64;
		qsort(values, 64, sizeof(values[0]), compare);
		sink += values[3];
		if (!round)
			say_ready();
	}
}
