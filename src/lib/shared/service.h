/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all tools that use the unwinder at the same time have in common: the maps of src/bpf/common/maps.h that are the
 * service's, and the programs that follow the lives of tasks, of which each tool runs its own copy.
 */
#pragma once
#include <dusk/dusk.h>
#include <bpf/libbpf.h>
#include "abi/counter.h"
#include "core/shared/registry.h"
#include "lib/shared/stackmap.h"

struct service;

struct service_options {
	const char *pin;    /* as in struct dusk_unwind_options */
	uint32_t max_depth; /* frames */
	bool no_faults;
	const volatile int *stops; /* when this is not @stops_before any more, -EINTR; or NULL */
	int stops_before;
	uint32_t stackmap_bits;			      /* if we make the maps; 0: STACK_DEFAULT_BITS */
	uint32_t max_tasks, max_walkers, max_modules; /* if we make the maps; 0: as maps.h and the CPUs say */
};

/*
 * Make or join the service, and attach its programs. *@ret is to be freed with service_free(). -EOPNOTSUPP: the kernel
 * lacks something; -EPERM: a capability is missing; -EINVAL: stackmap_bits is out of range; -EINTR: asked to stop. If
 * another tool keeps the lock for too long it is made for us alone: 0, and @err says why.
 */
int service_new(struct service **ret, const struct service_options *o, struct dusk_error *err);
void service_free(struct service *s);

/* The name of the folder in which tools of this build meet, and no others. */
void service_name_version(char ret[24]);

/* Why it is not shared, or NULL: it is. */
const char *service_private_reason(const struct service *s);

/* Our number among the tools, never 0. */
u32 service_tool(const struct service *s);

/* The file descriptor of a map of the service's, or -ENOENT. */
int service_map(const struct service *s, const char *name);

/* Maps of @obj that the service has, too, are the service's. Before @obj is loaded. 0 or a negative errno. */
int service_share(const struct service *s, struct bpf_object *obj);

/* Whoever changes who is registered holds this. */
int service_lock(struct service *s, unsigned int wait_ms); /* pins_lock() */
void service_unlock(struct service *s);

/* Where tools meet; NULL: it is not shared. It belongs to the service. */
struct pins *service_pins(const struct service *s);

/* Does the tool of this number, which is not ours, live? Under the lock. */
bool service_has_tool(const struct service *s, u32 tool);

/* Shared with the kernel and other tools, who write at any time. */
struct registry *service_registry(const struct service *s);
struct stackmap *service_stacks(const struct service *s);

/*
 * Make room in the table of modules, if it is nearly full: those that were not met for longest go, but none that was
 * met just now. They get other numbers if they are met again. 0 or a negative errno.
 */
int service_evict_modules(struct service *s, u64 now_ns);

/* How many threads may have state at once. */
u32 service_max_tasks(const struct service *s);

/* The size of its tables, and of those of all tools on it. */
u32 service_stack_bits(const struct service *s);

/*
 * What is to be done for the stackmap: stackmap_keep(). Cheap if nothing is. Who does not get the lock leaves it to the
 * next call: meanwhile the table may fill up, and stacks travel whole. 0 or a negative errno.
 */
int service_keep_stacks(struct service *s);

/* The sum over all CPUs, of all tools, since the service was made. */
u64 service_total(const struct service *s, enum counter which);

/* Nothing of the consumer at @slot stays in any task. 0 or a negative errno. */
int service_sweep_consumer(struct service *s, u32 slot);

/* Close requests that the kernel has lost since the last call or before: how many, or a negative errno. */
int service_sweep_lost(struct service *s);

/* Exclude the processes of walks that were begun before @before_ns: how many ever were, or a negative errno. */
int service_exclude_stuck(struct service *s, u64 before_ns);

/*
 * The tid that thread @tid of our PID namespace has in the initial one, by which the kernel side knows it; -ESRCH:
 * there is no such thread, or another negative errno.
 */
pid_t service_find_task(struct service *s, pid_t tid);

/* Walks that were begun before @before_ns (CLOCK_MONOTONIC) and have not ended: up to @max tids to @ret. */
size_t service_stuck(const struct service *s, u64 before_ns, pid_t *ret, size_t max);

/* The cookies that consumer @slot still waits for: @fn for each. */
void service_due(const struct service *s, u32 slot, void (*fn)(void *ctx, u64 cookie), void *ctx);
