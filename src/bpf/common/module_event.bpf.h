/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Report a module to user space when it is seen for the first time. */
#pragma once
#include "bpf/common/maps.h"

/* Send an event with ms->shareable, ms->key, ms->vma, and the file's path in the target's view. Returns 0. */
GLOBAL int module_event(struct module_room *room NONNULL, struct modules *ms NONNULL);

/*
 * Part of it, for port.bpf.c: write the file of @vma and the root of @t to @path_walk, as fill_module_event() got it.
 */
CORE long send_module_event(struct task_struct *t, struct vm_area_struct *vma, void *path_walk);
