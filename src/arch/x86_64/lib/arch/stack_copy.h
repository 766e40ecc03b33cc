/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the kernel copies a stack into a sample of perf. */
#pragma once

#define STACK_COPY_SHORT 0 /* up to its last byte */
