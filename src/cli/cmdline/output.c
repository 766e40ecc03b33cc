/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write a command's result to a file, stdout or a pager. See output.h. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/output.h"
#include "cli/cmdline/remnant.h"

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* By the name of the locale, since it need not be installed here, or be usable by the C library we are linked with. */
static bool is_utf8(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	size_t i = 0;

	while (i < 3 && !is_set(variables[i]))
		i++;
	return i < 3 && (strcasestr(getenv(variables[i]), "utf-8") || strcasestr(getenv(variables[i]), "utf8"));
}

/* 0: it is not known. */
static size_t terminal_width(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) ? 0 : w.ws_col;
}

static bool has_less(void)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin"), *rest = copy, *folder, file[4096];
	bool found = false;

	while (!found && rest && (folder = strsep(&rest, ":"))) {
		snprintf(file, sizeof(file), "%s/less", *folder ? folder : ".");
		found = !access(file, X_OK);
	}
	free(copy);
	return found;
}

/* Start less so: quit if it fits the screen, pass colours through, do not wrap lines, keep the screen. */
static FILE *start_pager(void)
{
	const char *pager = getenv("PAGER");

	if (!pager)
		pager = has_less() ? "less" : "";
	if (!*pager || !strcmp(pager, "cat"))
		return NULL;
	setenv("LESS", "FRSX", 0);
	fflush(NULL);
	return popen(pager, "w");
}

/* Make a new file beside the path, which replaces the existing one when it is complete. */
static int open_fresh(struct output *o, const struct stat *old)
{
	_cleanup_(freep) char *name = NULL;
	_cleanup_(closep) int fd = -1;

	if (asprintf(&name, "%s.XXXXXX", o->path) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	fd = remnant_make(name);
	if (fd < 0)
		return steal_fd(&fd);
	if ((old && old->st_uid == geteuid() && fchmod(fd, old->st_mode & 0777)) ||
	    fchown(fd, sudo_id("SUDO_UID"), sudo_id("SUDO_GID"))) {
		int err = -errno;

		unlink(name);
		remnant_done();
		return err;
	}
	o->fresh = steal(name);
	return steal_fd(&fd);
}

/* Devices, pipes, and files that our own or root's links lead to are written in place. */
static int open_path(struct output *o)
{
	struct stat st;
	bool there = !lstat(o->path, &st);
	int fd;

	if (!there || S_ISREG(st.st_mode)) {
		fd = open_fresh(o, there ? &st : NULL);
		if (fd != -EACCES || !there || st.st_uid != geteuid())
			return fd;
		/* The file is ours, but we cannot write to its folder. */
		fd = open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
		return fd < 0 ? -errno : fd;
	}
	if (S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid())
		return -EPERM;
	fd = open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC | (S_ISLNK(st.st_mode) ? O_CREAT : O_NOFOLLOW), 0600);
	return fd < 0 ? -errno : fd;
}

int output_check(const char *path)
{
	_cleanup_(freep) char *copy = strdup(path);
	struct stat st;
	bool is_new = lstat(path, &st) && errno == ENOENT;

	if (!copy || (!is_new && !access(path, W_OK)) ||
	    ((is_new || S_ISREG(st.st_mode)) && !access(dirname(copy), W_OK | X_OK)))
		return STATUS_OK;
	say("cannot write %s: %s", path, strerror(errno));
	return STATUS_FAILED;
}

int output_open(struct output *o, const char *path, bool page)
{
	bool terminal;
	int fd;

	*o = (struct output){.file = stdout};
	if (path && strcmp(path, "-")) {
		o->path = path;
		fd = open_path(o);
		o->file = fd < 0 ? NULL : fdopen(fd, "w");
		if (!o->file) {
			say("cannot write %s: %s", path, fd < 0 ? strerror(-fd) : "out of memory");
			return STATUS_FAILED;
		}
	}
	terminal = !o->path && isatty(STDOUT_FILENO);
	o->color = terminal && !is_set("NO_COLOR") && is_set("TERM") && strcmp(getenv("TERM"), "dumb");
	o->unicode = is_utf8();
	o->width = terminal ? terminal_width() : 0;
	if (terminal && page) {
		FILE *pager = start_pager();

		if (pager) {
			o->file = pager;
			o->pager = true;
			signal(SIGINT, SIG_IGN); /* Ctrl-C is for the pager now */
		}
	}
	signal(SIGPIPE, SIG_IGN);
	return STATUS_OK;
}

static bool reader_has_gone(int fd)
{
	struct pollfd p = {.fd = fd};

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

int output_close(struct output *o, int err)
{
	bool failed = ferror(o->file), enough;
	int cause; /* errno of the last failure; that of an earlier one may be lost */

	errno = 0;
	failed |= fflush(o->file) != 0;
	cause = errno;
	enough = !o->path && failed && reader_has_gone(fileno(o->file));
	if (o->pager) {
		pclose(o->file);
		return err ? STATUS_FAILED : STATUS_OK;
	}
	if (o->path && fclose(o->file)) {
		failed = true;
		cause = errno;
	}
	if (!err && failed)
		err = cause ? -cause : -EIO;
	if (!err && o->fresh && rename(o->fresh, o->path))
		err = -errno;
	if (err && o->fresh)
		unlink(o->fresh);
	remnant_done();
	free(steal(o->fresh));
	if (!err || enough)
		return STATUS_OK;
	say("cannot write %s: %s", o->path ? o->path : "to standard output", strerror(-err));
	return STATUS_FAILED;
}

void output_discard(struct output *o)
{
	fclose(o->file);
	if (o->fresh)
		unlink(o->fresh);
	remnant_done();
	free(steal(o->fresh));
}
