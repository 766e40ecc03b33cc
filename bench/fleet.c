/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send windows of recordings as those of many hosts that differ, at other times, by what dusk sends with.
 *
 *	fleet URL FIRST_HOST HOSTS START_S STEP_S TIMES RECORDING...
 *
 * Host FIRST_HOST and the next ones have a window at START_S, in seconds since 1970, and STEP_S later, TIMES times. Its name decides
 * what a host is like: which recording it replays, in which version of all programs (frames of another version are others), which of the
 * services, processes and stacks in it it has, with which PIDs; its name and the time, which window that is. Rows of several hosts
 * go into one insert, as a collector does it. Prints how many rows, seconds, and bytes before they were packed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "fleet/clickhouse/client.h"
#include "fleet/clickhouse/rows.h"

#define ROWS_AN_INSERT 100000
#define NS_A_S 1000000000ULL
#define DAY_S 86400
#define VERSIONS 4
#define SERVICES_PERCENT 60
#define STACKS_PERCENT 75
#define PIDS 30000

/* A recording with its programs in one version. */
struct source {
	struct dusk_profile *p;
	struct rows rows;
	uint64_t nr_windows;
};

struct host {
	char name[32];
	uint64_t hash;
	const struct source *source;
};

/* What a host has of a window, with threads numbered anew. */
struct part {
	struct vec(struct dusk_sample) samples;
	struct vec(struct dusk_window_count) counts;
	struct vec(struct dusk_thread) threads;
	struct map numbers;
};

static uint64_t nr_bytes, nr_inserts, nr_rows;

__attribute__((noreturn)) static void fail(const char *text)
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
	nr_inserts += b->nr_rows > 0;
	b->bytes.nr = b->nr_rows = 0;
}

/* The build id @text of the version @version; those of the first are as they were recorded. They live as long as the program. */
static const char *in_version(const char *text, uint64_t version)
{
	uint64_t hash = hash64(hash_text(text) + version);
	char *other;

	if (!version || !*text)
		return text;
	if (asprintf(&other, "%016" PRIx64 "%016" PRIx64 "%08" PRIx32, hash, hash64(hash), (uint32_t)hash64(~hash)) < 0)
		fail("out of memory");
	return other;
}

static void source_init(struct source *s, const char *path, uint64_t version)
{
	struct dusk_error err = {""};
	struct dusk_profile *p;

	if (dusk_profile_read(&p, path, &err))
		fail(err.text);
	for (uint32_t i = 0; i < p->nr_modules; i++)
		if (p->modules[i].kind != DUSK_MODULE_KERNEL)
			p->modules[i].build_id = in_version(p->modules[i].build_id, version);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		p->threads[i].version = in_version(p->threads[i].version, version);
	for (uint32_t i = 0; i < p->nr_settings; i++) /* what code without a file is of */
		if (!strcmp(p->settings[i].key, "boot_id"))
			p->settings[i].value = in_version(p->settings[i].value, version);
	if (rows_init(&s->rows, p) || !p->nr_samples)
		fail("a recording without samples, or out of memory");
	s->p = p;
	s->nr_windows = p->samples[p->nr_samples - 1].time_ns / s->rows.window_ns;
	if (!s->nr_windows) /* the last one is not whole */
		fail("a recording of less than two windows");
}

/* What rows refer to, of all hosts. */
static void send_names(struct client *c, const struct source *s, struct map *frames, struct map *stacks)
{
	struct buffer b = {.failed = false};

	rows_frames(&b, &s->rows, frames);
	insert(c, ROWS_FRAMES, &b);
	rows_stacks(&b, &s->rows, stacks);
	insert(c, ROWS_STACKS, &b);
	buffer_done(&b);
}

static void host_init(struct host *h, uint64_t number, const struct source *sources, uint64_t nr_recordings)
{
	snprintf(h->name, sizeof(h->name), "host-%04" PRIu64, number);
	h->hash = hash64(hash_text(h->name));
	h->source = &sources[h->hash % nr_recordings * VERSIONS + (h->hash >> 8) % VERSIONS];
}

static bool chance(uint64_t hash, uint64_t percent)
{
	return hash64(hash) % 100 < percent;
}

/* Does the host have that? Most hosts have little to do. */
static bool has(const struct host *h, const struct dusk_sample *s)
{
	const struct source *source = h->source;
	const struct dusk_thread *t = &source->p->threads[s->thread];
	uint64_t service = hash_text(*t->service ? t->service : t->comm), load = (h->hash >> 16) % 100;

	return chance(h->hash ^ service, SERVICES_PERCENT) && chance(h->hash + t->pid, 3 + load * load / 100) &&
	       chance(h->hash ^ source->rows.ustacks[s->node] ^ 1, STACKS_PERCENT);
}

static void take_sample(struct part *p, const struct host *h, const struct dusk_sample *s)
{
	struct dusk_sample mine = *s;
	struct dusk_thread t = h->source->p->threads[s->thread];
	bool fresh;
	uint32_t *number = map_at(&p->numbers, s->thread, &fresh);

	if (!number)
		fail("out of memory");
	if (fresh) {
		t.pid = 1 + (t.pid + h->hash % PIDS) % PIDS;
		*number = p->threads.nr;
		if (vec_push(&p->threads, t))
			fail("out of memory");
	}
	mine.thread = *number;
	mine.time_ns = 0;
	if (vec_push(&p->samples, mine))
		fail("out of memory");
}

/* The number of the first sample at @time_ns, or later: they are by time. */
static uint64_t first_at(const struct dusk_profile *p, uint64_t time_ns)
{
	uint64_t low = 0, high = p->nr_samples;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (p->samples[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What @h has of its window @window. */
static void take(struct part *p, const struct host *h, uint64_t window)
{
	const struct dusk_profile *all = h->source->p;
	uint64_t window_ns = h->source->rows.window_ns;

	p->samples.nr = p->counts.nr = p->threads.nr = 0;
	map_clear(&p->numbers);
	for (uint64_t i = first_at(all, window * window_ns); i < first_at(all, (window + 1) * window_ns); i++)
		if (has(h, &all->samples[i]))
			take_sample(p, h, &all->samples[i]);
	for (uint64_t i = 0; i < all->nr_window_counts; i++) {
		struct dusk_window_count mine = all->window_counts[i];

		if (mine.time_ns / window_ns != window)
			continue;
		mine.time_ns = 0;
		if (vec_push(&p->counts, mine))
			fail("out of memory");
	}
}

/* Add the rows of one host at one time. */
static void add_host(struct buffer *samples, struct buffer *counts, const struct host *h, uint64_t at_s,
		     struct part *part)
{
	struct dusk_profile mine = *h->source->p;
	struct rows r = h->source->rows;
	uint64_t batch = hash64(h->hash ^ at_s);

	take(part, h, batch % h->source->nr_windows);
	mine.samples = part->samples.v;
	mine.nr_samples = part->samples.nr;
	mine.window_counts = part->counts.v;
	mine.nr_window_counts = part->counts.nr;
	mine.threads = part->threads.v;
	mine.nr_threads = part->threads.nr;
	r.p = &mine;
	r.host = h->name;
	r.start_ns = at_s * NS_A_S;
	rows_samples(samples, &r, at_s / DAY_S, batch);
	rows_counts(counts, &r, at_s / DAY_S, batch);
}

/* All hosts at one time. */
static void send_window(struct client *c, const struct host *hosts, uint64_t nr, uint64_t at_s, struct part *part)
{
	struct buffer samples = {.failed = false}, counts = {.failed = false};

	for (uint64_t i = 0; i < nr; i++) {
		add_host(&samples, &counts, &hosts[i], at_s, part);
		if (samples.nr_rows < ROWS_AN_INSERT && i + 1 < nr)
			continue;
		nr_rows += samples.nr_rows;
		insert(c, ROWS_COUNTS, &counts);
		insert(c, ROWS_SAMPLES, &samples);
	}
	buffer_done(&samples);
	buffer_done(&counts);
}

int main(int argc, char **argv)
{
	struct dusk_error err = {""};
	struct map frames = {0}, stacks = {0};
	struct part part = {.samples = {0}};
	struct client *c;
	struct rusage used;
	uint64_t nr_hosts, start_s, step_s, times, nr_recordings = argc - 7;
	struct source *sources;
	struct host *hosts;
	double begin_s;

	if (argc < 8)
		fail("URL FIRST_HOST HOSTS START_S STEP_S TIMES RECORDING...");
	if (client_new(&c, argv[1], &err))
		fail(err.text);
	nr_hosts = strtoull(argv[3], NULL, 10);
	start_s = strtoull(argv[4], NULL, 10);
	step_s = strtoull(argv[5], NULL, 10);
	times = strtoull(argv[6], NULL, 10);
	sources = calloc(nr_recordings * VERSIONS, sizeof(*sources));
	hosts = calloc(nr_hosts, sizeof(*hosts));
	if (!sources || !hosts)
		fail("out of memory");
	for (uint64_t i = 0; i < nr_recordings * VERSIONS; i++) {
		source_init(&sources[i], argv[7 + i / VERSIONS], i % VERSIONS);
		send_names(c, &sources[i], &frames, &stacks);
	}
	for (uint64_t i = 0; i < nr_hosts; i++)
		host_init(&hosts[i], strtoull(argv[2], NULL, 10) + i, sources, nr_recordings);
	nr_bytes = nr_inserts = 0;
	begin_s = now_s();
	for (uint64_t t = 0; t < times; t++)
		send_window(c, hosts, nr_hosts, start_s + t * step_s, &part);
	getrusage(RUSAGE_SELF, &used);
	printf("%" PRIu64 " rows in %" PRIu64 " inserts, %.2f s, %.2f s of CPU time here, %.1f bytes a row\n", nr_rows,
	       nr_inserts, now_s() - begin_s, used.ru_utime.tv_sec + used.ru_utime.tv_usec / 1e6,
	       (double)nr_bytes / nr_rows);
	for (uint64_t i = 0; i < nr_recordings * VERSIONS; i++) {
		rows_done(&sources[i].rows);
		dusk_profile_free(sources[i].p);
	}
	vec_done(&part.samples);
	vec_done(&part.counts);
	vec_done(&part.threads);
	map_done(&part.numbers);
	map_done(&frames);
	map_done(&stacks);
	free(sources);
	free(hosts);
	client_free(c);
	return 0;
}
