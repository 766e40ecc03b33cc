/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "loader.h"
#include <errno.h>
#include <bpf/bpf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include "abi/state.h"
#include "base/cleanup.h"
#include "core/defer.h"
#include "error.h"
#include "probe.h"

/* The linked objects, embedded by src/bpf/meson.build. */
extern const char _binary_src_bpf_dusk_impl_bpf_o_start[], _binary_src_bpf_dusk_impl_bpf_o_end[];
extern const char _binary_src_bpf_dusk_plain_bpf_o_start[], _binary_src_bpf_dusk_plain_bpf_o_end[];
extern const char _binary_src_bpf_dusk_now_bpf_o_start[], _binary_src_bpf_dusk_now_bpf_o_end[];

#define MIN_WALKERS 64
#define MAX_WALKERS 1024
#define WALKERS_PER_CPU 8

/* The elements of an array map, mapped into our memory. */
struct shared {
	const void *elements;
	size_t bytes, element_bytes;
};

struct kernel_side {
	struct bpf_object *obj;
	struct bpf_object *now;		/* programs that cannot sleep, on the maps of @obj */
	struct shared stacks, counters, walkers;
};

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static int pick_object(const char **start, size_t *size, struct dusk_error *err)
{
	enum task_work kfunc;
	struct utsname u;
	int ret = probe_task_work(&kfunc);

	uname(&u);
	if (ret)
		return error_set(err, -EOPNOTSUPP, "cannot read the kernel's types (/sys/kernel/btf/vmlinux): %s; "
				 "dusk needs a kernel with CONFIG_DEBUG_INFO_BTF", strerror(-ret));
	if (kfunc == TASK_WORK_NONE)
		return error_set(err, -EOPNOTSUPP, "kernel %s has no bpf_task_work; dusk needs Linux 6.18 or newer",
				 u.release);
	if (kfunc == TASK_WORK_IMPL) {
		*start = _binary_src_bpf_dusk_impl_bpf_o_start;
		*size = _binary_src_bpf_dusk_impl_bpf_o_end - *start;
	} else {
		*start = _binary_src_bpf_dusk_plain_bpf_o_start;
		*size = _binary_src_bpf_dusk_plain_bpf_o_end - *start;
	}
	return 0;
}

static u32 walkers_for(int nr_cpus)
{
	u32 nr = MIN_WALKERS;

	while (nr < MAX_WALKERS && nr < (u32)nr_cpus * WALKERS_PER_CPU)
		nr *= 2;
	return nr;
}

/* What must be set between open and load. */
static int configure(struct kernel_side *k, const struct config *config)
{
	struct bpf_map *map = bpf_object__find_map_by_name(k->obj, ".rodata.config");
	struct bpf_map *walkers = bpf_object__find_map_by_name(k->obj, "walkers");
	size_t size;
	struct config *c = map ? (void *)bpf_map__initial_value(map, &size) : NULL;	/* before load it may be set */

	if (!c || size != sizeof(*c) || !walkers)
		return -EINVAL;
	*c = *config;
	c->nr_walkers = walkers_for(libbpf_num_possible_cpus());
	return bpf_map__set_max_entries(walkers, c->nr_walkers);
}

static int share(struct kernel_side *k, const char *name, struct shared *ret)
{
	struct bpf_map *map = bpf_object__find_map_by_name(k->obj, name);
	long page = sysconf(_SC_PAGESIZE);
	size_t element, bytes;
	void *p;

	if (!map)
		return -EINVAL;
	element = (bpf_map__value_size(map) + 7) & ~7ULL;
	bytes = (element * bpf_map__max_entries(map) + page - 1) & ~(page - 1);
	p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (p == MAP_FAILED)
		return -errno;
	*ret = (struct shared){ p, bytes, element };
	return 0;
}

static void unshare(struct shared *s)
{
	if (s->elements)
		munmap((void *)s->elements, s->bytes);
}

/* Load the programs that walk where they cannot sleep. Maps that both objects define are those of the first. */
static int load_now(struct kernel_side *k)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "dusk_now");
	const char *start = _binary_src_bpf_dusk_now_bpf_o_start;
	struct bpf_map *map;
	int fd, ret;

	k->now = bpf_object__open_mem(start, _binary_src_bpf_dusk_now_bpf_o_end - start, &opts);
	if (!k->now)
		return -errno;
	bpf_object__for_each_map(map, k->now) {
		fd = bpf_object__find_map_fd_by_name(k->obj, bpf_map__name(map));
		ret = fd < 0 ? 0 : bpf_map__reuse_fd(map, fd);
		if (ret)
			return ret;
	}
	return bpf_object__load(k->now);
}

static int load_error(int ret, struct dusk_error *err)
{
	const struct dusk_capability *missing = probe_missing();

	if (missing)
		return error_set(err, -EPERM, "cannot load BPF programs: %s is missing (needed to %s); "
				 "run as root, or once: setcap %s $(command -v dusk)",
				 missing->name, missing->purpose, dusk_capabilities_setcap());
	if (ret == -EPERM || ret == -EACCES)
		return error_set(err, -EPERM, "cannot load BPF programs: %s; a security module or kernel lockdown "
				 "may forbid it", strerror(-ret));
	return error_set(err, ret, "cannot load BPF programs: %s; `dusk doctor` tells what is missing", strerror(-ret));
}

int kernel_side_load(struct kernel_side **ret, const struct config *config, struct dusk_error *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "dusk");
	const char *object = NULL;
	struct kernel_side *k;
	size_t size = 0;
	int r;

	r = pick_object(&object, &size, err);
	if (r)
		return r;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	if (!getenv("DUSK_DEBUG_BPF"))
		libbpf_set_print(quiet);
	k->obj = bpf_object__open_mem(object, size, &opts);
	r = k->obj ? configure(k, config) : -errno;
	if (!r)
		r = bpf_object__load(k->obj);
	if (!r)
		r = load_now(k);
	if (!r)
		r = share(k, ".bss.stacks", &k->stacks);
	if (!r)
		r = share(k, ".bss.counters", &k->counters);
	if (!r)
		r = share(k, "walkers", &k->walkers);
	if (r) {
		kernel_side_free(k);
		return load_error(r, err);
	}
	*ret = k;
	return 0;
}

void kernel_side_free(struct kernel_side *k)
{
	if (!k)
		return;
	unshare(&k->stacks);
	unshare(&k->counters);
	unshare(&k->walkers);
	bpf_object__close(k->now);
	bpf_object__close(k->obj);
	free(k);
}

struct bpf_program *kernel_side_program(const struct kernel_side *k, const char *name)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(k->obj, name);

	return prog ? prog : bpf_object__find_program_by_name(k->now, name);
}

int kernel_side_map(const struct kernel_side *k, const char *name)
{
	return bpf_object__find_map_fd_by_name(k->obj, name);
}

const struct stacktable *kernel_side_stacks(const struct kernel_side *k)
{
	return k->stacks.elements;
}

u64 kernel_side_counter(const struct kernel_side *k, enum counter which)
{
	const u64 *row = k->counters.elements;
	size_t nr_rows = k->counters.element_bytes / (NR_COUNTERS * sizeof(u64));
	u64 sum = 0;

	for (size_t i = 0; i < nr_rows; i++, row += NR_COUNTERS)
		sum += __atomic_load_n(&row[which], __ATOMIC_RELAXED);
	return sum;
}

size_t kernel_side_stuck(const struct kernel_side *k, u64 before_ns, pid_t *ret, size_t max)
{
	size_t nr = 0;
	const char *slot = k->walkers.elements, *end = slot + k->walkers.bytes;

	for (; slot + k->walkers.element_bytes <= end && nr < max; slot += k->walkers.element_bytes) {
		const struct walker_head *w = (const void *)slot;
		u32 tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);
		u64 since = __atomic_load_n(&w->since_ns, __ATOMIC_RELAXED);

		if (tid && since && since < before_ns)
			ret[nr++] = tid;
	}
	return nr;
}

void kernel_side_due(const struct kernel_side *k, void (*fn)(void *ctx, u64 cookie), void *ctx)
{
	struct bpf_map *tasks = bpf_object__find_map_by_name(k->obj, "tasks");
	_cleanup_(freep) struct task_head *value = tasks ? malloc(bpf_map__value_size(tasks)) : NULL;
	int fd = tasks ? bpf_map__fd(tasks) : -1;
	u32 key = 0, next;

	if (!value)
		return;
	for (bool first = true; !bpf_map_get_next_key(fd, first ? NULL : &key, &next); first = false) {
		key = next;
		if (!bpf_map_lookup_elem(fd, &key, value) && value->deferral)
			fn(ctx, value->deferral >> DEFER_BITS);
	}
}
