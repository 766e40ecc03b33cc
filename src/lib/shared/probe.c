/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/shared/probe.h"
#include <bpf/btf.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "abi/types.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/buildid.h"

#define KFUNC "bpf_task_work_schedule_resume"
#define MAX_NOTES_BYTES (1 << 20)
#define NOTE_PADDED(bytes) (((size_t)(bytes) + 3) & ~3UL)

/* *@number: the kfunc's number in BTF. */
static int find_task_work(enum task_work *ret, int *number)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int plain, impl;

	if (!btf)
		return -errno;
	plain = btf__find_by_name_kind(btf, KFUNC, BTF_KIND_FUNC);
	impl = btf__find_by_name_kind(btf, KFUNC "_impl", BTF_KIND_FUNC);
	/* The plain name first: since 7.0 BTF has both, but then only the plain one can be called. */
	*ret = plain > 0 ? TASK_WORK_PLAIN : impl > 0 ? TASK_WORK_IMPL : TASK_WORK_NONE;
	*number = plain > 0 ? plain : impl;
	btf__free(btf);
	return 0;
}

int probe_task_work(enum task_work *ret)
{
	int number;

	return find_task_work(ret, &number);
}

int probe_task_work_number(void)
{
	enum task_work name;
	int number, ret = find_task_work(&name, &number);

	return ret ?: number;
}

/* It does in kernels where it returns copies of mappings: both came with one change (doc/kernel.md). */
bool probe_holds_memory(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	s32 id = btf ? btf__find_by_name_kind(btf, "bpf_iter_task_vma_kern_data", BTF_KIND_STRUCT) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
	bool yes = false;

	for (u32 i = 0; t && i < btf_vlen(t); i++)
		yes |= !strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), "snapshot");
	btf__free(btf);
	return yes;
}

static const struct dusk_capability capabilities[] = {
	{CAP_BPF, "cap_bpf", true, "load BPF programs and their maps"},
	{CAP_PERFMON, "cap_perfmon", true, "sample all tasks, and read kernel and user memory in BPF"},
	{CAP_SYS_PTRACE, "cap_sys_ptrace", false, "open the files of processes in containers, for names"},
	{CAP_DAC_READ_SEARCH, "cap_dac_read_search", false, "read programs and symbols that only others may read"},
	{CAP_SYSLOG, "cap_syslog", false,
	 "see kernel addresses in /proc/kallsyms, for names and cheap off-CPU intervals"},
	{0, NULL, false, NULL},
};

const struct dusk_capability *dusk_capabilities(void)
{
	return capabilities;
}

const char *dusk_capabilities_setcap(void)
{
	return "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search,cap_syslog=ep";
}

/* setcap comes last: changing a file's owner drops its capabilities. */
void dusk_capabilities_grant(char *ret, size_t room, const char *program)
{
	snprintf(ret, room,
		 "sudo sh -c 'groupadd -f dusk && chgrp dusk \"$0\" && chmod 0750 \"$0\" && setcap %s \"$0\"' "
		 "\"$(command -v %s)\"",
		 dusk_capabilities_setcap(), program);
}

/* CAP_SYS_ADMIN implies the capabilities that were split from it. */
bool probe_have(const struct dusk_capability *c)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
	int also = c->required ? CAP_SYS_ADMIN : c->number;

	if (syscall(SYS_capget, &head, data))
		return false;
	return (data[c->number / 32].effective >> c->number % 32 | data[also / 32].effective >> also % 32) & 1;
}

const struct dusk_capability *probe_missing(void)
{
	for (const struct dusk_capability *c = capabilities; c->name; c++)
		if (c->required && !probe_have(c))
			return c;
	return NULL;
}

/* A range of code to be found: the symbol where it begins, and the one where it ends; NULL: the next symbol. */
struct place {
	const char *start, *end;
	struct kernel_text *text;
};

static void find_place(const struct place *p, uint64_t addr, const char *name)
{
	if (p->text->start && !p->text->end && addr > p->text->start && (!p->end || !strcmp(name, p->end)))
		p->text->end = addr;
	if (!p->text->start && !strcmp(name, p->start))
		p->text->start = addr;
}

int probe_kernel_places(struct kernel_places *ret)
{
	const struct place places[] = {
		{"__entry_text_start", "__entry_text_end", &ret->entry},
		{"__schedule", NULL, &ret->schedule},
		{"schedule_tail", NULL, &ret->schedule_tail},
		{"try_to_wake_up", NULL, &ret->wake},
		{"__local_bh_enable_ip", NULL, &ret->softirqs},
	};
	_cleanup_(fclosep) FILE *f = fopen("/proc/kallsyms", "re");
	size_t missing = 1;
	uint64_t addr;
	char name[128];

	memset(ret, 0, sizeof(*ret));
	if (!f)
		return -errno;
	while (missing && fscanf(f, "%" SCNx64 " %*c %127s%*[^\n]", &addr, name) == 2) {
		missing = 0;
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			find_place(&places[i], addr, name);
			missing += !places[i].text->end;
		}
	}
	return ret->entry.end ? 0 : -ENOENT;
}

static const struct btf_var_secinfo *find_variable(const struct btf *btf, const struct btf_type *section,
						   const char *name)
{
	const struct btf_var_secinfo *v = btf_var_secinfos(section);

	for (int i = 0; i < btf_vlen(section); i++)
		if (!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, v[i].type)->name_off), name))
			return &v[i];
	return NULL;
}

int probe_from_run_queue(int *ret, const char *variable)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC) : -1;
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_var_secinfo *queue = section ? find_variable(btf, section, "runqueues") : NULL;
	const struct btf_var_secinfo *found = section ? find_variable(btf, section, variable) : NULL;

	if (queue && found)
		*ret = (int)found->offset - (int)queue->offset;
	btf__free(btf);
	return queue && found ? 0 : -ENOENT;
}

/* The file is a list of numbers and ranges, in ascending order: "0-3,8-11". */
u32 probe_cpu_bits(void)
{
	_cleanup_(fclosep) FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned int cpu = 0xffff; /* more than Linux supports */
	u32 bits = 0;

	while (f && fscanf(f, "%u%*[-,]", &cpu) == 1)
		;
	while (cpu >> bits)
		bits++;
	return bits;
}

int probe_boot_id(char ret[37])
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f)
		return -errno;
	return fscanf(f, "%36s", ret) == 1 ? 0 : -EIO;
}

int probe_kernel_text(uint64_t *ret)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t addr;
	char name[128];

	if (!f)
		return -errno;
	while (fscanf(f, "%" SCNx64 " %*c %127s%*[^\n]", &addr, name) == 2)
		if (!strcmp(name, "_text")) {
			*ret = addr;
			return addr ? 0 : -EPERM;
		}
	return -ENOENT;
}

void probe_kernel_build_id(char *ret, size_t room)
{
	_cleanup_(freep) char *notes = NULL;
	const Elf64_Nhdr *n;
	size_t len;

	*ret = 0;
	if (file_read(&notes, &len, "/sys/kernel/notes", MAX_NOTES_BYTES))
		return;
	for (size_t at = 0; at + sizeof(*n) <= len;) {
		size_t id;

		n = (const void *)(notes + at);
		id = at + sizeof(*n) + NOTE_PADDED(n->n_namesz);
		at = id + NOTE_PADDED(n->n_descsz);
		if (at > len || n->n_type != NT_GNU_BUILD_ID || n->n_namesz != sizeof("GNU") ||
		    2ULL * n->n_descsz >= room || memcmp(n + 1, "GNU", sizeof("GNU")))
			continue;
		buildid_hex(ret, notes + id, n->n_descsz);
		return;
	}
}
