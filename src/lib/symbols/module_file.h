/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which file here is the one that was recorded?
 *
 * A profile is read in later boots, and on other machines. A file is believed only if it has the build id that was
 * recorded, or, if it has none, the device and inode.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <dusk/dusk.h>

/*
 * The file of module @m, opened for reading: as we see its path, or else as the process does that had it mapped; the
 * vDSO is our own, and the kernel its vmlinux where packages put it, for which @release says which kernel it was (else
 * NULL). -ENOENT: it is not here; -ESTALE: what is in its place is another file, whose name is then at *@other, to be
 * freed with free(), unless @other is NULL.
 */
int module_file_open(const struct dusk_module *m, const char *release, char **other);

/* Does the kernel that was recorded still run? Its addresses mean something in one boot only. */
bool module_file_boot(const struct dusk_profile *p);

/*
 * The code of the kernel's image: from @start on @bytes bytes, as addresses in the boot that was recorded, which are
 * @offset in the file and on.
 */
struct module_file_text {
	uint64_t start, bytes, offset;
};

/*
 * Where the code of the image @fd was in the boot of @p. -ENOENT: the recording does not say, or it is no such image.
 */
int module_file_text(struct module_file_text *ret, const struct dusk_profile *p, int fd);
