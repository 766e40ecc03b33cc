/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/cpu_list.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "lib/error.h"

int cpu_list_read(struct cpu_list *ret, const char *which, struct dusk_error *err)
{
	char path[64];
	int first, last;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", which);
	_cleanup_(fclosep) FILE *f = fopen(path, "re");
	if (!f)
		return error_set(err, -errno, "cannot read %s: %s", path, strerror(errno));
	do {
		if (fscanf(f, "%d", &first) != 1)
			return error_set(err, -EIO, "cannot understand %s", path);
		if (fscanf(f, "-%d", &last) != 1)
			last = first;
		for (int cpu = first; cpu <= last; cpu++)
			if (vec_push(ret, cpu))
				return -ENOMEM;
	} while (fgetc(f) == ',');
	return 0;
}

bool cpu_list_has(const struct cpu_list *l, int cpu)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i] == cpu)
			return true;
	return false;
}
