/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Integer types for both sides of the kernel/user border. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
