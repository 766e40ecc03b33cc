/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An array that grows. After struct vec(int) numbers = {0}, its elements are numbers.v[0 .. numbers.nr - 1].
 *
 * Elements may move when one is added. vec_steal() returns the array, to be freed with free(), and leaves the vec
 * empty.
 */
#pragma once
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define vec(type)                \
	{                        \
		type *v;         \
		size_t nr, room; \
	}

/* Add a zeroed element. Returns a pointer to it, or NULL when memory is short. */
#define vec_add(a)                                                                       \
	((a)->nr < (a)->room || !vec_grow((void **)&(a)->v, &(a)->room, sizeof(*(a)->v)) \
		 ? (__typeof__((a)->v))memset(&(a)->v[(a)->nr++], 0, sizeof(*(a)->v))    \
		 : NULL)

/* Add @value. Returns 0 or -ENOMEM. */
#define vec_push(a, value)                                                               \
	((a)->nr < (a)->room || !vec_grow((void **)&(a)->v, &(a)->room, sizeof(*(a)->v)) \
		 ? ((a)->v[(a)->nr++] = (value), 0)                                      \
		 : -ENOMEM)

/* Make room for @more elements after the last. Returns 0 or -ENOMEM. */
#define vec_reserve(a, more) vec_grow_to((void **)&(a)->v, &(a)->room, (a)->nr + (more), sizeof(*(a)->v))

/* Append @count elements from @values, which may be NULL if @count is 0. Returns 0 or -ENOMEM. */
#define vec_append(a, values, count)                                                       \
	({                                                                                 \
		const __typeof__(*(a)->v) *vec_from = (values);                            \
		size_t vec_count = (count);                                                \
		int vec_err = vec_reserve(a, vec_count);                                   \
		if (!vec_err && vec_count) {                                               \
			memcpy((a)->v + (a)->nr, vec_from, vec_count * sizeof(*vec_from)); \
			(a)->nr += vec_count;                                              \
		}                                                                          \
		vec_err;                                                                   \
	})

#define vec_steal(a)                                    \
	({                                              \
		__typeof__((a)->v) vec_stolen = (a)->v; \
		(a)->v = NULL;                          \
		(a)->nr = (a)->room = 0;                \
		vec_stolen;                             \
	})

#define vec_done(a) free(vec_steal(a))

static inline int vec_grow(void **v, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *bigger = more > SIZE_MAX / 2 / size ? NULL : realloc(*v, more * size);

	if (!bigger)
		return -ENOMEM;
	*v = bigger;
	*room = more;
	return 0;
}

static inline int vec_grow_to(void **v, size_t *room, size_t nr, size_t size)
{
	while (*room < nr)
		if (vec_grow(v, room, size))
			return -ENOMEM;
	return 0;
}
