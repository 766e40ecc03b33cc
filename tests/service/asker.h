/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.bpf.c, loaded and attached: a tool, of which several may live at once, in one process or in several.
 *
 * asker_*() fail the test that called; try_*() return a negative errno, for children, in which no test may fail.
 */
#pragma once
#include <dusk/unwind.h>
#include <bpf/libbpf.h>
#include "base/vec.h"
#include "live/live.h"
#include "probe.h"

#define MAX_ASKER_LINKS 64

/* A stack that came to a ring. */
struct got {
	uint64_t cookie;
	uint32_t consumer, stack, outcome, nr;
	pid_t pid, tid;
};

struct asker_ring {
	struct asker *tool;
	uint32_t consumer;
};

struct asker {
	struct dusk_unwinder *unwinder;
	struct bpf_object *obj;
	struct probe_control *control;
	struct bpf_link *link[MAX_ASKER_LINKS];
	size_t nr_links;
	struct asker_ring ring[PROBE_CONSUMERS];
	struct vec(struct got) got;
	struct dusk_error error;
};

/*
 * For main(), instead of live_main(): argv is [self, "-", folder of victims, plain object, object for 6.18], and which
 * tests, as a pattern, if not all.
 */
int asker_main(int argc, char **argv, const struct CMUnitTest *tests, size_t nr_tests);
#define ASKER_MAIN(argc, argv, tests) asker_main(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]))

/* A folder on bpffs that only this test uses. Nothing may be left of it in the end. */
extern char asker_pin[64];

/* Open, and load the programs of @kinds (a bit each). @o: NULL for the usual; its pin is asker_pin unless it is set. */
#define KIND(kind) (1u << (kind))
int try_open(struct asker *t, uint32_t kinds, const struct dusk_unwind_options *o);
void asker_open(struct asker *t, uint32_t kinds, const struct dusk_unwind_options *o);
void asker_close(struct asker *t);

/*
 * A tool in a process of its own, that asks for consumer 0 by @kind about process @pid, which get stacks by ring, aggregation map and
 * callback, and polls until it is killed. To be started while this process has no tool: children inherit locks.
 */
pid_t asker_spawn(enum probe_kind kind, pid_t pid);

/* Register consumer @number, with @deliver (DUSK_DELIVER_...). */
int try_init(struct asker *t, uint32_t number, uint32_t deliver);
void asker_init(struct asker *t, uint32_t number, uint32_t deliver);

/* The same with sizes; 0: as usual. */
int try_init_sized(struct asker *t, uint32_t number, uint32_t deliver, uint32_t ring_bytes, uint32_t aggregation_rows);

/* Let programs of @kind ask process @pid for @consumers (a bit each); @pid is one for all kinds. */
int try_attach(struct asker *t, enum probe_kind kind, pid_t pid, uint32_t consumers);
void asker_attach(struct asker *t, enum probe_kind kind, pid_t pid, uint32_t consumers);

/*
 * BY_POINT: ask whenever process @pid, in the kernel or not, has written the 4 bytes whose address the programs of
 * @from find: at @address in struct probe_control. Waits until they have.
 */
void asker_attach_write(struct asker *t, const struct asker *from, size_t address, pid_t pid, uint32_t consumers);

/* Poll for 300 ms, and until the programs of @kind have run often. */
void asker_poll_busy(struct asker *t, enum probe_kind kind);

/* Run the program of @kind once, as BPF_PROG_TEST_RUN does. 0 or a negative errno. */
int asker_run(struct asker *t, enum probe_kind kind);

/* BY_TICK at @hz. */
int try_attach_ticks(struct asker *t, unsigned int hz, pid_t pid, uint32_t consumers);

/* Nobody asks from here on; the programs stay attached. */
void asker_silence(struct asker *t);

/* Take in what comes for @ms. */
void asker_poll(struct asker *t, int ms);

/*
 * Take in what comes until @nr stacks have come in all, which may take a busy machine seconds; and any that are too
 * many.
 */
void asker_poll_for(struct asker *t, size_t nr);

/* What came for @cookie to @consumer: how many events, and the last of them. */
size_t asker_find(const struct asker *t, uint64_t cookie, uint32_t consumer, struct got *ret);

/* What the programs noted: @fn for each cookie of each consumer, refusals under cookie 0. */
void asker_answers(const struct asker *t,
		   void (*fn)(void *ctx, const struct probe_key *k, const struct probe_answers *a), void *ctx);

/* Their sum, over all cookies of @consumer; and the stack and outcome of one that was immediate, if any was. */
struct probe_answers asker_tally(const struct asker *t, uint32_t consumer);

/*
 * Each cookie that a consumer was given came to it: one event in its ring, if it has one (@rings, a bit each), and one
 * call of dusk_unwind_done() (@callbacks). Nothing came that was not asked for. All consumers must be silent by now;
 * what is still on its way is waited for: a thread that others keep from the CPU is not on its way back to user mode.
 */
void asker_expect(struct asker *t, uint32_t rings, uint32_t callbacks);

/* What the programs have added to @key of @consumer. */
struct probe_sum asker_sum(const struct asker *t, uint32_t consumer, uint32_t key);

/* The functions of stack @id, up to main: "leaf inner middle outer main". Valid until the next call. */
const char *asker_sentence(struct asker *t, uint32_t id);

/* Does this kernel have a number that tells one visit of a task from the next (core/shared/visit.h)? */
bool asker_knows_visits(void);

uint64_t asker_counter(const struct asker *t, const char *name);

/* An object's file, in memory that stays. 0 or a negative errno. */
int asker_read_image(struct dusk_image *ret, const char *path);

/* Give @u its object, and do not load it. */
int asker_open_unloaded(struct dusk_unwinder *u);
