/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walk a copied stack. See host_walk.h. */
#include "lib/copied/host_walk.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "core/walk/walk.h"
#include "lib/arch/signal_return.h"
#include "lib/arch/stack_copy.h"
#include "lib/copied/source.h"

#define LARGEST_PAGE 65536ULL

/* The core knows a vDSO by the number of its file. */
_Static_assert(CODE_FILE_VDSO == (int)VDSO && CODE_FILE_VDSO_COMPAT == (int)VDSO_COMPAT, "they are the same numbers");

static struct host_walk *of(struct target *t)
{
	return (struct host_walk *)t;
}

static int read_process(struct host_walk *h, void *dst, u32 len, u64 addr)
{
	if (h->is_past)
		return -ENOENT;
	h->reads_of_processes++;
	return memory_read(&h->reader, h->pid, dst, len, addr) ? -EFAULT : 0;
}

/* Read @len bytes that lie within @p. */
static int read_place(struct host_walk *h, const struct place *p, void *dst, u32 len, u64 addr)
{
	u64 into = addr - p->start;
	bool is_stack = h->sp >= p->start && h->sp < p->end;

	if (p->file == CODE_FILE_VDSO && into < h->spaces->vdso_bytes && len <= h->spaces->vdso_bytes - into) {
		memcpy(dst, h->spaces->vdso + into, len);
		return 0;
	}
	if (!p->written && p->file >= CODE_FILE_FIRST &&
	    !code_files_read(&h->spaces->files, p->file, dst, len, p->offset + into))
		return 0;
	if (is_stack || (p->written && !p->executable))
		return -EACCES;
	return read_process(h, dst, len, addr);
}

/*
 * The kernel copies a stack only up to a page that is not in memory. If it is not the end of the stack, but a hole, in
 * variables that were never written: read what is behind the copy, so that the next one has it. Returns true if there was
 * something. Files are not read for that.
 */
static bool fill_hole(struct host_walk *h)
{
	u64 addr = (h->sp + h->stack_bytes + h->uncopied) & ~(PAGE_BYTES - 1), end = h->sp + h->asked_bytes;
	struct place p;
	ssize_t got;
	size_t nr = 0;

	if (h->is_whole || h->is_past)
		return false;
	while (addr + nr * PAGE_BYTES < end && !spaces_find(h->spaces, h->pid, addr + nr * PAGE_BYTES, &p))
		nr++;
	got = nr ? memory_touch(&h->reader, h->pid, addr, nr) : 0;
	h->is_whole = got <= 0 && got != -ETIMEDOUT; /* which does not come, but is there */
	return !h->is_whole;
}

/*
 * Read @len bytes from the copy. What the walk reads begins at a multiple of eight bytes, and the copy at the stack
 * pointer: 32-bit code may have that in between. The bytes before it belong to no frame, and read as zeros, as those do
 * that are missing at the end. Returns false if the copy does not have them all.
 */
static bool read_copy(struct host_walk *h, u8 *dst, u32 len, u64 addr)
{
	u64 before = addr < h->sp ? h->sp - addr : 0, into = addr + before - h->sp, wanted, copied;

	if (before > (h->sp & 7) || before >= len || into >= h->stack_bytes)
		return false;
	wanted = len - before;
	if (wanted > h->stack_bytes - into && h->uncopied && fill_hole(h))
		h->uncopied = 0;
	if (wanted > h->stack_bytes + h->uncopied - into)
		return false;
	copied = wanted < h->stack_bytes - into ? wanted : h->stack_bytes - into;
	memset(dst, 0, before);
	memcpy(dst + before, h->stack + into, copied);
	memset(dst + before + copied, 0, wanted - copied);
	return true;
}

/* What is not mapped, as far as is known, or can change, is the stack or the heap as it is now: not as it was. */
static int read_memory(struct target *t, void *dst, u32 len, u64 addr)
{
	struct host_walk *h = of(t);
	struct place p;
	int ret = 0;

	if (read_copy(h, dst, len, addr))
		return 0;
	for (u32 done = 0, part; !ret && done < len; done += part) {
		if (addr + done < addr || !spaces_find(h->spaces, h->pid, addr + done, &p)) {
			ret = -EACCES;
			break;
		}
		part = p.end - (addr + done) < len - done ? p.end - (addr + done) : len - done;
		ret = read_place(h, &p, (u8 *)dst + done, part, addr + done);
	}
	if (ret == -EACCES)
		h->refused = h->walk->out.nr + 1;
	if (ret == -ENOENT && p.file != CODE_FILE_NONE)
		h->absent = h->walk->out.nr + 1;
	return ret ? -EFAULT : 0;
}

static int find_vma(struct target *t, u64 addr, struct vma *ret)
{
	struct host_walk *h = of(t);
	struct place p;

	if (!spaces_find(h->spaces, h->pid, addr, &p))
		return -ENOENT;
	memset(ret, 0, sizeof(*ret));
	ret->start = p.start;
	ret->end = p.end;
	ret->offset = p.offset;
	ret->executable = p.executable;
	if (p.file == CODE_FILE_VDSO || p.file == CODE_FILE_VDSO_COMPAT)
		ret->vdso = p.file;
	else if (p.file == CODE_FILE_UPROBES)
		ret->uprobes = 1;
	else
		ret->ino = p.file;
	ret->in_memory = code_files_in_memory(&h->spaces->files, p.file);
	/* Only of bytes that are certainly the file's may something be learnt for other processes. */
	ret->copied = p.file >= CODE_FILE_FIRST && (p.written || !code_files_has(&h->spaces->files, p.file));
	return 0;
}

/* Find what is mapped next below @addr, behind a gap such as linkers leave between segments for pages of 64 KiB. */
static bool find_below(struct host_walk *h, u64 addr, struct place *ret)
{
	for (u64 gap = 0; gap < LARGEST_PAGE && gap < addr; gap += PAGE_BYTES)
		if (spaces_find(h->spaces, h->pid, addr - 1 - gap, ret))
			return true;
	return false;
}

static u64 file_start(struct target *t, const struct vma *like)
{
	struct host_walk *h = of(t);
	u32 file = like->vdso ? like->vdso : like->ino;
	struct place p;
	u64 addr = like->start - like->offset; /* where linkers usually put it */

	if (addr < like->start && spaces_find(h->spaces, h->pid, addr, &p) && p.file == file && !p.offset)
		return p.start;
	for (addr = like->start; addr && find_below(h, addr, &p) && p.file == file; addr = p.start)
		if (!p.offset)
			return p.start;
	return 0;
}

static struct module *find_module(struct target *t, const struct module_key *key)
{
	struct code_files *f = &of(t)->spaces->files;

	return key->ino < f->v.nr && f->v.v[key->ino].known ? &f->v.v[key->ino].module : NULL;
}

static void tell(struct host_walk *h, const struct modules *ms, const struct code_file *f)
{
	size_t len = strlen(f->path);
	struct event_module e = {
		.kind = EVENT_MODULE,
		.id = ms->shareable.id,
		.dev = (u64)major(f->dev) << 20 | minor(f->dev),
		.ino = f->ino,
		.generation = f->generation,
		.pid = h->pid,
		.start = ms->vma.start,
		.end = ms->vma.end,
		.vdso = ms->vma.vdso,
		.build_id_bytes = ms->shareable.build_id_bytes,
		.path_start = PATH_BYTES,
	};

	memcpy(e.build_id, ms->shareable.build_id, sizeof(e.build_id));
	if (!e.vdso && len <= PATH_BYTES) {
		e.path_start = PATH_BYTES - len;
		memcpy(e.path + e.path_start, f->path, len);
	}
	h->learn(h->ctx, &e);
}

static struct module *add_module(struct target *t, struct modules *ms, bool again)
{
	struct host_walk *h = of(t);
	struct code_file *f;

	if (ms->key.ino >= h->spaces->files.v.nr)
		return NULL;
	f = &h->spaces->files.v.v[ms->key.ino];
	f->module = ms->shareable;
	f->known = true;
	tell(h, ms, f);
	return &f->module;
}

static const struct target_world world = {find_vma, file_start, find_module, add_module};

int host_walk_init(struct host_walk *h, struct spaces *s, void (*learn)(void *ctx, const struct event_module *e),
		   void *ctx)
{
	*h = (struct host_walk){.spaces = s, .learn = learn, .ctx = ctx, .walk = calloc(1, sizeof(*h->walk))};
	if (!h->walk)
		return -ENOMEM;
	target_init(&h->target, read_memory);
	h->target.world = &world;
	return 0;
}

void host_walk_done(struct host_walk *h)
{
	if (h->walk)
		target_done(&h->target);
	memory_reader_done(&h->reader);
	free(h->walk);
	h->walk = NULL;
}

/* Is this how a walk ends that could not read what it needed? */
static bool is_for_lack(u32 outcome)
{
	switch (outcome) {
	case STACK_UNREADABLE:
	case CFA_REGISTER_LOST:
	case BAD_RA_RULE:
	case BAD_EXPRESSION:
	case JIT_CODE:
	case NO_EH_FRAME:
	case NO_ELF:
	case NO_FDE: return true;
	}
	return false;
}

/*
 * How many bytes of the stack's last page are missing in the copy, since the kernel has not come to the very end of the
 * mapping? There are no frames: they read as zeros, which lead nowhere.
 */
static u64 missing_at_end(const struct copied_stack *s)
{
	u64 missing = -(s->regs[REG_SP] + s->nr_bytes) & (PAGE_BYTES - 1);

	return s->nr_bytes && s->nr_bytes < s->asked_bytes && missing + 1 <= STACK_COPY_SHORT ? missing : 0;
}

/* Where was the task in user mode? In the system call that ends a signal handler, not behind it. */
static u64 user_pc(struct host_walk *h, const struct copied_stack *s)
{
	u64 pc = s->regs[REG_PC];
	u8 code[SIGNAL_RETURN_BYTES];

	if (!s->in_kernel || read_memory(&h->target, code, sizeof(code), pc - sizeof(code)))
		return pc;
	return pc - signal_return(code);
}

u32 host_walk_run(struct host_walk *h, const struct copied_stack *s, u32 max_depth)
{
	struct walk *w = h->walk;

	if (s->pid != h->last_pid || h->spaces->changes != h->last_changes) {
		modules_reset(&w->modules);
		modules_distrust(&w->modules);
	}
	h->pid = h->last_pid = s->pid;
	h->last_changes = h->spaces->changes;
	h->sp = s->regs[REG_SP];
	h->stack = s->bytes;
	h->stack_bytes = s->nr_bytes;
	h->asked_bytes = s->asked_bytes;
	h->uncopied = missing_at_end(s);
	h->is_whole = s->nr_bytes >= s->asked_bytes;
	memcpy(w->machine.reg, s->regs, INPUT_REGS * sizeof(*s->regs));
	w->machine.reg[REG_PC] = user_pc(h, s);
	h->refused = h->absent = 0;
	regs_settle(w->machine.reg);
	w->max_depth = max_depth;
	target_use(&h->target);
	walk_start(w);
	w->machine.invalid |= s->missing;
	if (h->is_past) /* in mode copied, a page more was asked for */
		w->machine.stack_end = (h->sp + s->nr_bytes) & ~7ULL;
	walk_stack(w);
	target_use(NULL);
	if (h->absent == w->nr_walked + 1 && (is_for_lack(w->outcome) || w->outcome == TABLE_UNREADABLE))
		w->outcome = NO_FILE;
	else if (h->refused == w->nr_walked + 1 && is_for_lack(w->outcome))
		w->outcome = NOT_COPIED;
	if (w->outcome == NOT_COPIED)
		fill_hole(h);
	return w->outcome;
}
