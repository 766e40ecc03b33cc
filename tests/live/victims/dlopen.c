/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dlopen LIBRARY stay|reopen: main, plugin_run, 7 times plugin_step of the library, back, burn. Either the library
 * stays, or it is opened and closed again and again, so that its calls are bound again and again.
 */
#include <dlfcn.h>
#include <string.h>
#include "victim.h"

volatile unsigned long sink;
static unsigned long burn_for = 20000000;

KNOWN void burn(void)
{
	BURN(burn_for);
}

KNOWN void back(void)
{
	burn();
	sink++;
}

KNOWN void use(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY);
	void (*run)(int, void (*)(void)) = library ? (void (*)(int, void (*)(void)))dlsym(library, "plugin_run") : NULL;

	if (!run)
		exit(1);
	run(7, back);
	dlclose(library);
	sink++;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	if (!strcmp(argv[2], "reopen"))
		burn_for = 20000;
	else if (!dlopen(argv[1], RTLD_LAZY))
		return 1;
	say_ready();
	for (;;)
		use(argv[1]);
}
