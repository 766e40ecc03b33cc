/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that ask for stacks at uprobes (bpf/unwind/at_uprobe.bpf.c). */
#pragma once
#include <bpf/libbpf.h>
#include <dusk/dusk.h>

/*
 * Do all programs at uprobes of @obj, which is loaded, that ask for stacks call dusk_unwind_at_uprobe()? 0; -EINVAL:
 * @err says which does not.
 */
int uprobes_check(struct bpf_object *obj, struct dusk_error *err);
