/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Show the progress of a recording. See progress.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/cmdline/progress.h"
#include "report/model/completeness.h"
#include "report/text.h"

#define LINE_EVERY_S 0.2
#define STUCK_NS 1000000000ULL

/* Show @text, cut to the terminal's width: a line that wraps could not be replaced by the next one. */
static void show(struct live *l, const char *text)
{
	struct winsize w;
	int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || !w.ws_col ? 80 : w.ws_col;

	fprintf(stderr, "\r%.*s\033[K", width - 1, text);
	l->shown = true;
}

void live_load(struct live *l, bool quiet)
{
	*l = (struct live){.quiet = quiet, .line = !quiet && isatty(STDERR_FILENO)};
	if (l->line)
		show(l, "dusk: loading ...");
}

void live_begin(struct live *l)
{
	live_end(l);
	l->start_s = now_s();
}

/* "775 samples (75.78 % complete)  ": nothing if there are none. */
static void write_share(FILE *out, const struct dusk_record_share *s, const char *what)
{
	char text[16];

	if (s->nr)
		fprintf(out, "%" PRIu64 " %s (%s %% complete)  ", s->nr, what,
			percent_text(text, s->user ? 100.0 * s->complete / s->user : 100));
}

static void show_line(struct live *l, const struct dusk_record *r)
{
	struct dusk_record_status s = {0};
	char line[256] = "";
	FILE *out = fmemopen(line, sizeof(line), "w");

	if (!out)
		return;
	dusk_record_status(r, &s);
	fprintf(out, "%6.1f s  ", now_s() - l->start_s);
	write_share(out, &s.share[DUSK_CPU], "samples");
	write_share(out, &s.share[DUSK_OFF_CPU], "off CPU");
	write_share(out, &s.share[DUSK_EVENT], "events");
	if (s.lost)
		fprintf(out, "%" PRIu64 " lost  ", s.lost);
	fprintf(out, "%" PRIu64 " KiB", s.bytes / 1024);
	fclose(out);
	show(l, line);
}

uint64_t live_rows(const struct dusk_record *r)
{
	struct dusk_record_status s;

	dusk_record_status(r, &s);
	return s.share[DUSK_CPU].nr + s.share[DUSK_OFF_CPU].nr + s.share[DUSK_EVENT].nr;
}

/* Read the first line of /proc/@tid/@name; "?" if it cannot be read. */
static void read_proc(char *ret, size_t size, pid_t tid, const char *name)
{
	_cleanup_(closep) int fd = -1;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, ret, size - 1);
	if (n <= 0) {
		strcpy(ret, "?");
		return;
	}
	ret[n] = 0;
	ret[strcspn(ret, "\n")] = 0;
}

static bool is_reported(struct live *l, pid_t tid)
{
	for (size_t i = 0; i < l->nr_reported; i++)
		if (l->reported[i] == tid)
			return true;
	if (l->nr_reported == LIVE_MAX_STUCK)
		return true;
	l->reported[l->nr_reported++] = tid;
	return false;
}

static void report_stuck(struct live *l, const struct dusk_record *r)
{
	pid_t tids[LIVE_MAX_STUCK];
	size_t nr = dusk_record_stuck(r, STUCK_NS, tids, LIVE_MAX_STUCK);

	for (size_t i = 0; i < nr; i++) {
		char comm[64], wchan[128];

		if (is_reported(l, tids[i]))
			continue;
		live_end(l);
		read_proc(comm, sizeof(comm), tids[i], "comm");
		read_proc(wchan, sizeof(wchan), tids[i], "wchan");
		fprintf(stderr, "dusk: the stack walk of thread %d (", tids[i]);
		text_write(stderr, comm, TEXT_TERMINAL);
		fputs(") has waited for a page for over a second, in ", stderr);
		text_write(stderr, wchan, TEXT_TERMINAL);
		fputs("; --no-faults avoids this\n", stderr);
	}
}

void live_step(struct live *l, const struct dusk_record *r)
{
	double now = now_s();

	if (now >= l->next_stuck_s) {
		l->next_stuck_s = now + 1;
		if (!l->quiet)
			report_stuck(l, r);
	}
	if (l->line && now >= l->next_s) {
		l->next_s = now + LINE_EVERY_S;
		show_line(l, r);
	}
}

void live_end(struct live *l)
{
	if (l->shown)
		fputs("\r\033[K", stderr);
	l->shown = false;
}
