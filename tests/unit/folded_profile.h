/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Profiles made by hand, for the tests of what reads profiles.
 *
 *	folded_add(&f, "xz", "outermost", 3, "xz!main;liblzma.so.5!lzma_code;[kernel]!asm_exc_page_fault");
 *
 * adds three samples of a process "xz" with these frames, outermost first. A frame is module!function; "libfoo.so!" has
 * no function. folded_interval() adds an off-CPU interval, or a sum of some, in the same way. Each call makes frames of
 * its own, at offsets of their own, as if the calls came from different places.
 */
#pragma once
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <dusk/dusk.h>

struct folded {
	struct dusk_profile profile;
	char *kept[4096]; /* strings to free */
	int nr_kept;
};

static struct dusk_outcome folded_outcomes[] = {
	{"outermost", "the outermost frame says that it has no caller", DUSK_COMPLETE},
	{"no-fde", "code without CFI in a module that has CFI, and no frame pointer", DUSK_CUT},
	{"exiting", "the task was exiting", DUSK_NO_STACK},
	{"kernel-thread", "a kernel thread: it has no user stack", DUSK_ABSENT},
};

/* Room for one more in a column of @p; index 0 is made with the first. */
#define folded_grow(column, nr)                                                                  \
	({                                                                                       \
		if (!((nr) & ((nr) - 1)))                                                        \
			(column) = realloc((column), ((nr) ? (nr) * 2 : 1) * sizeof(*(column))); \
		assert(column);                                                                  \
		memset(&(column)[nr], 0, sizeof(*(column)));                                     \
		(nr)++;                                                                          \
	})

static inline char *folded_keep(struct folded *f, const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	assert(copy && f->nr_kept < 4096);
	memcpy(copy, text, len);
	copy[len] = 0;
	f->kept[f->nr_kept++] = copy;
	return copy;
}

static inline bool folded_ends(const char *name, const char *end)
{
	return strlen(name) > strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

static inline enum dusk_module_kind folded_kind(const char *name)
{
	if (name[0] != '[')
		return folded_ends(name, ".py") || folded_ends(name, ".php") || folded_ends(name, ".pl") ||
				       folded_ends(name, ".pm") || folded_ends(name, ".java") ||
				       folded_ends(name, ".rb")
			       ? DUSK_MODULE_SOURCE
			       : DUSK_MODULE_FILE;
	if (!strcmp(name, "[java]"))
		return DUSK_MODULE_SOURCE;
	if (!strcmp(name, "[vdso]"))
		return DUSK_MODULE_VDSO;
	return strcmp(name, "[anon]") ? DUSK_MODULE_KERNEL : DUSK_MODULE_ANON;
}

static inline uint32_t folded_module(struct folded *f, const char *name)
{
	struct dusk_profile *p = &f->profile;
	uint32_t i = p->nr_modules;

	for (uint32_t k = 1; k < i; k++)
		if (!strcmp(p->modules[k].path, name))
			return k;
	folded_grow(p->modules, p->nr_modules);
	p->modules[i] = (struct dusk_module){.kind = folded_kind(name), .path = name, .build_id = ""};
	return i;
}

static inline uint32_t folded_function(struct folded *f, const char *name, const char *module)
{
	struct dusk_profile *p = &f->profile;
	const char *slash = strrchr(module, '/');
	uint32_t i = p->nr_functions;

	module = slash ? slash + 1 : module;
	for (uint32_t k = 1; k < i; k++)
		if (!strcmp(p->functions[k].name, name) && !strcmp(p->functions[k].module, module))
			return k;
	folded_grow(p->functions, p->nr_functions);
	p->functions[i] = (struct dusk_function){.name = name, .symbol = name, .module = module};
	return i;
}

static inline uint32_t folded_node(struct folded *f, uint32_t parent, uint32_t module, uint32_t function)
{
	struct dusk_profile *p = &f->profile;
	uint32_t frame = p->nr_frames, node = p->nr_nodes;

	folded_grow(p->frames, p->nr_frames);
	folded_grow(p->nodes, p->nr_nodes);
	p->frames[frame] = (struct dusk_frame){module, function, 16ULL * frame, 16ULL * frame, 0, true};
	p->nodes[node] = (struct dusk_node){parent, frame};
	return node;
}

static inline uint32_t folded_thread(struct folded *f, const char *comm)
{
	struct dusk_profile *p = &f->profile;
	uint32_t i = p->nr_threads;

	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(p->threads[k].comm, comm))
			return k;
	folded_grow(p->threads, p->nr_threads);
	p->threads[i] = (struct dusk_thread){100 + i, 100 + i, folded_keep(f, comm, strlen(comm)), ""};
	return i;
}

static inline void folded_samples(struct folded *f, const char *comm, const char *outcome, uint64_t nr, uint32_t node)
{
	struct dusk_profile *p = &f->profile;
	struct dusk_sample s = {
		.thread = folded_thread(f, comm),
		.node = node,
		.count = 1,
		.value_ns = p->period_ns,
	};

	while (strcmp(p->outcomes[s.outcome].name, outcome))
		assert(++s.outcome < p->nr_outcomes);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t at = p->nr_samples;

		folded_grow(p->samples, p->nr_samples);
		s.time_ns = at * p->period_ns;
		p->samples[at] = s;
	}
}

static inline uint32_t folded_stack(struct folded *f, const char *stack)
{
	uint32_t node = 0;

	while (*stack) {
		size_t len = strcspn(stack, ";");
		char *module = folded_keep(f, stack, len), *function = strchr(module, '!');
		uint32_t m;

		assert(function);
		*function++ = 0;
		m = folded_module(f, module);
		node = folded_node(f, node, m, *function ? folded_function(f, function, module) : 0);
		stack += len + (stack[len] == ';');
	}
	return node;
}

static inline void folded_add(struct folded *f, const char *comm, const char *outcome, uint64_t nr, const char *stack)
{
	folded_samples(f, comm, outcome, nr, folded_stack(f, stack));
}

/* @what says all but source, thread and node; it comes after all that is there. */
static inline void folded_interval(struct folded *f, const char *comm, struct dusk_sample what, const char *stack)
{
	struct dusk_profile *p = &f->profile;
	uint64_t at = p->nr_samples;

	what.source = DUSK_OFF_CPU;
	what.thread = folded_thread(f, comm);
	what.node = folded_stack(f, stack);
	what.time_ns = at * p->period_ns;
	folded_grow(p->samples, p->nr_samples);
	p->samples[at] = what;
}

static inline void folded_init(struct folded *f)
{
	struct dusk_profile *p = &f->profile;

	*f = (struct folded){0};
	folded_grow(p->modules, p->nr_modules);
	folded_grow(p->functions, p->nr_functions);
	folded_grow(p->frames, p->nr_frames);
	folded_grow(p->nodes, p->nr_nodes);
	p->outcomes = folded_outcomes;
	p->nr_outcomes = sizeof(folded_outcomes) / sizeof(folded_outcomes[0]);
	p->modules[0].path = p->modules[0].build_id = "";
	p->functions[0] = (struct dusk_function){"", "", ""};
	p->period_ns = 10101010;
	p->finished = p->symbolized = true;
}

static inline void folded_done(struct folded *f)
{
	struct dusk_profile *p = &f->profile;

	free(p->modules);
	free(p->functions);
	free(p->frames);
	free(p->nodes);
	free(p->threads);
	free(p->samples);
	while (f->nr_kept)
		free(f->kept[--f->nr_kept]);
}

/* Samples with names of any bytes, one after the other, each with a 0 byte behind it; at most @max of them. */
static inline void folded_from_bytes(struct folded *f, const uint8_t *data, size_t size, int max)
{
	const char *at = (const char *)data, *end = at + size;
	uint32_t node = 0;

	for (int i = 0; i < max && at < end; i++) {
		size_t len = strnlen(at, end - at);
		char *name = folded_keep(f, at, len);

		node = folded_node(f, i % 4 ? node : 0, folded_module(f, name), folded_function(f, name, name));
		folded_samples(f, name, "outermost", 1 + i, node);
		at += len + 1;
	}
}

/* A profile for each test, as its state: for cmocka_unit_test_setup_teardown(). */
static inline int folded_begin(void **state)
{
	struct folded *f = malloc(sizeof(*f));

	folded_init(f);
	*state = f;
	return 0;
}

static inline int folded_end(void **state)
{
	folded_done(*state);
	free(*state);
	return 0;
}
