/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* recurse DEPTH: main, qsort() of the C library, compare, DEPTH times recurse, burn. Nearly all of its time is in burn.
 */
#include "victim.h"

volatile unsigned long sink;
static long depth;
static int said;

KNOWN void burn(void)
{
	BURN(20000000);
}

KNOWN void recurse(long left)
{
	if (left > 1)
		recurse(left - 1);
	else
		burn();
	sink += left;
}

KNOWN int compare(const void *a, const void *b)
{
	if (!said++)
		say_ready();
	recurse(depth);
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	depth = argc > 1 ? atol(argv[1]) : 10;
	for (;;) {
		int numbers[2] = {2, 1};

		qsort(numbers, 2, sizeof(numbers[0]), compare);
		sink += numbers[0];
	}
}
