/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For which file systems' pages a walk may wait, and which mappings of files are memory in truth. */
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

#define HUGETLBFS_MAGIC 0x958458f6

/* Do the file system's files exist in memory only? */
static INLINE bool filesystem_is_memory(u64 magic)
{
	switch (magic) {
	case 0x01021994: /* tmpfs: also memfd_create(), shmat() and shared mappings without a file */
	case 0x858458f6: /* ramfs */
	case HUGETLBFS_MAGIC: return true;
	}
	return false;
}

/*
 * Is a mapping of such a file what a process has made, as a mapping without a file is, whatever is in it? Programs are mapped
 * privately, and by small pages.
 */
static INLINE bool filesystem_maps_memory(u64 magic, bool shared)
{
	return magic == HUGETLBFS_MAGIC || (shared && filesystem_is_memory(magic));
}
