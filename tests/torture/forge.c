/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* forge LOG caller|late: make a log untrue. Each path has another caller, or all happened 200 µs later. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include "truth.h"

#define LATE_NS 200000

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;
	struct truth *truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (truth == MAP_FAILED || truth->magic != TRUTH_MAGIC)
		return 1;
	for (uint64_t i = 0; i < truth->nr && i < TRUTH_ENTRIES; i++) {
		struct truth_entry *e = &truth->entry[i];

		if (e->path == TRUTH_DOOM || e->path == TRUTH_BIRTH)
			continue;
		if (!strcmp(argv[2], "caller"))
			e->path ^= 1;
		else if (e->start_ns && e->end_ns) {
			e->start_ns += LATE_NS;
			e->end_ns += LATE_NS;
		}
	}
	return 0;
}
