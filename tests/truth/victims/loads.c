/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* loads LIBRARY: opens it, calls it, and closes it. */
#include <dlfcn.h>

static volatile long sink;

__attribute__((noipa)) static long back(long n)
{
	return n + sink;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_LAZY) : 0;
	long (*call)(long, long (*)(long)) =
		library ? (long (*)(long, long (*)(long)))dlsym(library, "library_call") : 0;

	if (!call)
		return 1;
	sink += call(-3, back) + call(2, back);
	return dlclose(library);
}
