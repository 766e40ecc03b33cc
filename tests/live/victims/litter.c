/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * litter N [M]: so many children that end at once and that nobody waits for, so that all of them are there at its end; before
 * them M that are gone.
 */
#include "victim.h"
#include <sys/wait.h>

int main(int argc, char **argv)
{
	int kept = argc > 1 ? atoi(argv[1]) : 1, gone = argc > 2 ? atoi(argv[2]) : 0;

	for (int left = gone + kept; left; left--) {
		pid_t pid = vfork();

		if (!pid)
			_exit(0);
		if (pid < 0 || (left > kept && waitpid(pid, NULL, 0) != pid))
			return 1;
	}
}
