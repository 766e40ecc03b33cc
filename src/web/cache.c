/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answers that can be given again. See cache.h. */
#include "web/cache.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include "web/store_state.h"

struct kept {
	struct cache_entry entry;
	uint64_t asked; /* when it was last asked for, in requests */
};

struct cache {
	pthread_mutex_t lock;
	struct vec(struct kept) kept;
	size_t bytes;
	uint64_t nr_requests;
};

struct cache *cache_new(void)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (c)
		pthread_mutex_init(&c->lock, NULL);
	return c;
}

/* What it takes of memory, nearly. */
static size_t size_of(const struct cache_entry *e)
{
	return sizeof(struct kept) + strlen(e->key) + e->bytes.nr;
}

void cache_entry_done(struct cache_entry *e)
{
	free(e->key);
	e->key = NULL;
	vec_done(&e->bytes);
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->kept.nr; i++)
		cache_entry_done(&c->kept.v[i].entry);
	vec_done(&c->kept);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* Does a time, if it is one, mean the same tomorrow? "2026-11-24T03:12Z" does. */
static bool is_fixed(const char *time, size_t len)
{
	return !len || time[len - 1] == 'Z';
}

/* Does the range of @store that @word is, if it is one, move with the clock? */
static bool moves(const char *word, const char *store)
{
	size_t len = strlen(store);
	const char *from = word + len + 1, *dots;

	if (strncmp(word, store, len) || word[len] != '@')
		return false;
	dots = strstr(from, "..");
	return !dots || !is_fixed(from, dots - from) || !is_fixed(dots + 2, strlen(dots + 2));
}

/* The key of an answer; NULL: it cannot be kept. */
static char *make_key(const char *store, const char *const *words, time_t now_s)
{
	bool here = !store_is_elsewhere(store), fixed = true;
	struct store_state state = {.signature = 0};
	char *key = NULL;
	size_t len;
	FILE *out;

	if (here && store_state_read(&state, store))
		return NULL;
	out = open_memstream(&key, &len);
	for (; out && *words; words++) {
		fprintf(out, "%s\n", *words);
		fixed &= !moves(*words, store);
	}
	if (out)
		fprintf(out, "%" PRIx64 " %jd", state.signature,
			here && fixed ? 0 : (intmax_t)now_s / (fixed ? CACHE_HOLDS_FIXED_S : CACHE_HOLDS_S));
	if (out && fclose(out)) {
		free(key);
		key = NULL;
	}
	return key;
}

static struct kept *find(struct cache *c, const char *key)
{
	for (size_t i = 0; i < c->kept.nr; i++)
		if (!strcmp(c->kept.v[i].entry.key, key))
			return &c->kept.v[i];
	return NULL;
}

bool cache_find(struct cache *c, const char *store, const char *const *words, time_t now_s, struct cache_entry *ret)
{
	struct kept *k;
	bool found;

	ret->key = make_key(store, words, now_s);
	if (!ret->key)
		return false;
	pthread_mutex_lock(&c->lock);
	c->nr_requests++;
	k = find(c, ret->key);
	found = k && !vec_append(&ret->bytes, k->entry.bytes.v, k->entry.bytes.nr);
	if (found) {
		strcpy(ret->said, k->entry.said);
		k->asked = c->nr_requests;
	}
	pthread_mutex_unlock(&c->lock);
	return found;
}

void cache_entry_add(struct cache_entry *e, const char *bytes, size_t nr)
{
	if (!e->key || (e->bytes.nr + nr <= CACHE_MAX_ANSWER && !vec_append(&e->bytes, bytes, nr)))
		return;
	cache_entry_done(e);
}

/* Remove the answer that was not asked for for longest. */
static void remove_oldest(struct cache *c)
{
	size_t oldest = 0;

	for (size_t i = 1; i < c->kept.nr; i++)
		if (c->kept.v[i].asked < c->kept.v[oldest].asked)
			oldest = i;
	c->bytes -= size_of(&c->kept.v[oldest].entry);
	cache_entry_done(&c->kept.v[oldest].entry);
	c->kept.v[oldest] = c->kept.v[--c->kept.nr];
}

void cache_keep(struct cache *c, struct cache_entry *e)
{
	if (!e->key)
		return;
	pthread_mutex_lock(&c->lock);
	if (!find(c, e->key) && !vec_push(&c->kept, ((struct kept){*e, c->nr_requests}))) {
		c->bytes += size_of(e);
		memset(e, 0, sizeof(*e));
		while (c->bytes > CACHE_MAX_BYTES)
			remove_oldest(c);
	}
	pthread_mutex_unlock(&c->lock);
}
