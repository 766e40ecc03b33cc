/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Batches of a store to a receiver. See send.h. */
#include "fleet/otlp/send.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "export/otlp_message.h"
#include "export/samples.h"
#include "lib/error.h"
#include "report/model/filter.h"
#include "report/model/time_bucket.h"

#define POLL_S 10	  /* each look is a request, if something has come */
#define WINDOWS_A_BATCH 6 /* what may arrive twice after a kill */
#define ROWS_A_BATCH 100000
#define MAX_REQUEST_BYTES (3U << 20)  /* receivers of gRPC take 4 MiB by default, before it is compressed */
#define MIN_REQUEST_BYTES (64U << 10) /* whatever a receiver says is too large: it says so again */
#define MAX_BROKEN 5		 /* a request that fails so often in a row, where an empty one does not, is refused */
#define WINDOW_NS 10000000000ULL /* of samples that are no sums */

/* A batch on its way. */
struct sending {
	struct otlp_target *t;
	struct otlp otlp;
	struct sent *sent;
	struct dusk_error *err;
	uint64_t window_ns;
	uint64_t before; /* so many of the batch's samples are in windows before this one */
};

static uint64_t window_ns(const struct dusk_profile *p)
{
	return time_bucket_window_ns(p) ?: WINDOW_NS;
}

/* What is the same for each batch of a profile, and for no other profile. */
static uint64_t profile_hash(const struct dusk_profile *p)
{
	static const char *const settings[] = {"hostname", "boot_id", "start_monotonic_ns"};
	uint64_t hash = dusk_profile_start_ns(p);

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		hash = hash64(hash ^ hash_text(dusk_profile_setting(p, settings[i]) ?: ""));
	return hash;
}

/* What is the same for a batch whenever it is sent, and for no other batch. */
static uint64_t batch_hash(const struct batch *b)
{
	const int64_t numbers[] = {b->from.sample, b->from.window, b->from.offcpu, b->from.window_count};
	uint64_t hash = profile_hash(b->p);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		hash = hash64(hash ^ hash64(numbers[i] + i));
	return hash;
}

/* Say why a receiver does not take something, but once of many. dusk store status has the number. */
static void complain(const struct sending *s, uint64_t nr, const char *text)
{
	uint64_t said = hash_text(text) ?: 1;

	if (said == s->t->said)
		return;
	fprintf(stderr, "dusk: %s does not take %" PRIu64 " profiles, which are lost: %s\n",
		receiver_place(s->t->receiver), nr, text);
	s->t->said = said;
}

static void settle(struct sending *s, const struct otlp_part *part, uint64_t refused, const char *text)
{
	uint64_t nr = s->otlp.nr_profiles;

	refused = refused < nr ? refused : nr;
	if (refused)
		complain(s, refused, text);
	s->sent->nr += nr - refused;
	s->sent->refused += refused;
	s->t->settled = s->before + part->first + part->nr;
	s->t->nr_broken = 0;
}

/* Where the part is cut in two; 0: it cannot be. */
static uint64_t middle(const struct sending *s, const struct otlp_part *part)
{
	uint64_t at = 0, nr;

	do {
		nr = otlp_alike(&s->otlp, part->samples + at, part->nr - at);
		at += nr;
	} while (at < part->nr / 2);
	return at < part->nr ? at : at - nr;
}

/* Does the receiver take a request with nothing in it? */
static bool is_well(struct receiver *r)
{
	struct dusk_error err = {""};
	struct answer a;

	return !receiver_send(r, (const uint8_t *)"", 0, &a, &err) && a.verdict == VERDICT_TAKEN;
}

enum { TOO_LARGE = 1 };

/* Returns 0: it is settled; TOO_LARGE; or a negative errno. */
static int send_message(struct sending *s, const struct otlp_part *part, const struct pb *message)
{
	struct otlp_target *t = s->t;
	struct answer a;
	int rc = receiver_send(t->receiver, message->v, message->nr, &a, s->err);

	if (rc)
		return rc;
	switch (a.verdict) {
	case VERDICT_TAKEN: settle(s, part, a.rejected, a.text); return 0;
	case VERDICT_REFUSED: settle(s, part, UINT64_MAX, a.text); return 0;
	case VERDICT_TOO_LARGE: return TOO_LARGE;
	case VERDICT_BROKEN:
		if (++t->nr_broken < MAX_BROKEN || !is_well(t->receiver))
			break;
		settle(s, part, UINT64_MAX, a.text);
		return 0;
	case VERDICT_LATER: t->nr_broken = 0; break;
	}
	t->target.patience_s = a.patience_s;
	if (a.patience_s)
		return error_set(s->err, -EAGAIN, "%s says %s; it asks for a pause of %u s",
				 receiver_place(t->receiver), a.text, a.patience_s);
	return error_set(s->err, -EAGAIN, "%s says %s", receiver_place(t->receiver), a.text);
}

/* Send @part, in halves if it is too large for one request. */
static int send_part(struct sending *s, const struct otlp_part *part)
{
	uint64_t cut = middle(s, part);
	struct otlp_part half = *part;
	_cleanup_(pb_done) struct pb message = {.nr = 0};
	int rc = otlp_message(&s->otlp, &message, part);
	bool try = message.nr <= s->t->max_bytes || !cut;

	if (rc)
		return error_complete(s->err, rc, "cannot send");
	rc = try ? send_message(s, part, &message) : TOO_LARGE;
	if (rc != TOO_LARGE)
		return rc;
	if (!cut) {
		settle(s, part, UINT64_MAX, "one stack is too large");
		return 0;
	}
	if (try)
		s->t->max_bytes = message.nr / 2 > MIN_REQUEST_BYTES ? message.nr / 2 : MIN_REQUEST_BYTES;
	pb_done(&message);
	half.nr = cut;
	rc = send_part(s, &half);
	if (rc)
		return rc;
	half.samples += cut;
	half.first += cut;
	half.nr = part->nr - cut;
	return send_part(s, &half);
}

/* Send the window whose samples these are, but for what is settled. */
static int send_window(struct sending *s, const uint64_t *samples, uint64_t nr)
{
	const struct dusk_profile *p = s->otlp.profile;
	uint64_t window = p->samples[samples[0]].time_ns / s->window_ns;
	uint64_t first = s->t->settled > s->before ? s->t->settled - s->before : 0;
	const struct otlp_part part = {
		.samples = samples + first,
		.nr = nr - first,
		.start_ns = dusk_profile_start_ns(p) + window * s->window_ns,
		.duration_ns = s->window_ns,
		.id = hash64(s->t->batch ^ hash64(window)) ?: 1,
		.first = first,
	};

	return first < nr ? send_part(s, &part) : 0;
}

struct sorter {
	const struct dusk_sample *samples;
	const uint64_t *rank; /* by sample */
	uint64_t window_ns;
};

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_samples(const void *a, const void *b, void *ctx)
{
	const struct sorter *s = ctx;
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return compare(s->samples[x].time_ns / s->window_ns, s->samples[y].time_ns / s->window_ns)
		       ?: compare(s->rank[x], s->rank[y]);
}

/* The samples by window, and within one as messages have them. */
static int sort(uint64_t **ret, const struct dusk_profile *p)
{
	_cleanup_(freep) uint64_t *rank = calloc(p->nr_samples + 1, sizeof(*rank));
	struct sorter sorter = {p->samples, rank, window_ns(p)};

	if (!rank || samples_sort(ret, p, true))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_samples; i++)
		rank[(*ret)[i]] = i;
	qsort_r(*ret, p->nr_samples, sizeof(**ret), compare_samples, &sorter);
	return 0;
}

static uint64_t samples_of_window(const struct sending *s, const uint64_t *order, uint64_t nr)
{
	const struct dusk_sample *samples = s->otlp.profile->samples;
	uint64_t i = 1;

	while (i < nr && samples[order[i]].time_ns / s->window_ns == samples[order[0]].time_ns / s->window_ns)
		i++;
	return i;
}

/* Receivers show what has a name, and few can look names up: what can be found here quickly goes with the addresses. */
static void look_up(const struct otlp_target *t, struct dusk_profile *p)
{
	const struct dusk_symbol_options o = {
		.sz = sizeof(o),
		.no_lines = true,
		.no_servers = true,
		.cache = *t->cache ? t->cache : NULL,
	};

	dusk_profile_symbolize(p, &o, NULL);
}

static int send(struct target *target, const struct batch *b, struct sent *sent, struct dusk_error *err)
{
	struct otlp_target *t = (struct otlp_target *)target;		     /* its first member */
	const struct filter filter = {.kind = TIME_BASE_WALL, .trim = true}; /* stacks off CPU end as views show them */
	struct sending s = {.t = t, .sent = sent, .err = err};
	_cleanup_(filtered_done) struct filtered seen = {0};
	_cleanup_(freep) uint64_t *order = NULL;
	const struct dusk_profile *p = &seen.profile;
	int rc;

	if (t->batch != batch_hash(b)) {
		t->batch = batch_hash(b);
		t->settled = t->nr_broken = 0;
	}
	if (!b->p->nr_samples)
		return 0;
	look_up(t, b->p);
	s.window_ns = window_ns(b->p);
	rc = filtered_init(&seen, b->p, &filter) ?: otlp_init(&s.otlp, p) ?: sort(&order, p);
	for (uint64_t i = 0, nr; !rc && i < p->nr_samples; i += nr) {
		nr = samples_of_window(&s, order + i, p->nr_samples - i);
		s.before = i;
		rc = send_window(&s, order + i, nr);
	}
	otlp_done(&s.otlp);
	return rc;
}

static void set_stop(struct target *target, const volatile sig_atomic_t *stop)
{
	receiver_set_stop(((struct otlp_target *)target)->receiver, stop); /* its first member */
}

void otlp_target_init(struct otlp_target *ret, struct receiver *r)
{
	*ret = (struct otlp_target){
		.target = {.place = receiver_place(r),
			   .unit = "profiles",
			   .most = {ROWS_A_BATCH, WINDOWS_A_BATCH, ROWS_A_BATCH, ROWS_A_BATCH},
			   .poll_s = POLL_S,
			   .set_stop = set_stop,
			   .send = send},
		.receiver = r,
		.max_bytes = MAX_REQUEST_BYTES,
	};
	if (dusk_cache_folder(ret->cache, sizeof(ret->cache)))
		*ret->cache = 0;
}
