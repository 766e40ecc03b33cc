/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/probe.h"
#include <elf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "abi/types.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/buildid.h"

#define MAX_NOTES_BYTES (1 << 20)
#define NOTE_PADDED(bytes) (((size_t)(bytes) + 3) & ~3UL)

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
