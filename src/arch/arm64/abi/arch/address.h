/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of user code: instructions have four bytes, and lie below 2^48 but for programs that ask for more. */
#pragma once

#define CODE_ADDRESS_SHIFT 1 /* the lowest bits that are 0, and are needed for others */
