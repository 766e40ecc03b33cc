/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/memory.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include "base/clock.h"
#include "core/env.h"

#define MOST_BYTES 65536

struct kept_page {
	pid_t pid;
	int err; /* if it is not 0, there are no bytes */
	uint64_t addr, read_ns;
	char bytes[PAGE_BYTES];
};

/* So many pieces, each of so many bytes, each a page behind the one before. */
struct question {
	pid_t pid;
	uint64_t addr;
	size_t nr, bytes;
};

static ssize_t read_pieces(const void *question, char *ret, size_t size)
{
	const struct question *q = question;
	struct iovec to = {ret, size}, from[MEMORY_TOUCHED];
	ssize_t got;

	for (size_t i = 0; i < q->nr; i++)
		from[i] = (struct iovec){(void *)(uintptr_t)(q->addr + i * PAGE_BYTES), q->bytes};
	got = process_vm_readv(q->pid, &to, 1, from, q->nr, 0);
	return got < 0 ? -errno : got;
}

/*
 * Our child may be allowed less than we are: Yama (kernel.yama.ptrace_scope) lets an ordinary user's process read its
 * descendants, and those that it traces, which are not the child's. They are the user's own.
 */
static ssize_t ask(struct memory_reader *r, const struct question *q, char *ret)
{
	size_t size = q->nr * q->bytes;
	ssize_t got = r->by_ourselves ? -EPERM : ask_again(&r->child, read_pieces, q, sizeof(*q), ret, size);

	if (got == -EPERM) {
		got = read_pieces(q, ret, size);
		r->by_ourselves |= got > 0;
	}
	return got;
}

static ssize_t answer(struct memory_reader *r, const struct question *q, char *ret)
{
	uint32_t *late = map_find(&r->late, q->pid);
	ssize_t got = -ETIMEDOUT;
	bool fresh;

	if (!late || *late < MEMORY_LATE) {
		got = ask(r, q, ret);
		late = got == -ETIMEDOUT ? map_at(&r->late, q->pid, &fresh) : NULL;
		if (late)
			++*late;
	}
	r->given_up += got == -ETIMEDOUT || got == -EBUSY || got == -ECHILD;
	return got;
}

ssize_t memory_copy(struct memory_reader *r, pid_t pid, void *dst, size_t len, uint64_t addr)
{
	return answer(r, &(struct question){pid, addr, 1, len < MOST_BYTES ? len : MOST_BYTES}, dst);
}

/* The page at @addr, or that there is none. Returns NULL if memory is short. */
static const struct kept_page *keep_page(struct memory_reader *r, pid_t pid, uint64_t addr)
{
	uint64_t now = now_ns();
	struct kept_page *p;
	ssize_t got;

	if (!r->kept)
		r->kept = calloc(MEMORY_KEPT, sizeof(*r->kept));
	if (!r->kept)
		return NULL;
	p = &r->kept[hash64(addr ^ pid) % MEMORY_KEPT];
	if (p->pid != pid || p->addr != addr || now - p->read_ns > MEMORY_KEPT_MS * 1000000ULL) {
		got = memory_copy(r, pid, p->bytes, PAGE_BYTES, addr);
		p->err = got == PAGE_BYTES ? 0 : got < 0 ? got : -EFAULT;
		p->pid = pid;
		p->addr = addr;
		p->read_ns = now;
	}
	return p;
}

int memory_read(struct memory_reader *r, pid_t pid, void *dst, size_t len, uint64_t addr)
{
	size_t part;

	for (size_t done = 0; done < len; done += part) {
		size_t into = (addr + done) % PAGE_BYTES;
		const struct kept_page *p = keep_page(r, pid, addr + done - into);

		if (!p || p->err)
			return p ? p->err : -ENOMEM;
		part = PAGE_BYTES - into < len - done ? PAGE_BYTES - into : len - done;
		memcpy((char *)dst + done, p->bytes + into, part);
	}
	return 0;
}

ssize_t memory_touch(struct memory_reader *r, pid_t pid, uint64_t addr, size_t nr)
{
	char bytes[MEMORY_TOUCHED];

	return answer(r, &(struct question){pid, addr, nr < MEMORY_TOUCHED ? nr : MEMORY_TOUCHED, 1}, bytes);
}

void memory_reader_done(struct memory_reader *r)
{
	ask_end(&r->child);
	map_done(&r->late);
	free(r->kept);
}
