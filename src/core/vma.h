/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a mapping is. Without struct module and struct page, which the kernel has, too: its port includes this. */
#pragma once
#include "core/filesystem.h"
#include "core/port.h"

/*
 * Decide what @v is, as the kernel has described it: the end of its port_vma(), which is verified once. For the kernel, memory
 * that processes share, and large pages, are files; they are none here. Returns whether it is of a file.
 */
static INLINE bool vma_settle(struct vma *v)
{
	v->copied = !!v->copies;
	v->in_memory = filesystem_is_memory(v->filesystem);
	if (filesystem_maps_memory(v->filesystem, v->shared))
		v->dev = v->ino = v->generation = v->in_memory = 0;
	return v->ino;
}
