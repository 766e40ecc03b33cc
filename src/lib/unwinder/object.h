/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BPF objects: open them from memory, configure them, and share their maps with user space. */
#pragma once
#include <dusk/unwind.h>
#include <bpf/libbpf.h>
#include "abi/counter.h"
#include "abi/types.h"
#include "base/vec.h"
#include "lib/unwinder/probe.h"

/* An object that src/bpf/meson.build has embedded. */
#define DECLARE_IMAGE(name) \
	extern const char _binary_src_bpf_##name##_bpf_o_start[], _binary_src_bpf_##name##_bpf_o_end[]
#define IMAGE(name)                                                \
	((struct dusk_image){_binary_src_bpf_##name##_bpf_o_start, \
			     _binary_src_bpf_##name##_bpf_o_end - _binary_src_bpf_##name##_bpf_o_start})

/*
 * Find the name of the kfunc that defers walks. Returns 0, or -EOPNOTSUPP: none exists as the kernel is too old, or the
 * kernel has no BTF.
 */
int object_task_work(enum task_work *ret, struct dusk_error *err);

/*
 * Silence libbpf, unless $DUSK_DEBUG_BPF is set. Returns the previous print function, to be restored if the process
 * uses libbpf for other things, too.
 */
libbpf_print_fn_t object_hush(void);

/* Open an object; calls object_hush(). *@ret is to be closed with bpf_object__close(). */
int object_open(struct bpf_object **ret, const struct dusk_image *image, const char *name, struct dusk_error *err);

/*
 * Set struct config (abi/config.h) of a program that unwinds for tool @tool, and the size of stack tables. Call it
 * before load.
 */
int object_configure(struct bpf_object *obj, u32 tool, u32 bits);

/* As dusk_unwind_variable(). */
void *object_variable(struct bpf_object *obj, const char *name, size_t size);

/*
 * Map global variables to where object_variable() says. Call it after load: older versions of libbpf leave this to
 * skeletons.
 */
int object_show_variables(struct bpf_object *obj);

struct object_links vec(struct bpf_link *);

/*
 * Attach the loaded programs that name a target in SEC(), to be detached with object_detach(). If one cannot be
 * attached, none of @links stays.
 */
int object_attach(struct object_links *links, struct bpf_object *obj, struct dusk_error *err);
void object_detach(struct object_links *links);

/*
 * Of the loaded object @obj, store how many instructions the verifier visited in the program where it visited most, and
 * return its name, which lives as long as @obj; NULL: the kernel does not say it (it does since 5.16).
 */
const char *object_largest(const struct bpf_object *obj, u32 *verified);

/* Explain @ret, an error of bpf_object__load(). Returns a negative errno. */
int object_load_error(int ret, struct dusk_error *err);

/* The elements of an array map, mapped into our memory. */
struct shared {
	void *elements;
	size_t bytes, element_bytes;
};

int shared_map(struct shared *ret, struct bpf_object *obj, const char *name, bool writable);
void shared_unmap(struct shared *s);

/* Return the sum of a counter over all rows. */
u64 shared_sum(const struct shared *s, enum counter which);
