/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file systems for whose pages a walk may wait. */
#pragma once
#include "core/env.h"

/*
 * Do the file system's pages come from memory or a block device? @magic is as in linux include/uapi/linux/magic.h. With
 * others, such as FUSE or NFS, a process or another machine decides when a page comes. Overlayfs needs no case here: it
 * maps the file of the layer below.
 */
static INLINE bool filesystem_is_safe(u64 magic)
{
	switch (magic) {
	case 0xef53:	 /* ext2, ext3, ext4 */
	case 0x58465342: /* xfs */
	case 0x9123683e: /* btrfs */
	case 0xf2f52010: /* f2fs */
	case 0x01021994: /* tmpfs */
	case 0x858458f6: /* ramfs */
	case 0x73717368: /* squashfs */
	case 0xe0f5e1e2: /* erofs */ return true;
	}
	return false;
}
