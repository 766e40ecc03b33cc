/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * offcputime [-v] [-p PID]: measure where tasks wait, until Ctrl-C. Then print folded stacks, as flame graph tools read
 * them: one line for each process, user stack and kernel stack, outermost frame first, with nanoseconds.
 */
#include <dusk/unwind.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const struct dusk_image offcputime_plain, offcputime_impl; /* dusk-link makes them from offcputime.bpf.o */
static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	stop = 1;
}

static void print_process(int pid)
{
	char path[32], comm[16] = "?";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%15[^\n;]", comm) != 1)
			comm[0] = '?';
		fclose(f);
	}
	printf("%s-%d", comm, pid);
}

static void print_stack(struct dusk_unwinder *u, uint32_t id, const char *suffix)
{
	const uint64_t *frame;
	struct dusk_place p;
	uint32_t nr;

	if (!id || dusk_unwind_frames(u, id, &frame, &nr))
		return;
	while (nr--) {
		dusk_unwind_place(u, frame[nr], &p);
		printf(";%s%s", p.function ? p.function : p.module, suffix);
	}
}

static int print_sum(void *ctx, const struct dusk_sum *c)
{
	const struct dusk_outcome *o = dusk_outcome(c->outcome);

	print_process(c->key >> 32);
	if (c->unresolved)
		printf(";[unresolved]");
	else if (o->kind == DUSK_CUT || o->kind == DUSK_NO_STACK)
		printf(";[%s]", o->name);
	print_stack(ctx, c->stack, "");
	print_stack(ctx, c->key, "_[k]");
	printf(" %" PRIu64 "\n", c->amount);
	return 0;
}

/*
 * All requests of a visit to the kernel share one walk. Over all tools together:
 * scheduled + unasked = walks + closed-*.
 */
static void print_counters(const struct dusk_unwinder *u)
{
	static const char *const names[] = {"requests",		"scheduled",   "joined",      "afterwards",
					    "unasked",		"walks",       "closed-exec", "closed-exiting",
					    "closed-no-walker", "closed-lost", "closed-idle"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(stderr, "%s %" PRIu64 "\n", names[i], dusk_unwind_counter(u, names[i]));
	fprintf(stderr, "lost-sums %" PRIu64 "\n", dusk_unwind_lost(u, 0, "lost-sums"));
}

static int run(struct dusk_unwinder *u, int pid, bool verbose, struct dusk_error *err)
{
	struct dusk_consumer_options opts = {.sz = sizeof(opts), .deliver = DUSK_DELIVER_SUMS};
	struct bpf_object *obj;
	int *only_pid, ret;

	ret = dusk_unwind_open_object(u, &offcputime_plain, &offcputime_impl, &obj, err);
	if (ret)
		return ret;
	only_pid = dusk_unwind_variable(u, "only_pid", sizeof(*only_pid));
	if (only_pid)
		*only_pid = pid;
	ret = dusk_unwind_load(u, err);
	if (!ret)
		ret = dusk_unwind_add_consumer(u, 0, &opts, err);
	if (!ret)
		ret = dusk_unwind_attach(u, err);
	if (ret)
		return ret;
	if (verbose)
		fprintf(stderr, "ready\n");
	while (!stop && dusk_unwind_poll(u, -1) >= 0)
		;
	dusk_unwind_detach(u);
	ret = dusk_unwind_sums(u, 0, print_sum, u);
	if (verbose)
		print_counters(u);
	return ret;
}

int main(int argc, char **argv)
{
	struct dusk_error err = {"out of memory"};
	struct dusk_unwinder *u = NULL;
	int option, ret, pid = 0;
	bool verbose = false;

	while ((option = getopt(argc, argv, "p:v")) >= 0) {
		verbose |= option == 'v';
		if (option == 'p')
			pid = atoi(optarg);
		if (option == '?')
			return 2; /* getopt() has printed why */
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	ret = dusk_unwind_open(&u, NULL, &err);
	if (!ret)
		ret = run(u, pid, verbose, &err);
	if (ret)
		fprintf(stderr, "offcputime: %s\n", err.text);
	dusk_unwind_close(u);
	return ret != 0;
}
