/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "port_buffer.h"
#include "core/lang/code.h"

#define MAX_MAPPINGS 128
#define MAX_MODULES 16

static struct mapping {
	struct vma vma;
	const u8 *bytes;
	u64 size;
} mapping[MAX_MAPPINGS];
static u32 nr_mappings;

static struct known {
	struct module_key key;
	struct module module;
} known[MAX_MODULES];
static u32 nr_known, module_limit = MAX_MODULES, module_number;

static struct {
	u64 start, end;
} not_safe;

static struct {
	u32 nth, seen;
	int err;
	bool stay;
} fault;

static struct {
	u32 left;
	void (*fn)(void);
} before_read;

/* Pages that have been waited for, and the modules of the walk that has to. */
#define MAX_PRESENT 4096
static struct {
	struct modules *by;
	u64 present[MAX_PRESENT];
	u32 nr_present;
} waits;

static u32 sequence;

static struct {
	u32 left, more;
} busy;

static u64 uretprobe[3];

static void forget_codes(void);

void port_reset(void)
{
	memset(uretprobe, 0, sizeof(uretprobe));
	nr_mappings = nr_known = module_number = 0;
	module_limit = MAX_MODULES;
	memset(&not_safe, 0, sizeof(not_safe));
	memset(&fault, 0, sizeof(fault));
	before_read.left = busy.left = 0;
	waits.by = NULL;
	forget_codes();
}

void port_wait_for_pages(struct modules *by)
{
	waits.by = by;
	waits.nr_present = 0;
}

u32 port_pages_waited_for(void)
{
	return waits.nr_present;
}

static bool is_present(u64 page)
{
	for (u32 i = 0; i < waits.nr_present; i++)
		if (waits.present[i] == page)
			return true;
	return false;
}

/* As in BPF: the first page that is not there is noted. */
static int must_wait(u32 len, u64 addr)
{
	for (u64 page = addr / PAGE_BYTES; waits.by && page <= (addr + len - 1) / PAGE_BYTES; page++) {
		if (is_present(page))
			continue;
		if (waits.by->wait.bytes)
			return -EACCES;
		if (waits.by->wait.absent == addr / PAGE_BYTES + 1)
			return -EFAULT;
		waits.by->wait.addr = addr;
		waits.by->wait.bytes = len;
		return -EACCES;
	}
	return 0;
}

void port_busy(u32 nth, u32 more)
{
	busy.left = nth;
	busy.more = more;
}

static bool is_busy(void)
{
	if (!busy.left || --busy.left)
		return false;
	if (busy.more) {
		busy.more--;
		busy.left = 1;
	}
	return true;
}

void port_map(u64 addr, const void *bytes, u64 size, struct vma like)
{
	assert(nr_mappings < MAX_MAPPINGS);
	like.start = addr;
	like.end = (addr + size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	mapping[nr_mappings++] = (struct mapping){like, bytes, size};
}

static struct mapping *find(u64 addr)
{
	for (u32 i = 0; i < nr_mappings; i++)
		if (addr >= mapping[i].vma.start && addr < mapping[i].vma.end)
			return &mapping[i];
	return NULL;
}

void port_unmap(u64 addr)
{
	struct mapping *m = find(addr);

	assert(m);
	*m = mapping[--nr_mappings];
}

void port_write(u64 addr, const void *bytes)
{
	struct mapping *m = find(addr);

	assert(m);
	m->bytes = bytes;
	m->vma.copied = 1;
}

void port_map_anew(u64 addr, const void *bytes)
{
	struct mapping *m = find(addr);

	assert(m);
	m->bytes = bytes;
	m->vma.copied = 0;
	sequence += 2;
}

void port_before_read(u32 nth, void (*fn)(void))
{
	before_read.left = nth;
	before_read.fn = fn;
}

void port_not_safe(u64 start, u64 end)
{
	not_safe.start = start;
	not_safe.end = end;
}

void port_fail_read(u32 nth, int err, bool stay)
{
	fault.nth = nth;
	fault.seen = 0;
	fault.err = err;
	fault.stay = stay;
}

u32 port_reads(void)
{
	return fault.seen;
}

void port_module_limit(u32 limit)
{
	assert(limit <= MAX_MODULES);
	module_limit = limit;
}

static void copy(u8 *dst, const struct mapping *m, u64 off, u64 len)
{
	u64 there = off < m->size ? m->size - off : 0;

	if (there > len)
		there = len;
	if (there)
		memcpy(dst, m->bytes + off, there);
	memset(dst + there, 0, len - there);
}

void port_module_number(u32 id)
{
	module_number = id;
}

static int read_memory(void *dst, u32 len, u64 addr)
{
	if (before_read.left && !--before_read.left)
		before_read.fn();
	fault.seen++;
	if (fault.nth && (fault.seen == fault.nth || (fault.stay && fault.seen > fault.nth)))
		return fault.err;
	for (u32 done = 0; done < len;) {
		u64 from = addr + done, left;
		struct mapping *m = find(from);

		if (!m || from < addr)
			return -EFAULT;
		left = m->vma.end - from;
		if (left > len - done)
			left = len - done;
		if (from < not_safe.end && from + left > not_safe.start)
			return -EACCES;
		copy((u8 *)dst + done, m, from - m->vma.start, left);
		done += left;
	}
	return 0;
}

CORE int port_read(void *dst, u32 len, u64 addr)
{
	int err = read_memory(dst, len, addr);

	assert(len <= PAGE_BYTES);
	return err ?: must_wait(len, addr);
}

CORE int port_wait(void *dst, u32 len, u64 addr)
{
	for (u64 page = addr / PAGE_BYTES; page <= (addr + len - 1) / PAGE_BYTES; page++) {
		assert(waits.nr_present < MAX_PRESENT);
		waits.present[waits.nr_present++] = page;
	}
	return read_memory(dst, len, addr);
}

CORE int port_peek(void *dst, u32 len, u64 addr)
{
	return read_memory(dst, len, addr) ? -EFAULT : 0;
}

static bool busy_shows;

void port_busy_shows(bool shows)
{
	busy_shows = shows;
}

GLOBAL int port_vma(u64 addr, struct vma *ret NONNULL)
{
	struct mapping *m = find(addr);

	bool is = is_busy();

	if (is && !busy_shows)
		return -EBUSY;
	if (!m)
		return is ? -EBUSY : -ENOENT;
	*ret = m->vma;
	ret->sequence = sequence;
	return is ? -EBUSY : 0;
}

void port_uretprobe(u64 trampoline, u64 slot, u64 ra)
{
	uretprobe[0] = trampoline;
	uretprobe[1] = slot;
	uretprobe[2] = ra;
}

GLOBAL int port_true_return(u64 trampoline, u64 slot, u64 *ret NONNULL)
{
	if (!trampoline || trampoline != uretprobe[0])
		return -ENOENT;
	if (slot != uretprobe[1])
		return -EFAULT;
	*ret = uretprobe[2];
	return 0;
}

GLOBAL u64 port_file_start(const struct vma *like NONNULL, u32 most)
{
	u64 start = 0;

	if (like->offset == 0)
		return like->start;
	for (u32 i = 0; i < nr_mappings; i++) {
		const struct vma *v = &mapping[i].vma;

		if (v->offset == 0 && v->ino == like->ino && v->dev == like->dev && v->start <= like->start &&
		    (!start || v->start < start))
			start = v->start;
	}
	return start;
}

CORE struct module *port_module(const struct module_key *key)
{
	for (u32 i = 0; i < nr_known; i++)
		if (!memcmp(&known[i].key, key, sizeof(*key)))
			return &known[i].module;
	return NULL;
}

CORE struct module *port_module_add(struct modules *ms, bool again)
{
	struct module *m = again ? port_module(&ms->key) : NULL;

	if (m) {
		*m = ms->shareable;
		return m;
	}
	if (nr_known >= module_limit)
		return NULL;
	known[nr_known] = (struct known){ms->key, ms->shareable};
	if (module_number)
		known[nr_known].module.id = module_number;
	return &known[nr_known++].module;
}

static struct code_content codes[PORT_CODES];
static u32 nr_codes, code_limit;

static struct place {
	u64 space, object, fingerprint;
	u32 number;
} places[PORT_CODES];
static u32 nr_places;
static bool forgets_places;

static void forget_codes(void)
{
	nr_codes = nr_places = 0;
	code_limit = PORT_CODES;
	forgets_places = false;
}

void port_forget_places(void)
{
	forgets_places = true;
}

void port_code_limit(u32 limit)
{
	assert(limit <= PORT_CODES);
	code_limit = limit;
}

const struct code_content *port_code(u32 number)
{
	return number && number <= nr_codes ? &codes[number - 1] : NULL;
}

static struct place *find_place(u64 space, u64 object)
{
	for (u32 i = 0; i < nr_places; i++)
		if (places[i].space == space && places[i].object == object)
			return &places[i];
	return NULL;
}

CORE u32 port_code_number(u64 space, u64 object, u64 fingerprint)
{
	const struct place *p = find_place(space, object);

	return p && p->fingerprint == fingerprint ? p->number : 0;
}

static void remember(const struct lang *l, u32 number)
{
	struct place *p = find_place(l->space, l->code);

	if (!p && nr_places < PORT_CODES && !forgets_places)
		p = &places[nr_places++];
	if (p)
		*p = (struct place){l->space, l->code, l->fingerprint, number};
}

GLOBAL u32 port_code_add(struct lang *l NONNULL, bool is_piece)
{
	u32 number = 1;

	while (number <= nr_codes && !code_is_same(&codes[number - 1], &l->content))
		number++;
	if (number > code_limit)
		return 0;
	if (number > nr_codes)
		codes[nr_codes++] = l->content;
	if (!is_piece)
		remember(l, number);
	return number;
}
