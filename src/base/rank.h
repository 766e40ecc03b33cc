/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Binary search in a sorted array, by address or time. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/*
 * Return how many of the @nr elements at @v, of @size bytes each, begin with @key or less. Each element starts
 * with its key as a uint64_t, and they are in ascending order.
 */
static inline size_t rank_of(const void *v, size_t nr, size_t size, uint64_t key)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)v + middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same, but only those that begin with less than @key. */
static inline size_t rank_below(const void *v, size_t nr, size_t size, uint64_t key)
{
	return key ? rank_of(v, nr, size, key - 1) : 0;
}
