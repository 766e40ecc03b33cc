/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Four threads at once; each runs @fn with its number and returns how much was wrong. */
#pragma once
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define THREADS 4

static inline void run_threads(void *(*fn)(void *me))
{
	pthread_t thread[THREADS];
	void *wrong;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, fn, (void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_ptr_equal(wrong, NULL);
	}
}
