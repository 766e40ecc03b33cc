/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that request stacks at uprobes (bpf/unwind/at_uprobe.bpf.c). */
#pragma once
#include <bpf/libbpf.h>
#include <dusk/dusk.h>

/*
 * Check that all uprobe programs of @obj, which is loaded, that request stacks call dusk_unwind_at_uprobe(). Returns 0;
 * -EINVAL: @err says which does not.
 */
int uprobes_check(struct bpf_object *obj, struct dusk_error *err);
