/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The library of dlopen.c. It calls back, and it calls the C library through its PLT. */
#include <stdlib.h>
#include "victim.h"

volatile unsigned long sink;
void plugin_run(int depth, void (*back)(void));

KNOWN void plugin_step(int depth, void (*back)(void))
{
	sink += labs(-depth);
	if (depth > 1)
		plugin_step(depth - 1, back);
	else
		back();
	sink += atoi("1");
}

KNOWN void plugin_run(int depth, void (*back)(void))
{
	plugin_step(depth, back);
	sink++;
}
