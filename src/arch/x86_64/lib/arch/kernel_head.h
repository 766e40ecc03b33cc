/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of the kernel comes before _stext? */
#pragma once

#define KERNEL_HEAD_BYTES 0 /* _text is there, too */
