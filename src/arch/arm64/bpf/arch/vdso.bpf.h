/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The vDSO of arm64: there is one; that of 32-bit tasks has no place here, as they are not walked. */
#pragma once
#include "bpf/common/maps.h"

static INLINE enum vdso which_vdso(const struct mm_struct *mm)
{
	return VDSO;
}
