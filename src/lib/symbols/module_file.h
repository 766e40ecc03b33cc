/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the local file of a recorded module.
 *
 * A profile is read in later boots and on other machines. A file is accepted only if it has the recorded build id or,
 * if none was recorded, the recorded device and inode (lib/process/identity.h).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <dusk/dusk.h>

/*
 * Open the file of module @m for reading: at its path in our mount namespace, or else in the root of the process that
 * had it mapped. The vDSO is our own. The kernel is its vmlinux where packages install it; @release (else NULL) is the
 * kernel version. If @other is not NULL, *@other is the path of a different file in its place, to be freed with free().
 * Returns a file descriptor, -ENOENT (not here), or -ESTALE (another file is in its place).
 */
int module_file_open(const struct dusk_module *m, const char *release, char **other);

/* Return whether this is the boot in which @p was recorded: kernel addresses are valid in one boot only. */
bool module_file_boot(const struct dusk_profile *p);

/* The code of the kernel image: @bytes bytes from address @start in the recorded boot, at @offset in the file. */
struct module_file_text {
	uint64_t start, bytes, offset;
};

/*
 * Find where the code of the image @fd was in the boot of @p.
 * Returns 0, or -ENOENT if the recording does not say, or if @fd is not a kernel image.
 */
int module_file_text(struct module_file_text *ret, const struct dusk_profile *p, int fd);
