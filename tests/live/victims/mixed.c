/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mixed LIBRARY OTHER: main, use, plugin_run and 3 times plugin_step of the one library, through, the same of the other
 * one, back, burn: what is known of how to leave a frame is of another kind in each of the three files.
 */
#include <dlfcn.h>
#include "victim.h"

volatile unsigned long sink;
static void (*run[2])(int depth, void (*back)(void));

KNOWN void burn(void)
{
	BURN(20000000);
}

KNOWN void back(void)
{
	burn();
	sink++;
}

KNOWN void through(void)
{
	run[1](3, back);
	sink++;
}

KNOWN void use(void)
{
	run[0](3, through);
	sink++;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(argv[i + 1], RTLD_NOW);

		run[i] = library ? (void (*)(int, void (*)(void)))dlsym(library, "plugin_run") : NULL;
		if (!run[i])
			return 1;
	}
	say_ready();
	for (;;)
		use();
}
