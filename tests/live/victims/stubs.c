/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls functions of the C library that do next to nothing, so that much of the time goes to the stubs of the PLT. */
#include <ctype.h>
#include "victim.h"

volatile unsigned long sink;

KNOWN void call_stubs(void)
{
	for (int i = 0; i < 100000; i++) {
		sink += labs(-i);
		sink += (toupper)(i & 127);
		sink += (isalpha)(i & 127);
	}
}

KNOWN void recurse(long left)
{
	if (left > 1)
		recurse(left - 1);
	else
		call_stubs();
	sink += left;
}

int main(void)
{
	say_ready();
	for (;;)
		recurse(10);
}
