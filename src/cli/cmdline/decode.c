/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/cmdline/decode.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/sandbox.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/outside.h"
#include "cli/cmdline/output.h"

#define TRACE_DAT "\x17\x08\x44tracing" /* the magic of a trace.dat */
#define MAX_REPORT_BYTES (4LL << 30)

/* Runs in the child. */
static void become_trace_cmd(int out, int fd)
{
	char file[OUTSIDE_PATH_BYTES];

	outside_confine("trace-cmd", out, fd, file);
	execlp("trace-cmd", "trace-cmd", "report", "-i", file, NULL);
	_exit(STATUS_NOT_EXECUTABLE);
}

/* Copy @in to @out. Returns 0 or a negative errno. */
static int spool(FILE *out, int in)
{
	char buffer[65536];
	int64_t sum = 0;
	ssize_t n;

	while ((n = read(in, buffer, sizeof(buffer)))) {
		if (n < 0 && errno == EINTR)
			continue;
		sum += n;
		if (n < 0 || sum > MAX_REPORT_BYTES)
			return n < 0 ? -errno : -EFBIG;
		if (fwrite(buffer, 1, n, out) != (size_t)n)
			return -EIO;
	}
	return fflush(out) ? -errno : 0;
}

static int refuse(const char *name, int status)
{
	if (WIFSIGNALED(status))
		say("cannot read %s: trace-cmd report was killed (%s); here it may use %d s of CPU time and %d MiB. "
		    "Without these limits: trace-cmd report -i %s | dusk stackmap decode",
		    name, strsignal(WTERMSIG(status)), SANDBOX_CPU_S, (int)(SANDBOX_MEMORY_BYTES >> 20), name);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		say("cannot read %s: trace-cmd is not installed (Debian's package: trace-cmd)", name);
	else
		say("cannot read %s: trace-cmd report failed", name);
	return STATUS_FAILED;
}

/* Store the output of trace-cmd report for the trace.dat @fd in a temporary file. */
static int report(FILE **ret, const char *name, int fd)
{
	_cleanup_(fclosep) FILE *text = tmpfile();
	int ends[2], status = 0, err;
	pid_t pid;

	if (!text || pipe2(ends, O_CLOEXEC)) {
		say("cannot read %s: %m", name);
		return STATUS_FAILED;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		become_trace_cmd(ends[1], fd);
	close(ends[1]);
	err = pid < 0 ? -errno : spool(text, ends[0]);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (err) {
		say("cannot read %s: %s", name, strerror(-err));
		return STATUS_FAILED;
	}
	if (status)
		return refuse(name, status);
	fseek(text, 0, SEEK_SET);
	*ret = steal(text);
	return STATUS_OK;
}

static bool is_trace_dat(int fd)
{
	char head[sizeof(TRACE_DAT) - 1];

	return pread(fd, head, sizeof(head), 0) == sizeof(head) && !memcmp(head, TRACE_DAT, sizeof(head));
}

static int open_text(FILE **ret, const char *file, const char **ret_name)
{
	bool given = file && strcmp(file, "-");
	FILE *in = given ? fopen(file, "re") : stdin;
	int status;

	*ret_name = given ? file : "standard input";
	if (!in) {
		say("cannot open %s: %m", file);
		return STATUS_FAILED;
	}
	*ret = in;
	if (!given || !is_trace_dat(fileno(in)))
		return STATUS_OK;
	status = report(ret, file, fileno(in));
	fclose(in);
	return status;
}

/* Report stacks that could not be shown. */
static void say_missing(const struct decode *d, const char *name)
{
	if (!d->lines)
		say("%s names no stacks; dusk trace writes lines that do: <stack_id N> <user N>", name);
	if (d->foreign)
		say("%" PRIu64 " of %" PRIu64 " lines are of another stackmap (%" PRIx32 ") than this one (%" PRIx32
		    "): their stacks "
		    "are not shown; -i FILE takes those that dusk trace or dusk stackmap dump saved then",
		    d->foreign, d->lines, d->foreign_identity, d->identity);
	if (d->missing)
		say("%" PRIu64 " stacks are not in the stackmap", d->missing);
	if (d->unresolved)
		say("of %" PRIu64
		    " cookies no line has the stack: the task had not returned to user mode, or the line is not "
		    "in the text",
		    d->unresolved);
}

static int decode_open(struct decode *d, FILE *in, const char *name)
{
	struct output out;
	int status, err = 0;

	d->live = fseeko(in, 0, SEEK_SET);
	if (!d->live) {
		err = decode_learn(d, in);
		fseek(in, 0, SEEK_SET);
	}
	status = output_open(&out, NULL, !d->live);
	if (status)
		return status;
	err = err ?: decode_write(d, in, out.file);
	status = output_close(&out, 0);
	if (!err) {
		say_missing(d, name);
		return status;
	}
	say("cannot read %s: %s", name, strerror(-err));
	return STATUS_FAILED;
}

int decode_file(struct decode *d, const char *file)
{
	FILE *in = NULL;
	const char *name;
	int status = open_text(&in, file, &name);

	if (status)
		return status;
	status = decode_open(d, in, name);
	if (in != stdin)
		fclose(in);
	return status;
}
