/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DW_EH_PE_*: how .eh_frame encodes addresses (LSB 5 §10.5.1); those that occur on x86-64. */
#pragma once

#define PE_ABSPTR 0x00
#define PE_UDATA2 0x02
#define PE_UDATA4 0x03
#define PE_UDATA8 0x04
#define PE_SDATA4_PCREL 0x1b
#define PE_FORMAT 0x07
