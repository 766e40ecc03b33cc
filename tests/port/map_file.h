/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Real files, as memory to walk in. */
#pragma once
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "port/port_buffer.h"

/* Program header @i of the file @bytes, of whichever class. */
static Elf64_Phdr program_header(const u8 *bytes, int i)
{
	const Elf32_Ehdr *narrow = (const void *)bytes;
	const Elf64_Ehdr *eh = (const void *)bytes;
	const Elf32_Phdr *ph;

	if (eh->e_ident[EI_CLASS] == ELFCLASS64)
		return ((const Elf64_Phdr *)(bytes + eh->e_phoff))[i];
	ph = (const Elf32_Phdr *)(bytes + narrow->e_phoff) + i;
	return (Elf64_Phdr){.p_type = ph->p_type,
			    .p_flags = ph->p_flags,
			    .p_offset = ph->p_offset,
			    .p_vaddr = ph->p_vaddr,
			    .p_filesz = ph->p_filesz};
}

/* Map the file's segments as the loader would, @bias above their addresses, but whatever may be read. Returns 0 or negative. */
static int port_map_file(const char *path, u64 bias, bool *is_i386)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *eh;
	struct stat st;
	int nr;
	u8 *bytes;

	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(*eh))
		return -ENOENT;
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	eh = (const void *)bytes;
	*is_i386 = eh->e_machine == EM_386;
	nr = eh->e_ident[EI_CLASS] == ELFCLASS64 ? eh->e_phnum : ((const Elf32_Ehdr *)bytes)->e_phnum;
	port_reset();
	for (int i = 0; i < nr; i++) {
		Elf64_Phdr ph = program_header(bytes, i);
		u64 slack = ph.p_offset & (PAGE_BYTES - 1);
		struct vma like = {.dev = 1, .ino = st.st_ino, .offset = ph.p_offset - slack};

		if (ph.p_type != PT_LOAD || ph.p_flags & PF_W)
			continue;
		like.executable = ph.p_flags & PF_X;
		port_map(bias + ph.p_vaddr - slack, bytes + like.offset, ph.p_filesz + slack, like);
	}
	return 0;
}
