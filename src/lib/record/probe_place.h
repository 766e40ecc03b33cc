/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does an instruction begin at a place in a function? A probe between two would change one of them, and what it does. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* @into: bytes behind the function's first byte, which is at @offset in the file @fd. False also if the code cannot be read. */
bool probe_place_begins(int fd, uint64_t offset, uint64_t into);
