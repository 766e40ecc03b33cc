/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the kernel copies a stack into a sample of perf. */
#pragma once

/*
 * By blocks of 64 bytes: where the next one reaches beyond the end of the mapping, none of it is copied (linux 6.18
 * arch/arm64/lib/copy_template.S).
 */
#define STACK_COPY_SHORT 64
