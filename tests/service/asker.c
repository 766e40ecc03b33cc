/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "asker.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "victim.h"

#define TICK_HZ 997
#define BUSY_RUNS 50
#define BUSY_SECONDS 20 /* the machine may be busy with other things */

char asker_pin[64];
static struct dusk_image plain, impl;

int asker_read_image(struct dusk_image *ret, const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	bytes = malloc(st.st_size);
	if (!bytes || read(fd, bytes, st.st_size) != st.st_size)
		return -EIO;
	*ret = (struct dusk_image){bytes, st.st_size};
	return 0;
}

int asker_main(int argc, char **argv, const struct CMUnitTest *tests, size_t nr_tests)
{
	int ret;

	if (argc < 5 || asker_read_image(&plain, argv[3]) || asker_read_image(&impl, argv[4]))
		return 2;
	snprintf(asker_pin, sizeof(asker_pin), "/sys/fs/bpf/dusk-test-%d", getpid());
	if (argc > 5)
		cmocka_set_test_filter(argv[5]);
	ret = live_main(3, argv, tests, nr_tests);
	if (!access(asker_pin, F_OK)) {
		fprintf(stderr, "%s is still there\n", asker_pin);
		return 1;
	}
	return ret;
}

static const char *const programs[NR_KINDS] = {
	[BY_TICK] = "by_tick",
	[BY_POINT] = "by_point",
	[BY_SWITCH] = "by_switch",
	[BY_RAW] = "by_raw",
	[BY_TRACEPOINT] = "by_tracepoint",
	[BY_KPROBE] = "by_kprobe",
	[BY_UPROBE] = "by_uprobe",
	[BY_UPROBE_ALONE] = "by_uprobe_alone",
	[BY_FENTRY] = "by_fentry",
	[BY_LSM] = "by_lsm",
	[BY_SIGNAL] = "by_signal",
	[BY_FAULT] = "by_fault",
	[BY_RETURN] = "by_return",
	[BY_NOW] = "by_now",
	[BY_NOW_SYSCALL] = "by_now_syscall",
	[BY_NOW_EXEC] = "by_now_exec",
	[BY_NMI] = "by_nmi",
};

static struct bpf_program *program(const struct asker *t, enum probe_kind kind)
{
	return bpf_object__find_program_by_name(t->obj, programs[kind]);
}

static int map_control(struct asker *t)
{
	int fd = bpf_object__find_map_fd_by_name(t->obj, ".bss.control");

	t->control = mmap(NULL, sizeof(*t->control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (t->control != MAP_FAILED)
		return 0;
	t->control = NULL;
	return -errno;
}

int try_open(struct asker *t, uint32_t kinds, const struct dusk_unwind_options *o)
{
	struct dusk_unwind_options opts = o ? *o : (struct dusk_unwind_options){0};
	int ret;

	memset(t, 0, sizeof(*t));
	opts.sz = sizeof(opts);
	if (!opts.pin)
		opts.pin = asker_pin;
	ret = dusk_unwind_open(&t->unwinder, &opts, &t->error);
	if (!ret)
		ret = dusk_unwind_open_object(t->unwinder, &plain, &impl, &t->obj, &t->error);
	for (int kind = 0; !ret && kind < NR_KINDS; kind++)
		bpf_program__set_autoload(program(t, kind), kinds >> kind & 1);
	if (!ret)
		ret = dusk_unwind_load(t->unwinder, &t->error);
	if (!ret)
		ret = map_control(t);
	return ret;
}

void asker_open(struct asker *t, uint32_t kinds, const struct dusk_unwind_options *o)
{
	if (try_open(t, kinds, o))
		fail_msg("cannot open the tool: %s", t->error.text);
}

void asker_close(struct asker *t)
{
	for (size_t i = 0; i < t->nr_links; i++)
		bpf_link__destroy(t->link[i]);
	if (t->control)
		munmap(t->control, sizeof(*t->control));
	dusk_unwind_close(t->unwinder);
	vec_done(&t->got);
	memset(t, 0, sizeof(*t));
}

static void on_stack(void *ctx, const struct dusk_stack_event *e)
{
	struct asker_ring *r = ctx;
	struct got got = {e->cookie, r->consumer, e->stack, e->outcome, e->nr, e->pid, e->tid};

	if (vec_push(&r->tool->got, got))
		abort();
}

int try_init_sized(struct asker *t, uint32_t number, uint32_t deliver, uint32_t ring_bytes, uint32_t aggregation_rows)
{
	struct asker_ring *r = &t->ring[number % PROBE_CONSUMERS];
	struct dusk_consumer_options o = {
		.sz = sizeof(o),
		.deliver = deliver,
		.on_stack = on_stack,
		.ctx = r,
		.ring_bytes = ring_bytes,
		.aggregation_rows = aggregation_rows,
	};

	*r = (struct asker_ring){t, number};
	return dusk_unwind_add_consumer(t->unwinder, number, &o, &t->error);
}

int try_init(struct asker *t, uint32_t number, uint32_t deliver)
{
	return try_init_sized(t, number, deliver, 4 << 20, 0);
}

void asker_init(struct asker *t, uint32_t number, uint32_t deliver)
{
	if (try_init(t, number, deliver))
		fail_msg("cannot register consumer %u: %s", number, t->error.text);
}

static int keep(struct asker *t, struct bpf_link *link)
{
	if (!link)
		return -errno;
	if (t->nr_links == MAX_ASKER_LINKS) {
		bpf_link__destroy(link);
		return -ENOSPC;
	}
	t->link[t->nr_links++] = link;
	return 0;
}

static int attach_perf(struct asker *t, enum probe_kind kind, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd, ret;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid ? pid : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = keep(t, bpf_program__attach_perf_event(program(t, kind), fd));
	if (ret)
		close(fd);
	return ret;
}

static void let_ask(struct asker *t, enum probe_kind kind, pid_t pid, uint32_t consumers)
{
	t->control->consumers[kind] = consumers;
	__atomic_store_n(&t->control->tgid, pid, __ATOMIC_RELEASE);
}

int try_attach_ticks(struct asker *t, unsigned int hz, pid_t pid, uint32_t consumers)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
	};
	int ret = 0;

	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN) && !ret; cpu++)
		ret = attach_perf(t, BY_TICK, &attr, 0, cpu);
	if (!ret)
		let_ask(t, BY_TICK, pid, consumers);
	return ret;
}

void asker_attach_write(struct asker *t, const struct asker *from, size_t address, pid_t pid, uint32_t consumers)
{
	const u64 *found = (u64 *)((char *)from->control + address);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.sample_period = 1,
	};
	double end = live_now_s() + BUSY_SECONDS;
	int ret;

	while (!__atomic_load_n(found, __ATOMIC_RELAXED)) {
		if (live_now_s() > end)
			fail_msg("the programs have not found the address");
		asker_poll(t, 10);
	}
	attr.bp_addr = *found;
	ret = attach_perf(t, BY_POINT, &attr, pid, -1);
	if (ret)
		fail_msg("cannot set a breakpoint: %s", strerror(-ret));
	let_ask(t, BY_POINT, pid, consumers);
}

void asker_poll_busy(struct asker *t, enum probe_kind kind)
{
	double end = live_now_s() + BUSY_SECONDS;

	asker_poll(t, 300);
	while (t->control->runs[kind] < BUSY_RUNS) {
		if (live_now_s() > end)
			fail_msg("the programs of kind %d hardly run", kind);
		asker_poll(t, 10);
	}
}

/* tracefs, for as long as it takes to attach: the machine may have it nowhere, and is left as it is. */
static int attach_tracepoint(struct asker *t)
{
	_cleanup_(closep) int home = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	_cleanup_(closep) int root = open("/", O_PATH | O_CLOEXEC), folder = open(".", O_PATH | O_CLOEXEC);
	int ret;

	if (home < 0 || root < 0 || folder < 0 || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	if (mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) && errno != EBUSY)
		ret = -errno;
	else
		ret = keep(t, bpf_program__attach(program(t, BY_TRACEPOINT)));
	if (setns(home, CLONE_NEWNS) || fchdir(root) || chroot(".") || fchdir(folder)) /* we may be in a chroot */
		return -errno;
	return ret;
}

static int attach_uprobe(struct asker *t, enum probe_kind kind, pid_t pid)
{
	return keep(t, bpf_program__attach_uprobe(program(t, kind), false, pid, victim_path(), victim_offset("leaf")));
}

int try_attach(struct asker *t, enum probe_kind kind, pid_t pid, uint32_t consumers)
{
	int ret;

	if (kind == BY_TICK)
		return try_attach_ticks(t, TICK_HZ, pid, consumers);
	if (kind == BY_TRACEPOINT)
		ret = attach_tracepoint(t);
	else if (kind == BY_UPROBE || kind == BY_NOW)
		ret = attach_uprobe(t, kind, pid);
	else if (kind == BY_NOW_SYSCALL)
		ret = 0; /* it is run and not attached */
	else
		ret = keep(t, bpf_program__attach(program(t, kind)));
	if (!ret)
		let_ask(t, kind, pid, consumers);
	return ret;
}

int asker_run(struct asker *t, enum probe_kind kind)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(bpf_program__fd(program(t, kind)), &opts);
}

void asker_attach(struct asker *t, enum probe_kind kind, pid_t pid, uint32_t consumers)
{
	int ret = try_attach(t, kind, pid, consumers);

	if (ret)
		fail_msg("cannot attach the program of kind %d: %s", kind, strerror(-ret));
}

static int live_as_child(enum probe_kind kind, pid_t pid, int ready)
{
	struct asker t;
	int ret = try_open(&t, KIND(kind), NULL);

	if (!ret)
		ret = try_init(&t, 0, DUSK_DELIVER_RING | DUSK_DELIVER_SUMS | DUSK_DELIVER_CALLBACK);
	if (!ret)
		ret = try_attach(&t, kind, pid, 1);
	if (ret || write(ready, "ready\n", 6) != 6)
		return ret;
	while (ret >= 0) {
		ret = dusk_unwind_poll(t.unwinder, 10);
		t.got.nr = 0;
	}
	return ret;
}

pid_t asker_spawn(enum probe_kind kind, pid_t pid)
{
	int ends[2];
	char said[6];
	pid_t child;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(live_as_child(kind, pid, ends[1]) ? 1 : 0);
	}
	close(ends[1]);
	if (read(ends[0], said, sizeof(said)) != sizeof(said))
		fail_msg("a tool in a child did not start");
	close(ends[0]);
	return child;
}

void asker_silence(struct asker *t)
{
	__atomic_store_n(&t->control->tgid, 0, __ATOMIC_RELEASE);
}

void asker_poll(struct asker *t, int ms)
{
	double end = live_now_s() + ms / 1000.;

	do {
		assert_true(dusk_unwind_poll(t->unwinder, 10) >= 0);
	} while (live_now_s() < end);
}

void asker_poll_for(struct asker *t, size_t nr)
{
	double end = live_now_s() + BUSY_SECONDS;

	while (t->got.nr < nr && live_now_s() < end)
		asker_poll(t, 10);
	asker_poll(t, 100);
}

size_t asker_find(const struct asker *t, uint64_t cookie, uint32_t consumer, struct got *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->got.nr; i++) {
		const struct got *g = &t->got.v[i];

		if (g->cookie != cookie || g->consumer != consumer)
			continue;
		nr++;
		if (ret)
			*ret = *g;
	}
	return nr;
}

static int map_fd(const struct asker *t, const char *name)
{
	return bpf_object__find_map_fd_by_name(t->obj, name);
}

void asker_answers(const struct asker *t,
		   void (*fn)(void *ctx, const struct probe_key *k, const struct probe_answers *a), void *ctx)
{
	struct probe_key key, next, *last = NULL;
	struct probe_answers a;

	assert_int_equal(t->control->unnoted, 0);
	for (; !bpf_map_get_next_key(map_fd(t, "answers"), last, &next); last = &key) {
		key = next;
		if (!bpf_map_lookup_elem(map_fd(t, "answers"), &key, &a))
			fn(ctx, &key, &a);
	}
}

struct tallying {
	uint32_t consumer;
	struct probe_answers sum;
};

static void tally(void *ctx, const struct probe_key *k, const struct probe_answers *a)
{
	struct tallying *t = ctx;

	if (k->consumer != t->consumer)
		return;
	t->sum.queued += a->queued;
	t->sum.pending += a->pending;
	t->sum.executed += a->executed;
	t->sum.refused += a->refused;
	t->sum.done += a->done;
	if (!a->refused && !a->executed)
		return;
	t->sum.error = a->error;
	t->sum.stack = a->stack;
	t->sum.outcome = a->outcome;
}

struct probe_answers asker_tally(const struct asker *t, uint32_t consumer)
{
	struct tallying all = {.consumer = consumer};

	asker_answers(t, tally, &all);
	return all.sum;
}

struct expecting {
	const struct asker *tool;
	const struct got **event; /* the ring's events, by cookie and consumer */
	uint32_t rings, callbacks;
	size_t nr_keys, nr_rings, missing, twice, uncalled, called_twice, differ;
};

static int by_cookie(const void *a, const void *b)
{
	const struct got *x = *(const struct got *const *)a, *y = *(const struct got *const *)b;

	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	return (int)x->consumer - (int)y->consumer;
}

/* The first event of @k. */
static size_t lower_bound(const struct expecting *e, const struct got *k)
{
	size_t low = 0, high = e->tool->got.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (by_cookie(&e->event[middle], &k) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void expect_one(void *ctx, const struct probe_key *k, const struct probe_answers *a)
{
	struct expecting *e = ctx;
	struct got wanted = {.cookie = k->cookie, .consumer = k->consumer}, *g = &wanted;
	const struct got *found = NULL;
	size_t nr = 0;

	if (!k->cookie)
		return;
	e->nr_keys++;
	for (size_t i = lower_bound(e, g); i < e->tool->got.nr && !by_cookie(&e->event[i], &g); i++, nr++)
		found = e->event[i];
	e->nr_rings += nr;
	if (e->rings >> k->consumer & 1) {
		e->missing += nr == 0;
		e->twice += nr > 1;
	}
	if (e->callbacks >> k->consumer & 1) {
		e->uncalled += a->done == 0;
		e->called_twice += a->done > 1;
		e->differ += found && a->done && (found->stack != a->done_stack || found->outcome != a->done_outcome);
	}
	e->differ += found && a->executed && found->stack != a->stack;
}

static struct expecting compare(const struct asker *t, uint32_t rings, uint32_t callbacks)
{
	struct expecting e = {.tool = t, .rings = rings, .callbacks = callbacks};

	e.event = calloc(t->got.nr + 1, sizeof(*e.event));
	assert_non_null(e.event);
	for (size_t i = 0; i < t->got.nr; i++)
		e.event[i] = &t->got.v[i];
	qsort(e.event, t->got.nr, sizeof(*e.event), by_cookie);
	asker_answers(t, expect_one, &e);
	free(e.event);
	return e;
}

void asker_expect(struct asker *t, uint32_t rings, uint32_t callbacks)
{
	double end = live_now_s() + BUSY_SECONDS;
	struct expecting e = compare(t, rings, callbacks);

	while (e.missing + e.uncalled && live_now_s() < end) {
		asker_poll(t, 100);
		e = compare(t, rings, callbacks);
	}
	print_message("%zu cookies: %zu without event, %zu with two; %zu not called back, %zu twice; %zu differ\n",
		      e.nr_keys, e.missing, e.twice, e.uncalled, e.called_twice, e.differ);
	assert_true(e.nr_keys > 0);
	assert_int_equal(e.nr_rings, t->got.nr);
	assert_int_equal(e.missing + e.twice + e.uncalled + e.called_twice + e.differ, 0);
}

struct probe_sum asker_sum(const struct asker *t, uint32_t consumer, uint32_t key)
{
	uint32_t place = consumer * PROBE_KEYS + key;
	struct probe_sum sum;

	assert_int_equal(bpf_map_lookup_elem(map_fd(t, "sums"), &place, &sum), 0);
	return sum;
}

const char *asker_sentence(struct asker *t, uint32_t id)
{
	static char sentence[1024];
	const uint64_t *frame;
	char name[256];
	size_t len = 0;
	uint32_t nr;

	*sentence = 0;
	if (dusk_unwind_frames(t->unwinder, id, &frame, &nr))
		return "no such stack";
	for (uint32_t i = 0; i < nr && len < sizeof(sentence); i++) {
		dusk_unwind_name(t->unwinder, frame[i], name, sizeof(name));
		name[strcspn(name, "+")] = 0;
		len += snprintf(sentence + len, sizeof(sentence) - len, "%s%s", i ? " " : "", name);
		if (!strcmp(name, "main"))
			break;
	}
	return sentence;
}

bool asker_knows_visits(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *task = btf__type_by_id(btf, btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT));
	bool found = false;

	for (int i = 0; i < btf_vlen(task); i++)
		found |= !strcmp(btf__name_by_offset(btf, btf_members(task)[i].name_off), "kstack_offset");
	btf__free(btf);
	return found;
}

uint64_t asker_counter(const struct asker *t, const char *name)
{
	uint64_t value = dusk_unwind_counter(t->unwinder, name);

	assert_true(value != UINT64_MAX);
	return value;
}

int asker_open_unloaded(struct dusk_unwinder *u)
{
	struct bpf_object *obj;
	struct dusk_error err;

	return dusk_unwind_open_object(u, &plain, &impl, &obj, &err);
}
