/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/module_fds.h"
#include <sys/resource.h>
#include <unistd.h>
#include "base/cleanup.h"

/*
 * Descriptors that stay free for what the recorder opens later: links and iterators of BPF, the profile and its temporary files,
 * programs that are read for their names, and perf events on each CPU.
 */
#define SPARE_FDS 128
#define SPARE_FDS_A_CPU 2

void module_fds_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

size_t module_fds_end(void)
{
	rlim_t spare = SPARE_FDS + SPARE_FDS_A_CPU * (rlim_t)sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur > spare ? limit.rlim_cur - spare : 0;
}

void module_fds_init(struct module_fds *m)
{
	*m = (struct module_fds){.end = module_fds_end()};
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
	/* The kernel gives the lowest number that is free: all that is open else has those below, too. */
	if (m->fds.v[index] >= 0 || (rlim_t)fd >= m->end) {
		close(fd);
		return;
	}
	m->fds.v[index] = fd;
}
