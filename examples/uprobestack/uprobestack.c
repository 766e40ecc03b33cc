/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uprobestack [-v] [-p PID] FILE FUNCTION, or FILE PROVIDER:MARK: print the stack of each call of a function, or of
 * each passage of a USDT mark, until Ctrl-C.
 */
#include <dusk/unwind.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct dusk_image uprobestack_plain, uprobestack_impl; /* dusk-link makes them from uprobestack.bpf.o */
static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	stop = 1;
}

/* Called for each cookie without delay (AT_ONCE), so that most processes still exist when names are looked up. */
static void on_stack(void *ctx, const struct dusk_stack_event *e)
{
	const struct dusk_outcome *o = dusk_outcome(e->outcome);
	char name[512];

	printf("process %d, thread %d\n", e->pid, e->tid);
	for (uint32_t i = 0; i < e->nr; i++) {
		dusk_unwind_name(ctx, e->frame[i], name, sizeof(name));
		printf("    %s\n", name);
	}
	if (o->kind != DUSK_COMPLETE)
		printf("    [%s: %s]\n", o->name, o->sentence);
	printf("\n");
	fflush(stdout);
}

static struct bpf_link *attach(struct bpf_object *obj, int pid, const char *file, char *place)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = place);
	char *colon = strchr(place, ':');

	if (!colon)
		return bpf_program__attach_uprobe_opts(bpf_object__find_program_by_name(obj, "function"), pid, file, 0,
						       &opts);
	*colon = 0;
	return bpf_program__attach_usdt(bpf_object__find_program_by_name(obj, "mark"), pid, file, place, colon + 1,
					NULL);
}

static int run(struct dusk_unwinder *u, int pid, char **args, bool verbose, struct dusk_error *err)
{
	struct dusk_consumer_options opts = {
		.sz = sizeof(opts),
		.deliver = DUSK_DELIVER_RING | DUSK_DELIVER_AT_ONCE,
		.on_stack = on_stack,
		.ctx = u,
	};
	struct bpf_object *obj;
	struct bpf_link *link;
	uint64_t *hits;
	int ret;

	ret = dusk_unwind_open_object(u, &uprobestack_plain, &uprobestack_impl, &obj, err);
	if (!ret)
		ret = dusk_unwind_load(u, err);
	if (!ret)
		ret = dusk_unwind_add_consumer(u, 0, &opts, err);
	if (ret)
		return ret;
	link = attach(obj, pid, args[0], args[1]);
	if (!link) {
		ret = -errno;
		snprintf(err->text, sizeof(err->text), "cannot attach to %s of %s: %s", args[1], args[0],
			 strerror(-ret));
		return ret;
	}
	if (verbose)
		fprintf(stderr, "ready\n");
	while (!stop && dusk_unwind_poll(u, -1) >= 0)
		;
	bpf_link__destroy(link);
	dusk_unwind_poll(u, 0);
	hits = dusk_unwind_variable(u, "hits", sizeof(*hits));
	if (verbose)
		fprintf(stderr,
			"hits %" PRIu64 "\nrequests %" PRIu64 "\nscheduled %" PRIu64 "\nlost-stacks %" PRIu64 "\n",
			hits ? *hits : 0, dusk_unwind_counter(u, "requests"), dusk_unwind_counter(u, "scheduled"),
			dusk_unwind_lost(u, 0, "lost-stacks"));
	return 0;
}

int main(int argc, char **argv)
{
	struct dusk_error err = {"out of memory"};
	struct dusk_unwinder *u = NULL;
	int option, ret, pid = -1;
	bool verbose = false;

	while ((option = getopt(argc, argv, "p:v")) >= 0) {
		verbose |= option == 'v';
		if (option == 'p')
			pid = atoi(optarg);
		if (option == '?')
			return 2;
	}
	if (argc - optind != 2)
		return fprintf(stderr, "usage: uprobestack [-v] [-p PID] FILE FUNCTION|PROVIDER:MARK\n"), 2;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	ret = dusk_unwind_open(&u, NULL, &err);
	if (!ret)
		ret = run(u, pid, argv + optind, verbose, &err);
	if (ret)
		fprintf(stderr, "uprobestack: %s\n", err.text);
	dusk_unwind_close(u);
	return ret != 0;
}
