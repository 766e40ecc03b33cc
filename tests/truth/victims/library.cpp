/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The library of loads.c: it has a constructor and a destructor, calls the C library by its PLT, and calls back. */
#include <stdlib.h>

static volatile long sink;

struct lives {
	lives()
	{
		sink += atoi("1");
	}
	~lives()
	{
		sink += atoi("2");
	}
};

static lives it;

extern "C" long library_call(long n, long (*back)(long))
{
	return labs(n) + back(n + sink) + atoi("3");
}
