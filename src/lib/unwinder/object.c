/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/object.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "abi/config.h"
#include "lib/error.h"

libbpf_print_fn_t object_hush(void)
{
	libbpf_print_fn_t before = libbpf_set_print(NULL);

	if (getenv("DUSK_DEBUG_BPF"))
		libbpf_set_print(before);
	return before;
}

int object_task_work(enum task_work *ret, struct dusk_error *err)
{
	char lack[256];
	struct utsname u;

	uname(&u);
	if (probe_no_task_work(lack, sizeof(lack)))
		return error_set(err, -EOPNOTSUPP, "cannot use kernel %s: %s", u.release, lack);
	return probe_task_work(ret);
}

int object_open(struct bpf_object **ret, const struct dusk_image *image, const char *name, struct dusk_error *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	struct bpf_object *obj;

	object_hush();
	obj = bpf_object__open_mem(image->bytes, image->size, &opts);
	if (!obj)
		return error_set(err, -errno, "cannot read the BPF object %s: %s", name, strerror(errno));
	*ret = obj;
	return 0;
}

/* Return the entry of variable @name in @section, or NULL. */
static const struct btf_var_secinfo *find_in_section(const struct btf *btf, const struct btf_type *section,
						     const char *name)
{
	const struct btf_var_secinfo *v = btf_var_secinfos(section);

	for (u32 i = 0; i < btf_vlen(section); i++)
		if (!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, v[i].type)->name_off), name))
			return &v[i];
	return NULL;
}

void *object_variable(struct bpf_object *obj, const char *name, size_t size)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct btf_var_secinfo *v;
	const struct btf_type *t;
	struct bpf_map *map;
	size_t room;
	char *start;

	for (u32 id = 1; btf && id < btf__type_cnt(btf); id++) {
		t = btf__type_by_id(btf, id);
		v = btf_is_datasec(t) ? find_in_section(btf, t, name) : NULL;
		map = v ? bpf_object__find_map_by_name(obj, btf__name_by_offset(btf, t->name_off)) : NULL;
		start = map ? (char *)bpf_map__initial_value(map, &room) : NULL;
		if (start && v->size == size && v->offset + size <= room)
			return start + v->offset;
	}
	return NULL;
}

int object_configure(struct bpf_object *obj, u32 tool, u32 bits)
{
	struct bpf_map *walkers = bpf_object__find_map_by_name(obj, "walkers");
	struct config *c = object_variable(obj, "config", sizeof(*c));
	u32 *known_bits = object_variable(obj, "stack_bits", sizeof(*known_bits));

	if (!c || c->abi != UNWIND_ABI || !walkers || !known_bits)
		return -EINVAL;
	c->tool = tool;
	*known_bits = bits;
	c->nr_walkers = bpf_map__max_entries(walkers);
	probe_kernel_places(&c->places);
	probe_from_run_queue(&c->kstack_state, CPU_KSTACK_STATE);
	probe_from_run_queue(&c->preempt_count, CPU_PREEMPT_COUNT);
	return 0;
}

int object_show_variables(struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		u32 flags = bpf_map__map_flags(map);
		size_t size;
		void *start = bpf_map__is_internal(map) ? (void *)bpf_map__initial_value(map, &size) : NULL;

		if (start && flags & BPF_F_MMAPABLE &&
		    mmap(start, size, flags & BPF_F_RDONLY_PROG ? PROT_READ : PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, bpf_map__fd(map), 0) == MAP_FAILED)
			return -errno;
	}
	return 0;
}

int object_attach(struct object_links *links, struct bpf_object *obj, struct dusk_error *err)
{
	struct bpf_program *prog;
	struct bpf_link *link;

	bpf_object__for_each_program(prog, obj)
	{
		if (!bpf_program__autoload(prog))
			continue;
		link = bpf_program__attach(prog);
		if (!link && errno == EOPNOTSUPP)
			continue; /* its SEC() names no target */
		if (!link || vec_push(links, link)) {
			int ret = link ? -ENOMEM : -errno;

			bpf_link__destroy(link);
			object_detach(links);
			return error_set(err, ret, "cannot attach program %s to %s: %s", bpf_program__name(prog),
					 bpf_program__section_name(prog), strerror(-ret));
		}
	}
	return 0;
}

void object_detach(struct object_links *links)
{
	for (size_t i = 0; i < links->nr; i++)
		bpf_link__destroy(links->v[i]);
	vec_done(links);
}

const char *object_largest(const struct bpf_object *obj, u32 *verified)
{
	const char *name = NULL;
	struct bpf_program *prog;

	*verified = 0;
	bpf_object__for_each_program(prog, obj)
	{
		struct bpf_prog_info info = {0};
		u32 len = sizeof(info);

		if (!bpf_program__autoload(prog) || bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len) ||
		    info.verified_insns <= *verified)
			continue;
		*verified = info.verified_insns;
		name = bpf_program__name(prog);
	}
	return name;
}

int object_load_error(int ret, struct dusk_error *err)
{
	const struct dusk_capability *missing = probe_missing();
	char grant[512];

	if (missing) {
		dusk_capabilities_grant(grant, sizeof(grant), program_invocation_short_name);
		error_set(err, -EPERM, "cannot load BPF programs: %s is missing (needed to %s)", missing->name,
			  missing->purpose);
		return error_remedy(err, -EPERM, "run as root, or once: %s", grant);
	}
	if (ret == -EPERM && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		return error_set(err, ret,
				 "cannot load BPF programs: %s; dusk runs under a seccomp filter, which may forbid it: "
				 "podman and docker run without one by --security-opt seccomp=unconfined",
				 strerror(-ret));
	if (ret == -EPERM)
		return error_set(err, ret,
				 "cannot load BPF programs: %s; a security module or kernel lockdown "
				 "may forbid it",
				 strerror(-ret));
	if (ret == -E2BIG || ret == -EACCES || ret == -EINVAL) /* since 7.0 a recursive call is the last of these */
		return error_set(
			err, ret,
			"cannot load BPF programs: the verifier refuses them, and says with DUSK_DEBUG_BPF=1 why; "
			"if they call too deep or need too much stack: dusk_unwind_done() must not ask for stacks "
			"itself, and "
			"who asks has little of both (dusk_unwind_request(3))");
	return error_set(err, ret,
			 "cannot load BPF programs: %s; `dusk doctor` tells what is missing, and with "
			 "DUSK_DEBUG_BPF=1 the verifier what it refuses",
			 strerror(-ret));
}

int shared_map(struct shared *ret, struct bpf_object *obj, const char *name, bool writable)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	long page = sysconf(_SC_PAGESIZE);
	size_t element, bytes;
	void *p;

	if (!map)
		return -EINVAL;
	element = (bpf_map__value_size(map) + 7) & ~7ULL;
	bytes = (element * bpf_map__max_entries(map) + page - 1) & ~(page - 1);
	p = mmap(NULL, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (p == MAP_FAILED)
		return -errno;
	*ret = (struct shared){p, bytes, element};
	return 0;
}

void shared_unmap(struct shared *s)
{
	if (s->elements)
		munmap(s->elements, s->bytes);
	s->elements = NULL;
}

u64 shared_sum(const struct shared *s, enum counter which)
{
	const u64 *row = s->elements;
	size_t nr_rows = s->element_bytes / (NR_COUNTERS * sizeof(u64));
	u64 sum = 0;

	for (size_t i = 0; i < nr_rows; i++, row += NR_COUNTERS)
		sum += __atomic_load_n(&row[which], __ATOMIC_RELAXED);
	return sum;
}
