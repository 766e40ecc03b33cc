/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BPF objects: opened from memory, configured, their maps shared with us. */
#pragma once
#include <dusk/unwind.h>
#include <bpf/libbpf.h>
#include "abi/counter.h"
#include "abi/types.h"
#include "base/vec.h"
#include "lib/shared/probe.h"

/* An object that src/bpf/meson.build has embedded. */
#define DECLARE_IMAGE(name) \
	extern const char _binary_src_bpf_##name##_bpf_o_start[], _binary_src_bpf_##name##_bpf_o_end[]
#define IMAGE(name)                                                \
	((struct dusk_image){_binary_src_bpf_##name##_bpf_o_start, \
			     _binary_src_bpf_##name##_bpf_o_end - _binary_src_bpf_##name##_bpf_o_start})

/* Which name has what walks are deferred by? -EOPNOTSUPP: none, the kernel is too old, or it has no BTF. */
int object_task_work(enum task_work *ret, struct dusk_error *err);

/*
 * libbpf prints nothing from here on, unless $DUSK_DEBUG_BPF is set. Returns who printed before, to be given back where
 * libbpf is somebody else's, too.
 */
libbpf_print_fn_t object_hush(void);

/* Open an object. object_hush() is part of it. *@ret is to be closed with bpf_object__close(). */
int object_open(struct bpf_object **ret, const struct dusk_image *image, const char *name, struct dusk_error *err);

/*
 * Set struct config (abi/config.h) of a program that unwinds for tool @tool, and the size of stack tables, before
 * load.
 */
int object_configure(struct bpf_object *obj, u32 tool, u32 bits);

/* As dusk_unwind_variable(). */
void *object_variable(struct bpf_object *obj, const char *name, size_t size);

/* After load: global variables are where object_variable() says. Older versions of libbpf leave this to skeletons. */
int object_show_variables(struct bpf_object *obj);

struct object_links vec(struct bpf_link *);

/*
 * Attach the loaded programs whose SEC() says where, to be detached with object_detach(). If one cannot be attached,
 * none of @links stays.
 */
int object_attach(struct object_links *links, struct bpf_object *obj, struct dusk_error *err);
void object_detach(struct object_links *links);

/* bpf_object__load() said @ret: what that means. Returns a negative errno. */
int object_load_error(int ret, struct dusk_error *err);

/* The elements of an array map, mapped into our memory. */
struct shared {
	void *elements;
	size_t bytes, element_bytes;
};

int shared_map(struct shared *ret, struct bpf_object *obj, const char *name, bool writable);
void shared_unmap(struct shared *s);

/* The sum of a counter over all rows. */
u64 shared_sum(const struct shared *s, enum counter which);
