/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cut specimens from processes, and walk them. Their file format is in specimen_file.c. */
#include "lib/process/specimen.h"
#include "base/cleanup.h"

#define AROUND 128 /* bytes of a file to keep before and after those read */

void specimen_free(struct specimen *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->blocks.nr; i++)
		free(s->blocks.v[i].bytes);
	vec_done(&s->blocks);
	vec_done(&s->frames);
	target_done(&s->target);
	free(s);
}

/* Return the block that contains @addr, or NULL. */
static struct specimen_block *block_at(const struct specimen *s, u64 addr)
{
	size_t low = 0, high = s->blocks.nr;

	while (low < high) {
		size_t mid = (low + high) / 2;
		struct specimen_block *b = &s->blocks.v[mid];

		if (addr < b->addr)
			high = mid;
		else if (addr - b->addr >= b->len)
			low = mid + 1;
		else
			return b;
	}
	return NULL;
}

static int read_blocks(struct target *t, void *dst, u32 len, u64 addr)
{
	struct specimen *s = (struct specimen *)t;
	struct specimen_block *b = block_at(s, addr);

	if (!b || b->len - (addr - b->addr) < len) {
		s->missing++;
		return -EFAULT;
	}
	memcpy(dst, b->bytes + (addr - b->addr), len);
	return 0;
}

void specimen_init(struct specimen *s)
{
	target_init(&s->target, read_blocks);
}

/* Read from the process, and note the range as a block without bytes. */
static int read_live(struct target *t, void *dst, u32 len, u64 addr)
{
	struct specimen *s = (struct specimen *)t;
	struct specimen_block b = {.addr = addr, .len = len};
	int err = s->live->read(s->live, dst, len, addr);

	return err || !vec_push(&s->blocks, b) ? err : -EFAULT;
}

/* Only the kernel and the linker have written to such a mapping, so it has no data of the program. */
static bool is_of_file(const struct target_mapping *m)
{
	const char *perms = strchr(m->line, ' ');

	return (m->vma.ino || m->vma.vdso) && perms && perms[2] != 'w';
}

/* Widen a read to what is kept for it: whole words, and in a file more on either side, within its mapping. */
static void widen(const struct specimen *s, struct specimen_block *b)
{
	const struct target_mapping *m = target_find(&s->target, b->addr);
	u64 start = b->addr, end = b->addr + b->len;

	b->is_file = m && is_of_file(m);
	if (b->is_file) {
		start = start - m->vma.start > AROUND ? start - AROUND : m->vma.start;
		end = end + AROUND < m->vma.end ? end + AROUND : end < m->vma.end ? m->vma.end : end;
	}
	b->addr = start & ~7ULL;
	b->len = (end - b->addr + 7) & ~7ULL;
}

static int by_address(const void *a, const void *b)
{
	const struct specimen_block *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sort the blocks, and merge those that touch or overlap. */
static void merge(struct specimen *s)
{
	size_t nr = 0;

	qsort(s->blocks.v, s->blocks.nr, sizeof(*s->blocks.v), by_address);
	for (size_t i = 0; i < s->blocks.nr; i++) {
		struct specimen_block *b = &s->blocks.v[i], *last = nr ? &s->blocks.v[nr - 1] : NULL;

		if (!last || b->addr > last->addr + last->len ||
		    (b->addr == last->addr + last->len && b->is_file != last->is_file)) {
			s->blocks.v[nr++] = *b;
			continue;
		}
		last->is_file &= b->is_file;
		if (b->addr + b->len > last->addr + last->len)
			last->len = b->addr + b->len - last->addr;
	}
	s->blocks.nr = nr;
}

static int fill(struct specimen_block *b, struct target *live)
{
	b->bytes = malloc(b->len);
	if (!b->bytes)
		return -ENOMEM;
	for (u32 done = 0; done < b->len; done += PAGE_BYTES) {
		u32 part = b->len - done < PAGE_BYTES ? b->len - done : PAGE_BYTES;

		/* What cannot be read was not read by the walk, but added by widen(). */
		if (live->read(live, b->bytes + done, part, b->addr + done))
			memset(b->bytes + done, 0, part);
	}
	return 0;
}

static int take_blocks(struct specimen *s)
{
	int err = 0;

	for (size_t i = 0; i < s->blocks.nr; i++)
		widen(s, &s->blocks.v[i]);
	merge(s);
	for (size_t i = 0; i < s->blocks.nr && !err; i++)
		err = fill(&s->blocks.v[i], s->live);
	return err;
}

int specimen_walk(struct specimen *s, struct trace *t)
{
	int err;

	s->missing = 0;
	target_use(&s->target);
	err = trace_walk(t, s->regs, s->max_depth);
	target_use(NULL);
	return err;
}

bool specimen_agrees(const struct specimen *s, const struct trace *t)
{
	if (t->walk->outcome != s->outcome || t->frames.nr != s->frames.nr)
		return false;
	for (size_t i = 0; i < s->frames.nr; i++)
		if (t->frames.v[i].pc != s->frames.v[i].pc || t->frames.v[i].pc_is_exact != s->frames.v[i].pc_is_exact)
			return false;
	return true;
}

/* Take over the frames that @t has found. */
static int take_frames(struct specimen *s, const struct trace *t)
{
	s->outcome = t->walk->outcome;
	for (size_t i = 0; i < t->frames.nr; i++)
		if (vec_push(&s->frames, ((struct specimen_frame){t->frames.v[i].pc, t->frames.v[i].pc_is_exact})))
			return -ENOMEM;
	return 0;
}

static bool is_zero(const u64 *words, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (words[i])
			return false;
	return true;
}

/* The result of a walk, which blank() must not change. */
struct answer {
	u32 outcome, nr;
	u64 frame[MAX_DEPTH];
};

/* Walk as the kernel does, with rows from the cache, as blank() walks often. */
static void try_nofault(struct specimen *s, struct walk *w)
{
	memcpy(w->machine.reg, s->regs, sizeof(s->regs));
	modules_reset(&w->modules);
	w->no_cache = 0;
	walk_start(w);
	walk_stack(w);
}

static bool is_answer(const struct answer *a, const struct walk *w)
{
	return w->outcome == a->outcome && w->out.nr == a->nr && !memcmp(w->out.frame, a->frame, a->nr * sizeof(u64));
}

/* Zero those of @nr words that the walk does not need. By bisection, as it needs few words of a stack. */
static void blank(struct specimen *s, struct walk *w, const struct answer *a, u64 *words, u32 nr)
{
	_cleanup_(freep) u64 *was = NULL;

	if (is_zero(words, nr))
		return;
	was = malloc(nr * sizeof(*was));
	if (!was)
		return;
	memcpy(was, words, nr * sizeof(*was));
	memset(words, 0, nr * sizeof(*was));
	try_nofault(s, w);
	if (is_answer(a, w))
		return;
	memcpy(words, was, nr * sizeof(*was));
	if (nr > 1) {
		blank(s, w, a, words, nr / 2);
		blank(s, w, a, words + nr / 2, nr - nr / 2);
	}
}

static int blank_all(struct specimen *s, struct walk *w)
{
	_cleanup_(freep) struct answer *a = malloc(sizeof(*a));

	if (!a)
		return -ENOMEM;
	target_use(&s->target);
	try_nofault(s, w);
	a->outcome = w->outcome;
	a->nr = w->out.nr;
	memcpy(a->frame, w->out.frame, a->nr * sizeof(u64));
	for (size_t i = 0; i < s->blocks.nr; i++)
		if (!s->blocks.v[i].is_file)
			blank(s, w, a, (u64 *)s->blocks.v[i].bytes, s->blocks.v[i].len / 8);
	for (u32 reg = 0; reg < TRACE_REGS; reg++)
		if (reg != REG_PC && reg != REG_SP && reg != REG_MODE)
			blank(s, w, a, &s->regs[reg], 1);
	target_use(NULL);
	return 0;
}

/* Keep only the mappings that the walk looked up, or that begin with a block. */
static void take_mappings(struct specimen *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->target.mappings.nr; i++) {
		struct target_mapping *m = &s->target.mappings.v[i];

		if (m->asked || block_at(s, m->vma.start))
			s->target.mappings.v[nr++] = *m;
		else
			free(m->line);
	}
	s->target.mappings.nr = nr;
}

static int cut(struct specimen *s, struct trace *t)
{
	int err = trace_init(t);

	for (size_t i = 0; i < s->live->mappings.nr && !err; i++)
		err = target_map(&s->target, s->live->mappings.v[i].line);
	if (!err)
		err = specimen_walk(s, t);
	if (!err)
		err = take_frames(s, t);
	if (!err)
		err = take_blocks(s);
	if (err)
		return err;
	take_mappings(s);
	s->target.read = read_blocks;
	s->live = NULL;
	s->target.modules.nr = 0;
	err = specimen_walk(s, t);
	if (err)
		return err;
	if (!specimen_agrees(s, t))
		return -EBUSY;
	err = blank_all(s, t->walk);
	if (!err)
		err = specimen_walk(s, t);
	return err ? err : specimen_agrees(s, t) ? 0 : -EBUSY;
}

int specimen_cut(struct specimen **ret, struct target *live, const u64 *regs, u32 max_depth, const char *comm)
{
	_cleanup_(specimen_freep) struct specimen *s = calloc(1, sizeof(*s));
	struct trace t;
	int err;

	if (!s)
		return -ENOMEM;
	target_init(&s->target, read_live);
	s->live = live;
	s->max_depth = max_depth;
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)strcspn(comm, "\n"), comm);
	memcpy(s->regs, regs, sizeof(s->regs));
	err = cut(s, &t);
	trace_done(&t);
	if (!err)
		*ret = steal(s);
	return err;
}
