/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cgroups of a recording, by the numbers that the kernel side gives: those of the hierarchy cgroup2, which are the
 * inodes of its folders. Those that there are at the beginning are read from the file system; each new one is an event,
 * so that processes are known that are gone before anything could be asked about them.
 */
#pragma once
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/profile/write/write.h"

#define CGROUPS_MAX 65536	   /* that are known; later ones stay without a path */
#define PATHS_MAX_BYTES (16 << 20) /* of all of them, likewise */

struct known_cgroup {
	const char *path;
	uint32_t number; /* in the profile; 0: no thread was seen in it so far */
	uint8_t looks;	 /* for its container's name, in vain */
	bool named;	 /* or there is nothing to name */
};

/* A container without a name so far, which may have to be chosen by it. */
struct later_cgroup {
	uint64_t id;
	const char *path;
	uint8_t looks;
};

/* All-zero is the state before the recording. */
struct cgroups {
	struct map of; /* id -> index of @known, plus 1 */
	struct vec(struct known_cgroup) known;
	struct vec(uint32_t) unnamed; /* of @known, with a number: containers without a name */
	struct strings paths;
	size_t paths_bytes;
	uint64_t refused, chosen; /* refused: as there were too many */
	/*
	 * Called once for each cgroup; NULL: not. Returns 1: it is recorded; 0: it is not, and of a container without a name
	 * it is asked again when that has got one; or a negative errno: there is no room for it.
	 */
	int (*choose)(void *ctx, uint64_t id, const struct dusk_cgroup *c);
	void *ctx;
	struct vec(struct later_cgroup) later;
	const char *root; /* below which the files of container runtimes are; NULL: "" */
};

/* Read the cgroups that there are. Returns 0, -ENOENT: cgroup2 is not mounted, or another negative errno. */
int cgroups_scan(struct cgroups *c);

/* The same of the hierarchy that is mounted at @folder. */
int cgroups_scan_folder(struct cgroups *c, const char *folder);

/* The cgroup @id has this path. Returns 0 or -ENOMEM. */
int cgroups_learn(struct cgroups *c, uint64_t id, const char *path);

/* Return the number of cgroup @id in @w's profile, to which it is added; 0: its path is not known. */
uint32_t cgroups_number(struct cgroups *c, struct profile_writer *w, uint64_t id);

/* The same of the cgroup with this path. */
uint32_t cgroups_number_of(struct cgroups *c, struct profile_writer *w, const char *path);

/* Look for the names of containers that had none so far: they get one later than their first task. */
void cgroups_name(struct cgroups *c, struct profile_writer *w);
void cgroups_done(struct cgroups *c);
