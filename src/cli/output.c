/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where does a command's result go, and did all of it arrive? See output.h. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/output.h"

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
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

/* less as git starts it: no paging of what fits the screen, colours as they are, the screen left as it was. */
static FILE *start_pager(void)
{
	const char *pager = getenv("PAGER");

	if (!pager)
		pager = has_less() ? "less" : "";
	if (!*pager || !strcmp(pager, "cat"))
		return NULL;
	setenv("LESS", "FRX", 0);
	fflush(NULL);
	return popen(pager, "w");
}

int output_open(struct output *o, const char *path, bool page)
{
	bool terminal;

	*o = (struct output){.file = stdout};
	if (path && strcmp(path, "-")) {
		o->path = path;
		o->file = fopen(path, "we");
		if (!o->file) {
			say("cannot write %s: %m", path);
			return STATUS_FAILED;
		}
	}
	terminal = !o->path && isatty(STDOUT_FILENO);
	o->color = terminal && !is_set("NO_COLOR") && is_set("TERM") && strcmp(getenv("TERM"), "dumb");
	setlocale(LC_CTYPE, "");
	o->unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (terminal && page) {
		FILE *pager = start_pager();

		if (pager) {
			o->file = pager;
			o->pager = true;
			signal(SIGINT, SIG_IGN);	/* Ctrl-C is for the pager now */
		}
	}
	signal(SIGPIPE, SIG_IGN);
	return STATUS_OK;
}

static void remove_incomplete(const struct output *o)
{
	struct stat st;

	if (!stat(o->path, &st) && S_ISREG(st.st_mode))
		unlink(o->path);
}

static bool reader_has_gone(int fd)
{
	struct pollfd p = {.fd = fd};

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

int output_close(struct output *o, int err)
{
	bool failed = ferror(o->file), enough;
	int cause;	/* of the last failure; an earlier one may have been forgotten */

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
	if (!err || enough)
		return STATUS_OK;
	say("cannot write %s: %s", o->path ? o->path : "to standard output", strerror(-err));
	if (o->path)
		remove_incomplete(o);
	return STATUS_FAILED;
}
