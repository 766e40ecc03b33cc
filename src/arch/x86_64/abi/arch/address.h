/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of user code: at any byte, and below 2^47 but for programs that ask for more. */
#pragma once

#define CODE_ADDRESS_SHIFT 0 /* the lowest bits that are 0 */
