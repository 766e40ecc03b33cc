/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Telling user space of a module that was met for the first time. */
#pragma once
#include "bpf/common/maps.h"

/* Send what ms->told, ms->key and ms->vma say, and the file's path as the target sees it. @ms is part of a walker. */
CORE void module_event(struct modules *ms);

/* Part of it, for port.bpf.c: where the file of @vma is, to what fill_module_event() was given. */
CORE long send_module_event(struct task_struct *t, struct vm_area_struct *vma, void *path_walk);
