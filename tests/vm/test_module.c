/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the walk as a kernel module (kernel/) find what the BPF walker does, frame by frame, and harm nobody either? */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dusk/unwind.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "abi/event.h"
#include "abi/outcome.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "live/live.h"
#include "module.h"

#define SECONDS 60
#define TICK_HZ 499

static const char *object_path, *module_path;

/* A stack of the BPF walker. */
struct theirs {
	uint64_t cookie;
	uint32_t outcome, nr;
	uint64_t frame[MODULE_FRAMES];
};

static struct {
	struct dusk_unwinder *unwinder;
	struct bpf_object *obj;
	struct module_control *control;
	struct module_file *asked;
	int file_of, named; /* descriptors */
	struct bpf_link *link, *unwound;
	struct vec(struct theirs *) theirs;
	struct dusk_error error;
} tool;

static void read_object(struct dusk_image *ret)
{
	_cleanup_(closep) int fd = open(object_path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc(st.st_size);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, st.st_size), st.st_size);
	*ret = (struct dusk_image){bytes, st.st_size};
}

static void on_stack(void *ctx, const struct dusk_stack_event *e)
{
	struct theirs *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_true(e->nr <= MODULE_FRAMES);
	t->cookie = e->cookie;
	t->outcome = e->outcome;
	t->nr = e->nr;
	memcpy(t->frame, e->frame, e->nr * sizeof(*e->frame));
	assert_int_equal(vec_push(&tool.theirs, t), 0);
}

static void *map_shared(const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(tool.obj, name);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	return at;
}

static struct bpf_program *program(const char *name)
{
	return bpf_object__find_program_by_name(tool.obj, name);
}

/* Once for all tests: it takes the emulated machine seconds to verify the programs. */
static void open_tool(void)
{
	struct dusk_image image;
	struct dusk_unwind_options opts = {.sz = sizeof(opts), .pin = ""};
	struct dusk_consumer_options c = {
		.sz = sizeof(c), .deliver = DUSK_DELIVER_RING, .ring_bytes = 4 << 20, .on_stack = on_stack};
	struct bpf_program *each;

	read_object(&image);
	if (dusk_unwind_open(&tool.unwinder, &opts, &tool.error) ||
	    dusk_unwind_open_object(tool.unwinder, &image, &image, &tool.obj, &tool.error))
		fail_msg("%s", tool.error.text);
	bpf_object__for_each_program(each, tool.obj) bpf_program__set_autoload(each, true);
	if (dusk_unwind_load(tool.unwinder, &tool.error) || dusk_unwind_add_consumer(tool.unwinder, 0, &c, &tool.error))
		fail_msg("%s", tool.error.text);
	tool.control = map_shared(".bss.control");
	tool.asked = map_shared(".bss.asked");
	tool.unwound = bpf_program__attach(program("unwound"));
	assert_non_null(tool.unwound);
	tool.file_of = bpf_program__fd(program("file_of"));
	tool.named = bpf_object__find_map_fd_by_name(tool.obj, "named");
}

static int begin(void **state)
{
	if (!tool.unwinder)
		open_tool();
	return 0;
}

static int end(void **state)
{
	bpf_link__destroy(tool.link);
	tool.link = NULL;
	tool.control->tgid = tool.control->turn = 0;
	for (size_t i = 0; i < tool.theirs.nr; i++)
		free(tool.theirs.v[i]);
	tool.theirs.nr = 0;
	return 0;
}

static void close_tool(void)
{
	bpf_link__destroy(tool.unwound);
	munmap(tool.control, 4096);
	munmap(tool.asked, 4096);
	dusk_unwind_close(tool.unwinder);
	vec_done(&tool.theirs);
	memset(&tool, 0, sizeof(tool));
}

static void attach_function(pid_t pid, const char *path, const char *function)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = function);

	tool.link = bpf_program__attach_uprobe_opts(program("by_uprobe"), pid, path, 0, &opts);
	if (!tool.link)
		fail_msg("cannot attach to %s of %s: %s", function, path, strerror(errno));
	tool.control->tgid = pid;
}

static void attach_ticks(pid_t pid, const char *by)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .freq = 1,
				       .sample_freq = TICK_HZ};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	tool.link = bpf_program__attach_perf_event(program(by), fd);
	assert_non_null(tool.link);
	tool.control->tgid = pid;
}

/* Until the module has walked @nr times, and the BPF walker whatever was asked of it. */
static void wait_for(uint32_t nr)
{
	double end = live_now_s() + SECONDS;

	while (tool.control->turn < nr && live_now_s() < end)
		assert_true(dusk_unwind_poll(tool.unwinder, 20) >= 0);
	tool.control->tgid = 0;
	end = live_now_s() + 1;
	while (live_now_s() < end)
		assert_true(dusk_unwind_poll(tool.unwinder, 20) >= 0);
	if (tool.control->turn < nr)
		fail_msg("%u stacks in %d s", tool.control->turn, SECONDS);
}

static const struct theirs *find(uint64_t cookie)
{
	for (size_t i = 0; i < tool.theirs.nr; i++)
		if (tool.theirs.v[i]->cookie == cookie)
			return tool.theirs.v[i];
	return NULL;
}

/* The file that the module means by @number; 0: memory without a file. */
static struct known_file file_of_module(uint32_t number)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (!number)
		return (struct known_file){0};
	tool.asked->number = number;
	assert_int_equal(bpf_prog_test_run_opts(tool.file_of, &opts), 0);
	assert_int_equal(tool.asked->result, 0);
	return tool.asked->file;
}

/* And the one that the BPF walker means. */
static struct known_file file_of_bpf(uint32_t number)
{
	struct event_module e = {0};
	struct known_file ret = {0};
	uint64_t ino;

	if (!number)
		return ret;
	assert_int_equal(bpf_map_lookup_elem(tool.named, &number, &e), 0);
	ino = e.vdso ? e.vdso : e.ino;
	ret = (struct known_file){e.dev, ino, e.generation, e.build_id_bytes};
	memcpy(ret.build_id, e.build_id, sizeof(ret.build_id));
	return ret;
}

static bool is_same_file(uint32_t ours, uint32_t bpf)
{
	struct known_file a = file_of_module(ours), b = file_of_bpf(bpf);

	return a.dev == b.dev && a.ino == b.ino && a.generation == b.generation &&
	       a.build_id_bytes == b.build_id_bytes && !memcmp(a.build_id, b.build_id, a.build_id_bytes);
}

#define WITHOUT_FILE ((1ULL << FRAME_MODULE_SHIFT) - 1)

/* The same place in the same file, left by the same method? */
static bool is_same_frame(uint64_t ours, uint64_t bpf)
{
	return (ours & WITHOUT_FILE) == (bpf & WITHOUT_FILE) && is_same_file(frame_module(ours), frame_module(bpf));
}

static void say_both(const struct walked *w, const struct theirs *t)
{
	char name[256];

	print_message("the module: %u frames, %s; the BPF walker: %u frames, %s\n", w->how.nr,
		      dusk_outcome(w->how.outcome)->name, t->nr, dusk_outcome(t->outcome)->name);
	for (uint32_t i = 0; i < w->how.nr || i < t->nr; i++) {
		uint64_t ours = i < w->how.nr ? w->frame[i] : 0, bpf = i < t->nr ? t->frame[i] : 0;

		dusk_unwind_name(tool.unwinder, bpf, name, sizeof(name));
		print_message("  #%u %016lx %016lx %s\n", i, ours, bpf, bpf ? name : "-");
		if (i > 20)
			break;
	}
}

static void expect_same(const struct walked *w, const struct theirs *t)
{
	bool same = w->result == (int)w->how.nr && w->how.nr == t->nr && w->how.outcome == t->outcome;

	for (uint32_t i = 0; same && i < t->nr; i++)
		same = is_same_frame(w->frame[i], t->frame[i]);
	if (same)
		return;
	say_both(w, t);
	fail_msg("they differ; the module returned %d", w->result);
}

/* live_sentence() of @t, whose frames are those of the module. To be freed with free(). */
static char *sentence(const struct theirs *t)
{
	static struct live_stack stack;
	struct dusk_place place;
	char *text;

	for (stack.nr = 0; stack.nr < t->nr; stack.nr++) {
		dusk_unwind_place(tool.unwinder, t->frame[stack.nr], &place);
		stack.frame[stack.nr].name = place.function ? strdup(place.function) : NULL;
	}
	text = live_sentence(&stack);
	for (uint32_t i = 0; i < t->nr; i++)
		free((char *)stack.frame[i].name);
	return text;
}

struct sums {
	uint64_t stacks, known, frames;
	uint32_t nr_times;
	double ours[MODULE_STACKS], bpf[MODULE_STACKS]; /* ns a frame */
};

/* What both took for the stack @w, of which the BPF walker's time is known when the next one, @next, begins. */
static void note_times(struct sums *s, const struct walked *w, const struct walked *next)
{
	if (!w->done || next->bpf_ns <= w->bpf_ns)
		return;
	s->ours[s->nr_times] = (double)w->how.walk_ns / w->how.nr;
	s->bpf[s->nr_times++] = (double)(next->bpf_ns - w->bpf_ns) / w->how.nr;
}

/*
 * All that both have walked is the same; but if @outcome is NR_OUTCOMES, it may have ended at different places. And how
 * much of that ends by @outcome (GOING_ON: any), and is @pattern, as a sentence?
 */
static struct sums compare(const char *pattern, uint32_t outcome)
{
	int fd = bpf_object__find_map_fd_by_name(tool.obj, "walks");
	bool must_agree = outcome != NR_OUTCOMES;
	struct walked before = {0};
	static struct walked w;
	struct sums s = {0};

	for (uint32_t i = 0; i < tool.control->turn && i < MODULE_STACKS; i++) {
		const struct theirs *t;
		_cleanup_(freep) char *said = NULL;

		assert_int_equal(bpf_map_lookup_elem(fd, &i, &w), 0);
		t = w.done ? find(w.cookie) : NULL;
		if (!t)
			continue;
		if (must_agree || w.how.outcome == t->outcome)
			expect_same(&w, t);
		said = sentence(t);
		s.stacks++;
		s.known += live_matches(said, pattern) && (!outcome || !must_agree || w.how.outcome == outcome);
		s.frames += t->nr;
		note_times(&s, &before, &w);
		before = w;
		if (!s.known && s.stacks < 3)
			print_message("%s: %s\n", dusk_outcome(t->outcome)->name, said);
	}
	return s;
}

static int by_time(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static double median(double *v, uint32_t nr)
{
	qsort(v, nr, sizeof(*v), by_time);
	return v[nr / 2];
}

/* Times are an emulated machine's: only their ratio means anything, and that only where there are many walks. */
static void say(struct sums *s)
{
	print_message("%lu stacks, %lu of them the known one, %lu frames the same", s->stacks, s->known, s->frames);
	if (s->nr_times > 20)
		print_message("; time a frame %.2f of the BPF walker's, by medians of %u stacks",
			      median(s->ours, s->nr_times) / median(s->bpf, s->nr_times), s->nr_times);
	print_message("\n");
}

/* The victim of @words, at each call of @function: at least @nr stacks, all @pattern. */
static void same_at(const char *const *words, const char *function, uint32_t nr, const char *pattern)
{
	pid_t pid = live_start(true, words);
	struct sums s;

	attach_function(pid, words[0], function);
	wait_for(nr);
	s = compare(pattern, GOING_ON);
	live_end(pid);
	say(&s);
	assert_true(s.stacks >= nr);
	assert_int_equal(s.known, s.stacks);
}
#define SAME_AT(function, nr, pattern, ...) same_at((const char *const[]){__VA_ARGS__, NULL}, function, nr, pattern)

/* The same at any instruction; some are in the C library, or at their program's start. */
static void same_at_ticks(const char *by, const char *const *words, uint32_t nr, const char *pattern)
{
	pid_t pid = live_start(true, words);
	struct sums s;

	attach_ticks(pid, by);
	wait_for(nr);
	s = compare(pattern, GOING_ON);
	live_end(pid);
	say(&s);
	assert_int_equal(tool.control->wrong, 0);
	assert_true(s.stacks >= nr / 2);
	assert_true(s.known >= s.stacks / 2);
}
#define SAME_AT_TICKS(nr, pattern, ...) same_at_ticks("by_tick", (const char *const[]){__VA_ARGS__, NULL}, nr, pattern)
#define SAME_DEFERRED(nr, pattern, ...) \
	same_at_ticks("by_tick_deferred", (const char *const[]){__VA_ARGS__, NULL}, nr, pattern)

static void a_leaf_without_frame_pointer(void **state)
{
	SAME_AT("leaf", 200, "^main outer middle inner leaf$", live_victim("path"), "getppid");
}

static void through_the_c_library(void **state)
{
	SAME_AT("recurse", 200, "^main .*qsort.* compare recurse", live_victim("recurse"), "10");
}

static void deep_recursion(void **state)
{
	SAME_AT("burn", 6, "^main .*qsort.* compare recurse\\*400 burn$", live_victim("recurse"), "400");
}

static void deeper_than_there_is_room(void **state)
{
	SAME_AT("burn", 6, "^main .*qsort.* compare recurse.* \\[\\.\\.\\.\\] recurse.* burn$", live_victim("recurse"),
		"600");
}

static void a_signal_handler(void **state)
{
	SAME_AT("handle", 20, "^main .*(\\?|__restore_rt) handle$", live_victim("signals"), "own");
}

static void a_signal_handler_on_a_stack_of_its_own(void **state)
{
	SAME_AT("handle", 20, "^main .*(\\?|__restore_rt) handle$", live_victim("signals"), "alternate");
}

static void a_static_program(void **state)
{
	SAME_AT("recurse", 200, "^main .*qsort.* compare recurse", live_victim("recurse_static"), "10");
}

static void a_static_program_that_is_position_independent(void **state)
{
	SAME_AT("recurse", 200, "^main .*qsort.* compare recurse", live_victim("recurse_static_pie"), "10");
}

static void a_program_at_a_fixed_address(void **state)
{
	SAME_AT("recurse", 200, "^main .*qsort.* compare recurse", live_victim("recurse_no_pie"), "10");
}

static void a_program_with_sframe_and_no_ehframe(void **state)
{
	if (access(live_victim("recurse_sframe"), F_OK))
		skip();
	SAME_AT("recurse", 200, "^main .*qsort.* compare recurse", live_victim("recurse_sframe"), "10");
}

static void a_program_of_32_bits(void **state)
{
	if (access(live_victim("recurse_32"), F_OK))
		skip();
	SAME_AT("recurse", 200, "^main .*qsort.* compare recurse", live_victim("recurse_32"), "10");
}

static void ticks_in_recursion(void **state)
{
	SAME_AT_TICKS(200, "^main .*qsort.* compare recurse.* burn$", live_victim("recurse"), "30");
}

static void ticks_among_signals(void **state)
{
	SAME_AT_TICKS(200, "^main work.*", live_victim("signals"), "own");
}

static void ticks_in_stubs(void **state)
{
	SAME_AT_TICKS(200, "^main", live_victim("stubs_lazy"));
}

static void deferred_by_the_module(void **state)
{
	SAME_DEFERRED(200, "^main .*qsort.* compare recurse.* burn$", live_victim("recurse"), "30");
}

static void deferred_by_the_module_among_signals(void **state)
{
	SAME_DEFERRED(200, "^main work.*", live_victim("signals"), "own");
}

/* "path" in @mode, at least @nr stacks by program @by. */
static struct sums same_deferred(const char *mode, const char *by, uint32_t nr, const char *pattern)
{
	pid_t pid = START(live_victim("path"), mode);
	struct sums s;

	tool.link = bpf_program__attach(program(by));
	assert_non_null(tool.link);
	tool.control->tgid = pid;
	wait_for(nr);
	s = compare(pattern, GOING_ON);
	live_end(pid);
	say(&s);
	assert_int_equal(tool.control->wrong, 0);
	assert_true(s.stacks >= nr / 2);
	return s;
}

static void deferred_from_the_registers_of_the_request(void **state)
{
	struct sums s = same_deferred("signal", "by_signal", 50, "^main outer middle inner leaf$");

	assert_int_equal(s.known, s.stacks);
}

/*
 * In system calls, and not at a function: programs at uprobes share a stack that is their CPU's, and yet are preempted
 * (linux 7.2 include/linux/bpf.h, bpf_prog_run_array_uprobe()): of two threads one may get what the other asked for.
 */
static void deferred_by_many_threads(void **state)
{
	struct sums s = same_deferred("threads", "by_call", 250, " mixed leaf$");

	assert_true(s.known >= s.stacks / 2); /* others begin, or are made */
}

static void run_on(pid_t pid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	assert_int_equal(sched_setaffinity(pid, sizeof(cpus), &cpus), 0);
}

/*
 * A thread asks in each system call, behind the walk at its end, and behind that. Were those behind it answered by walks, it would
 * never be in user mode again. One thread only: programs of a CPU are left out while another thread is preempted in them.
 */
static void a_visit_has_one_walk_and_who_asks_behind_it_is_told(void **state)
{
	struct bpf_link *behind = bpf_program__attach(program("behind_walk"));
	pid_t pid = START(live_victim("path"), "getppid");
	double end = live_now_s() + SECONDS;

	assert_non_null(behind);
	tool.control->wrong = tool.control->visits = tool.control->cpus = 0;
	tool.control->tgid = pid;
	tool.link = bpf_program__attach(program("by_visit"));
	assert_non_null(tool.link);
	for (int cpu = 0; !tool.control->wrong && live_now_s() < end; cpu = (cpu + 1) % MODULE_CPUS) {
		run_on(pid, cpu);
		live_sleep_ms(20);
		if (tool.control->visits >= 2000 && tool.control->cpus == (1 << MODULE_CPUS) - 1)
			break;
	}
	tool.control->tgid = 0;
	live_end(pid);
	bpf_link__destroy(behind);
	print_message("%u visits, CPUs 0x%x\n", tool.control->visits, tool.control->cpus);
	assert_int_equal(tool.control->wrong, 0);
	assert_true(tool.control->visits >= 2000);
	assert_int_equal(tool.control->cpus, (1 << MODULE_CPUS) - 1);
}

static void stacks_and_tables_that_are_not_in_memory(void **state)
{
	SAME_AT("spin", 10, "recurse\\*60 work spin$", live_victim("evicted"), live_file("stack"));
}

/* The server of the FUSE file of "unserved": a process waits for it in the middle of its exit, too. */
static void end_child_of(pid_t pid)
{
	_cleanup_(fclosep) FILE *f = NULL;
	char path[64];
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &child) == 1)
		kill(child, SIGKILL);
}

/*
 * Does a victim run on that holds back what walks want, and counts its rounds in a file? Its stacks are @pattern.
 * @outcome: how all end, which both walkers find; or NR_OUTCOMES: what they can have of it depends on the moment.
 */
static void runs_on(const char *const *words, uint32_t outcome, const char *pattern)
{
	volatile unsigned long *rounds = live_number(live_file("rounds"));
	pid_t pid = live_start(true, words);
	unsigned long before;
	struct sums s;

	attach_ticks(pid, "by_tick");
	wait_for(50);
	s = compare(pattern, outcome);
	say(&s);
	assert_true(s.stacks >= 25);
	if (outcome != NR_OUTCOMES)
		assert_int_equal(s.known, s.stacks);
	before = *rounds;
	live_sleep_ms(1000);
	assert_true(*rounds > before);
	end_child_of(pid);
	live_end(pid);
	munmap((void *)rounds, 4096);
}
#define RUNS_ON(outcome, pattern, ...) runs_on((const char *const[]){__VA_ARGS__, NULL}, outcome, pattern)

static void a_stack_that_userfaultfd_holds_back_is_not_waited_for(void **state)
{
	RUNS_ON(PAGE_NOT_SAFE, "^(recurse(\\*[0-9]+)? )?work$", live_victim("withheld"), live_file("rounds"));
}

static void nor_a_stack_that_fuse_holds_back(void **state)
{
	RUNS_ON(PAGE_NOT_SAFE, "work$", live_victim("unserved"), "stack", live_file("rounds"), "/mnt");
}

static void nor_unwind_tables(void **state)
{
	RUNS_ON(PAGE_NOT_SAFE, "", live_victim("unserved"), "tables", live_file("rounds"), "/mnt");
}

static void nor_the_lock_of_mappings(void **state)
{
	RUNS_ON(NR_OUTCOMES, "work$", live_victim("unserved"), "lock", live_file("rounds"), "/mnt");
}

static int insert(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 || syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
}

static void without_its_programs_the_module_goes(void **state)
{
	double end = live_now_s() + 20;
	int err;

	if (!tool.unwinder)
		open_tool();
	assert_int_equal(syscall(SYS_delete_module, "dusk_unwind", O_NONBLOCK), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	close_tool();
	do {
		live_sleep_ms(100);
		err = syscall(SYS_delete_module, "dusk_unwind", O_NONBLOCK);
	} while (err && live_now_s() < end);
	assert_int_equal(err, 0);
}

#define with_tool(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tool(a_leaf_without_frame_pointer),
		with_tool(through_the_c_library),
		with_tool(deep_recursion),
		with_tool(deeper_than_there_is_room),
		with_tool(a_signal_handler),
		with_tool(a_signal_handler_on_a_stack_of_its_own),
		with_tool(a_static_program),
		with_tool(a_static_program_that_is_position_independent),
		with_tool(a_program_at_a_fixed_address),
		with_tool(a_program_with_sframe_and_no_ehframe),
		with_tool(a_program_of_32_bits),
		with_tool(ticks_in_recursion),
		with_tool(ticks_among_signals),
		with_tool(ticks_in_stubs),
		with_tool(deferred_by_the_module),
		with_tool(deferred_by_the_module_among_signals),
		with_tool(deferred_from_the_registers_of_the_request),
		with_tool(a_visit_has_one_walk_and_who_asks_behind_it_is_told),
		with_tool(stacks_and_tables_that_are_not_in_memory),
		with_tool(deferred_by_many_threads),
		with_tool(a_stack_that_userfaultfd_holds_back_is_not_waited_for),
		with_tool(nor_a_stack_that_fuse_holds_back),
		with_tool(nor_unwind_tables),
		with_tool(nor_the_lock_of_mappings),
		cmocka_unit_test(without_its_programs_the_module_goes),
	};
	int err;

	if (argc < 5)
		return 2;
	object_path = argv[3];
	module_path = argv[4];
	if (argc > 5)
		cmocka_set_test_filter(argv[5]);
	err = insert(module_path);
	if (err) {
		fprintf(stderr, "%s cannot be loaded: %s\n", module_path, strerror(-err));
		return 1;
	}
	chmod("/dev/fuse", 0666); /* as udev has it */
	return live_main(3, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
