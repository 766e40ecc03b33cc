/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/module_fds.h"
#include <sys/resource.h>
#include "base/cleanup.h"

#define SPARE_FDS 64 /* descriptors left for the rest of this process */

void module_fds_init(struct module_fds *m)
{
	struct rlimit limit;

	*m = (struct module_fds){0};
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	m->max_open = limit.rlim_cur > 2 * SPARE_FDS ? limit.rlim_cur - SPARE_FDS : 0;
}

void module_fds_done(struct module_fds *m)
{
	for (size_t i = 0; i < m->fds.nr; i++)
		closep(&m->fds.v[i]);
	vec_done(&m->fds);
}

void module_fds_keep(struct module_fds *m, uint32_t index, int fd)
{
	while (m->fds.nr <= index)
		if (vec_push(&m->fds, -1)) {
			closep(&fd);
			return;
		}
	if (fd < 0)
		return;
	if (m->fds.v[index] >= 0 || m->nr_open >= m->max_open) {
		close(fd);
		return;
	}
	m->fds.v[index] = fd;
	m->nr_open++;
}

bool module_fds_has(const struct module_fds *m, uint32_t index)
{
	return index < m->fds.nr && m->fds.v[index] >= 0;
}
