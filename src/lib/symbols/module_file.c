/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find the local file of a recorded module. See module_file.h. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/process/identity.h"
#include "lib/process/procfs.h"
#include "lib/symbols/module_file.h"
#include "lib/symbols/symbols.h"

#define MAX_VDSO_BYTES (1 << 20)
#define MAX_HEADERS 64

/* Copy our own vDSO to a file: the kernel maps the same one in each process. */
static int vdso_file(void)
{
	const Elf64_Ehdr *ehdr = (const void *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_(closep) int fd = -1;
	size_t bytes;

	if (!ehdr)
		return -ENOENT;
	/* The section headers are at its end. */
	bytes = ehdr->e_shoff + (size_t)ehdr->e_shentsize * ehdr->e_shnum;
	if (bytes > MAX_VDSO_BYTES)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0 || write(fd, ehdr, bytes) != (ssize_t)bytes || fchmod(fd, 0400))
		return -EIO;
	return steal_fd(&fd);
}

/* Report the first of several files that do not match. */
static void note_other(char **other, const char *path)
{
	if (other && !*other)
		*other = strdup(path);
}

/* Return @fd, which may be an error, if it is the recorded file; else -ENOENT. @found is set if @fd was a file. */
static int accept_file(const struct dusk_module *m, int fd, bool *found)
{
	_cleanup_(closep) int file = fd;

	if (file < 0)
		return -ENOENT;
	if (identity_recorded(m, file))
		return steal_fd(&file);
	*found = true;
	return -ENOENT;
}

static int open_file(const struct dusk_module *m, char **other)
{
	bool found = false;
	int fd;

	if (*m->path != '/')
		return -ENOENT;
	/*
	 * Try our own mount namespace first: debug files are searched beside the path, and below /usr/lib/debug by its
	 * name.
	 */
	fd = accept_file(m, procfs_open_file(m->path), &found);
	if (fd < 0)
		fd = accept_file(m, procfs_open_in_root(m->pid, m->path), &found);
	if (fd >= 0 || !found)
		return fd;
	note_other(other, m->path);
	return -ESTALE;
}

/* Try the places where packages, or a kernel build, put vmlinux. */
static int open_vmlinux(const struct dusk_module *m, const char *release, char **other)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/lib/modules/%s/vmlinux",
		"/boot/vmlinux-%s",
	};
	bool found = false;
	char path[256];
	int fd;

	if (strlen(m->build_id) < 3)
		return -ENOENT;
	snprintf(path, sizeof(path), SYMBOLS_BY_BUILD_ID, m->build_id, m->build_id + 2);
	fd = accept_file(m, procfs_open_file(path), &found);
	if (!release || strchr(release, '/'))
		return fd;
	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		bool here = false;

		snprintf(path, sizeof(path), places[i], release);
		fd = accept_file(m, procfs_open_file(path), &here);
		if (here)
			note_other(other, path);
		found |= here;
	}
	return fd < 0 && found ? -ESTALE : fd;
}

int module_file_open(const struct dusk_module *m, const char *release, char **other)
{
	bool found = false;

	if (other)
		*other = NULL;
	switch (m->kind) {
	case DUSK_MODULE_FILE: return open_file(m, other);
	case DUSK_MODULE_VDSO: return accept_file(m, vdso_file(), &found);
	case DUSK_MODULE_KERNEL: return open_vmlinux(m, release, other);
	default: return -ENOENT;
	}
}

bool module_file_boot(const struct dusk_profile *p)
{
	const char *recorded = dusk_profile_setting(p, "boot_id");
	_cleanup_(freep) char *now = NULL;
	size_t len;

	if (!recorded || file_read(&now, &len, "/proc/sys/kernel/random/boot_id", 4096))
		return false;
	now[strcspn(now, "\n")] = 0;
	return !strcmp(recorded, now);
}

int module_file_text(struct module_file_text *ret, const struct dusk_profile *p, int fd)
{
	const char *text = dusk_profile_setting(p, "kernel_text");
	Elf64_Phdr ph[MAX_HEADERS];
	Elf64_Ehdr eh;
	size_t bytes;

	if (!text || pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_phentsize != sizeof(*ph) || eh.e_phnum > MAX_HEADERS)
		return -ENOENT;
	bytes = eh.e_phnum * sizeof(*ph);
	if (eh.e_phoff > INT64_MAX || pread(fd, ph, bytes, eh.e_phoff) != (ssize_t)bytes)
		return -ENOENT;
	/*
	 * The first code segment is that between _text and _etext. Code that is only for the start of the kernel comes
	 * after its data.
	 */
	for (size_t i = 0; i < eh.e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X) {
			*ret = (struct module_file_text){strtoull(text, NULL, 0), ph[i].p_filesz, ph[i].p_offset};
			return 0;
		}
	return -ENOENT;
}
