/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Binary search by address in a sorted array. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/*
 * Return how many of the @nr elements at @v, of @size bytes each, begin at @address or below it. Each element starts
 * with its address as a uint64_t, and they are in ascending order.
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
