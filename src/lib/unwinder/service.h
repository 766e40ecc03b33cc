/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all tools that use the unwinder at the same time share: the service's maps (src/bpf/common/maps.h), and the
 * programs that follow the lives of tasks, of which each tool runs its own copy.
 */
#pragma once
#include <dusk/dusk.h>
#include <bpf/libbpf.h>
#include "abi/counter.h"
#include "core/shared/registry.h"
#include "lib/unwinder/stackmap.h"

struct service;

struct service_options {
	const char *pin;    /* as in struct dusk_unwind_options */
	uint32_t max_depth; /* frames */
	bool no_faults, no_languages;
	const volatile int *stops; /* NULL, or -EINTR is returned once *@stops differs from @stops_before */
	int stops_before;
	uint32_t stackmap_bits;			      /* if we make the maps; 0: STACK_DEFAULT_BITS */
	uint32_t max_tasks, max_walkers, max_modules; /* if we make the maps; 0: as maps.h and the CPUs say */
};

/*
 * Make or join the service, and attach its programs. *@ret is to be freed with service_free(). Returns 0; -EOPNOTSUPP:
 * the kernel lacks something; -EPERM: a capability is missing; -EINVAL: stackmap_bits is out of range; -EINTR: *@stops
 * has changed. If another tool holds the lock for too long, the service is private to us: 0, and @err says why.
 */
int service_new(struct service **ret, const struct service_options *o, struct dusk_error *err);
void service_free(struct service *s);

/* Name the folder that only tools of this build share. */
void service_name_version(char ret[24]);

/* Return why the service is not shared, or NULL: it is. */
const char *service_private_reason(const struct service *s);

/* Return our number among the tools, never 0. */
u32 service_tool(const struct service *s);

/* Return the file descriptor of one of the service's maps, or -ENOENT. */
int service_map(const struct service *s, const char *name);

/*
 * Make @obj use the service's maps where it has maps of the same name. Call it before @obj is loaded. Returns 0 or a
 * negative errno.
 */
int service_share(const struct service *s, struct bpf_object *obj);

/* The lock that must be held to register or remove consumers. */
int service_lock(struct service *s, unsigned int wait_ms); /* as pins_lock() */
void service_unlock(struct service *s);

/* Return the folder that tools share; NULL: the service is not shared. The service owns it. */
struct pins *service_pins(const struct service *s);

/* Is the tool with number @tool, which is not ours, alive? Call it with the lock held. */
bool service_has_tool(const struct service *s, u32 tool);

/* Shared with the kernel and other tools, which write at any time. */
struct registry *service_registry(const struct service *s);
struct stackmap *service_stacks(const struct service *s);

/*
 * If the table of modules is nearly full, evict those not seen for longest, but none that was seen just now. A module
 * that is seen again gets a new number. Returns 0 or a negative errno.
 */
int service_evict_modules(struct service *s, u64 now_ns);

/* Make room in the table of code: code_generations.h. Returns 0 or a negative errno. */
int service_keep_codes(struct service *s, u64 now_ns);

/* Return how many threads may have state at once. */
u32 service_max_tasks(const struct service *s);

/* Return the size of a stack table, as a power of two: the same for all tools of the service. */
u32 service_stack_bits(const struct service *s);

/*
 * Do what is due for the stackmap: stackmap_keep(). Cheap if nothing is. If the lock is taken, the next call does it:
 * meanwhile the table may fill up, and stacks become inline stacks. Returns 0 or a negative errno.
 */
int service_keep_stacks(struct service *s);

/* Return the counter's sum over all CPUs and tools since the service was made. */
u64 service_total(const struct service *s, enum counter which);

/* Remove everything of the consumer at @slot from the state of all tasks. Returns 0 or a negative errno. */
int service_sweep_consumer(struct service *s, u32 slot);

/* Close requests that the kernel had lost by the last call. Returns how many, or a negative errno. */
int service_sweep_lost(struct service *s);

/*
 * Exclude the processes of walks that began before @before_ns. Returns how many have ever been excluded, or a negative
 * errno.
 */
int service_exclude_stuck(struct service *s, u64 before_ns);

/*
 * Return the tid in the initial PID namespace, which the kernel side uses, of thread @tid of our own namespace; -ESRCH:
 * there is no such thread; or another negative errno.
 */
pid_t service_find_task(struct service *s, pid_t tid);

/*
 * Store up to @max tids of walks that began before @before_ns (CLOCK_MONOTONIC) and have not ended in @ret. Returns how
 * many.
 */
size_t service_stuck(const struct service *s, u64 before_ns, pid_t *ret, size_t max);

/* Call @fn for each cookie that consumer @slot still waits for. */
void service_due(const struct service *s, u32 slot, void (*fn)(void *ctx, u64 cookie), void *ctx);
