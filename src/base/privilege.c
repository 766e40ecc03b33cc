/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/privilege.h"
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct sets {
	uint64_t effective, permitted, inheritable;
};

static int read_sets(struct sets *ret)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &head, data))
		return -errno;
	*ret = (struct sets){
		.effective = data[0].effective | (uint64_t)data[1].effective << 32,
		.permitted = data[0].permitted | (uint64_t)data[1].permitted << 32,
		.inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32,
	};
	return 0;
}

static int write_sets(const struct sets *s)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{(uint32_t)s->effective, (uint32_t)s->permitted, (uint32_t)s->inheritable},
		{s->effective >> 32, s->permitted >> 32, s->inheritable >> 32},
	};

	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* The kernel drops an ambient capability together with its inheritable one, so clearing that set clears both. */
int privilege_limit(uint64_t keep)
{
	struct sets now, then;
	int err = read_sets(&now);

	if (err)
		return err;
	then = (struct sets){.effective = now.effective & keep, .permitted = now.permitted & keep};
	if (then.effective == now.effective && then.permitted == now.permitted && !now.inheritable)
		return 0;
	return write_sets(&then);
}

uint64_t privilege_held(void)
{
	struct sets now = {0};

	return read_sets(&now) ? 0 : now.permitted;
}

static int set_effective(uint64_t effective, uint64_t *had)
{
	struct sets now;
	int err = read_sets(&now);

	if (err)
		return err;
	if (had)
		*had = now.effective;
	now.effective = effective;
	return write_sets(&now);
}

int privilege_lower(uint64_t *had)
{
	*had = 0;
	return getuid() ? set_effective(0, had) : 0;
}

int privilege_raise(uint64_t had)
{
	return getuid() ? set_effective(had, NULL) : 0;
}

int privilege_stay_low(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

/* The kernel shows /proc/PID/exe only to a process that may read the target's memory (proc(5), ptrace(2)). */
static int look(pid_t tid)
{
	char name[32], program;

	snprintf(name, sizeof(name), "/proc/%d/exe", tid);
	if (readlink(name, &program, 1) >= 0)
		return 0;
	return errno == EACCES || errno == EPERM ? -EACCES : -ESRCH;
}

int privilege_may_look(pid_t tid)
{
	uint64_t had;
	int ret;

	if (!getuid())
		return 0;
	if (privilege_lower(&had))
		return -EACCES;
	ret = look(tid);
	return privilege_raise(had) ? -EACCES : ret;
}
