/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/calls.h"
#include <seccomp.h>
#include <string.h>

#define ENTER "syscalls:sys_enter_"
#define EXIT "syscalls:sys_exit_"

/* Events bear the names of the kernel's functions, of which some differ (linux 6.18 arch/x86/entry/syscalls/syscall_64.tbl). */
static const char *common_name(const char *name)
{
	static const struct {
		const char *kernel, *common;
	} others[] = {
		{"newfstat", "fstat"}, {"newlstat", "lstat"},	   {"newstat", "stat"},
		{"newuname", "uname"}, {"sendfile64", "sendfile"}, {"umount", "umount2"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i].kernel))
			return others[i].common;
	return name;
}

/* Are there no other fields than arguments, or the result? Newer kernels add the strings that arguments point to. */
static bool is_plain(const struct record_shape *shape, unsigned int values)
{
	return shape->bytes && !shape->nr_dynamic && shape->bytes <= CALL_FIXED + values * sizeof(u64);
}

int calls_number(const char *name, const struct record_shape *shape, bool *ends)
{
	bool enters = !strncmp(name, ENTER, strlen(ENTER));
	int nr;

	*ends = !strncmp(name, EXIT, strlen(EXIT));
	if ((!enters && !*ends) || !is_plain(shape, enters ? CALL_ARGUMENTS : 1))
		return -1;
	name = common_name(name + (enters ? strlen(ENTER) : strlen(EXIT)));
	nr = seccomp_syscall_resolve_name_arch(SCMP_ARCH_NATIVE, name);
	return nr >= 0 && nr < MAX_CALLS ? nr : -1;
}
