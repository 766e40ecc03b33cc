/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Make the record of a probe, which the kernel would make only after our program: from the registers, and from what they
 * point to. Memory that is not there is not waited for: a number is 0 then, and a text "(fault)", as in the kernel's own.
 */
#pragma once
#include "bpf/arch/registers.bpf.h"
#include "bpf/common/maps.h"
#include "core/env.h"

#define TEXT_BYTES 256 /* of one text */

/* By event; user space sets the number of elements. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct probe);
} probes SEC(".maps");

/* An occurrence under construction, in scratch memory: its head, its record, and working space. */
struct probe_hit {
	u64 head[sizeof(struct event_occurrence) / sizeof(u64)];
	char record[RECORD_BYTES];
	char room[TEXT_BYTES];
	u64 reg[64];
	u64 word;
	u32 event, end, cut, pad; /* the end of the record so far; something is missing */
	char name[COMM_BYTES];
	u32 next, unused; /* filter.bpf.h */
	u64 text[COMPARED_WORDS];
};

/* The fields of a record may be unaligned. */
struct word {
	u32 value;
} __attribute__((packed));

/* An argument of a function of the kernel may point to user memory: addresses of both are distinct. */
static INLINE bool is_kernels(const struct fetch *x, u64 address)
{
	return x->kernel && (s64)address < 0;
}

static INLINE long read_user_or_kernel(void *to, u32 bytes, u64 from, bool kernel)
{
	return kernel ? bpf_probe_read_kernel(to, bytes, (void *)from) : bpf_probe_read_user(to, bytes, (void *)from);
}

/* Follow pointers, all but the last @but. Returns 0 or a negative errno. */
static INLINE long follow(struct probe_hit *h, const struct fetch *x, u32 but)
{
	long err = 0;

	for (u32 i = 0; i < MAX_POINTERS; i++) {
		u64 from = h->word + x->offset[i];

		if (err || i + but >= x->pointers)
			break;
		h->word = 0;
		err = read_user_or_kernel(&h->word, i + 1 == x->pointers ? x->bytes & 15 : sizeof(h->word), from,
					  is_kernels(x, from));
	}
	return err;
}

static INLINE void put_number(struct probe_hit *h, const struct fetch *x)
{
	if (follow(h, x, 0))
		h->word = 0;
	bpf_probe_read_kernel(h->record + (opaque((u32)x->at) & (RECORD_BYTES - 1)), opaque((u32)x->bytes) & 15,
			      &h->word);
}

static INLINE long read_text(struct probe_hit *h, const struct fetch *x)
{
	char *to = h->record + (opaque(h->end) & (RECORD_BYTES - 1));
	u32 last = (x->pointers - 1) & (MAX_POINTERS - 1);

	if (x->from == FETCH_COMM)
		return bpf_get_current_comm(h->name, sizeof(h->name))
			       ?: bpf_probe_read_kernel_str(to, sizeof(h->name), h->name);
	if (follow(h, x, 1))
		return -EFAULT;
	if (x->pointers)
		h->word += x->offset[last];
	return is_kernels(x, h->word) ? bpf_probe_read_kernel_str(to, TEXT_BYTES, (void *)h->word)
				      : bpf_probe_read_user_str(to, TEXT_BYTES, (void *)h->word);
}

static INLINE void put_text(struct probe_hit *h, const struct fetch *x)
{
	static const char fault[] = "(fault)";
	u32 at = opaque((u32)x->at) & (RECORD_BYTES - 1), end = h->end, place;
	long bytes;

	if (end >= RECORD_BYTES) { /* there is no room: none of it */
		h->cut = 1;
		end = bytes = 0;
	} else {
		bytes = read_text(h, x);
		if (bytes <= 0) {
			bytes = sizeof(fault);
			__builtin_memcpy(h->record + (opaque(end) & (RECORD_BYTES - 1)), fault, sizeof(fault));
		}
		h->cut |= bytes == TEXT_BYTES;
		h->end = end + (u32)bytes;
	}
	place = (u32)bytes << 16 | end;
	__builtin_memcpy(h->record + at, &place, sizeof(place));
}

TURN(fetch_field, struct probe_hit, h)
{
	const struct probe *p = bpf_map_lookup_elem(&probes, &h->event);
	const struct fetch *x;

	if (!p || turn >= p->nr)
		return STOP;
	x = &at(p->fetch, turn);
	h->word = x->from == FETCH_REGISTER ? at(h->reg, x->reg) : x->number;
	if (x->bytes)
		put_number(h, x);
	else
		put_text(h, x);
	return NEXT;
}

/* Make the record of @h from its registers, with @bytes at fixed places. @function: where it begins; 0: the probe is within one. */
GLOBAL int make_probe_record(struct probe_hit *h NONNULL, u32 bytes, u64 function)
{
	u64 *word = (u64 *)h->record;

	word[0] = 0;
	word[1] = function ?: h->reg[PT_REGS_PC];
	word[2] = h->reg[PT_REGS_PC];
	h->cut = 0;
	h->end = bytes;
	loop(MAX_FETCHES, fetch_field, h);
	if (h->end > RECORD_BYTES) {
		h->end = RECORD_BYTES;
		h->cut = 1;
	}
	if (h->cut)
		count(COUNT_LOST_FIELDS, 1);
	return 0;
}
