/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The name of a container, from the files of its runtime: the links of Kubernetes' kubelet to logs, which all of its
 * runtimes have; Docker; Podman. They are their owner's, root's, files: nothing that a container writes is read.
 *
 * Rootless Podman has the same lists below ~/.local/share/containers/storage of its user. They are not read: a user could name its
 * processes as the containers of others, and put a list of any form, or one on a file system that never answers, before a
 * recorder that runs as root. Such a container is known by its id; its cgroup says whose it is.
 */
#pragma once
#include <stdbool.h>

#define CONTAINER_NAME_BYTES 256

struct container_name {
	char container[CONTAINER_NAME_BYTES];
	char pod[CONTAINER_NAME_BYTES], pod_namespace[CONTAINER_NAME_BYTES]; /* "": it is not of a pod */
};

/*
 * Find the name of the container @id, at the runtimes' places below @root, "" for this system.
 * Returns false if none of them knows it (yet), or if its files cannot be read; then @ret is all empty.
 */
bool container_find_name(struct container_name *ret, const char *root, const char *id);
