/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/service.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include "abi/state.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/shared/defer.h"
#include "core/module.h"
#include "core/shared/watchdog.h"
#include "lib/error.h"
#include "lib/unwinder/code_generations.h"
#include "lib/unwinder/object.h"
#include "lib/unwinder/pins.h"

#define MIN_WALKERS 64
#define MAX_WALKERS 1024
#define WALKERS_PER_CPU 8
#define SWEEPS 100 /* at most, until one finds nothing */
#define NR_SHARED (sizeof(shared_maps) / sizeof(shared_maps[0]))

DECLARE_IMAGE(service);

/* The maps of the service, as the object names them. */
static const char *const shared_maps[] = {
	"tasks",	"walkers",	"modules",   "named",  "rings",
	"aggregations", "excluded",	"cookies",   "stacks", ".bss.registry",
	".bss.totals",	".bss.modules", ".bss.rows", "codes",  "code_numbers",
};

struct service {
	struct bpf_object *obj;
	struct object_links links;
	struct pins *pins;
	int first_table; /* the stackmap's first table, if we made it; else -1 */
	u32 stack_bits;
	struct dusk_error private_reason;
	struct stackmap *stacks;
	struct shared registry, totals, walkers;
};

/*
 * Tools share a name only if everything in the maps means the same to them. Sizes do not show that (for example, the
 * meaning of a cached row), so the name is a hash of the whole object: builds with different objects do not share maps.
 */
void service_name_version(char ret[24])
{
	struct dusk_image image = IMAGE(service);
	const unsigned char *byte = image.bytes;
	u64 hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < image.size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ULL;
	snprintf(ret, 24, "v%s-%08x", dusk_version(), (u32)(hash ^ hash >> 32));
	for (char *c = ret; *c; c++)
		if (*c == '.')
			*c = '_'; /* bpffs reserves names with dots */
}

static u32 walkers_for(int nr_cpus)
{
	u32 nr = MIN_WALKERS;

	while (nr < MAX_WALKERS && nr < (u32)nr_cpus * WALKERS_PER_CPU)
		nr *= 2;
	return nr;
}

/* The programs must know the size of the tables when they are loaded. */
static int set_stacks(struct service *s, u32 bits)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->obj, "stacks");

	s->stack_bits = bits ?: STACK_DEFAULT_BITS;
	s->first_table = stackmap_make_table(s->stack_bits, 0);
	return s->first_table < 0 ? s->first_table : bpf_map__set_inner_map_fd(m, s->first_table);
}

#define JUST_NOW_S 2 /* modules seen within the last 2 s are not evicted */

static int resize(struct service *s, const char *name, u32 entries)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->obj, name);

	return entries ? bpf_map__set_max_entries(m, entries) : 0;
}

/* We make the maps: set their sizes. */
static int set_sizes(struct service *s, const struct service_options *o)
{
	int ret = resize(s, "walkers", o->max_walkers ?: walkers_for(libbpf_num_possible_cpus()));

	if (!ret)
		ret = resize(s, "tasks", o->max_tasks);
	if (!ret)
		ret = resize(s, "modules", o->max_modules);
	if (!ret)
		ret = set_stacks(s, o->stackmap_bits);
	return ret;
}

/* The maps exist: use them. */
static int take_over(struct service *s)
{
	int bits = stackmap_pinned_bits(s->pins);

	if (bits < 0)
		return bits;
	s->stack_bits = bits;
	for (size_t i = 0; i < NR_SHARED; i++) {
		_cleanup_(closep) int fd = pins_get(s->pins, shared_maps[i]);
		int ret = fd < 0 ? fd : bpf_map__reuse_fd(bpf_object__find_map_by_name(s->obj, shared_maps[i]), fd);

		if (ret)
			return ret;
	}
	return 0;
}

static int pin(struct service *s)
{
	int ret = 0;

	for (size_t i = 0; i < NR_SHARED && !ret; i++)
		ret = pins_put(s->pins, shared_maps[i], service_map(s, shared_maps[i]));
	return ret;
}

static u32 some_identity(void)
{
	u32 ret;

	if (getrandom(&ret, sizeof(ret), GRND_NONBLOCK) != sizeof(ret))
		ret = now_ns(); /* if randomness is not there yet, no attacker is either */
	return ret ?: 1;
}

/* Map the maps into memory; they exist already, or were made with the programs. */
static int open_maps(struct service *s, bool join)
{
	int ret = shared_map(&s->registry, s->obj, ".bss.registry", true);

	if (!ret)
		ret = shared_map(&s->totals, s->obj, ".bss.totals", false);
	if (!ret)
		ret = shared_map(&s->walkers, s->obj, "walkers", false);
	if (!ret)
		ret = stackmap_new(&s->stacks, service_map(s, "stacks"), s->pins, service_registry(s), service_tool(s));
	if (!ret && !join) {
		service_registry(s)->identity = some_identity();
		service_registry(s)->cpu_bits = probe_cpu_bits();
		service_registry(s)->code_seed = (u64)some_identity() << 32 | some_identity();
		ret = stackmap_begin(s->stacks, s->first_table, s->stack_bits);
	}
	if (!ret)
		stackmap_join(s->stacks);
	return ret;
}

static int load(struct service *s)
{
	int ret = object_configure(s->obj, service_tool(s), s->stack_bits);

	return ret ?: bpf_object__load(s->obj);
}

/* Loading the programs makes the maps: a tool that enters meanwhile has to wait for that. */
static int make(struct service *s, const struct service_options *o)
{
	int ret = set_sizes(s, o);

	if (!ret)
		ret = load(s);
	if (!ret && s->pins)
		ret = pin(s);
	return ret ?: open_maps(s, false);
}

/* Hold the lock until we are counted among the maps' users, but not while programs are loaded. */
static int join(struct service *s)
{
	int ret = take_over(s);

	if (!ret)
		ret = open_maps(s, true);
	service_unlock(s);
	return ret ?: load(s);
}

static int make_or_join(struct service *s, const struct service_options *o)
{
	int ret = s->pins && !pins_is_first(s->pins) ? join(s) : make(s, o);
	struct registry *r = service_registry(s);

	if (ret)
		return ret;
	if (r->max_depth < o->max_depth)
		__atomic_store_n(&r->max_depth, o->max_depth, __ATOMIC_RELAXED);
	if (o->no_faults)
		__atomic_store_n(&r->no_faults, 1, __ATOMIC_RELAXED);
	if (o->no_languages)
		__atomic_store_n(&r->no_languages, 1, __ATOMIC_RELAXED);
	return 0;
}

/*
 * Share the service if that is wanted and possible. Otherwise s->private_reason says why not, and after a wait for the
 * lock so does @err.
 */
static int enter(struct service *s, const struct service_options *o, struct dusk_error *err)
{
	char version[24];
	int ret;

	if (o->pin && !*o->pin) {
		error_set(&s->private_reason, 0, "it was not to be shared");
		return 0;
	}
	service_name_version(version);
	ret = pins_enter(&s->pins, o->pin ? o->pin : PINS_FOLDER, version, o->stops, o->stops_before,
			 &s->private_reason);
	if (ret)
		s->pins = NULL;
	if (ret == -EINTR)
		return error_set(err, ret, "stopped before anything was recorded");
	if (ret == -EBUSY)
		error_set(err, 0, "stacks are walked for this command alone, after a wait of %d s: %s",
			  PINS_ENTER_MS / 1000, s->private_reason.text);
	return 0;
}

/* Attach the programs, and last_stack where a task's user stack can be walked for the last time. */
static int attach(struct service *s, struct dusk_error *err)
{
	static const char *const places[] = {"sched_prepare_exec", "sched_process_exit"};
	struct bpf_program *last = bpf_object__find_program_by_name(s->obj, "last_stack");
	int ret = object_attach(&s->links, s->obj, err);

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !ret; i++) {
		struct bpf_link *link = bpf_program__attach_raw_tracepoint(last, places[i]);

		if (!link || vec_push(&s->links, link)) {
			ret = error_set(err, link ? -ENOMEM : -errno, "cannot attach to tracepoint %s: %s", places[i],
					strerror(link ? ENOMEM : errno));
			bpf_link__destroy(link);
		}
	}
	return ret;
}

int service_new(struct service **ret, const struct service_options *o, struct dusk_error *err)
{
	enum task_work kfunc;
	struct service *s;
	int r;

	if (!stackmap_is_size(o->stackmap_bits))
		return error_set(err, -EINVAL, "stackmap_bits is %u, but goes from %d to %d", o->stackmap_bits,
				 STACK_MIN_BITS, STACK_MAX_BITS);
	r = object_task_work(&kfunc, err); /* if the kernel is too old, this says so; loading would not */
	if (r)
		return r;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->first_table = -1;
	r = object_open(&s->obj, &IMAGE(service), "dusk_service", err);
	if (!r)
		r = enter(s, o, err);
	if (!r) {
		r = make_or_join(s, o);
		service_unlock(s);
		r = r ? object_load_error(r, err) : attach(s, err);
	}
	if (r) {
		service_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void service_free(struct service *s)
{
	if (!s)
		return;
	object_detach(&s->links);
	stackmap_free(s->stacks);
	closep(&s->first_table);
	shared_unmap(&s->registry);
	shared_unmap(&s->totals);
	shared_unmap(&s->walkers);
	bpf_object__close(s->obj);
	pins_leave(s->pins);
	free(s);
}

const char *service_private_reason(const struct service *s)
{
	return s->pins ? NULL : s->private_reason.text;
}

u32 service_tool(const struct service *s)
{
	return s->pins ? pins_tool(s->pins) : 1;
}

int service_map(const struct service *s, const char *name)
{
	for (size_t i = 0; i < NR_SHARED; i++)
		if (!strcmp(name, shared_maps[i]))
			return bpf_object__find_map_fd_by_name(s->obj, name);
	return -ENOENT;
}

int service_share(const struct service *s, struct bpf_object *obj)
{
	struct bpf_map *map, *own = bpf_object__find_map_by_name(obj, "own");
	int fd, ret;

	bpf_object__for_each_map(map, obj)
	{
		fd = service_map(s, bpf_map__name(map));
		ret = fd < 0 ? 0 : bpf_map__reuse_fd(map, fd);
		if (ret)
			return ret;
	}
	return own ? bpf_map__set_max_entries(own, service_max_tasks(s)) : 0;
}

u32 service_max_tasks(const struct service *s)
{
	return bpf_map__max_entries(bpf_object__find_map_by_name(s->obj, "tasks"));
}

int service_lock(struct service *s, unsigned int wait_ms)
{
	return s->pins ? pins_lock(s->pins, wait_ms) : 0;
}

void service_unlock(struct service *s)
{
	if (s->pins)
		pins_unlock(s->pins);
}

struct pins *service_pins(const struct service *s)
{
	return s->pins;
}

bool service_has_tool(const struct service *s, u32 tool)
{
	return s->pins && pins_is_alive(s->pins, tool);
}

struct registry *service_registry(const struct service *s)
{
	return s->registry.elements;
}

struct stackmap *service_stacks(const struct service *s)
{
	return s->stacks;
}

u32 service_stack_bits(const struct service *s)
{
	return s->stack_bits;
}

int service_keep_stacks(struct service *s)
{
	int ret;

	if (!stackmap_is_due(s->stacks))
		return 0;
	ret = service_lock(s, 0);
	if (ret)
		return ret == -EBUSY ? 0 : ret;
	ret = stackmap_keep(s->stacks);
	service_unlock(s);
	return ret;
}

u64 service_total(const struct service *s, enum counter which)
{
	if (which == COUNT_STACKS)
		return stackmap_stacks(s->stacks);
	return shared_sum(&s->totals, which);
}

/* Run one of the programs that are for user space. Returns its return value, or a negative errno. */
static int run(struct service *s, const char *name, u64 arg)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &arg, .ctx_size_in = sizeof(arg));
	struct bpf_program *prog = bpf_object__find_program_by_name(s->obj, name);

	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) ? -errno : (int)opts.retval;
}

int service_sweep_consumer(struct service *s, u32 slot)
{
	int found;

	for (int i = 0; i < SWEEPS; i++) {
		found = run(s, "sweep_consumer", slot);
		if (found <= 0)
			return found;
	}
	return -EAGAIN;
}

int service_sweep_lost(struct service *s)
{
	return run(s, "sweep_lost", 0);
}

int service_exclude_stuck(struct service *s, u64 before_ns)
{
	return run(s, "exclude_stuck", before_ns);
}

pid_t service_find_task(struct service *s, pid_t tid)
{
	return run(s, "find_task", tid);
}

struct known_module {
	struct module_key key;
	u32 id, age_s;
};

static int by_age(const void *a, const void *b)
{
	const struct known_module *x = a, *y = b;

	return x->age_s < y->age_s ? 1 : x->age_s > y->age_s ? -1 : 0;
}

/* List the modules of the table. Concurrent insertions may hide some. */
static int list_modules(int fd, u32 most, u32 now_s, struct known_module *ret)
{
	struct module_key key, next;
	struct module m;
	u32 nr = 0;

	for (void *last = NULL; nr < most && !bpf_map_get_next_key(fd, last, &next); last = &key) {
		key = next;
		if (!bpf_map_lookup_elem(fd, &key, &m))
			ret[nr++] = (struct known_module){key, m.id, now_s - m.used_s};
	}
	return nr;
}

int service_evict_modules(struct service *s, u64 now_ns)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->obj, "modules");
	_cleanup_(freep) struct known_module *known = NULL;
	struct registry *r = service_registry(s);
	int fd = bpf_map__fd(map), named = service_map(s, "named"), nr;
	struct bpf_map_info info = {};
	u32 len = sizeof(info), gone = 0, now_s = now_ns / 1000000000;

	store_relaxed(&r->now_s, now_s);
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if ((u32)service_total(s, COUNT_MODULES) - load_relaxed(&r->evicted) < info.max_entries / 4 * 3)
		return 0;
	known = calloc(info.max_entries, sizeof(*known));
	if (!known)
		return -ENOMEM;
	nr = list_modules(fd, info.max_entries, now_s, known);
	qsort(known, nr, sizeof(*known), by_age);
	for (int i = 0; i < nr / 2 && known[i].age_s >= JUST_NOW_S; i++)
		if (!bpf_map_delete_elem(fd, &known[i].key)) {
			bpf_map_delete_elem(named, &known[i].id);
			gone++;
		}
	fetch_add(&r->evicted, gone);
	if (gone)
		fetch_add(&r->evictions, 1); /* after the deletions: later lookups do not find an evicted file */
	return 0;
}

int service_keep_codes(struct service *s, u64 now_ns)
{
	return code_generations_keep(service_registry(s), service_map(s, "codes"), service_total(s, COUNT_CODES),
				     now_ns / 1000000000);
}

size_t service_stuck(const struct service *s, u64 before_ns, pid_t *ret, size_t max)
{
	size_t nr = 0;
	const char *slot = s->walkers.elements, *end = slot + s->walkers.bytes;

	for (; slot + s->walkers.element_bytes <= end && nr < max; slot += s->walkers.element_bytes) {
		u64 since_ns;
		u32 tid = watchdog_late((const void *)slot, before_ns, &since_ns);

		if (tid)
			ret[nr++] = tid;
	}
	return nr;
}

void service_due(const struct service *s, u32 slot, void (*fn)(void *ctx, u64 cookie), void *ctx)
{
	struct bpf_map *tasks = bpf_object__find_map_by_name(s->obj, "tasks");
	_cleanup_(freep) struct task_head *value = malloc(bpf_map__value_size(tasks));
	int fd = bpf_map__fd(tasks);
	u32 key, next;

	if (!value)
		return;
	for (u32 *last = NULL; !bpf_map_get_next_key(fd, last, &next); last = &key) {
		key = next;
		if (!bpf_map_lookup_elem(fd, &key, value) && value->deferral >> slot & 1)
			fn(ctx, value->deferral >> DEFER_BITS);
	}
}
