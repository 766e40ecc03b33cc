/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read a server's store: dusk-clickhouse makes a profile of it. See fleet.h. */
#include "cli/view/fleet.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/helper.h"
#include "cli/view/needs.h"

#define NS_A_S 1000000000ULL
#define DAY_S 86400

bool fleet_is_meant(const char *path)
{
	return !strncmp(path, "clickhouse://", 13) || !strncmp(path, "clickhouses://", 14);
}

const char *fleet_span(const char *path)
{
	const char *host = strstr(path, "://"), *database = host ? strchr(host + 3, '/') : NULL;

	return database ? strrchr(database, '@') : NULL;
}

/* A file without a name, so that nothing stays when we are killed. It is passed on as a descriptor. */
static int make_file(void)
{
	const char *tmp = getenv("TMPDIR") ?: "/tmp";
	char path[PATH_MAX];
	int fd = open(tmp, O_TMPFILE | O_RDWR, 0600); /* not O_CLOEXEC */

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/dusk-fleet-XXXXXX", tmp) < PATH_MAX) {
		fd = mkstemp(path); /* a file system without such files */
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		say("cannot make a file in %s: %s", tmp, strerror(errno));
	return fd;
}

static int read_file(struct dusk_profile **ret, int fd)
{
	struct dusk_error err = {""};
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!dusk_profile_read(ret, path, &err))
		return STATUS_OK;
	say("%s", err.text);
	return STATUS_FAILED;
}

int fleet_open(struct dusk_profile **ret, const char *url, uint64_t from_ns, uint64_t to_ns, const struct needs *needs)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(closep) int fd = -1;
	uint64_t to_s = to_ns ? to_ns / NS_A_S : (uint64_t)time(NULL) + 1,
		 from_s = from_ns ? from_ns / NS_A_S : to_s - DAY_S;
	char file[32], from[32], to[32];
	const char *words[6 + NEEDS_WORDS] = {HELPER_CLICKHOUSE, "fetch", url, from, to, file};
	int status;

	snprintf(from, sizeof(from), "%" PRIu64, from_s);
	snprintf(to, sizeof(to), "%" PRIu64, to_s > from_s ? to_s : from_s + 1);
	if (needs_say(needs, &text, words + 6))
		return STATUS_FAILED;
	fd = make_file();
	if (fd < 0)
		return STATUS_FAILED;
	snprintf(file, sizeof(file), "fd:%d", fd);
	status = helper_run(words);
	return status ? status : read_file(ret, fd);
}
