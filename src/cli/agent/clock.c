/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clocks that jump. See clock.h. */
#include "cli/agent/clock.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/cmdline/command.h"

#define NOTE ".clock"
#define NOTE_BYTES 256

void agent_clock_init(struct agent_clock *c, const char *before, const char *boot_id, int64_t real_s, int64_t boot_s)
{
	*c = (struct agent_clock){.offset_s = real_s - boot_s, .jumped_s = -1};
	snprintf(c->boot_id, sizeof(c->boot_id), "%s", boot_id);
	if (!before || strncmp(before, boot_id, strlen(boot_id)) || !*boot_id)
		return;
	sscanf(before + strlen(boot_id), " %" SCNd64 " %" SCNd64, &c->offset_s, &c->jumped_s);
}

int64_t agent_clock_look(struct agent_clock *c, int64_t real_s, int64_t boot_s)
{
	int64_t by_s = real_s - boot_s - c->offset_s;

	c->offset_s += by_s; /* small steps set it right */
	if (llabs(by_s) <= CLOCK_JUMP_S)
		return 0;
	c->jumped_s = boot_s;
	return by_s;
}

bool agent_clock_is_settled(const struct agent_clock *c, int64_t boot_s)
{
	return c->jumped_s < 0 || boot_s - c->jumped_s >= CLOCK_SETTLE_S;
}

static int64_t seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec;
}

/* If it cannot be written, as the disk is full, the next agent does not know of a jump. */
static void note(const struct agent_clock *c, const char *store)
{
	char path[PATH_MAX], text[NOTE_BYTES];
	_cleanup_(closep) int fd = -1;
	int len = snprintf(text, sizeof(text), "%s %" PRId64 " %" PRId64 "\n", c->boot_id, c->offset_s, c->jumped_s);

	if (snprintf(path, sizeof(path), "%s/" NOTE, store) < sizeof(path))
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		file_write_fd(fd, text, len);
}

void agent_clock_begin(struct agent_clock *c, const char *store)
{
	_cleanup_(freep) char *before = NULL, *boot_id = NULL;
	char path[PATH_MAX];
	size_t len;

	if (file_read(&boot_id, &len, "/proc/sys/kernel/random/boot_id", NOTE_BYTES))
		boot_id = NULL;
	if (boot_id)
		boot_id[strcspn(boot_id, "\n")] = 0;
	if (snprintf(path, sizeof(path), "%s/" NOTE, store) >= sizeof(path) ||
	    file_read(&before, &len, path, NOTE_BYTES))
		before = NULL;
	agent_clock_init(c, before, boot_id ?: "", seconds(CLOCK_REALTIME), seconds(CLOCK_BOOTTIME));
	note(c, store);
}

bool agent_clock_follow(struct agent_clock *c, const char *store)
{
	int64_t boot_s = seconds(CLOCK_BOOTTIME), by_s = agent_clock_look(c, seconds(CLOCK_REALTIME), boot_s);

	if (by_s) {
		say("the clock has jumped by %+" PRId64 " s: for a day nothing is removed for its age", by_s);
		note(c, store);
	}
	return agent_clock_is_settled(c, boot_s);
}
