/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * evicted FILE [DEPTH]: main, enter, DEPTH (60) times recurse, work, spin, on a stack that is kept in FILE. It drops
 * its own unwind tables, again and again, and the stack of the frames outside work: from the page tables, and from the
 * page cache.
 */
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <time.h>
#include "own_stack.h"

static int stack_fd;
static unsigned long tables, tables_bytes;
static int said;

KNOWN void spin(void)
{
	BURN(5000000);
}

KNOWN void evict(unsigned long above)
{
	unsigned long start = (above + 2 * PAGE) & -PAGE, end = (unsigned long)stack + STACK_BYTES;

	madvise((void *)tables, tables_bytes, MADV_PAGEOUT);
	msync(stack, STACK_BYTES, MS_SYNC);
	madvise((void *)start, end - start, MADV_DONTNEED);
	posix_fadvise(stack_fd, 0, 0, POSIX_FADV_DONTNEED);
	sink++;
}

KNOWN void work(void)
{
	char here;

	for (;;) {
		evict((unsigned long)&here);
		if (!said++)
			say_ready();
		spin();
		sink++;
	}
}

/* The program's own read-only segment that holds .eh_frame_hdr. */
static int find_tables(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned long hdr = 0;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			hdr = info->dlpi_phdr[i].p_vaddr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || hdr < p->p_vaddr || hdr >= p->p_vaddr + p->p_memsz)
			continue;
		tables = (info->dlpi_addr + p->p_vaddr) & -PAGE;
		tables_bytes = (p->p_memsz + PAGE - 1) & -PAGE;
	}
	return 1; /* the program comes first */
}

int main(int argc, char **argv)
{
	stack_fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	if (stack_fd < 0 || ftruncate(stack_fd, STACK_BYTES))
		return 1;
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, stack_fd, 0);
	if (stack == MAP_FAILED || !dl_iterate_phdr(find_tables, NULL) || !tables_bytes)
		return 1;
	return run_on_stack(argc > 2 ? atoi(argv[2]) : 60, work);
}
