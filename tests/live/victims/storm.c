/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* storm PROGRAM COUNT [delete]: run PROGRAM so often, one after the other; then delete it. */
#include <sys/wait.h>
#include "victim.h"

int main(int argc, char **argv)
{
	int left = argc > 2 ? atoi(argv[2]) : 0, status;

	while (left-- > 0) {
		pid_t pid = fork();

		if (!pid) {
			execl(argv[1], argv[1], NULL);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return argc > 3 ? unlink(argv[1]) : 0;
}
