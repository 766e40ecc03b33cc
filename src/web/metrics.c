/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a store for Prometheus. See metrics.h. */
#include "web/metrics.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/prometheus.h"
#include "web/run.h"
#include "web/store_state.h"

#define COUNTERS "select name, value from counter"

static atomic_ulong answers[6]; /* by the first digit of the status */

void metrics_count(unsigned int status)
{
	if (status / 100 < 6)
		atomic_fetch_add(&answers[status / 100], 1);
}

static bool is_name(const char *text)
{
	return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(text);
}

/* Write a line of CSV, "name,value". */
static void counter(FILE *out, char *line)
{
	char *comma = strchr(line, ','), *end;
	unsigned long long value = comma ? strtoull(comma + 1, &end, 10) : 0;

	if (!comma || end == comma + 1 || *end)
		return;
	*comma = 0;
	if (is_name(line))
		fprintf(out, "dusk_recorder_count_total{name=\"%s\"} %llu\n", line, value);
}

/* All that @r writes, as text. Free it with free(). Returns NULL if it failed. */
static char *read_all(struct run *r)
{
	char *text = NULL, part[4096];
	size_t len;
	FILE *into = open_memstream(&text, &len);
	ssize_t n = -1;

	while (into && (n = run_read(r, part, sizeof(part))) > 0)
		fwrite(part, 1, n, into);
	if (into && fclose(into))
		n = -1;
	if (n) {
		free(text);
		return NULL;
	}
	return text;
}

/* The counters of the profile at @path. Returns whether there are any, and they could be read. */
static bool write_counters(FILE *out, const char *path, const char *dusk)
{
	const char *words[] = {"dusk", "query", "-i", path, "--csv", COUNTERS, NULL};
	_cleanup_(freep) char *text = NULL;
	struct run *r;
	char *rest, *line;

	if (!*path || run_new(&r, dusk, words))
		return false;
	text = read_all(r);
	run_free(r);
	if (!text)
		return false;
	strtok_r(text, "\n", &rest); /* the names of columns */
	line = strtok_r(NULL, "\n", &rest);
	if (!line)
		return false;
	prometheus_head(out, "dusk_recorder_count_total", "counter",
			"what the recorder counts, from the beginning of its profile on; dusk info explains each name");
	for (; line; line = strtok_r(NULL, "\n", &rest))
		counter(out, line);
	return true;
}

static int write_store(FILE *out, const char *store, const char *dusk)
{
	struct store_state s;
	int err = store_state_read(&s, store);
	bool read;

	if (err)
		return err;
	prometheus_gauge(out, "dusk_store_profiles", "profiles in the store", s.nr_profiles);
	prometheus_gauge(out, "dusk_store_bytes", "size of the store", s.bytes);
	if (s.written_s_ago >= 0)
		prometheus_gauge(out, "dusk_store_written_seconds_ago", "time since something was written to the store",
				 s.written_s_ago);
	/* A recorder has counted nothing before its first window is over. */
	read = write_counters(out, s.counting[0], dusk) || write_counters(out, s.counting[1], dusk);
	prometheus_gauge(out, "dusk_recorder_read", "1: the counters of a recorder could be read", read);
	return 0;
}

int metrics_write(FILE *out, const char *store, const char *dusk)
{
	/* The counters of many hosts are in the tables of their server. */
	int err = store_is_elsewhere(store) ? 0 : write_store(out, store, dusk);

	if (err)
		return err;
	prometheus_head(out, "dusk_web_answers_total", "counter", "answers to requests, by the class of their status");
	for (size_t i = 1; i < sizeof(answers) / sizeof(*answers); i++)
		fprintf(out, "dusk_web_answers_total{status=\"%zuxx\"} %lu\n", i, atomic_load(&answers[i]));
	return 0;
}
