/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk collect: take what many agents send, and insert it into ClickHouse. It becomes dusk-collect (src/fleet/collect/main.c). */
#include <stdio.h>
#include "cli/cmdline/command.h"
#include "cli/view/fleet.h"
#include "cli/cmdline/helper.h"

#define USUAL_ADDRESS "127.0.0.1:8124"
#define USUAL_SPOOL "/var/lib/dusk-collect"
#define USUAL_SPOOL_BYTES (64ULL << 20)
#define USUAL_WAIT "5s"
#define MAX_SHARDS 64

struct options {
	const char *listen, *spool;
	uint64_t spool_bytes, wait_ns;
	bool open;
};

static const struct option options[] = {
	{0, "listen", OPTION_TEXT, offsetof(struct options, listen), "ADDRESS",
	 "where (default " USUAL_ADDRESS "; [::]:8124)"},
	{0, "spool", OPTION_TEXT, offsetof(struct options, spool), "FOLDER", "where posts wait (" USUAL_SPOOL ")"},
	{0, "spool-size", OPTION_SIZE, offsetof(struct options, spool_bytes), "BYTES",
	 "its size on disk (default, and least: 64M)", USUAL_SPOOL_BYTES, 1ULL << 40},
	{0, "wait", OPTION_DURATION, offsetof(struct options, wait_ns), "TIME",
	 "wait for more rows, at most (default " USUAL_WAIT ")"},
	{0, "open", OPTION_FLAG, offsetof(struct options, open), NULL, "everybody who reaches the address may post"},
	{0},
};

static int check(const struct command *self, const char *const *urls, size_t nr)
{
	if (!nr)
		return say_usage(self, "where are the shards? clickhouse://HOST/DATABASE, one or several");
	for (size_t i = 0; i < nr; i++)
		if (!fleet_is_meant(urls[i]))
			return say_usage(self,
					 "%s is not a server: clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE",
					 urls[i]);
	return STATUS_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.listen = USUAL_ADDRESS,
			    .spool = USUAL_SPOOL,
			    .spool_bytes = USUAL_SPOOL_BYTES,
			    .wait_ns = 5000000000ULL};
	const char *words[6 + MAX_SHARDS + 1] = {HELPER_COLLECT};
	char spool_bytes[32], wait_ms[32];
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, words + 6, MAX_SHARDS, &nr, &status))
		return status;
	status = check(self, words + 6, nr);
	if (status)
		return status;
	snprintf(spool_bytes, sizeof(spool_bytes), "%llu", (unsigned long long)o.spool_bytes);
	snprintf(wait_ms, sizeof(wait_ms), "%llu", (unsigned long long)(o.wait_ns / 1000000));
	words[1] = o.listen;
	words[2] = o.spool;
	words[3] = spool_bytes;
	words[4] = wait_ms;
	words[5] = o.open ? "open" : "closed";
	return helper_become(words);
}

const struct command cmd_collect = {
	.name = "collect",
	.summary = "Stand between many agents and ClickHouse",
	.arguments = "[options] URL...",
	.notes = "URL: a shard, clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE.\n"
		 "Agents send to this address: dusk agent --to clickhouse://ADDRESS/DATABASE.\n",
	.options = options,
	.run = run,
};
