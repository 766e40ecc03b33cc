/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* litter N: so many children that end at once and that nobody waits for, so that all of them are there at its end. */
#include "victim.h"

int main(int argc, char **argv)
{
	for (int left = argc > 1 ? atoi(argv[1]) : 1; left; left--) {
		pid_t pid = vfork();

		if (!pid)
			_exit(0);
		if (pid < 0)
			return 1;
	}
}
