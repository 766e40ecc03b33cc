/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Confine a process that reads untrusted files. See sandbox.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/descriptor.h"
#include "base/privilege.h"
#include "base/sandbox.h"

#define NOBODY 65534
#define MAX_DESCRIPTORS 64

/* GCC and clang have different ways to say that AddressSanitizer is on. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifndef HAS_ASAN
#define HAS_ASAN 0
#endif

/* Memory, open descriptors, time, exit: libelf and libdw need nothing else. */
static const int allowed[] = {
	SCMP_SYS(read),		SCMP_SYS(pread64), SCMP_SYS(write),	 SCMP_SYS(lseek),	  SCMP_SYS(close),
	SCMP_SYS(fcntl),	SCMP_SYS(dup),	   SCMP_SYS(fstat),	 SCMP_SYS(munmap),	  SCMP_SYS(mremap),
	SCMP_SYS(madvise),	SCMP_SYS(brk),	   SCMP_SYS(futex),	 SCMP_SYS(clock_gettime), SCMP_SYS(sysinfo),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(exit),	   SCMP_SYS(exit_group),
};

/*
 * Return the size of the process's data in bytes (proc_pid_statm(5)). It is terabytes with sanitizers, hence HAS_ASAN.
 */
static uint64_t data_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (uint64_t)pages * sysconf(_SC_PAGESIZE);
}

static void limit(void)
{
	struct rlimit none = {0, 0}, cpu = {SANDBOX_CPU_S, SANDBOX_CPU_S}, files = {MAX_DESCRIPTORS, MAX_DESCRIPTORS};
	struct rlimit data;

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_NOFILE, &files);
	if (HAS_ASAN)
		return;
	data.rlim_cur = data.rlim_max = data_bytes() + SANDBOX_MEMORY_BYTES;
	setrlimit(RLIMIT_DATA, &data);
}

/* Change to a user that owns nothing. Without root this is impossible, and without capabilities not needed. */
static int become_nobody(void)
{
	if (!geteuid()) {
		/*
		 * Raw system calls: they change this one thread. glibc's functions would signal all threads that the
		 * parent had.
		 */
		syscall(SYS_setgroups, 0, NULL);
		syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
		syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
	}
	return privilege_limit(0);
}

/*
 * Return the file access rights that this kernel's Landlock can restrict, one bit each (include/uapi/linux/landlock.h),
 * or 0.
 */
static uint64_t landlock_rights(void)
{
	int version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version < 1   ? 0
	       : version < 2 ? (1 << 13) - 1
	       : version < 3 ? (1 << 14) - 1
	       : version < 5 ? (1 << 15) - 1
			     : (1 << 16) - 1;
}

static void landlock_allow(int rules, uint64_t rights, int fd)
{
	struct landlock_path_beneath_attr beneath = {.allowed_access = rights, .parent_fd = fd};

	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
}

/* Restrict file access to the installed folders (read and execute) if @installed, and to @fd (read) unless it is -1. */
static void forbid_paths(bool installed, int fd)
{
	static const char *const folders[] = {"/usr", "/lib", "/lib64", "/bin", "/etc", "/opt", "/nix", "/gnu"};
	uint64_t rights = landlock_rights();
	struct landlock_ruleset_attr all = {.handled_access_fs = rights};
	_cleanup_(closep) int rules = rights ? syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0) : -1;

	if (rules < 0)
		return;
	for (size_t i = 0; installed && i < sizeof(folders) / sizeof(folders[0]); i++) {
		_cleanup_(closep) int folder = open(folders[i], O_PATH | O_CLOEXEC);

		if (folder >= 0)
			landlock_allow(rules,
				       LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
					       LANDLOCK_ACCESS_FS_READ_DIR,
				       folder);
	}
	if (fd >= 0)
		landlock_allow(rules, LANDLOCK_ACCESS_FS_READ_FILE, fd);
	syscall(SYS_landlock_restrict_self, rules, 0);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Close all descriptors except the first three (stderr is for messages) and @keep. */
static void close_others(const int *keep, size_t nr)
{
	int kept[MAX_DESCRIPTORS];
	unsigned int next = STDERR_FILENO + 1;

	memcpy(kept, keep, nr * sizeof(*keep));
	qsort(kept, nr, sizeof(*kept), by_number);
	for (size_t i = 0; i < nr; i++) {
		if (kept[i] > (int)next)
			close_range(next, kept[i] - 1, 0);
		if (kept[i] >= (int)next)
			next = kept[i] + 1;
	}
	close_range(next, UINT32_MAX, 0);
}

static int add_rules(scmp_filter_ctx filter, int channel)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(allowed) / sizeof(allowed[0]); i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	/* fstat() in glibc 2.33 and later */
	err = err
		      ?: seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
					  SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH));
	/*
	 * Report that nothing is a symbolic link: libdw asks for the name of a descriptor, and falls back on
	 * /proc/self/fd/NUMBER.
	 */
	err = err ?: seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(readlink), 0);
	err = err ?: seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(readlinkat), 0);
	err = err
		      ?: seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
					  SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	err = err
		      ?: seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
					  SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	err = err ?: seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg), 1, SCMP_A0(SCMP_CMP_EQ, channel));
	err = err ?: seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(open), 0);
	return err ?: seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(openat), 0);
}

/* Every other system call fails with EPERM, which libraries can handle. */
static int filter_calls(int channel)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int err = filter ? add_rules(filter, channel) : -ENOMEM, notify;

	err = err ?: seccomp_load(filter);
	notify = err ? -1 : seccomp_notify_fd(filter);
	if (!err)
		err = notify < 0 ? -EOPNOTSUPP : descriptor_send(channel, notify);
	closep(&notify);
	if (filter)
		seccomp_release(filter);
	return err;
}

/* Give up everything except system calls. @installed and @fd: see forbid_paths(). */
static int give_up(const int *keep, size_t nr, bool installed, int fd)
{
	int err;

	close_others(keep, nr);
	limit();
	err = privilege_stay_low();
	if (err)
		return err;
	forbid_paths(installed, fd);
	return become_nobody();
}

int sandbox_enter(const int *keep, size_t nr, int channel)
{
	int kept[MAX_DESCRIPTORS], err;

	if (nr >= MAX_DESCRIPTORS)
		return -EINVAL;
	memcpy(kept, keep, nr * sizeof(*keep));
	kept[nr] = channel;
	err = give_up(kept, nr + 1, false, -1);
	if (err)
		return err;
	prctl(PR_SET_DUMPABLE, 1); /* the process that opens files for this one reads the path from its memory */
	err = filter_calls(channel);
	close(channel);
	return err;
}

int sandbox_before_exec(int fd)
{
	return give_up(&fd, 1, true, fd);
}
