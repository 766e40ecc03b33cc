/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where would an address stand among sorted things? */
#pragma once
#include <stddef.h>
#include <stdint.h>

/*
 * How many of the @nr things of @size bytes at @v begin at @address or before: each with its address, in ascending
 * order.
 */
static inline size_t rank_of(const void *v, size_t nr, size_t size, uint64_t address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)v + middle * size) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
