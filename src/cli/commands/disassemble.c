/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Disassemble a part of a file by objdump. See disassemble.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "cli/cmdline/command.h"
#include "cli/commands/disassemble.h"
#include "cli/cmdline/outside.h"

struct instructions vec(struct instruction);

/* Runs in the child. */
static void become_objdump(int out, int fd, uint64_t start, uint64_t end)
{
	char file[OUTSIDE_PATH_BYTES], from[48], to[48];

	outside_confine("objdump", out, fd, file);
	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	execlp("objdump", "objdump", "-d", "-w", "-C", "--no-show-raw-insn", from, to, file, NULL);
	_exit(STATUS_NOT_EXECUTABLE);
}

/* Parse an instruction, "  401136:\tpush   %rbp"; other lines are titles, and are skipped. */
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
