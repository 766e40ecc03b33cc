/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
#include "explore.h"

#define STACK_BYTES (64 << 10)
#define MAX_STEPS 512
#define MAX_WORDS 1024

static const struct model *model;

/* A thread between two steps: what it needs to go on, but for its stack above @low. */
struct place {
	jmp_buf at;
	char *low;
	bool started, done;
};

static struct place thread[MAX_THREADS];
static ucontext_t first[MAX_THREADS];
static char *stack_end[MAX_THREADS];
static u32 running;
static bool inside; /* a thread, and not the model's own look at the state */
static bool atomic; /* what is accessed now belongs to one atomic access */
static jmp_buf scheduler;
static ucontext_t home;

/* Words that were accessed, and the threads that did it, a bit each. */
static struct word {
	const void *at;
	u32 threads;
	bool written, shared;
} word[MAX_WORDS];
static bool again; /* one more is shared: the search so far has missed steps */

struct snapshot {
	struct place thread[MAX_THREADS];
	char *bytes;
	size_t room;
};

static struct snapshot snapshot[MAX_STEPS];
static char order[MAX_STEPS + 1]; /* the threads that stepped, as digits */

static struct {
	u64 *slot; /* fingerprints of the states that were met; 0: free */
	size_t slots, nr;
} met;

static struct {
	unsigned long ends, wrong;
	char how[MAX_STEPS + 1]; /* the first wrong one */
} found;

static u32 claims, failed;

static __attribute__((noinline)) char *stack_pointer(void)
{
	return __builtin_frame_address(0);
}

/* Back to the scheduler, until chosen again. */
static __attribute__((noinline)) void yield(void)
{
	thread[running].low = stack_pointer();
	if (!_setjmp(thread[running].at))
		_longjmp(scheduler, 1);
}

void point(void)
{
	if (inside)
		yield();
}

static struct word *find_word(const void *at)
{
	u32 i = (u64)at * 0x9E3779B97F4A7C15ULL >> 32, tries = 0;

	for (; word[i % MAX_WORDS].at && word[i % MAX_WORDS].at != at; i++)
		assert(tries++ < MAX_WORDS / 2);
	word[i % MAX_WORDS].at = at;
	return &word[i % MAX_WORDS];
}

static void point_at(const void *at, bool write)
{
	struct word *w;

	if (!inside)
		return;
	w = find_word(at);
	w->threads |= 1u << running;
	w->written |= write;
	if (!w->shared && w->written && w->threads & (w->threads - 1))
		w->shared = again = true;
	if (w->shared)
		yield();
}

void atomic_begin(const void *at, bool write)
{
	point_at(at, write);
	atomic = true;
}

void atomic_end(void)
{
	atomic = false;
}

static void access(const void *at, bool write)
{
	if (inside && model->each_access && !atomic)
		point_at(at, write);
}

static void access_range(const char *at, size_t bytes, bool write)
{
	for (const char *end = at + bytes; at < end; at += sizeof(u64))
		access(at, write);
}

/* What the compiler calls. */
#define REPORTED(size)                           \
	void __tsan_read##size(const void *at);  \
	void __tsan_write##size(const void *at); \
	void __tsan_read##size(const void *at)   \
	{                                        \
		access(at, false);               \
	}                                        \
	void __tsan_write##size(const void *at)  \
	{                                        \
		access(at, true);                \
	}
REPORTED(1)
REPORTED(2)
REPORTED(4)
REPORTED(8)
REPORTED(16)
void __tsan_read_range(const void *at, size_t bytes);
void __tsan_write_range(const void *at, size_t bytes);
void __tsan_read_range(const void *at, size_t bytes)
{
	access_range(at, bytes, false);
}
void __tsan_write_range(const void *at, size_t bytes)
{
	access_range(at, bytes, true);
}
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller)
{
}
void __tsan_func_exit(void)
{
}

/* A coroutine lives as long as the process: it runs the thread once a run. */
static void live(void)
{
	for (;;) {
		u32 me = running;

		thread[me].done = true;
		yield();
		model->thread(me);
	}
}

static void create(u32 me)
{
	if (getcontext(&first[me]))
		abort();
	first[me].uc_stack.ss_sp = malloc(STACK_BYTES);
	first[me].uc_stack.ss_size = STACK_BYTES;
	if (!first[me].uc_stack.ss_sp)
		abort();
	stack_end[me] = (char *)first[me].uc_stack.ss_sp + STACK_BYTES;
	makecontext(&first[me], live, 0);
	running = me;
	if (!_setjmp(scheduler))
		swapcontext(&home, &first[me]);
}

/* An interrupt on its CPU has not ended. */
static bool is_interrupted(u32 me)
{
	for (u32 i = me + 1; i < model->threads; i++)
		if (model->cpu[me] && model->cpu[i] == model->cpu[me] && thread[i].started && !thread[i].done)
			return true;
	return false;
}

static bool can_go_on(u32 me)
{
	const struct place *t = &thread[me];

	if (is_interrupted(me))
		return false;
	if (t->started && !t->done)
		return true;
	return model->can_start ? model->can_start(me) : !t->done;
}

static void step(u32 me)
{
	running = me;
	thread[me].started = true;
	thread[me].done = false;
	inside = true;
	if (!_setjmp(scheduler))
		_longjmp(thread[me].at, 1);
	inside = false;
}

/* Call @fn for each piece of memory that makes up the state. */
static void each_piece(void (*fn)(void *ctx, void *at, size_t bytes), void *ctx)
{
	for (u32 i = 0; i < MAX_PARTS && model->part[i].at; i++)
		fn(ctx, model->part[i].at, model->part[i].bytes);
	for (u32 i = 0; i < model->threads; i++)
		fn(ctx, thread[i].low, stack_end[i] - thread[i].low);
}

static void mix(void *ctx, void *at, size_t bytes)
{
	u64 *hash = ctx, w;

	for (char *p = at, *end = p + bytes; p < end; p += sizeof(w)) {
		w = 0;
		memcpy(&w, p, end - p < (ptrdiff_t)sizeof(w) ? (size_t)(end - p) : sizeof(w));
		*hash = (*hash ^ w) * 0x9E3779B97F4A7C15ULL;
		*hash ^= *hash >> 32;
	}
}

static u64 fingerprint(void)
{
	u64 hash = 1;

	mix(&hash, thread, model->threads * sizeof(thread[0]));
	each_piece(mix, &hash);
	return hash | 1;
}

static void remember(u64 print)
{
	size_t i = print >> 1;

	while (met.slot[i & (met.slots - 1)])
		i++;
	met.slot[i & (met.slots - 1)] = print;
	met.nr++;
}

static void grow(void)
{
	u64 *old = met.slot;
	size_t slots = met.slots;

	met.slots = slots ? slots * 4 : 1 << 12;
	met.slot = calloc(met.slots, sizeof(*met.slot));
	met.nr = 0;
	if (!met.slot)
		abort();
	for (size_t i = 0; i < slots; i++)
		if (old[i])
			remember(old[i]);
	free(old);
}

static bool is_new(u64 print)
{
	if (met.nr * 2 >= met.slots)
		grow();
	for (size_t i = print >> 1; met.slot[i & (met.slots - 1)]; i++)
		if (met.slot[i & (met.slots - 1)] == print)
			return false;
	remember(print);
	return true;
}

static void measure(void *ctx, void *at, size_t bytes)
{
	*(size_t *)ctx += bytes;
}

static void copy_out(void *ctx, void *at, size_t bytes)
{
	char **to = ctx;

	memcpy(*to, at, bytes);
	*to += bytes;
}

static void copy_in(void *ctx, void *at, size_t bytes)
{
	char **from = ctx;

	memcpy(at, *from, bytes);
	*from += bytes;
}

static void save(struct snapshot *s)
{
	size_t need = 0;
	char *to;

	each_piece(measure, &need);
	if (need > s->room) {
		free(s->bytes);
		s->bytes = malloc(need);
		s->room = need;
	}
	to = s->bytes;
	if (!to)
		abort();
	memcpy(s->thread, thread, sizeof(thread));
	each_piece(copy_out, &to);
}

static void restore(const struct snapshot *s)
{
	char *from = s->bytes;

	memcpy(thread, s->thread, sizeof(thread));
	each_piece(copy_in, &from);
}

static void look_at_end(u32 depth)
{
	found.ends++;
	if (model->is_right())
		return;
	if (!found.wrong++)
		memcpy(found.how, order, depth);
}

static void search(u32 depth)
{
	u32 ready = 0;

	if (!is_new(fingerprint()))
		return;
	for (u32 i = 0; i < model->threads; i++)
		ready |= (u32)can_go_on(i) << i;
	if (!ready) {
		look_at_end(depth);
		return;
	}
	assert(depth < MAX_STEPS);
	save(&snapshot[depth]);
	for (u32 i = 0; i < model->threads && !again; i++) {
		if (!(ready >> i & 1))
			continue;
		order[depth] = '0' + i;
		step(i);
		search(depth + 1);
		restore(&snapshot[depth]);
	}
}

static void explore(const struct model *m)
{
	static struct snapshot start;

	model = m;
	for (u32 i = 0; i < m->threads; i++)
		if (!stack_end[i])
			create(i);
	for (u32 i = 0; i < m->threads; i++)
		thread[i].started = thread[i].done = false;
	memset(word, 0, sizeof(word));
	m->reset();
	save(&start);
	do {
		again = false;
		memset(&found, 0, sizeof(found));
		if (met.slots)
			memset(met.slot, 0, met.slots * sizeof(*met.slot));
		met.nr = 0;
		search(0);
		restore(&start);
	} while (again);
}

static void say(bool ok, const char *claim)
{
	printf("%sok %u - %s (%zu states, %lu ends, %lu of them wrong)\n", ok ? "" : "not ", ++claims, claim, met.nr,
	       found.ends, found.wrong);
	if (found.wrong)
		printf("# for example, threads in this order: %s\n", found.how);
	fflush(stdout);
	failed += !ok;
}

void explore_holds(const struct model *m, const char *claim)
{
	explore(m);
	say(found.ends && !found.wrong, claim);
}

void explore_catches(const struct model *m, const char *claim)
{
	explore(m);
	say(found.wrong, claim);
}

int explore_done(void)
{
	printf("1..%u\n", claims);
	return failed != 0;
}
