/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What are the instructions in this piece of a file? See disassemble.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/sandbox.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/disassemble.h"

#define MAX_COPY_BYTES (1LL << 30)

struct instructions vec(struct instruction);

/*
 * The file, for a process that is nobody: itself, if anybody may read it, or a copy in memory. A descriptor to be closed,
 * or a negative errno.
 */
static int for_nobody(int fd)
{
	_cleanup_(closep) int copy = -1;
	struct stat st;
	off_t done = 0;

	if (fstat(fd, &st))
		return -errno;
	if (geteuid() || st.st_mode & S_IROTH)
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (st.st_size > MAX_COPY_BYTES)
		return -EFBIG;
	copy = memfd_create("binary", MFD_CLOEXEC);
	while (copy >= 0 && done < st.st_size)
		if (sendfile(copy, fd, &done, st.st_size - done) <= 0)
			return -EIO;
	return copy < 0 ? -errno : steal_fd(&copy);
}

/* Is it in $PATH at all? Once confined we could not tell that from what we may not see. */
static bool have_objdump(void)
{
	_cleanup_(freep) char *path = strdup(getenv("PATH") ?: "");
	char *rest = path, *folder;

	while (path && (folder = strsep(&rest, ":"))) {
		_cleanup_(freep) char *file = NULL;

		if (asprintf(&file, "%s/objdump", *folder ? folder : ".") >= 0 && !access(file, X_OK))
			return true;
	}
	return false;
}

/* In the child. The file goes by its descriptor: its name could lead to another one by now. */
static void become_objdump(int out, int fd, uint64_t start, uint64_t end)
{
	char file[32], from[48], to[48];
	int err;

	if (!have_objdump())
		_exit(STATUS_NOT_FOUND);
	fd = for_nobody(fd);
	if (fd < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(STATUS_NOT_EXECUTABLE);
	err = sandbox_before_exec(fd);
	if (err || fcntl(fd, F_SETFD, 0))
		_exit(STATUS_NOT_EXECUTABLE);

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	execlp("objdump", "objdump", "-d", "-w", "-C", "--no-show-raw-insn", from, to, file, NULL);
	_exit(STATUS_NOT_EXECUTABLE);
}

/* "  401136:\tpush   %rbp": an instruction; other lines are titles. */
static int read_line(struct instructions *all, char *line)
{
	char *colon, *text;
	struct instruction i = {strtoull(line, &colon, 16), NULL};

	if (*line != ' ' || colon == line || strncmp(colon, ":\t", 2))
		return 0;
	text = colon + 2;
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	for (size_t len = strlen(text); len && strchr(" \n", text[len - 1]);)
		text[--len] = 0;
	i.text = strdup(text);
	if (!i.text || vec_push(all, i)) {
		free(i.text);
		return -ENOMEM;
	}
	return 0;
}

static int read_all(struct instructions *all, int fd)
{
	_cleanup_(fclosep) FILE *in = fdopen(fd, "r");
	_cleanup_(freep) char *line = NULL;
	size_t room = 0;
	int err = 0;

	if (!in) {
		err = -errno;
		close(fd);
		return err;
	}
	while (!err && getline(&line, &room, in) > 0)
		err = read_line(all, line);
	return err;
}

static int refuse(int status, size_t nr)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		say("cannot disassemble: objdump is not installed (Debian's package: binutils)");
	else if (status)
		say("cannot disassemble: objdump failed");
	else if (!nr)
		say("cannot disassemble: objdump finds no code there");
	return status || !nr ? STATUS_FAILED : STATUS_OK;
}

int disassemble(struct instruction **ret, size_t *nr, int fd, uint64_t start, uint64_t end)
{
	struct instructions all = {0};
	int ends[2], status = 0, err;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC)) {
		say("cannot disassemble: %m");
		return STATUS_FAILED;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		become_objdump(ends[1], fd, start, end);
	close(ends[1]);
	err = pid < 0 ? -errno : 0;
	if (err)
		close(ends[0]);
	else
		err = read_all(&all, ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (err)
		say("cannot disassemble: %s", strerror(-err));
	if (err || refuse(status, all.nr)) {
		instructions_free(all.v, all.nr);
		return STATUS_FAILED;
	}
	*nr = all.nr;
	*ret = vec_steal(&all);
	return STATUS_OK;
}

void instructions_free(struct instruction *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(v[i].text);
	free(v);
}
