/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read the ring of a perf event. See ring.h. */
#include "lib/copied/ring.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/perfdata/record.h"

int ring_map(struct ring *r, int fd, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *memory;

	r->record = calloc(1, PERFDATA_RECORD_BYTES + sizeof(*r->record));
	if (!r->record)
		return -ENOMEM;
	memory = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		int err = -errno;

		free(r->record);
		r->record = NULL;
		return err;
	}
	r->head = memory;
	r->data = (const uint8_t *)memory + page;
	r->bytes = bytes;
	return 0;
}

void ring_unmap(struct ring *r)
{
	if (r->head)
		munmap(r->head, r->data - (const uint8_t *)r->head + r->bytes);
	free(r->record);
	*r = (struct ring){0};
}

/* Copy @bytes bytes from position @at, perhaps over the ring's end, to @to. */
static void copy(const struct ring *r, void *to, uint64_t at, size_t bytes)
{
	size_t from = at & (r->bytes - 1), first = r->bytes - from < bytes ? r->bytes - from : bytes;

	memcpy(to, r->data + from, first);
	memcpy((uint8_t *)to + first, r->data, bytes - first);
}

size_t ring_room(const struct ring *r)
{
	uint64_t used = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE) - r->head->data_tail;

	return used < r->bytes ? r->bytes - used : 0;
}

int ring_take(struct ring *r, ring_fn fn, void *ctx)
{
	uint64_t head = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE), tail = r->head->data_tail;
	int ret = head - tail > r->bytes ? -EPROTO : 0;

	while (!ret && tail != head) {
		struct perf_event_header h;

		if (head - tail < sizeof(h)) {
			ret = -EPROTO;
			break;
		}
		copy(r, &h, tail, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail) {
			ret = -EPROTO;
			break;
		}
		copy(r, r->record, tail, h.size);
		memset((uint8_t *)r->record + h.size, 0, sizeof(*r->record));
		ret = fn(ctx, (const struct perf_event_header *)r->record);
		tail += h.size;
		__atomic_store_n(&r->head->data_tail, tail, __ATOMIC_RELEASE);
	}
	if (ret == -EPROTO)
		__atomic_store_n(&r->head->data_tail, head, __ATOMIC_RELEASE);
	return ret;
}
