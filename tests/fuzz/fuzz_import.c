/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Any perf.data becomes a profile that is whole, or nothing. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <dusk/dusk.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names are of no interest here, and files of this machine not a part of the input. */
static int no_names(void *ctx, uint32_t done, uint32_t total)
{
	return total ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dusk_import_options o = {.sz = sizeof(o), .progress = no_names, .owner_uid = -1, .owner_gid = -1};
	char folder[] = "/tmp/dusk-fuzz-XXXXXX", from[64], to[64];
	struct dusk_error err = {""};
	struct dusk_profile *p;
	int fd;

	assert(mkdtemp(folder));
	snprintf(from, sizeof(from), "%s/perf.data", folder);
	snprintf(to, sizeof(to), "%s/p", folder);
	fd = open(from, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (!dusk_import_perf(from, to, &o, &err)) {
		if (dusk_profile_read(&p, to, &err)) {
			fprintf(stderr, "%s\n", err.text);
			abort();
		}
		assert(p->finished);
		dusk_profile_free(p);
		unlink(to);
	}
	unlink(from);
	assert(!rmdir(folder));
	return 0;
}
