/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send the windows of one recording as those of many hosts, at other times, by what dusk sends with.
 *
 *	fleet PROFILE URL FIRST_HOST HOSTS START_S TIMES
 *
 * Host FIRST_HOST and the next ones have the profile at START_S, in seconds since 1970, and again each time it lasted, TIMES times.
 * Rows of several hosts go into one insert, as a collector does it. Prints how many rows, seconds, and bytes before they were packed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "clickhouse/client.h"
#include "clickhouse/rows.h"

#define ROWS_AN_INSERT 100000
#define NS_A_S 1000000000ULL

static uint64_t nr_bytes, nr_inserts;

static void fail(const char *text)
{
	fprintf(stderr, "fleet: %s\n", text);
	exit(1);
}

static void insert(struct client *c, const char *columns, struct buffer *b)
{
	_cleanup_(freep) char *sql = NULL;
	struct dusk_error err = {""};

	if (b->failed || asprintf(&sql, "INSERT INTO %s.%s FORMAT RowBinary", client_database(c), columns) < 0)
		fail("out of memory");
	if (b->nr_rows && client_run(c, sql, NULL, b, NULL, NULL, &err))
		fail(err.text);
	nr_bytes += b->bytes.nr;
	nr_inserts++;
	b->bytes.nr = b->nr_rows = 0;
}

/* What samples refer to is the same for all hosts. */
static void send_names(struct client *c, const struct rows *r)
{
	struct buffer b = {.failed = false};
	struct map sent = {0};

	rows_frames(&b, r, &sent);
	insert(c, ROWS_FRAMES, &b);
	map_clear(&sent);
	rows_stacks(&b, r, &sent);
	insert(c, ROWS_STACKS, &b);
	map_done(&sent);
	buffer_done(&b);
}

/* Add the samples of one host at one time. */
static void add_host(struct buffer *b, struct rows *r, uint64_t host, uint64_t start_s)
{
	char name[32];
	uint32_t first, last;

	snprintf(name, sizeof(name), "host-%04" PRIu64, host);
	r->host = name;
	r->start_ns = start_s * NS_A_S;
	if (rows_days(r, &first, &last))
		for (uint32_t day = first; day <= last; day++)
			rows_samples(b, r, day, hash64(host << 32 ^ start_s ^ day));
}

int main(int argc, char **argv)
{
	struct dusk_profile *p;
	struct dusk_error err = {""};
	struct buffer b = {.failed = false};
	struct client *c;
	struct rows r;
	struct rusage used;
	uint64_t nr_rows = 0, first, hosts, start_s, times, lasts_s;
	double begin_s;

	if (argc != 7)
		fail("PROFILE URL FIRST_HOST HOSTS START_S TIMES");
	if (dusk_profile_read(&p, argv[1], &err) || client_new(&c, argv[2], &err))
		fail(err.text);
	if (rows_init(&r, p))
		fail("out of memory");
	first = strtoull(argv[3], NULL, 10);
	hosts = strtoull(argv[4], NULL, 10);
	start_s = strtoull(argv[5], NULL, 10);
	times = strtoull(argv[6], NULL, 10);
	lasts_s = (strtoull(dusk_profile_setting(p, "duration_ns") ?: "0", NULL, 10) + NS_A_S - 1) / NS_A_S ?: 1;
	send_names(c, &r);
	nr_bytes = nr_inserts = 0;
	begin_s = now_s();
	for (uint64_t t = 0; t < times; t++)
		for (uint64_t h = first; h < first + hosts; h++) {
			add_host(&b, &r, h, start_s + t * lasts_s);
			if (b.nr_rows < ROWS_AN_INSERT && (t + 1 < times || h + 1 < first + hosts))
				continue;
			nr_rows += b.nr_rows;
			insert(c, ROWS_SAMPLES, &b);
		}
	getrusage(RUSAGE_SELF, &used);
	printf("%" PRIu64 " rows in %" PRIu64 " inserts, %.2f s, %.2f s of CPU time here, %.1f bytes a row\n", nr_rows,
	       nr_inserts, now_s() - begin_s, used.ru_utime.tv_sec + used.ru_utime.tv_usec / 1e6,
	       (double)nr_bytes / nr_rows);
	buffer_done(&b);
	rows_done(&r);
	client_free(c);
	dusk_profile_free(p);
	return 0;
}
