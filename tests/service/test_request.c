/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Can programs of every type ask for the user stack, and is the answer what <dusk/dusk.bpf.h> says? */
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "abi/frame.h"
#include "base/cleanup.h"
#include "asker.h"
#include "victim.h"

#define PATH_SENTENCE "leaf inner middle outer main"

static struct asker tool;

static int close_tool(void **state)
{
	asker_close(&tool);
	return 0;
}

/* All stacks of the victim are the known one, or lead to it or from it, and there is one; no request was contended. */
static void expect_known_stacks(struct victim *v)
{
	size_t nr = 0;

	assert_int_equal(asker_counter(&tool, "refused-contended"), 0); /* programs do not nest as deep as that takes */
	for (size_t i = 0; i < tool.got.nr; i++) {
		const struct got *g = &tool.got.v[i];
		const char *sentence;

		if (g->pid != v->pid || !g->stack)
			continue;
		nr++;
		assert_int_equal(dusk_outcome(g->outcome)->kind, DUSK_COMPLETE);
		sentence = asker_sentence(&tool, g->stack);
		if (!strstr(sentence, PATH_SENTENCE) && (!strstr(PATH_SENTENCE, sentence) || !strstr(sentence, "main")))
			fail_msg("not a stack of the victim: %s", sentence);
	}
	print_message("%zu stacks\n", nr);
	assert_true(nr > 0);
}

static void ask_by(enum probe_kind kind, const char *mode)
{
	struct victim v = victim_start(mode);
	int ret;

	ret = try_open(&tool, KIND(kind), NULL);
	if (ret == -EPERM) {
		print_message("the kernel does not load it: %s\n", tool.error.text);
		victim_end(&v);
		skip();
	}
	if (ret)
		fail_msg("%s", tool.error.text);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	ret = try_attach(&tool, kind, v.pid, 1);
	if (ret) {
		print_message("loaded, but the kernel does not attach it: %s\n", strerror(-ret));
		victim_end(&v);
		skip();
	}
	asker_poll_busy(&tool, kind);
	expect_known_stacks(&v);
	victim_end(&v);
}

static void a_perf_event_program_can_ask(void **state)
{
	ask_by(BY_TICK, "spin");
}

static void a_btf_tracepoint_program_can_ask(void **state)
{
	struct victim v = victim_start("read");

	asker_open(&tool, KIND(BY_SWITCH), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_SWITCH, v.pid, 1);
	for (int i = 0; i < 20; i++) {
		victim_feed(&v, 1);
		asker_poll(&tool, 10);
	}
	expect_known_stacks(&v);
	victim_end(&v);
}

static void a_raw_tracepoint_program_can_ask(void **state)
{
	ask_by(BY_RAW, "getppid");
}

static void a_tracepoint_program_can_ask(void **state)
{
	ask_by(BY_TRACEPOINT, "getppid");
}

static void a_kprobe_program_can_ask(void **state)
{
	ask_by(BY_KPROBE, "getppid");
}

static void a_uprobe_program_can_ask(void **state)
{
	ask_by(BY_UPROBE, "getppid");
}

/* Where the kernel preempts: in the guest. */
static void tasks_that_preempt_each_other_at_a_uprobe_keep_their_variables(void **state)
{
	struct victim v = victim_start("threads");

	asker_open(&tool, KIND(BY_UPROBE), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_UPROBE, v.pid, 1);
	asker_poll(&tool, 5000);
	asker_silence(&tool);
	print_message("%llu runs, %llu of them mixed\n", tool.control->runs[BY_UPROBE], tool.control->mixed);
	assert_true(tool.control->runs[BY_UPROBE] > 1000);
	assert_int_equal(tool.control->mixed, 0);
	victim_end(&v);
}

static void a_program_that_would_share_its_variables_at_a_uprobe_is_not_loaded(void **state)
{
	assert_int_equal(try_open(&tool, KIND(BY_UPROBE_ALONE), NULL), -EINVAL);
	if (!strstr(tool.error.text, "program by_uprobe_alone asks for stacks at a uprobe") ||
	    !strstr(tool.error.text, "dusk_unwind_at_uprobe()"))
		fail_msg("%s", tool.error.text);
}

static void an_fentry_program_can_ask(void **state)
{
	ask_by(BY_FENTRY, "open");
}

static void an_lsm_program_can_ask(void **state)
{
	ask_by(BY_LSM, "open");
}

static void who_asks_first_queues_the_walk_and_for_all_others_it_is_pending(void **state)
{
	struct victim v = victim_start("read");
	struct probe_answers one, two;

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 1, DUSK_DELIVER_RING);
	asker_init(&tool, 2, DUSK_DELIVER_RING);
	tool.control->again = 2;
	asker_attach(&tool, BY_RAW, v.pid, 1 << 1 | 1 << 2);
	victim_feed(&v, 100);
	victim_wait_fed(&v);
	asker_silence(&tool);
	victim_feed(&v, 1);
	asker_poll_for(&tool, 200);
	one = asker_tally(&tool, 1);
	two = asker_tally(&tool, 2);
	assert_int_equal(one.queued, 100);
	assert_int_equal(one.pending, 200);
	assert_int_equal(two.queued, 0);
	assert_int_equal(two.pending, 300);
	assert_int_equal(asker_counter(&tool, "scheduled"), 100);
	assert_int_equal(asker_counter(&tool, "joined"), 500);
	assert_int_equal(asker_counter(&tool, "walks"), 100);
	assert_int_equal(tool.got.nr, 200);
	for (size_t i = 0; i < tool.got.nr; i++) {
		struct got other;

		assert_int_equal(asker_find(&tool, tool.got.v[i].cookie, 1, &other), 1);
		assert_int_equal(other.stack, tool.got.v[i].stack);
		assert_int_equal(asker_find(&tool, tool.got.v[i].cookie, 2, &other), 1);
		assert_int_equal(other.stack, tool.got.v[i].stack);
	}
	expect_known_stacks(&v);
	victim_end(&v);
}

struct switches {
	uint32_t visits, most;
};

static void see_switches(void *ctx, const struct probe_key *k, const struct probe_answers *a)
{
	struct switches *s = ctx;

	if (!k->cookie)
		return;
	s->visits++;
	assert_int_equal(a->queued, 1);
	if (a->pending > s->most)
		s->most = a->pending;
}

static void many_switches_in_one_system_call_are_one_walk(void **state)
{
	struct victim v = victim_start("write");
	struct switches s = {0};
	uint64_t walks;

	asker_open(&tool, KIND(BY_SWITCH), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_SWITCH, v.pid, 1);
	asker_poll(&tool, 1000);
	asker_silence(&tool);
	asker_expect(&tool, 1, 0);
	asker_answers(&tool, see_switches, &s);
	walks = asker_counter(&tool, "walks");
	print_message("%u visits, up to %u switches in one; %lu walks\n", s.visits, s.most + 1, walks);
	assert_true(s.most > 3);
	assert_int_equal(walks, s.visits);
	assert_int_equal(tool.got.nr, s.visits);
	expect_known_stacks(&v);
	victim_end(&v);
}

/*
 * Consumer 0 asks at each system call, and consumers at each write to the address that the programs found, @address in
 * struct probe_control).
 */
static void ask_at_writes(struct victim *v, size_t address, uint32_t consumers)
{
	asker_open(&tool, KIND(BY_RAW) | KIND(BY_POINT), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_init(&tool, 1, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_RAW, v->pid, 1);
	asker_attach_write(&tool, &tool, address, v->pid, consumers);
	asker_poll_busy(&tool, BY_POINT);
}

#define CALLS 1000

/* The victim makes system calls (BY_RAW) although it is asked whenever it has been walked. */
static void expect_progress(void)
{
	uint64_t begun = tool.control->runs[BY_RAW], walks;
	double end = live_now_s() + 20;
	struct probe_answers a;

	while (tool.control->runs[BY_RAW] < begun + CALLS) {
		if (live_now_s() > end)
			fail_msg("%llu system calls while %lu walks were asked for", tool.control->runs[BY_RAW] - begun,
				 asker_counter(&tool, "scheduled"));
		asker_poll(&tool, 10);
	}
	asker_silence(&tool);
	asker_poll(&tool, 200);
	a = asker_tally(&tool, 0);
	walks = asker_counter(&tool, "walks");
	print_message("%llu system calls: %u queued, %u pending, %u executed, %u refused; %lu walks\n",
		      tool.control->runs[BY_RAW] - begun, a.queued, a.pending, a.executed, a.refused, walks);
	assert_true(walks > 0);
	if (asker_knows_visits())
		assert_int_equal(a.refused, 0);
	else
		assert_true(a.refused > 0);
}

static void who_asks_around_the_walk_is_served_once_a_cookie_and_keeps_no_task_from_user_mode(void **state)
{
	struct victim v = victim_start("getppid");

	ask_at_writes(&v, offsetof(struct probe_control, trace_nesting), 1 | 1 << 1);
	expect_progress();
	victim_end(&v);
	asker_poll(&tool, 50);
	asker_expect(&tool, 1 | 1 << 1, 0);
	expect_known_stacks(&v);
}

static void see_executed(void *ctx, const struct probe_key *k, const struct probe_answers *a)
{
	const char *sentence;

	if (!a->executed)
		return;
	assert_int_equal(dusk_outcome(a->outcome)->kind, DUSK_COMPLETE);
	sentence = asker_sentence(&tool, a->stack);
	assert_string_equal(sentence, PATH_SENTENCE);
}

static void after_the_walk_it_is_executed_and_the_stack_is_there(void **state)
{
	struct victim v = victim_start("getppid");
	struct probe_answers a;

	ask_at_writes(&v, offsetof(struct probe_control, walker), 1 << 1);
	asker_silence(&tool);
	asker_poll(&tool, 200);
	victim_end(&v);
	asker_poll(&tool, 50);
	a = asker_tally(&tool, 1);
	print_message("%u queued, %u pending, %u executed\n", a.queued, a.pending, a.executed);
	assert_true(a.executed > 0);
	asker_answers(&tool, see_executed, NULL);
	asker_expect(&tool, 1 | 1 << 1, 0);
	expect_known_stacks(&v);
}

static void who_asks_behind_the_walk_is_told_and_keeps_no_task_from_user_mode(void **state)
{
	struct victim v = victim_start("getppid");

	asker_open(&tool, KIND(BY_RAW) | KIND(BY_RETURN), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_RAW, v.pid, 0);
	asker_attach(&tool, BY_RETURN, v.pid, 1);
	asker_poll(&tool, 2000);
	if (tool.control->runs[BY_RETURN] < 20) {
		print_message("this kernel hardly runs programs there\n");
		victim_end(&v);
		skip();
	}
	expect_progress();
	victim_end(&v);
	asker_poll(&tool, 50);
	if (asker_knows_visits())
		assert_true(asker_tally(&tool, 0).executed > 0);
	asker_answers(&tool, see_executed, NULL);
	expect_known_stacks(&v);
}

static bool kernel_has_point(const char *name)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) > 0;

	btf__free(btf);
	return has;
}

/*
 * Microseconds apart, at the same instruction and with the same stack pointer: where no number tells visits apart, other registers
 * do, and hardly a request is refused.
 */
static void request__each_page_fault_of_a_loop_gets_its_stack(void **state)
{
	struct probe_answers a;
	struct victim v;

	if (!kernel_has_point("btf_trace_page_fault_user"))
		skip();
	v = victim_start("touch");
	asker_open(&tool, KIND(BY_FAULT), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_FAULT, v.pid, 1);
	asker_poll_busy(&tool, BY_FAULT);
	asker_silence(&tool);
	asker_poll(&tool, 50);
	victim_end(&v);
	a = asker_tally(&tool, 0);
	print_message("%llu page faults: %u queued, %u refused\n", tool.control->runs[BY_FAULT], a.queued, a.refused);
	assert_true(a.queued > 100);
	assert_true(a.refused <= tool.control->runs[BY_FAULT] / 100);
	expect_known_stacks(&v);
}

/* All stacks of the victim match @pattern: a signal is delivered between request and walk. */
static void expect_at_signals(uint64_t ip, const char *pattern)
{
	struct victim v = victim_start("signal");
	size_t nr = 0;

	asker_open(&tool, KIND(BY_SIGNAL), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	tool.control->ip = ip;
	asker_attach(&tool, BY_SIGNAL, v.pid, 1);
	asker_poll_busy(&tool, BY_SIGNAL);
	asker_silence(&tool);
	victim_end(&v);
	asker_poll(&tool, 50);
	for (size_t i = 0; i < tool.got.nr; i++) {
		const struct got *g = &tool.got.v[i];

		if (g->pid != v.pid || !g->stack || dusk_outcome(g->outcome)->kind != DUSK_COMPLETE)
			continue;
		nr++;
		if (fnmatch(pattern, asker_sentence(&tool, g->stack), FNM_EXTMATCH))
			fail_msg("%s, and not %s", asker_sentence(&tool, g->stack), pattern);
	}
	print_message("%zu stacks\n", nr);
	assert_true(nr > 20);
}

static void the_walk_starts_from_the_registers_of_the_request(void **state)
{
	expect_at_signals(0, PATH_SENTENCE);
}

/* In the C library, whose symbols may not be there. */
#define RESTORER "@(__restore_rt|0x+([0-9a-f]) ?libc.so.6?)"

/* Where the kernel's entry code begins, by kallsyms. */
static uint64_t entry_code(void)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long addr;
	char name[128];

	while (f && fscanf(f, "%llx %*c %127s%*[^\n]", &addr, name) == 2)
		if (!strcmp(name, "entry_SYSCALL_64"))
			return addr;
	return 0;
}

static void registers_that_entry_code_was_still_saving_are_not_believed(void **state)
{
	uint64_t ip = entry_code();

	if (!ip)
		skip();
	expect_at_signals(ip, "on_signal " RESTORER " " PATH_SENTENCE);
}

static void whoever_is_not_registered_is_told_so(void **state)
{
	struct victim v = victim_start("getppid");
	struct probe_answers a;

	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_RAW, v.pid, 1 << 5);
	asker_poll_busy(&tool, BY_RAW);
	a = asker_tally(&tool, 5);
	assert_true(a.refused > 0);
	assert_int_equal(a.error, -ENOENT);
	assert_int_equal(a.queued + a.pending + a.executed, 0);
	assert_int_equal(asker_counter(&tool, "requests"), 0);
	victim_end(&v);
}

static void sixteen_consumers_are_served_by_one_walk(void **state)
{
	struct victim v = victim_start("read");
	size_t per[PROBE_CONSUMERS] = {0};

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW), NULL);
	for (uint32_t i = 0; i < 16; i++)
		asker_init(&tool, i, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_RAW, v.pid, 0xffff);
	victim_feed(&v, 50);
	victim_wait_fed(&v);
	asker_silence(&tool);
	victim_feed(&v, 1);
	asker_poll_for(&tool, 16 * 50);
	for (size_t i = 0; i < tool.got.nr; i++)
		per[tool.got.v[i].consumer]++;
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(per[i], 50);
	assert_int_equal(asker_counter(&tool, "walks"), 50);
	expect_known_stacks(&v);
	victim_end(&v);
}

static void the_seventeenth_consumer_is_refused_by_name(void **state)
{
	struct asker other;

	asker_open(&tool, 0, NULL);
	asker_open(&other, 0, NULL);
	for (uint32_t i = 0; i < 10; i++)
		asker_init(&tool, i, DUSK_DELIVER_SUMS);
	for (uint32_t i = 0; i < 6; i++)
		asker_init(&other, i, DUSK_DELIVER_SUMS);
	assert_int_equal(try_init(&other, 6, DUSK_DELIVER_SUMS), -EUSERS);
	assert_non_null(strstr(other.error.text, "consumer 6"));
	assert_non_null(strstr(other.error.text, "16"));
	assert_int_equal(try_init(&tool, 3, DUSK_DELIVER_SUMS), -EBUSY);
	assert_int_equal(dusk_unwind_remove_consumer(tool.unwinder, 3), 0);
	asker_init(&other, 6, DUSK_DELIVER_SUMS);
	assert_int_equal(try_init(&tool, 16, DUSK_DELIVER_SUMS), -EINVAL);
	asker_close(&other);
}

static void unwind__refuses_a_consumer_that_would_get_nothing(void **state)
{
	static const uint32_t wrong[] = {
		0,
		DUSK_DELIVER_LAST,
		DUSK_DELIVER_AT_ONCE | DUSK_DELIVER_SUMS,
		0x4000 | DUSK_DELIVER_RING,
		16 | DUSK_DELIVER_RING,
		32 | DUSK_DELIVER_SUMS,
		64 | DUSK_DELIVER_SUMS,
		0x80000000 | DUSK_DELIVER_CALLBACK,
	};

	asker_open(&tool, 0, NULL);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(try_init(&tool, 3, wrong[i]), -EINVAL);
		assert_non_null(strstr(tool.error.text, "deliver"));
	}
	asker_init(&tool, 3, DUSK_DELIVER_RING | DUSK_DELIVER_AT_ONCE | DUSK_DELIVER_LAST);
}

static void calls_in_the_wrong_order_are_refused(void **state)
{
	struct dusk_unwind_options opts = {.sz = sizeof(opts), .pin = asker_pin};
	struct dusk_consumer_options c = {.sz = sizeof(c), .deliver = DUSK_DELIVER_SUMS};
	struct dusk_unwinder *u;
	struct dusk_error err;

	assert_int_equal(dusk_unwind_open(&u, &opts, &err), 0);
	assert_int_equal(dusk_unwind_load(u, &err), -EINVAL);
	assert_int_equal(dusk_unwind_add_consumer(u, 0, &c, &err), -EINVAL);
	assert_int_equal(dusk_unwind_remove_consumer(u, 0), -ENOENT);
	assert_int_equal(dusk_unwind_lost(u, 0, "lost-stacks"), UINT64_MAX);
	assert_int_equal(asker_open_unloaded(u), 0);
	assert_int_equal(dusk_unwind_add_consumer(u, 0, &c, &err), -EINVAL);
	assert_int_equal(dusk_unwind_remove_consumer(u, 0), -ENOENT);
	assert_int_equal(dusk_unwind_lost(u, 0, "lost-stacks"), UINT64_MAX);
	dusk_unwind_close(u);
}

static void a_callback_that_asks_itself_is_refused_in_a_sentence(void **state)
{
	struct dusk_unwind_options opts = {.sz = sizeof(opts), .pin = asker_pin};
	struct dusk_image plain, impl;
	struct dusk_unwinder *u;
	struct bpf_object *obj;
	struct dusk_error err;
	int ret;

	assert_int_equal(asker_read_image(&plain, live_victim("recursive_linked.o")), 0);
	assert_int_equal(asker_read_image(&impl, live_victim("recursive_linked.impl.o")), 0);
	assert_int_equal(dusk_unwind_open(&u, &opts, &err), 0);
	assert_int_equal(dusk_unwind_open_object(u, &plain, &impl, &obj, &err), 0);
	ret = dusk_unwind_load(u, &err);
	dusk_unwind_close(u);
	if (ret >= 0 || !strstr(err.text, "dusk_unwind_done() must not ask"))
		fail_msg("%d: %s", ret, err.text);
}

#define with_tool(f) cmocka_unit_test_teardown(f, close_tool)

/* The number of the victim's module, in the stack of a request of a new process. */
static uint32_t module_of_victim(size_t nr)
{
	struct victim v = victim_start("read");
	const uint64_t *frame;
	uint32_t nr_frames;

	victim_wait_asleep(&v, v.pid);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	victim_feed(&v, 1);
	victim_wait_fed(&v);
	asker_silence(&tool);
	victim_feed(&v, 1);
	asker_poll_for(&tool, nr);
	victim_end(&v);
	assert_int_equal(dusk_unwind_frames(tool.unwinder, tool.got.v[nr - 1].stack, &frame, &nr_frames), 0);
	for (uint32_t i = 0; i < nr_frames; i++) {
		char name[64];

		dusk_unwind_name(tool.unwinder, frame[i], name, sizeof(name));
		if (!strncmp(name, "leaf+", 5))
			return frame_module(frame[i]);
	}
	fail();
	return 0;
}

/* As when a file is deleted and another one gets its inode. */
static void request__an_inode_that_is_used_again_is_another_file(void **state)
{
	_cleanup_(closep) int fd = open(victim_path(), O_RDONLY | O_CLOEXEC);
	unsigned int was, is; /* the kernel takes and gives an int, whatever its header says */
	uint32_t module;

	assert_true(fd >= 0);
	if (ioctl(fd, FS_IOC_GETVERSION, &was)) {
		print_message("files have no generation on this file system\n");
		skip();
	}
	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	module = module_of_victim(1);
	assert_int_equal(module_of_victim(2), module);
	is = was + 1;
	if (ioctl(fd, FS_IOC_SETVERSION, &is))
		skip();
	assert_int_not_equal(module_of_victim(3), module);
	assert_int_equal(ioctl(fd, FS_IOC_SETVERSION, &was), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tool(a_perf_event_program_can_ask),
		with_tool(a_btf_tracepoint_program_can_ask),
		with_tool(a_raw_tracepoint_program_can_ask),
		with_tool(a_tracepoint_program_can_ask),
		with_tool(a_kprobe_program_can_ask),
		with_tool(a_uprobe_program_can_ask),
		with_tool(tasks_that_preempt_each_other_at_a_uprobe_keep_their_variables),
		with_tool(a_program_that_would_share_its_variables_at_a_uprobe_is_not_loaded),
		with_tool(an_fentry_program_can_ask),
		with_tool(an_lsm_program_can_ask),
		with_tool(who_asks_first_queues_the_walk_and_for_all_others_it_is_pending),
		with_tool(many_switches_in_one_system_call_are_one_walk),
		with_tool(who_asks_around_the_walk_is_served_once_a_cookie_and_keeps_no_task_from_user_mode),
		with_tool(after_the_walk_it_is_executed_and_the_stack_is_there),
		with_tool(who_asks_behind_the_walk_is_told_and_keeps_no_task_from_user_mode),
		with_tool(request__each_page_fault_of_a_loop_gets_its_stack),
		with_tool(the_walk_starts_from_the_registers_of_the_request),
		with_tool(registers_that_entry_code_was_still_saving_are_not_believed),
		with_tool(whoever_is_not_registered_is_told_so),
		with_tool(sixteen_consumers_are_served_by_one_walk),
		with_tool(the_seventeenth_consumer_is_refused_by_name),
		with_tool(request__an_inode_that_is_used_again_is_another_file),
		cmocka_unit_test(calls_in_the_wrong_order_are_refused),
		with_tool(unwind__refuses_a_consumer_that_would_get_nothing),
		cmocka_unit_test(a_callback_that_asks_itself_is_refused_in_a_sentence),
	};

	return ASKER_MAIN(argc, argv, tests);
}
