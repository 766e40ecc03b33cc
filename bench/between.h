/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What between.bpf.c and between.c share. */
#pragma once

#define BETWEEN_CPUS 256
#define BETWEEN_TIMES (1 << 21) /* switches whose time is kept; a power of two */
