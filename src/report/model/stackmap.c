/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "report/model/label.h"
#include "report/model/stackmap.h"
#include "report/text.h"

#define NAME_BYTES 4096

static int by_ref(const void *a, const void *b)
{
	const struct dusk_stack *x = a, *y = b;

	if (x->refs != y->refs)
		return x->refs > y->refs ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_depth(const void *a, const void *b)
{
	const struct dusk_stack *x = a, *y = b;

	return x->nr != y->nr ? (x->nr > y->nr ? -1 : 1) : by_ref(a, b);
}

void stackmap_choose(struct dusk_stacks *s, const struct stackmap_choice *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (c->kernel == c->user || dusk_stack_is_kernel(&s->v[i]) == c->kernel)
			s->v[kept++] = s->v[i];
	s->nr = kept;
	if (kept && c->order)
		qsort(s->v, kept, sizeof(*s->v), c->order == STACKMAP_BY_DEPTH ? by_depth : by_ref);
	if (c->top && c->top < kept)
		s->nr = c->top;
}

/* The position in a stack of a profile, which is a path of nodes: the node of the next frame. */
struct path {
	const struct stackmap_names *names;
	uint32_t node;
};

/* The upper 16 bits of a frame are its module, 0xffff for the kernel: <dusk/stackmap.h>. */
static bool is_kernel(uint64_t frame)
{
	return frame >> 48 == 0xffff;
}

/* "schedule+0x2a/0x90", "ext4_sync_file+0x11c/0x330 [ext4]" */
static bool name_kernel(const struct dusk_symbol *s, char name[NAME_BYTES])
{
	int len = snprintf(name, NAME_BYTES, "%s+0x%" PRIx64, s->name, s->offset);

	if (s->size && len < NAME_BYTES)
		len += snprintf(name + len, NAME_BYTES - len, "/0x%" PRIx64, s->size);
	if (strcmp(s->module, "[kernel]") && len < NAME_BYTES)
		snprintf(name + len, NAME_BYTES - len, " %s", s->module);
	return true;
}

/* "fsync+0x12 (libc.so.6)", "0x1234 (libc.so.6)" */
static bool name_user(const struct dusk_symbol *s, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%s%s0x%" PRIx64 " (%s)", s->name ?: "", s->name ? "+" : "", s->offset, s->module);
	return true;
}

static bool name_in_profile(struct path *p, char name[NAME_BYTES])
{
	const struct dusk_profile *profile = p->names->profile;
	const struct dusk_frame *f = &profile->frames[profile->nodes[p->node].frame];
	const struct dusk_function *fn = &profile->functions[f->function];
	struct dusk_symbol s = {NULL, module_name(profile, f->module), f->offset, 0};
	bool kernel = profile->modules[f->module].kind == DUSK_MODULE_KERNEL;

	p->node = profile->nodes[p->node].parent;
	if (f->function)
		s = (struct dusk_symbol){fn->name, fn->module, f->function_offset, 0};
	if (kernel)
		return s.name && name_kernel(&s, name);
	return name_user(&s, name);
}

/* Find the name of frame @i of @stack. Must be called for each frame in order, from 0. false: it has no name. */
static bool name_of(struct path *p, const struct dusk_stack *stack, uint32_t i, char name[NAME_BYTES])
{
	const struct stackmap_names *n = p->names;
	bool live_user = n->map && !dusk_stack_is_kernel(stack);
	struct dusk_symbol s;

	if (!i)
		p->node = stack->id;
	if (n->profile)
		return name_in_profile(p, name);
	if (n->symbols && !live_user && !dusk_symbols_find(n->symbols, stack, i, &s))
		return name_kernel(&s, name);
	if (n->stacks && !dusk_stacks_find(n->stacks, stack, i, &s))
		return is_kernel(stack->frame[i]) ? name_kernel(&s, name) : name_user(&s, name);
	if (!n->map || (n->symbols && !live_user))
		return false;
	n->name(n->map, stack->frame[i], name, NAME_BYTES);
	return true;
}

uint32_t stackmap_frames_text(FILE *out, const struct dusk_stack *stack, const struct stackmap_names *names,
			      const char *indent, uint32_t first)
{
	struct path path = {.names = names};
	char name[NAME_BYTES];

	for (uint32_t i = 0; i < stack->nr; i++) {
		fprintf(out, "%s[%" PRIu32 "] ", indent, first + i);
		if (name_of(&path, stack, i, name))
			text_write(out, name, TEXT_TERMINAL);
		else
			fprintf(out, "0x%" PRIx64, stack->frame[i]);
		putc('\n', out);
	}
	return first + stack->nr;
}

void stackmap_text(FILE *out, const struct dusk_stacks *s, const struct stackmap_names *names)
{
	for (size_t k = 0; k < s->nr && !ferror(out); k++) {
		const struct dusk_stack *stack = &s->v[k];

		fprintf(out, "stack_id %" PRIu32 " [ref %" PRIu64 ", depth %" PRIu32 "]\n", stack->id, stack->refs,
			stack->nr);
		stackmap_frames_text(out, stack, names, "  ", 0);
		putc('\n', out);
	}
}

/* Frames without a name are written as addresses. */
static void write_symbols(struct json *j, const struct dusk_stack *stack, const struct stackmap_names *names)
{
	struct path path = {.names = names};
	char name[NAME_BYTES];

	json_array(j, "symbols");
	for (uint32_t i = 0; i < stack->nr; i++) {
		if (!name_of(&path, stack, i, name))
			snprintf(name, NAME_BYTES, "0x%" PRIx64, stack->frame[i]);
		json_string(j, NULL, name);
	}
	json_array_end(j);
}

static void write_stack(struct json *j, const struct dusk_stack *stack, const struct stackmap_names *names)
{
	char text[32];

	json_object(j, NULL);
	json_u64(j, "stack_id", stack->id);
	json_u64(j, "ref_count", stack->refs);
	json_array(j, "ips");
	for (uint32_t i = 0; i < stack->nr; i++) {
		snprintf(text, sizeof(text), "0x%" PRIx64, stack->frame[i]);
		json_string(j, NULL, text);
	}
	json_array_end(j);
	if (names->symbols || names->profile || names->map || names->stacks)
		write_symbols(j, stack, names);
	json_object_end(j);
}

void stackmap_json(FILE *out, const struct dusk_stacks *s, const struct stackmap_names *names)
{
	struct json j = {.out = out, .indent = 2};

	json_array(&j, NULL);
	for (size_t k = 0; k < s->nr && !ferror(out); k++)
		write_stack(&j, &s->v[k], names);
	json_array_end(&j);
	putc('\n', out);
}

void stackmap_modules(FILE *out, const struct dusk_stacks *s)
{
	struct dusk_stack_module m;

	for (size_t i = 0; !dusk_stacks_module(s, i, &m); i++) {
		fprintf(out, "%5" PRIu32 "  %-40s  ", m.number, *m.build_id ? m.build_id : "-");
		text_write(out, m.path, TEXT_TERMINAL);
		putc('\n', out);
	}
}

void stackmap_modules_json(FILE *out, const struct dusk_stacks *s)
{
	struct json j = {.out = out, .indent = 2};
	struct dusk_stack_module m;

	json_array(&j, NULL);
	for (size_t i = 0; !dusk_stacks_module(s, i, &m); i++) {
		json_object(&j, NULL);
		json_u64(&j, "module", m.number);
		json_string(&j, "build_id", m.build_id);
		json_string(&j, "path", m.path);
		json_object_end(&j);
	}
	json_array_end(&j);
	putc('\n', out);
}

static const char *const lengths[DUSK_STACKMAP_LENGTHS] = {"1", "2", "3", "4", "5-8", "9-16", "17-24", "25-32"};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? part * 100.0 / whole : 0;
}

static double bytes_a_stack(const struct dusk_stackmap_stat *s)
{
	return s->entries ? (double)s->bytes_used / s->entries : 0;
}

static void write_requests(FILE *out, const struct dusk_stackmap_stat *s)
{
	uint64_t drops = s->full + s->contended, looked_up = 0;

	for (int i = 0; i < DUSK_STACKMAP_LENGTHS; i++)
		looked_up += s->probes[i];
	fprintf(out, "successes: %" PRIu64 "\n", s->successes);
	fprintf(out, "drops: %" PRIu64 " (full %" PRIu64 ", contended %" PRIu64 ")\n", drops, s->full, s->contended);
	if (s->successes + drops)
		fprintf(out, "success_rate: %.2f%%\n", percent(s->successes, s->successes + drops));
	fprintf(out, "probes:");
	for (int i = 0; i < DUSK_STACKMAP_LENGTHS; i++)
		if (s->probes[i])
			fprintf(out, " %s: %" PRIu64 " (%.2f%%)", lengths[i], s->probes[i],
				percent(s->probes[i], looked_up));
	fprintf(out, "\nduplicates: 0 (written in vain: %" PRIu64 ")\n", s->raced);
}

static void write_bytes(FILE *out, const struct dusk_stackmap_stat *s)
{
	fprintf(out, "bytes: %" PRIu64, s->bytes_used);
	if (s->bytes)
		fprintf(out, " of %" PRIu64, s->bytes);
	fprintf(out, ", %.0f a stack of %.1f frames\n", bytes_a_stack(s),
		s->entries ? (double)s->frames / s->entries : 0);
}

void stackmap_stat_text(FILE *out, const struct dusk_stackmap_stat *s)
{
	fprintf(out, "entries: %" PRIu64, s->entries);
	if (s->table_size)
		fprintf(out, " / %" PRIu64 "\ntable_size: %" PRIu64, s->table_size / 2, s->table_size);
	fprintf(out, "\nuser: %" PRIu64 " entries, %" PRIu64 " frames\n", s->entries - s->kernel_entries,
		s->frames - s->kernel_frames);
	fprintf(out, "kernel: %" PRIu64 " entries, %" PRIu64 " frames\n", s->kernel_entries, s->kernel_frames);
	if (s->epochs)
		write_requests(out, s);
	else
		fprintf(out, "successes, drops, probes: not known, as the recording did not end in order\n");
	write_bytes(out, s);
	if (s->table_size)
		fprintf(out, "bits: %" PRIu32 "\nepoch: %" PRIu32 "\n", s->bits, s->epoch);
	else if (s->epochs)
		fprintf(out, "bits: %" PRIu32 "\nepochs: %" PRIu32 "\n", s->bits, s->epochs);
}

static void write_json_requests(struct json *j, const struct dusk_stackmap_stat *s)
{
	json_u64(j, "successes", s->successes);
	json_u64(j, "drops_full", s->full);
	json_u64(j, "drops_contended", s->contended);
	json_u64(j, "written_in_vain", s->raced);
	json_object(j, "probes");
	for (int i = 0; i < DUSK_STACKMAP_LENGTHS; i++)
		json_u64(j, lengths[i], s->probes[i]);
	json_object_end(j);
	json_u64(j, "bits", s->bits);
}

void stackmap_stat_json(FILE *out, const struct dusk_stackmap_stat *s)
{
	struct json j = {.out = out, .indent = 2};

	json_object(&j, NULL);
	json_u64(&j, "entries", s->entries);
	json_u64(&j, "kernel_entries", s->kernel_entries);
	json_u64(&j, "frames", s->frames);
	json_u64(&j, "kernel_frames", s->kernel_frames);
	json_u64(&j, "bytes_used", s->bytes_used);
	if (s->epochs)
		write_json_requests(&j, s);
	if (s->table_size) {
		json_u64(&j, "capacity", s->table_size / 2);
		json_u64(&j, "table_size", s->table_size);
		json_u64(&j, "bytes", s->bytes);
		json_u64(&j, "epoch", s->epoch);
	} else if (s->epochs) {
		json_u64(&j, "epochs", s->epochs);
	}
	json_object_end(&j);
	putc('\n', out);
}
