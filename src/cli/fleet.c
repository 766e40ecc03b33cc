/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read a server's store: dusk-clickhouse makes a profile of it. See fleet.h. */
#include "cli/fleet.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/helper.h"

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

static int read_file(struct dusk_profile **ret, const char *path)
{
	struct dusk_error err = {""};

	if (!dusk_profile_read(ret, path, &err))
		return STATUS_OK;
	say("%s", err.text);
	return STATUS_FAILED;
}

int fleet_open(struct dusk_profile **ret, const char *url, uint64_t from_ns, uint64_t to_ns)
{
	const char *tmp = getenv("TMPDIR") ?: "/tmp";
	uint64_t to_s = to_ns ? to_ns / NS_A_S : (uint64_t)time(NULL) + 1,
		 from_s = from_ns ? from_ns / NS_A_S : to_s - DAY_S;
	char folder[PATH_MAX - 16], file[PATH_MAX], from[32], to[32];
	const char *words[] = {HELPER_CLICKHOUSE, "fetch", url, from, to, file, NULL};
	int status;

	snprintf(from, sizeof(from), "%" PRIu64, from_s);
	snprintf(to, sizeof(to), "%" PRIu64, to_s > from_s ? to_s : from_s + 1);
	if (snprintf(folder, sizeof(folder), "%s/dusk-fleet-XXXXXX", tmp) >= sizeof(folder) || !mkdtemp(folder)) {
		say("cannot make a folder in %s: %s", tmp, strerror(errno));
		return STATUS_FAILED;
	}
	snprintf(file, sizeof(file), "%s/profile", folder);
	status = helper_run(words);
	if (!status)
		status = read_file(ret, file);
	unlink(file);
	rmdir(folder);
	return status;
}
