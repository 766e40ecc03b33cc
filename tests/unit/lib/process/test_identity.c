/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose word is a file, and which file is the recorded one? */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/process/identity.h"

#define STRANGER 65534

static char dir[] = "/tmp/dusk-identity-XXXXXX";
static char library[64]; /* a file with a build id */
static char build_id[BUILDID_TEXT_BYTES];

static int make_dir(void **state)
{
	char command[256];

	(void)state;
	if (!mkdtemp(dir) || chmod(dir, 0755))
		return 1;
	snprintf(library, sizeof(library), "%s/library", dir);
	/* This test itself: all that dusk builds has a build id. */
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s && chmod 755 %s", getpid(), library, library);
	return system(command);
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* A copy of the library, with its build id. */
static int copy(const char *name, uid_t owner, mode_t mode)
{
	char command[512], path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(command, sizeof(command), "rm -f %s && cp %s %s", path, library, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(chown(path, owner, -1), 0);
	assert_int_equal(chmod(path, mode), 0);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int64_t owner_of_copy(uid_t owner, mode_t mode)
{
	_cleanup_(closep) int fd = copy("copy", owner, mode);

	return identity_owner(fd);
}

static void identity__who_may_write_has_the_word(void **state)
{
	(void)state;
	assert_int_equal(owner_of_copy(geteuid(), 0755), IDENTITY_OURS);
	assert_int_equal(owner_of_copy(geteuid(), 0600), IDENTITY_OURS);
	assert_int_equal(owner_of_copy(geteuid(), 0775), IDENTITY_ANYBODY);
	assert_int_equal(owner_of_copy(geteuid(), 0757), IDENTITY_ANYBODY);
	if (geteuid())
		return;
	assert_int_equal(owner_of_copy(STRANGER, 0755), STRANGER);
	assert_int_equal(owner_of_copy(STRANGER, 04755), STRANGER);
	assert_int_equal(owner_of_copy(STRANGER, 0757), IDENTITY_ANYBODY);
}

/* Anybody who has a descriptor of it may write to a file in memory, unless its owner has forbidden that. */
static void identity__a_file_in_memory_is_anybodys(void **state)
{
	_cleanup_(closep) int fd = memfd_create("code", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(identity_owner(fd), IDENTITY_ANYBODY);
	assert_int_equal(fchmod(fd, 0500), 0);
	assert_int_equal(identity_owner(fd), IDENTITY_OURS);
}

static void identity__a_link_in_anothers_folder_is_still_ours(void **state)
{
	char folder[128], path[192];
	_cleanup_(closep) int fd = -1;

	(void)state;
	snprintf(folder, sizeof(folder), "%s/theirs", dir);
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(link(library, path), 0);
	if (!geteuid())
		assert_int_equal(chown(folder, STRANGER, STRANGER), 0);
	fd = open(path, O_RDONLY);
	assert_int_equal(identity_owner(fd), IDENTITY_OURS);
}

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(2);
	close(fd);
}

/* A user mounts an overlayfs of his own; what is in it belongs to whom he likes if it is upon FUSE. */
static void mount_overlay(int ready)
{
	if (setresgid(STRANGER, STRANGER, STRANGER) || setresuid(STRANGER, STRANGER, STRANGER) ||
	    unshare(CLONE_NEWUSER | CLONE_NEWNS) || prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", "0 65534 1");
	put("/proc/self/gid_map", "0 65534 1");
	if (mount("none", "/tmp", "tmpfs", 0, "") || mkdir("/tmp/l", 0755) || mkdir("/tmp/u", 0755) ||
	    mkdir("/tmp/w", 0755) || mkdir("/tmp/m", 0755) || creat("/tmp/l/file", 0755) < 0 ||
	    mount("none", "/tmp/m", "overlay", 0, "lowerdir=/tmp/l,upperdir=/tmp/u,workdir=/tmp/w"))
		_exit(1);
	if (write(ready, "x", 1) == 1)
		pause();
	_exit(0);
}

static void identity__of_anothers_overlay_is_not_believed(void **state)
{
	char path[64], byte;
	int ends[2], status;
	pid_t pid;

	(void)state;
	if (geteuid() || pipe(ends))
		skip();
	pid = fork();
	if (!pid) {
		close(ends[0]);
		mount_overlay(ends[1]);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) == 1) {
		_cleanup_(closep) int fd = -1, below = -1;

		snprintf(path, sizeof(path), "/proc/%d/root/tmp/m/file", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/%d/root/tmp/l/file", pid);
		below = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0 && below >= 0);
		assert_int_equal(identity_owner(fd), IDENTITY_ANYBODY);
		assert_int_equal(identity_owner(below), STRANGER);
	}
	close(ends[0]);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		skip(); /* user namespaces are forbidden here */
}

/* The library as it is recorded. */
static struct dusk_module recorded(struct stat *st)
{
	_cleanup_(closep) int fd = open(library, O_RDONLY);

	assert_int_equal(buildid_read(build_id, sizeof(build_id), fd), 0);
	assert_int_equal(fstat(fd, st), 0);
	return (struct dusk_module){
		.kind = DUSK_MODULE_FILE, .path = library, .build_id = build_id, .dev = st->st_dev, .ino = st->st_ino};
}

static void identity__a_build_id_is_believed_of_our_own_files(void **state)
{
	struct stat st;
	struct dusk_module m = recorded(&st);
	_cleanup_(closep) int itself = open(library, O_RDONLY), ours = copy("ours", geteuid(), 0755),
			      open_to_all = copy("open", geteuid(), 0777), theirs = -1;

	(void)state;
	assert_true(identity_recorded(&m, itself));
	assert_true(identity_recorded(&m, ours));
	assert_false(identity_recorded(&m, open_to_all));
	if (!geteuid()) {
		theirs = copy("theirs.so", STRANGER, 0755);
		assert_false(identity_recorded(&m, theirs));
	}
	m.ino = 0; /* of a perf.data */
	assert_true(identity_recorded(&m, open_to_all));
	m.build_id = "00";
	assert_false(identity_recorded(&m, itself));
}

static void identity__a_mapping_is_the_file_or_one_like_it(void **state)
{
	struct stat st;
	struct dusk_module m = recorded(&st);
	struct event_module e = {.owner = st.st_uid, .size = st.st_size};
	_cleanup_(closep) int itself = open(library, O_RDONLY);

	(void)state;
	/* overlayfs, btrfs: other numbers */
	m.dev = 1;
	m.ino = 2;
	assert_true(identity_mapped(&m, &e, itself));
	assert_true(m.dev == st.st_dev && m.ino == st.st_ino);
	m.ino = 2;
	e.owner++;
	assert_false(identity_mapped(&m, &e, itself));
	e.owner--;
	e.size++;
	assert_false(identity_mapped(&m, &e, itself));
	assert_int_equal(m.ino, 2);
	m.ino = st.st_ino;
	assert_true(identity_mapped(&m, &e, itself));
	m.build_id = "00";
	assert_false(identity_mapped(&m, &e, itself));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity__who_may_write_has_the_word),
		cmocka_unit_test(identity__a_file_in_memory_is_anybodys),
		cmocka_unit_test(identity__a_link_in_anothers_folder_is_still_ours),
		cmocka_unit_test(identity__of_anothers_overlay_is_not_believed),
		cmocka_unit_test(identity__a_build_id_is_believed_of_our_own_files),
		cmocka_unit_test(identity__a_mapping_is_the_file_or_one_like_it),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
