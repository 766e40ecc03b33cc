/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which vDSO a process of x86-64 has. */
#pragma once
#include "bpf/common/maps.h"
#include <bpf/bpf_core_read.h>

static INLINE enum vdso which_vdso(const struct mm_struct *mm)
{
	const struct vdso_image *image = mm->context.vdso_image;

	return bpf_core_field_exists(image->sym_int80_landing_pad) && image->sym_int80_landing_pad ? VDSO_COMPAT : VDSO;
}
