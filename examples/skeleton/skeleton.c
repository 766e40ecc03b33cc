/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skeleton: print the user stack of each task that creates a process or a thread, until Ctrl-C. Start from here. */
#include <dusk/unwind.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

extern const struct dusk_image skeleton_plain, skeleton_impl; /* dusk-link makes them from skeleton.bpf.o */
static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	stop = 1;
}

static void on_stack(void *ctx, const struct dusk_stack_event *e)
{
	char name[256];

	printf("process %d, thread %d, cookie %" PRIx64 "\n", e->pid, e->tid, e->cookie);
	for (uint32_t i = 0; i < e->nr; i++) {
		dusk_unwind_name(ctx, e->frame[i], name, sizeof(name));
		printf("    %s\n", name);
	}
	printf("    [%s]\n", dusk_outcome(e->outcome)->sentence);
	fflush(stdout);
}

int main(void)
{
	struct dusk_consumer_options opts = {.sz = sizeof(opts), .deliver = DUSK_DELIVER_RING | DUSK_DELIVER_AT_ONCE};
	struct dusk_unwinder *u = NULL;
	struct bpf_object *obj;
	struct dusk_error err;
	int ret;

	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	ret = dusk_unwind_open(&u, NULL, &err);
	if (!ret)
		ret = dusk_unwind_open_object(u, &skeleton_plain, &skeleton_impl, &obj, &err);
	if (!ret)
		ret = dusk_unwind_load(u, &err);
	opts.on_stack = on_stack;
	opts.ctx = u;
	if (!ret)
		ret = dusk_unwind_add_consumer(u, 0, &opts, &err);
	if (!ret)
		ret = dusk_unwind_attach(u, &err);
	if (ret)
		fprintf(stderr, "skeleton: %s\n", err.text);
	while (!ret && !stop)
		if (dusk_unwind_poll(u, -1) < 0)
			break;
	dusk_unwind_close(u);
	return ret != 0;
}
