/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Was a perf.data recorded here, by the kernel that runs, in this boot? */
#pragma once
#include "lib/perfdata/perfdata.h"

/* Where was the kernel's _text? 0: the file does not say. */
uint64_t import_kernel_text(const struct perfdata *d);

/* Do addresses of the kernel and inode numbers mean the same here and now as in @d? */
bool import_is_this_boot(const struct perfdata *d);
