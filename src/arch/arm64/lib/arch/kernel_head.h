/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of the kernel comes before _stext? It is no code to kallsyms, which shows it with CONFIG_KALLSYMS_ALL only. */
#pragma once

#define KERNEL_HEAD_BYTES 0x10000 /* from _text on: what boot loaders read */
