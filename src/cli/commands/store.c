/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk store: look after a store, or one of many hosts on a server. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/view/fleet.h"
#include "cli/cmdline/helper.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "cli/cmdline/sent.h"
#include "cli/view/store.h"
#include "report/model/balance.h"
#include "report/model/completeness.h"
#include "report/text.h"

#define MINUTE_NS 60000000000ULL
#define NAME_WIDTH 28
#define MAX_WORDS 1024

struct options {
	bool verbose, follow, replicated;
	const char *cluster;
	uint32_t keep_days;
};

static const struct option options[] = {
	{'v', "verbose", OPTION_FLAG, offsetof(struct options, verbose), NULL, "check: each minute, too"},
	{0, "follow", OPTION_FLAG, offsetof(struct options, follow), NULL,
	 "send: also what comes later, until SIGTERM"},
	{0, "cluster", OPTION_TEXT, offsetof(struct options, cluster), "NAME",
	 "init: of a cluster that the servers know"},
	{0, "replicated", OPTION_FLAG, offsetof(struct options, replicated), NULL, "init: the shards have replicas"},
	{0, "keep", OPTION_NUMBER, offsetof(struct options, keep_days), "DAYS",
	 "init: newer servers remove days that are older", 1, 36500},
	{0},
};

struct check {
	const struct options *o;
	FILE *out;
	uint64_t nr, nr_read, nr_bad; /* profiles */
	bool failed;		      /* one cannot be read */
};

static const struct {
	enum dusk_source source;
	const char *name;
} kinds[] = {{DUSK_CPU, "samples"}, {DUSK_OFF_CPU, "off-CPU intervals"}};

static void row(FILE *out, const char *name, const char *what, const struct balance *b, const char *note)
{
	size_t width = text_width(name, TEXT_TERMINAL);

	text_write(out, name, TEXT_TERMINAL);
	fprintf(out, "%*s %-18s %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRId64 "%s\n",
		width < NAME_WIDTH ? (int)(NAME_WIDTH - width) : 0, "", what, b->taken, b->stored, b->lost, b->missing,
		note);
}

/* Why it may be that something is missing; NULL: it may not. */
static const char *excuse(const struct dusk_profile *p)
{
	if (p->live)
		return " (on its way: it is being recorded)";
	if (!p->finished)
		return " (its recorder was killed)";
	return NULL;
}

static void minutes(const struct check *c, const struct dusk_profile *p, enum dusk_source source, const char *what)
{
	uint64_t start_ns = dusk_profile_start_ns(p), end_ns = 0, from_ns = 0;
	struct balance b;

	if (!p->nr_window_counts)
		return;
	end_ns = p->window_counts[p->nr_window_counts - 1].time_ns + 1;
	for (uint64_t at = 0; from_ns < end_ns;) {
		/* Minutes of which there is nothing are left out: there may be any number of them. */
		while (at < p->nr_window_counts && p->window_counts[at].time_ns < from_ns)
			at++;
		if (at < p->nr_window_counts && p->window_counts[at].time_ns - from_ns >= MINUTE_NS)
			from_ns = p->window_counts[at].time_ns - (start_ns + p->window_counts[at].time_ns) % MINUTE_NS;
		uint64_t to_ns = from_ns + MINUTE_NS - (start_ns + from_ns) % MINUTE_NS;
		time_t s = (start_ns + from_ns) / 1000000000;
		char when[NAME_WIDTH];
		struct tm tm;

		balance_between(&b, p, source, from_ns, to_ns);
		strftime(when, sizeof(when), "  %Y-%m-%dT%H:%MZ", gmtime_r(&s, &tm));
		row(c->out, when, what, &b, "");
		from_ns = to_ns;
	}
}

static void losses(FILE *out, const struct dusk_profile *p)
{
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		const struct dusk_counter *c = &p->counters[i];

		if (!c->value || !counter_is_loss(c))
			continue;
		fprintf(out, "  %" PRIu64 " ", c->value);
		text_write(out, c->name, TEXT_TERMINAL);
		fputs(": ", out);
		text_write(out, c->sentence, TEXT_TERMINAL);
		putc('\n', out);
	}
}

static int check_one(const char *path, void *ctx)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	const char *name = path_name(path);
	struct check *c = ctx;
	bool bad = false;

	c->nr++;
	if (open_profile(&p, path, false, false)) {
		c->failed = true;
		return STATUS_OK;
	}
	if (!c->nr_read++)
		fprintf(c->out, "%-*s %-18s %12s %12s %10s %10s\n", NAME_WIDTH, "profile", "what", "taken", "stored",
			"lost", "missing");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct balance b;
		const char *why;

		if (!balance_of(&b, p, kinds[i].source) || (!b.taken && !b.stored))
			continue;
		why = b.missing ? excuse(p) : "";
		bad |= !why;
		row(c->out, name, kinds[i].name, &b, why ?: " WRONG");
		if (c->o->verbose)
			minutes(c, p, kinds[i].source, kinds[i].name);
	}
	losses(c->out, p);
	c->nr_bad += bad;
	return STATUS_OK;
}

static int check(const struct options *o, const char *const *paths, size_t nr)
{
	struct output out;
	struct check c = {.o = o};
	int status = output_open(&out, NULL, true), closed;

	if (status)
		return status;
	c.out = out.file;
	for (size_t i = 0; i < nr && !status; i++) {
		uint64_t before = c.nr;

		status = store_is_meant(paths[i]) ? store_each(paths[i], check_one, &c) : check_one(paths[i], &c);
		if (!status && c.nr == before) {
			say("there is nothing in %s", paths[i]);
			status = STATUS_NOTHING;
		}
	}
	closed = output_close(&out, 0);
	if (c.nr_bad)
		say("%" PRIu64 " of %" PRIu64 " profiles: what was taken is neither stored nor named as lost", c.nr_bad,
		    c.nr);
	return closed || c.nr_bad || c.failed ? STATUS_FAILED : status;
}

/* dusk-clickhouse knows servers. */
static int on_server(const char *what, const char *url, const char *with)
{
	const char *words[] = {HELPER_CLICKHOUSE, what, url, with, NULL};

	if (fleet_is_meant(url))
		return helper_become(words);
	say("%s is not a server: clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE", url);
	return STATUS_FAILED;
}

static int send(const char *how, const char *store, const char *url)
{
	const char *words[] = {helper_that_sends(url), how, url, store, NULL};

	if (words[0])
		return helper_become(words);
	say("%s is not a server: clickhouse://HOST/DATABASE, otlp://HOST or otlp+grpc://HOST", url);
	return STATUS_FAILED;
}

static int on_servers(const char *const *words, size_t nr_options, size_t nr)
{
	for (size_t i = nr_options; i < nr; i++)
		if (!fleet_is_meant(words[i])) {
			say("%s is not a server: clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE", words[i]);
			return STATUS_FAILED;
		}
	return helper_become(words);
}

static int init(const struct options *o, const char *const *urls, size_t nr)
{
	const char *words[MAX_WORDS + 8] = {HELPER_CLICKHOUSE, "init"};
	char days[16];
	size_t n = 2;

	snprintf(days, sizeof(days), "%" PRIu32, o->keep_days);
	if (o->cluster)
		words[n++] = "--cluster", words[n++] = o->cluster;
	if (o->replicated)
		words[n++] = "--replicated";
	if (o->keep_days)
		words[n++] = "--keep", words[n++] = days;
	memcpy(&words[n], urls, nr * sizeof(*urls));
	return on_servers(words, n, n + nr);
}

static int drop_before(const char *const *day_and_urls, size_t nr)
{
	const char *words[MAX_WORDS + 3] = {HELPER_CLICKHOUSE, "drop-before"};

	memcpy(&words[2], day_and_urls, nr * sizeof(*day_and_urls));
	return on_servers(words, 3, 2 + nr);
}

/* The options that each word uses. */
static const struct {
	const char *word, *options;
} uses[] = {{"check", " verbose "}, {"status", " "}, {"init", " cluster replicated keep "},
	    {"send", " follow "},   {"alive", " "},  {"drop-before", " "}};

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.verbose = false};
	const char *words[MAX_WORDS];
	const char *what;
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, words, MAX_WORDS, &nr, &status))
		return status;
	what = nr ? words[0] : "";
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		status = strcmp(what, uses[i].word) ? STATUS_OK : command_refuse(self, &o, what, uses[i].options);
		if (status)
			return status;
	}
	if (!strcmp(what, "status") && nr == 2 && !fleet_is_meant(words[1]))
		return sent_print(words[1]);
	if (!strcmp(what, "init") && nr > 1)
		return init(&o, words + 1, nr - 1);
	if ((!strcmp(what, "status") || !strcmp(what, "alive")) && nr == 2)
		return on_server(what, words[1], NULL);
	if (!strcmp(what, "drop-before") && nr > 2)
		return drop_before(words + 1, nr - 1);
	if (!strcmp(what, "send") && nr == 3)
		return send(o.follow ? "follow" : what, words[1], words[2]);
	if (!strcmp(what, "check") && nr == 2 && fleet_is_meant(words[1]))
		return on_server(o.verbose ? "check-minutes" : what, words[1], NULL);
	if (!strcmp(what, "check") && nr > 1)
		return check(&o, words + 1, nr - 1);
	return say_usage(self, nr ? "what is to be done with what?" : "what is to be done?");
}

const struct command cmd_store = {
	.name = "store",
	.summary = "Check that a store has all that was taken; send it to a server",
	.arguments = "[options] COMMAND ...",
	.notes = "dusk store check STORE...        is all there that was taken?\n"
		 "dusk store status STORE          what of it was sent to where?\n"
		 "dusk store init URL...           make the tables on a server, or a cluster\n"
		 "dusk store send STORE URL        send what it does not have yet\n"
		 "dusk store status URL            what it has, of which hosts\n"
		 "dusk store alive URL             has a host sent in the last 3 minutes?\n"
		 "dusk store drop-before DAY URL... remove older days\n\n"
		 "STORE may be a part of one, STORE@-2h, or a profile.\n"
		 "URL: a ClickHouse server, clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE.\n"
		 "To send also a receiver of OpenTelemetry's profiles: otlp://HOST[:PORT],\n"
		 "otlp+grpc://HOST[:PORT], or otlp: for the one that the environment names.\n",
	.options = options,
	.run = run,
};
