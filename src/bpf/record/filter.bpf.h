/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does an occurrence pass the filter of its event? What does not is not recorded, and its stack not walked. */
#pragma once
#include "bpf/common/maps.h"
#include "bpf/record/probe_fields.bpf.h"

/* By event; user space sets the number of elements. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct event_filter);
} filters SEC(".maps");

static INLINE bool number_holds(struct probe_hit *h, const struct comparison *c)
{
	u32 bits = 64 - 8 * (c->bytes & 15);
	u64 number;

	h->word = 0;
	bpf_probe_read_kernel(&h->word, opaque((u32)c->bytes) & 15,
			      h->record + (opaque((u32)c->at) & (RECORD_BYTES - 1)));
	number = h->word;
	if (c->is_signed)
		number = (s64)(number << (bits & 63)) >> (bits & 63);
	switch (c->kind) {
	case COMPARE_EQUAL: return number == c->number;
	case COMPARE_BITS: return number & c->number;
	case COMPARE_LESS: return c->is_signed ? (s64)number < (s64)c->number : number < c->number;
	default: return c->is_signed ? (s64)number > (s64)c->number : number > c->number;
	}
}

static INLINE bool text_holds(struct probe_hit *h, const struct comparison *c)
{
	u32 at = c->at & ~DYNAMIC_RELATIVE & (RECORD_BYTES - 1);
	u64 differs = 0;

	if (c->is_dynamic) {
		u32 place = ((const struct word *)(h->record + opaque(at)))->value;

		at = (place & 0xffff) + (c->at & DYNAMIC_RELATIVE ? at + sizeof(place) : 0);
	}
	bpf_probe_read_kernel(h->text, sizeof(h->text), h->record + (opaque(at) & (RECORD_BYTES - 1)));
	for (u32 i = 0; i < COMPARED_WORDS; i++)
		differs |= (h->text[i] ^ c->text[i]) & c->mask[i];
	return !differs;
}

TURN(compare_field, struct probe_hit, h)
{
	const struct event_filter *f = bpf_map_lookup_elem(&filters, &h->event);
	const struct comparison *c;

	if (!f || h->next >= MAX_COMPARISONS)
		return STOP;
	c = &at(f->comparison, h->next);
	h->next = (c->bytes ? number_holds(h, c) : text_holds(h, c)) ? c->yes : c->no;
	return NEXT;
}

/* Does @h pass the filter of event @event? Its record is there. */
GLOBAL int passes_filter(struct probe_hit *h NONNULL, u32 event)
{
	const struct event_filter *f = bpf_map_lookup_elem(&filters, &event);

	if (!f || !f->nr)
		return 1;
	h->event = event;
	h->next = 0;
	loop(MAX_COMPARISONS, compare_field, h);
	return h->next != FILTER_REJECTS;
}
