/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/pins.h"
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "lib/error.h"
#include "lib/unwinder/lock.h"

#define BPFFS_MAGIC 0xcafe4a11 /* linux include/uapi/linux/magic.h */
#define BPFFS "/sys/fs/bpf"
#define AGAIN_MS 50 /* a process that has held the lock for our whole first wait will hardly release it now */

struct pins {
	char *path, *base;
	int folder, own; /* locked while we enter or leave; our own folder, locked while we live */
	u32 tool;
	bool first;
	bool in_vain; /* we have waited for the lock before, and did not get it */
};

static void close_pins(struct pins *p)
{
	closep(&p->own);
	closep(&p->folder);
	free(p->path);
	free(p->base);
	free(p);
}

static bool is_bpffs(const char *path)
{
	struct statfs s;

	return !statfs(path, &s) && (unsigned int)s.f_type == BPFFS_MAGIC;
}

/* Make @path on bpffs, and check that only we can write to it. */
static int make_folder(const char *path, struct dusk_error *err)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return error_set(err, -errno, "cannot make %s: %s", path, strerror(errno));
	if (lstat(path, &st))
		return error_set(err, -errno, "cannot look at %s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
		return error_set(err, -EPERM, "%s is not a folder of our own that nobody else can write to", path);
	return 0;
}

/* Mount bpffs if the system has not, as bpftool does. */
static int find_bpffs(const char *base, struct dusk_error *err)
{
	_cleanup_(freep) char *parent = strdup(base);
	char *slash = parent ? strrchr(parent, '/') : NULL;

	if (!slash || slash == parent)
		return error_set(err, -EINVAL, "%s is not the path of a folder on bpffs", base);
	*slash = 0;
	if (is_bpffs(parent))
		return 0;
	if (strcmp(parent, BPFFS) || mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700"))
		return error_set(err, -ENODEV, "%s is not on bpffs; mount it: mount -t bpf bpf %s", base, BPFFS);
	return 0;
}

/* Until we have its lock, the folder may be removed and made anew; so retry. */
static int lock_folder(struct pins *p, const volatile int *stops, int before, struct dusk_error *err)
{
	uint64_t end_ns = now_ns() + PINS_ENTER_MS * 1000000ULL;
	struct stat ours, there;
	uint64_t now;
	int ret;

	for (;;) {
		now = now_ns();
		ret = make_folder(p->base, err);
		if (!ret)
			ret = make_folder(p->path, err);
		if (ret == -ENOENT)
			continue;
		if (ret)
			return ret;
		p->folder = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (p->folder < 0 && errno != ENOENT)
			return error_set(err, -errno, "cannot open %s: %s", p->path, strerror(errno));
		ret = p->folder < 0 ? 0
				    : lock_take(p->folder, now < end_ns ? (end_ns - now) / 1000000 : 0, stops, before);
		if (ret == -EBUSY)
			return lock_whose(p->folder, p->path, err);
		if (ret)
			return error_set(err, ret, "cannot lock %s: %s", p->path, strerror(-ret));
		if (p->folder >= 0 && !fstat(p->folder, &ours) && !stat(p->path, &there) && ours.st_ino == there.st_ino)
			return 0;
		closep(&p->folder);
		p->folder = -1;
	}
}

static void name_tool(char name[16], u32 tool)
{
	snprintf(name, 16, "tool-%u", tool);
}

bool pins_is_alive(const struct pins *p, u32 tool)
{
	_cleanup_(closep) int fd = -1;
	char name[16];

	name_tool(name, tool);
	fd = openat(p->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB);
}

static bool is_alone(const struct pins *p)
{
	for (u32 tool = 1; tool <= MAX_TOOLS; tool++)
		if (tool != p->tool && pins_is_alive(p, tool))
			return false;
	return true;
}

static int claim_number(struct pins *p, struct dusk_error *err)
{
	char name[16];

	for (p->tool = 1; p->tool <= MAX_TOOLS; p->tool++) {
		if (pins_is_alive(p, p->tool))
			continue;
		name_tool(name, p->tool);
		if (mkdirat(p->folder, name, 0700) && errno != EEXIST)
			return error_set(err, -errno, "cannot make %s/%s: %s", p->path, name, strerror(errno));
		p->own = openat(p->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (p->own < 0 || flock(p->own, LOCK_EX | LOCK_NB))
			return error_set(err, -errno, "cannot lock %s/%s: %s", p->path, name, strerror(errno));
		return 0;
	}
	return error_set(err, -EUSERS, "%d tools use %s already", MAX_TOOLS, p->path);
}

static void remove_all(const struct pins *p)
{
	_cleanup_(closep) int fd = openat(p->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d)
		return;
	steal_fd(&fd);
	while ((e = readdir(d)))
		if (unlinkat(p->folder, e->d_name, 0))
			unlinkat(p->folder, e->d_name, AT_REMOVEDIR);
	closedir(d);
}

int pins_enter(struct pins **ret, const char *base, const char *version, const volatile int *stops, int before,
	       struct dusk_error *err)
{
	struct pins *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	p->folder = p->own = -1;
	p->base = strdup(base);
	if (!p->base || asprintf(&p->path, "%s/%s", base, version) < 0) {
		p->path = NULL;
		close_pins(p);
		return -ENOMEM;
	}
	r = find_bpffs(base, err);
	if (!r)
		r = lock_folder(p, stops, before, err);
	if (!r) {
		p->first = is_alone(p);
		if (p->first)
			remove_all(p);
		r = claim_number(p, err);
	}
	if (r) {
		close_pins(p);
		return r;
	}
	*ret = p;
	return 0;
}

int pins_lock(struct pins *p, unsigned int wait_ms)
{
	int ret = lock_take(p->folder, p->in_vain && wait_ms > AGAIN_MS ? AGAIN_MS : wait_ms, NULL, 0);

	if (!ret || wait_ms)
		p->in_vain = ret == -EBUSY;
	return ret;
}

void pins_unlock(struct pins *p)
{
	lock_release(p->folder);
}

int pins_whose(const struct pins *p, struct dusk_error *err)
{
	return lock_whose(p->folder, p->path, err);
}

u32 pins_tool(const struct pins *p)
{
	return p->tool;
}

bool pins_is_first(const struct pins *p)
{
	return p->first;
}

/* bpffs reserves names with dots. */
static void pin_path(char *ret, size_t room, const struct pins *p, const char *name)
{
	size_t folder = strlen(p->path) + 1;

	snprintf(ret, room, "%s/%s", p->path, name);
	for (char *c = ret + folder; *c; c++)
		if (*c == '.')
			*c = '-';
}

int pins_put(const struct pins *p, const char *name, int fd)
{
	char path[PATH_MAX];

	pin_path(path, sizeof(path), p, name);
	return bpf_obj_pin(fd, path) ? -errno : 0;
}

int pins_get(const struct pins *p, const char *name)
{
	char path[PATH_MAX];
	int fd;

	pin_path(path, sizeof(path), p, name);
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

void pins_drop(const struct pins *p, const char *name)
{
	char path[PATH_MAX];

	pin_path(path, sizeof(path), p, name);
	unlink(path);
}

int pins_visit(struct pins **ret, const char *base, const char *version)
{
	struct pins *p = calloc(1, sizeof(*p));
	int r = 0;

	if (!p)
		return -ENOMEM;
	p->own = p->folder = -1;
	if (asprintf(&p->path, "%s/%s", base, version) < 0) {
		p->path = NULL;
		r = -ENOMEM;
	} else {
		p->folder = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = p->folder < 0 ? -errno : 0;
	}
	if (r)
		close_pins(p);
	else
		*ret = p;
	return r;
}

void pins_leave(struct pins *p)
{
	char name[16];

	if (!p)
		return;
	if (!p->tool) {
		close_pins(p);
		return;
	}
	name_tool(name, p->tool);
	if (pins_lock(p, PINS_LEAVE_MS)) {
		; /* the lock of our own folder ends now, so the next tool takes us for dead */
	} else if (is_alone(p)) {
		remove_all(p);
		rmdir(p->path);
		rmdir(p->base);
	} else {
		unlinkat(p->folder, name, AT_REMOVEDIR);
	}
	close_pins(p);
}
