/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of specimens on any text; and the walk of what it accepts, which ends as its result says. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/process/specimen.h"
#include "lib/process/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("specimen", MFD_CLOEXEC);
	struct specimen *s = NULL;
	struct trace t = {0};
	struct dusk_error err = {0};
	char path[64];

	assert(!trace_init(&t) && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (specimen_read(&s, path, &err)) {
		assert(!s && *err.text);
	} else {
		FILE *out = fopen("/dev/null", "we");

		assert(!specimen_walk(s, &t));
		assert(!specimen_write(s, out));
		fclose(out);
		specimen_free(s);
	}
	trace_done(&t);
	close(fd);
	return 0;
}
