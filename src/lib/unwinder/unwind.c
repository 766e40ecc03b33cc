/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The unwinder for other tools: <dusk/unwind.h> on service, tool and live symbols. */
#include <dusk/unwind.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include "abi/event.h"
#include "abi/outcome.h"
#include "base/cleanup.h"
#include "lib/profile/file/abi_names.h"
#include "lib/error.h"
#include "lib/options.h"
#include "lib/unwinder/maintenance.h"
#include "lib/unwinder/stackmap_reader.h"
#include "lib/unwinder/live_symbols.h"
#include "lib/unwinder/object.h"
#include "lib/unwinder/remote.h"
#include "lib/unwinder/tool.h"
#include "lib/unwinder/inline_stacks.h"

#define DEFAULT_RING_BYTES (1 << 20)
#define DEFAULT_AGGREGATION_ROWS 16384
#define INLINE_SOON 1024 /* cookies of inline stacks that are kept if there is no aggregation */
#define LOOK_MS 100	 /* the kernel side wakes us only when a ring fills up */

_Static_assert((int)DUSK_DELIVER_RING == DELIVER_RING && (int)DUSK_DELIVER_SUMS == DELIVER_SUMS &&
		       (int)DUSK_DELIVER_CALLBACK == DELIVER_CALLBACK && (int)DUSK_DELIVER_AT_ONCE == DELIVER_AT_ONCE &&
		       (int)DUSK_DELIVER_LAST == DELIVER_LAST,
	       "deliver");

struct reader {
	struct dusk_consumer_options opts;
	struct dusk_unwinder *unwinder;
	struct ring_buffer *ring;
	int ring_fd, aggregation_fd;
	uint32_t number;
	bool used;
};

struct dusk_unwinder {
	struct service *service;
	struct tool *tool;
	struct live_symbols *names;
	struct remote *remote; /* NULL until threads are asked for */
	struct maintenance maintenance;
	struct inline_stacks *inline_stacks;
	struct reader reader[MAX_CONSUMERS];
};

int dusk_unwind_open(struct dusk_unwinder **ret, const struct dusk_unwind_options *opts, struct dusk_error *err)
{
	struct dusk_unwind_options given;
	libbpf_print_fn_t theirs;
	struct service_options o;
	struct dusk_unwinder *u;
	int r = options_take(&given, sizeof(given), opts, "cannot open the unwinder", err);

	if (r)
		return r;
	o = (struct service_options){
		.pin = given.pin,
		.max_depth = given.max_depth ? given.max_depth : DEFAULT_DEPTH,
		.no_faults = given.no_faults,
		.no_languages = given.no_languages,
		.stackmap_bits = given.stackmap_bits,
		.max_tasks = given.max_tasks,
		.max_walkers = given.max_walkers,
		.max_modules = given.max_modules,
	};
	if (o.max_depth > MAX_DEPTH || o.max_walkers & (o.max_walkers - 1))
		return error_set(err, -EINVAL, "cannot open the unwinder: options out of range");
	if (err)
		*err->text = 0;
	u = calloc(1, sizeof(*u));
	if (!u)
		return error_complete(err, -ENOMEM, "cannot open the unwinder");
	u->inline_stacks = inline_new();
	if (!u->inline_stacks) {
		free(u);
		return error_complete(err, -ENOMEM, "cannot open the unwinder");
	}
	theirs = object_hush();
	r = service_new(&u->service, &o, err);
	libbpf_set_print(theirs);
	if (!r)
		r = live_symbols_new(&u->names, service_map(u->service, "named"), service_map(u->service, "codes"));
	if (r) {
		dusk_unwind_close(u);
		return error_complete(err, r, "cannot open the unwinder");
	}
	*ret = u;
	return 0;
}

static void end_reader(struct reader *r)
{
	if (!r->used)
		return;
	inline_drop(r->unwinder->inline_stacks, r->number);
	ring_buffer__free(r->ring);
	closep(&r->ring_fd);
	closep(&r->aggregation_fd);
	memset(r, 0, sizeof(*r));
}

void dusk_unwind_close(struct dusk_unwinder *u)
{
	if (!u)
		return;
	tool_free(u->tool);
	for (u32 i = 0; i < MAX_CONSUMERS; i++)
		end_reader(&u->reader[i]);
	inline_free(u->inline_stacks);
	remote_close(u->remote);
	live_symbols_free(u->names);
	service_free(u->service);
	free(u);
}

const char *dusk_unwind_unshared_reason(const struct dusk_unwinder *u)
{
	return service_private_reason(u->service);
}

int dusk_unwind_open_object(struct dusk_unwinder *u, const struct dusk_image *plain, const struct dusk_image *impl,
			    struct bpf_object **ret, struct dusk_error *err)
{
	libbpf_print_fn_t theirs = object_hush();
	int r = u->tool ? -EBUSY : tool_open(&u->tool, u->service, plain, impl, err);

	libbpf_set_print(theirs);
	if (r == -EBUSY)
		return error_set(err, r, "cannot open a second object for one unwinder");
	if (!r)
		*ret = tool_object(u->tool);
	return r;
}

void *dusk_unwind_variable(struct dusk_unwinder *u, const char *name, size_t size)
{
	return u->tool ? object_variable(tool_object(u->tool), name, size) : NULL;
}

int dusk_unwind_load(struct dusk_unwinder *u, struct dusk_error *err)
{
	libbpf_print_fn_t theirs = object_hush();
	int r = u->tool ? tool_load(u->tool, err) : error_set(err, -EINVAL, "dusk_unwind_open_object() comes first");

	libbpf_set_print(theirs);
	return r;
}

int dusk_unwind_attach(struct dusk_unwinder *u, struct dusk_error *err)
{
	libbpf_print_fn_t theirs = object_hush();
	int r = u->tool ? tool_attach(u->tool, err) : error_set(err, -EINVAL, "dusk_unwind_load() comes first");

	libbpf_set_print(theirs);
	return r;
}

void dusk_unwind_detach(struct dusk_unwinder *u)
{
	if (u->tool)
		tool_detach(u->tool);
}

/*
 * Call on_stack() with the frames of a stack: from the stackmap, or of an inline stack that came now or under another
 * cookie.
 */
static void call_back(const struct reader *r, const struct event_stack *e)
{
	struct dusk_stack_event event = {
		.cookie = e->cookie,
		.pid = e->pid,
		.tid = e->tid,
		.stack = e->stack,
		.outcome = e->outcome,
		.frame = (const uint64_t *)e->frame,
		.nr = e->nr,
	};
	struct resolved known = {e->stack, e->outcome};

	if (e->same_as && inline_find(r->unwinder->inline_stacks, e->same_as, &known))
		event.outcome = known.outcome;
	if (known.stack)
		dusk_unwind_frames(r->unwinder, known.stack, &event.frame, &event.nr);
	r->opts.on_stack(r->opts.ctx, &event);
}

static bool has_aggregation(const struct dusk_unwinder *u)
{
	for (u32 i = 0; i < MAX_CONSUMERS; i++)
		if (u->reader[i].used && u->reader[i].opts.deliver & DUSK_DELIVER_SUMS)
			return true;
	return false;
}

static int take_event(void *ctx, void *data, size_t size)
{
	struct reader *r = ctx;
	const struct event_sum *sum = data;
	const struct event_stack *e = data;
	struct inline_stacks *stacks = r->unwinder->inline_stacks;
	int err;

	if (size >= sizeof(*sum) && sum->kind == EVENT_SUM)
		return inline_take_sum(stacks, r->number, sum);
	if (size < sizeof(*e) || e->kind != EVENT_STACK || size - sizeof(*e) < e->nr * sizeof(u64))
		return -EPROTO;
	err = inline_take_stack(stacks, e);
	if (r->opts.deliver & DUSK_DELIVER_RING)
		call_back(r, e);
	if (inline_nr(stacks) > INLINE_SOON && !has_aggregation(r->unwinder))
		inline_forget(stacks);
	return err;
}

static int make_ring(struct reader *r)
{
	r->ring_fd =
		bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dusk_ring", 0, 0, r->opts.ring_bytes ?: DEFAULT_RING_BYTES, NULL);
	if (r->ring_fd < 0)
		return -errno;
	r->ring = ring_buffer__new(r->ring_fd, take_event, r, NULL);
	return r->ring ? 0 : -errno;
}

/* Return what is wrong with the bits @deliver of a consumer's options, or NULL. */
static const char *wrong_delivery(uint32_t deliver)
{
	const uint32_t ways = DUSK_DELIVER_RING | DUSK_DELIVER_SUMS | DUSK_DELIVER_CALLBACK;

	if (deliver & ~(ways | DUSK_DELIVER_AT_ONCE | DUSK_DELIVER_LAST))
		return "which has bits that are no DUSK_DELIVER_...";
	if (!(deliver & ways))
		return "which has none of DUSK_DELIVER_RING, _SUMS and _CALLBACK, so that no stack would arrive";
	if (deliver & DUSK_DELIVER_AT_ONCE && !(deliver & DUSK_DELIVER_RING))
		return "which has DUSK_DELIVER_AT_ONCE without DUSK_DELIVER_RING";
	return NULL;
}

int dusk_unwind_add_consumer(struct dusk_unwinder *u, uint32_t number, const struct dusk_consumer_options *opts,
			     struct dusk_error *err)
{
	struct reader *r = &u->reader[number & (MAX_CONSUMERS - 1)];
	struct dusk_consumer_options o;
	const char *why;
	uint32_t deliver;
	int ret = options_take(&o, sizeof(o), opts, "cannot register a consumer", err);

	if (ret)
		return ret;
	deliver = o.deliver | (o.deliver & DUSK_DELIVER_SUMS ? DELIVER_INLINE : 0);
	why = wrong_delivery(o.deliver);
	if (why)
		return error_set(err, -EINVAL, "cannot register consumer %u: its deliver is %#x, %s", number, o.deliver,
				 why);
	if (number >= MAX_CONSUMERS || !u->tool || (o.deliver & DUSK_DELIVER_RING && !o.on_stack))
		return error_set(err, -EINVAL, "cannot register consumer %u: options out of range, or nothing loaded",
				 number);
	if (r->used)
		return error_set(err, -EBUSY, "cannot register consumer %u: it is registered", number);
	*r = (struct reader){
		.opts = o,
		.unwinder = u,
		.ring_fd = -1,
		.aggregation_fd = -1,
		.number = number,
		.used = true,
	};
	if (o.deliver & (DUSK_DELIVER_RING | DUSK_DELIVER_SUMS))
		ret = make_ring(r);
	if (!ret && o.deliver & DUSK_DELIVER_SUMS)
		ret = r->aggregation_fd = tool_make_aggregation(r->opts.aggregation_rows ?: DEFAULT_AGGREGATION_ROWS);
	if (ret < 0)
		error_set(err, ret, "cannot make the maps of consumer %u: %s", number, strerror(-ret));
	else
		ret = tool_add_consumer(u->tool, number, deliver, r->ring_fd, r->aggregation_fd, err);
	if (ret)
		end_reader(r);
	return ret;
}

int dusk_unwind_remove_consumer(struct dusk_unwinder *u, uint32_t number)
{
	int ret = u->tool ? tool_remove_consumer(u->tool, number) : -ENOENT;

	if (ret != -ENOENT)
		end_reader(&u->reader[number]);
	return ret;
}

int dusk_unwind_poll(struct dusk_unwinder *u, int timeout_ms)
{
	struct pollfd fds[MAX_CONSUMERS];
	int nr = 0, taken = 0, ret;

	for (u32 i = 0; i < MAX_CONSUMERS; i++)
		if (u->reader[i].ring)
			fds[nr++] = (struct pollfd){.fd = ring_buffer__epoll_fd(u->reader[i].ring), .events = POLLIN};
	ret = poll(fds, nr, timeout_ms < 0 || timeout_ms > LOOK_MS ? LOOK_MS : timeout_ms);
	if (ret < 0 && errno != EINTR)
		return -errno;
	for (u32 i = 0; i < MAX_CONSUMERS; i++) {
		ret = u->reader[i].ring ? ring_buffer__consume(u->reader[i].ring) : 0;
		if (ret < 0)
			return ret;
		taken += ret;
	}
	maintain(&u->maintenance, u->service);
	return taken;
}

/* Collect the stacks of the cookies of SUM_DUE rows. Returns 0 or -ENOMEM. */
static int read_resolved(int fd, struct stitch *resolved)
{
	struct aggregation_key key, *last = NULL, next;
	int err = 0;

	for (; !err && !bpf_map_get_next_key(fd, last, &next); last = &key) {
		key = next;
		if (key.kind == SUM_RESOLVED)
			err = stitch_stack(resolved, key.cookie, (struct resolved){key.stack, key.outcome}, NULL, NULL);
	}
	return err;
}

static struct dusk_sum make_sum(const struct dusk_unwinder *u, const struct aggregation_key *key,
				const struct aggregation_sum *sum, const struct stitch *resolved)
{
	struct resolved r = {key->stack, key->outcome};
	bool unresolved = key->kind == SUM_DUE && !inline_find(u->inline_stacks, key->cookie, &r) &&
			  !stitch_find(resolved, key->cookie, &r);

	return (struct dusk_sum){
		.key = key->key,
		.amount = sum->amount,
		.count = sum->count,
		.stack = r.stack,
		.outcome = r.outcome,
		.unresolved = unresolved,
	};
}

int dusk_unwind_sums(struct dusk_unwinder *u, uint32_t number, int (*fn)(void *ctx, const struct dusk_sum *c),
		     void *ctx)
{
	struct reader *r = &u->reader[number & (MAX_CONSUMERS - 1)];
	int fd = number < MAX_CONSUMERS && r->used ? r->aggregation_fd : -1, ret;
	struct aggregation_key key, *last = NULL, next;
	struct aggregation_sum sum;
	struct stitch *resolved;

	if (fd < 0)
		return -ENOENT;
	resolved = stitch_new(0, 0);
	if (!resolved)
		return -ENOMEM;
	/* If there is on_stack(), reading the ring here would call it. */
	ret = r->opts.deliver & DUSK_DELIVER_RING ? 0 : ring_buffer__consume(r->ring);
	if (ret >= 0)
		ret = read_resolved(fd, resolved);
	for (; !ret && !bpf_map_get_next_key(fd, last, &next); last = &key) {
		struct dusk_sum c;

		key = next;
		if (key.kind == SUM_RESOLVED || bpf_map_lookup_elem(fd, &key, &sum))
			continue;
		c = make_sum(u, &key, &sum, resolved);
		ret = fn(ctx, &c);
	}
	if (!ret)
		ret = inline_sums(u->inline_stacks, number, fn, ctx);
	stitch_free(resolved);
	return ret;
}

int dusk_unwind_frames(struct dusk_unwinder *u, uint32_t id, const uint64_t **ret, uint32_t *nr)
{
	const u64 *frame = id & INLINE_STACK ? inline_frames(u->inline_stacks, id, nr)
					     : stackmap_frames(service_stacks(u->service), id, nr);

	if (!frame)
		return -ENOENT;
	*ret = (const uint64_t *)frame;
	return 0;
}

void dusk_unwind_forget(struct dusk_unwinder *u)
{
	stackmap_forget(service_stacks(u->service));
	inline_forget(u->inline_stacks);
}

int dusk_stackmap_of(struct dusk_stackmap **ret, struct dusk_unwinder *u)
{
	return stackmap_reader_of(ret, u->service, u->names);
}

void dusk_unwind_place(struct dusk_unwinder *u, uint64_t frame, struct dusk_place *ret)
{
	live_symbols_find(u->names, frame, ret);
}

void dusk_unwind_name(struct dusk_unwinder *u, uint64_t frame, char *ret, size_t room)
{
	live_symbols_name(u->names, frame, ret, room);
}

int dusk_unwind_threads(struct dusk_unwinder *u, const struct dusk_threads_options *opts,
			int (*fn)(void *ctx, const struct dusk_thread_stack *t), void *ctx, struct dusk_error *err)
{
	struct dusk_threads_options o;
	libbpf_print_fn_t theirs;
	int r = options_take(&o, sizeof(o), opts, "cannot look at threads", err);

	if (r)
		return r;
	theirs = object_hush();
	if (!u->remote)
		r = remote_open(&u->remote, u->service, err);
	libbpf_set_print(theirs);
	r = r ?: remote_walk(u->remote, &o, fn, ctx, err);
	return r < 0 ? error_complete(err, r, "cannot look at threads") : r;
}

const struct dusk_outcome *dusk_outcome(uint32_t outcome)
{
	return outcome < NR_OUTCOMES ? &outcomes[outcome] : NULL;
}

uint64_t dusk_unwind_counter(const struct dusk_unwinder *u, const char *name)
{
	for (u32 i = 0; u->tool && i < NR_COUNTERS; i++)
		if (!strcmp(counters[i].name, name))
			return tool_counter(u->tool, i);
	return UINT64_MAX;
}

uint64_t dusk_unwind_lost(const struct dusk_unwinder *u, uint32_t number, const char *name)
{
	const struct consumer *c = u->tool ? tool_consumer(u->tool, number) : NULL;

	if (c && !strcmp(name, "lost-stacks"))
		return c->lost_stacks;
	return c && !strcmp(name, "lost-sums") ? c->lost_sums : UINT64_MAX;
}

size_t dusk_unwind_excluded(const struct dusk_unwinder *u, pid_t *ret, size_t max)
{
	return maintenance_excluded(u->service, ret, max);
}
