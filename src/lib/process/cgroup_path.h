/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the path of a cgroup says: the container, the pod and the unit whose tasks are there.
 *
 * It is the name that the runtime or systemd has given to the folder. Where they are nested, as systemd in a container,
 * the innermost ones count; a unit around a container is that of its runtime, and is left out.
 */
#pragma once

#define CONTAINER_BYTES 128
#define POD_UID_BYTES 40
#define UNIT_BYTES 256 /* as the name of a file */

struct cgroup_place {
	char container[CONTAINER_BYTES]; /* id: mostly 64 hexadecimal digits; of LXC: the name */
	char pod[POD_UID_BYTES];	 /* uid, as Kubernetes writes it; of static pods: a hash */
	char unit[UNIT_BYTES];		 /* "cron.service", "session-3.scope" */
};

/* Set @ret to what @path, from the root of the hierarchy, says. What it does not say is "". */
void cgroup_parse(struct cgroup_place *ret, const char *path);
