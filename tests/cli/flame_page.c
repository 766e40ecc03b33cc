/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flame graph of a profile made by hand, on standard output. For flame_browser.sh, and for the figures of bench/run.
 *
 *	small	what a busy machine might look like; one stack after the other, so that what ran when is known
 *	kinds	the same, but python3 was off the CPU
 *	waits	ten threads of one name that mostly wait, one of them once for long; some samples, and deep recursion
 *	idle	the same, beside two threads of a pool that have nothing to do
 *	waitdiff	the same, compared with itself
 *	diff	the same as small, compared with one in which node is gone and cc1 has twice as many samples
 *	hostile	names that would do harm if they ever were more than text
 *	empty	nothing
 *	large	a million samples of 30,000 stacks and 50,000 functions in 200 threads
 */
#include <stdio.h>

#include "report/flame/flame.h"
#include "unit/folded_profile.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"
#define ENTRY(prog) prog "!_start;" LIBC "!__libc_start_main_impl;" LIBC "!__libc_start_call_main;" prog "!main;"
#define SYSCALL "[kernel]!entry_SYSCALL_64_after_hwframe;[kernel]!do_syscall_64;"
#define FAULT \
	"[kernel]!asm_exc_page_fault;[kernel]!exc_page_fault;[kernel]!do_user_addr_fault;[kernel]!handle_mm_fault;"

static const struct {
	const char *comm, *outcome;
	int nr;
	const char *stack;
} small[] = {
#define XZ                                                       \
	ENTRY("/usr/bin/xz")                                     \
	"/usr/bin/xz!coder_run;/usr/lib/liblzma.so.5!lzma_code;" \
	"/usr/lib/liblzma.so.5!stream_encode;"                   \
	"/usr/lib/liblzma.so.5!block_encode;/usr/lib/liblzma.so.5!lzma_lzma_encode"
	{"xz", "outermost", 310, XZ ";/usr/lib/liblzma.so.5!lzma_mf_bt4_find"},
	{"xz", "outermost", 90, XZ ";/usr/lib/liblzma.so.5!lzma_mf_find;/usr/lib/liblzma.so.5!bt_find_func"},
	{"xz", "outermost", 170, XZ ";/usr/lib/liblzma.so.5!lzma_lzma_optimum_normal"},
	{"xz", "outermost", 60, XZ},
	{"xz", "outermost", 22, XZ ";" FAULT "[kernel]!do_anonymous_page;[kernel]!clear_page_erms"},
	{"xz", "outermost", 18,
	 ENTRY("/usr/bin/xz") "/usr/bin/xz!coder_run;/usr/bin/xz!io_read;" LIBC "!read;" SYSCALL
			      "[kernel]!ksys_read;[kernel]!vfs_read;"
			      "[ext4]!ext4_file_read_iter;[kernel]!filemap_read;[kernel]!copy_page_to_iter"},
#define CC1 ENTRY("/usr/lib/gcc/cc1") "/usr/lib/gcc/cc1!toplev::main(int, char**);/usr/lib/gcc/cc1!compile_file();"
#define PASSES                                                            \
	CC1 "/usr/lib/gcc/cc1!symbol_table::finalize_compilation_unit();" \
	    "/usr/lib/gcc/cc1!cgraph_node::expand();"                     \
	    "/usr/lib/gcc/cc1!execute_pass_list(function*, opt_pass*);/usr/lib/gcc/cc1!execute_one_pass(opt_pass*)"
	{"cc1", "outermost", 95,
	 CC1 "/usr/lib/gcc/cc1!c_common_parse_file();/usr/lib/gcc/cc1!c_parse_file();"
	     "/usr/lib/gcc/cc1!c_parser_declaration_or_fndef"},
	{"cc1", "outermost", 48,
	 CC1 "/usr/lib/gcc/cc1!c_common_parse_file();/usr/lib/gcc/cc1!c_parse_file();"
	     "/usr/lib/gcc/cc1!c_lex_with_flags;/usr/lib/gcc/cc1!_cpp_lex_direct"},
	{"cc1", "outermost", 120, PASSES ";/usr/lib/gcc/cc1!rest_of_handle_ira();/usr/lib/gcc/cc1!ira_color()"},
	{"cc1", "outermost", 66,
	 PASSES ";/usr/lib/gcc/cc1!rest_of_handle_df_initialize();"
		"/usr/lib/gcc/cc1!df_analyze()"},
	{"cc1", "outermost", 41,
	 PASSES ";/usr/lib/gcc/cc1!execute_pre();"
		"/usr/lib/gcc/cc1!ggc_internal_alloc(unsigned long, void (*)(void*), unsigned long, unsigned long)"},
	{"cc1", "outermost", 19, PASSES ";/usr/lib/gcc/cc1!execute_pre();" LIBC "!malloc;" LIBC "!_int_malloc"},
	{"cc1", "outermost", 24, PASSES ";" FAULT "[kernel]!do_anonymous_page;[kernel]!clear_page_erms"},
#define NODE                                                     \
	ENTRY("/usr/bin/node")                                   \
	"/usr/bin/node!node::Start(int, char**);"                \
	"/usr/bin/node!node::SpinEventLoop(node::Environment*);" \
	"/usr/bin/node!uv_run;/usr/bin/node!uv__io_poll"
#define JS                                                          \
	NODE ";/usr/bin/node!node::InternalCallbackScope::Close();" \
	     "/usr/bin/node!v8::Function::Call;[anon]!JSEntry;[anon]!processTicksAndRejections;"
	{"node", "outermost", 105, JS "[anon]!handleRequest server.js:41;[anon]!render template.js:118"},
	{"node", "outermost", 64,
	 JS "[anon]!handleRequest server.js:41;[anon]!render template.js:118;"
	    "[anon]!escape template.js:20"},
	{"node", "outermost", 33, JS "[anon]!handleRequest server.js:41;[anon]!parse query.js:7"},
	{"node", "outermost", 29, JS "[anon]!handleRequest server.js:41;/usr/bin/node!v8::internal::JsonStringify"},
	{"node", "outermost", 21,
	 NODE ";" LIBC "!epoll_pwait;" SYSCALL "[kernel]!do_epoll_wait;[kernel]!ep_send_events"},
	{"node", "outermost", 37,
	 NODE ";/usr/bin/node!uv__stream_io;" LIBC "!__libc_write;" SYSCALL
	      "[kernel]!ksys_write;[kernel]!vfs_write;[kernel]!sock_write_iter;"
	      "[kernel]!tcp_sendmsg;[kernel]!tcp_write_xmit;[kernel]!__ip_queue_xmit"},
#define PY                                                                    \
	ENTRY("/usr/bin/python3.11")                                          \
	"/usr/bin/python3.11!Py_RunMain;/usr/bin/python3.11!PyEval_EvalCode;" \
	"/usr/bin/python3.11!_PyEval_EvalFrameDefault"
	{"python3", "outermost", 140, PY},
	{"python3", "outermost", 72,
	 PY ";/usr/bin/python3.11!_PyEval_EvalFrameDefault;"
	    "/usr/bin/python3.11!PyDict_GetItem"},
	{"python3", "outermost", 35,
	 PY ";/usr/bin/python3.11!_PyEval_EvalFrameDefault;"
	    "/usr/bin/python3.11!PyObject_Malloc"},
	{"python3", "outermost", 14, PY ";/usr/bin/python3.11!time_time;[vdso]!__vdso_clock_gettime"},
	{"python3", "outermost", 26, PY ";/usr/lib/_json.so!;/usr/lib/_json.so!"},
	{"python3", "no-fde", 6, "/usr/lib/stripped.so!;/usr/lib/stripped.so!;" LIBC "!memcpy"},
	{"sh", "exiting", 3, ""},
	{"sh", "exiting", 9, "[kernel]!do_exit;[kernel]!exit_mmap;[kernel]!unmap_vmas"},
	{"sh", "outermost", 11,
	 ENTRY("/usr/bin/dash") "/usr/bin/dash!evaltree;"
				"/usr/bin/dash!evaltree;/usr/bin/dash!evalcommand;" LIBC "!__libc_fork;" SYSCALL
				"[kernel]!kernel_clone;[kernel]!copy_process;[kernel]!dup_mm"},
	{"kworker/0:1", "kernel-thread", 12,
	 "[kernel]!ret_from_fork_asm;[kernel]!kthread;[kernel]!worker_thread;"
	 "[kernel]!process_one_work;[ext4]!ext4_end_io_rsv_work"},
	{"kswapd0", "kernel-thread", 7,
	 "[kernel]!ret_from_fork_asm;[kernel]!kthread;"
	 "[kernel]!kswapd;[kernel]!shrink_node"},
};

/* @again: samples of cc1 twice, and none of node. */
static void make_small(struct folded *f, bool again)
{
	static struct dusk_line line = {.file = "src/liblzma/lz/lz_encoder_mf.c", .line = 412};

	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++) {
		int times = !again ? 1 : !strcmp(small[i].comm, "cc1") ? 2 : strcmp(small[i].comm, "node") != 0;

		if (times)
			folded_add(f, small[i].comm, small[i].outcome, times * small[i].nr, small[i].stack);
		/* The first stack's tip. */
		if (!i)
			f->profile.frames[f->profile.nr_frames - 1].nr_lines = 1;
	}
	f->profile.lines = &line;
	f->profile.nr_lines = 1;
}

static void make_kinds(struct folded *f)
{
	make_small(f, false);
	for (uint64_t i = 0; i < f->profile.nr_samples; i++) {
		struct dusk_sample *s = &f->profile.samples[i];

		if (!strcmp(f->profile.threads[s->thread].comm, "python3"))
			s->source = DUSK_OFF_CPU;
	}
}

/* A stack off CPU: its state is a synthetic frame, as src/report/model/synthetic.c adds it. */
static uint32_t waiting_stack(struct folded *f, const char *stack, const char *state)
{
	return folded_node(f, folded_stack(f, stack), 0, folded_function(f, state, ""));
}

/* @count: of off-CPU intervals; 0: it is a sample. */
static void add_wait(struct folded *f, uint32_t thread, uint32_t node, uint64_t end_ns, uint64_t ns, uint32_t count)
{
	struct dusk_sample s = {.time_ns = end_ns, .value_ns = ns, .count = count, .thread = thread, .node = node};
	struct dusk_profile *p = &f->profile;
	uint64_t at = p->nr_samples;

	s.source = count ? DUSK_OFF_CPU : DUSK_CPU;
	s.count = count ? count : 1;
	folded_grow(p->samples, p->nr_samples);
	p->samples[at] = s;
}

static int by_time(const void *a, const void *b)
{
	const struct dusk_sample *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/*
 * 10 s of 10 threads "postgres". Each waits 90 ms of 100 for its client, in sums of 9 intervals; thread 7 waits from 4 to
 * 5.2 s for the disk instead.
 */
static void make_waits(struct folded *f)
{
#define BACKEND ENTRY("/usr/bin/postgres") "/usr/bin/postgres!PostgresMain;"
	static const char client[] = BACKEND "/usr/bin/postgres!secure_read;" LIBC "!epoll_wait;" SYSCALL
					     "[kernel]!do_epoll_wait;[kernel]!schedule";
	static const char disk[] = BACKEND "/usr/bin/postgres!WaitIO;" LIBC "!pread;" SYSCALL
					   "[kernel]!filemap_read;[kernel]!io_schedule;[kernel]!schedule";
	static const char work[] = BACKEND "/usr/bin/postgres!walk(std::map<std::string, std::vector<int>>&);"
					   "/usr/bin/postgres!visit;"
					   "/usr/bin/postgres!walk(std::map<std::string, std::vector<int>>&);"
					   "/usr/bin/postgres!visit;"
					   "/usr/bin/postgres!hash_search";
	enum { THREADS = 10, LATE = 7 };
	uint32_t idle = waiting_stack(f, client, "[sleeping]"), slow = waiting_stack(f, disk, "[uninterruptible]");
	uint32_t busy = folded_stack(f, work);
	struct dusk_profile *p = &f->profile;

	for (int t = 0; t < THREADS; t++) {
		char title[64];
		int len = snprintf(title, sizeof(title), "postgres: user%d bench [local] SELECT", t);

		folded_grow(p->threads, p->nr_threads);
		p->threads[t] = (struct dusk_thread){200 + t, 200 + t, "postgres", t ? folded_keep(f, title, len) : ""};
	}
	for (uint64_t ms = 100; ms <= 10000; ms += 100)
		for (int t = 0; t < THREADS; t++) {
			bool late = t == LATE && ms > 4000 && ms <= 5200;

			if (!late)
				add_wait(f, t, idle, ms * 1000000, 90000000, 9);
			if (late && ms == 5200)
				add_wait(f, t, slow, ms * 1000000, 1200000000, 1);
			if (!late && ms % 500 == 0)
				add_wait(f, t, busy, (ms - 95) * 1000000, p->period_ns, 0);
		}
	add_wait(f, 0, waiting_stack(f, BACKEND "/usr/bin/postgres!ProcArrayLock", "[preempted]"), 10000000000, 3000,
		 1);
	qsort(p->samples, p->nr_samples, sizeof(*p->samples), by_time);
}

/* 10 s of two threads that only wait for work, which is most of all time off CPU but for the backends' of make_waits(). */
static void make_idle(struct folded *f)
{
	static const char pool[] = LIBC "!start_thread;/usr/bin/postgres!take_job;" LIBC "!pthread_cond_wait";
	uint32_t waits = waiting_stack(f, pool, "[waiting for work]");
	struct dusk_profile *p = &f->profile;

	make_waits(f);
	for (int t = 0; t < 2; t++) {
		uint32_t number = p->nr_threads;

		folded_grow(p->threads, p->nr_threads);
		p->threads[number] = (struct dusk_thread){300 + t, 300 + t, "pool", ""};
		add_wait(f, number, waits, 10000000000, 10000000000, 1);
	}
}

/* Names that would run script, or break the page, if they ever were more than text. */
static void make_hostile(struct folded *f)
{
	static char endless[100001];
	static const char *const names[] = {
		"</script><script>document.body.dataset.owned=1</script>",
		"<!--<script>",
		"<img src=x onerror=document.body.dataset.owned=1>",
		"\"onmouseover=\"document.body.dataset.owned=1",
		"\xe2\x80\xaereversed\xe2\x80\xa8line\xff\xfe\001\nend",
		"constructor",
		"__proto__",
		endless,
	};

	memset(endless, 'A', sizeof(endless) - 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		folded_samples(f, names[i], "outermost", i + 1,
			       folded_node(f, 0, folded_module(f, names[i]), folded_function(f, names[i], names[i])));
	for (uint32_t i = 0; i < f->profile.nr_threads; i++)
		f->profile.threads[i].title = f->profile.threads[i].comm;
}

static uint32_t random_below(uint32_t n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % n;
}

/*
 * Stacks are 20 to 60 frames deep: each is another one up to some frame, and its own from there on. A thread runs for a
 * while, at stacks that are near to each other.
 */
static void make_large(struct folded *f)
{
	enum { FUNCTIONS = 50000, STACKS = 30000, SAMPLES = 1000000, THREADS = 200 };
	static char names[FUNCTIONS][48], comms[THREADS][16];
	static uint32_t stack[STACKS];
	struct dusk_profile *p = &f->profile;
	uint32_t module = folded_module(f, "/usr/bin/prog"), thread = 0, near = 0;

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "some::name_space%d::function_%d(int)", i % 97, i);
		folded_grow(p->functions, p->nr_functions);
		p->functions[i + 1] = (struct dusk_function){names[i], names[i], "prog"};
	}
	for (int i = 0; i < THREADS; i++) {
		snprintf(comms[i], sizeof(comms[i]), "%s", i % 4 ? "worker" : "prog");
		folded_grow(p->threads, p->nr_threads);
		p->threads[i] = (struct dusk_thread){1000 + i / 4, 1000 + i, comms[i]};
	}
	for (int i = 0; i < STACKS; i++) {
		uint32_t node = i ? stack[random_below(i)] : 0, up = random_below(12);

		while (up-- && p->nodes[node].parent)
			node = p->nodes[node].parent;
		for (uint32_t more = 1 + random_below(i ? 8 : 40); more--;)
			node = folded_node(f, node, module, 1 + random_below(FUNCTIONS));
		stack[i] = node;
	}
	p->samples = calloc(SAMPLES, sizeof(*p->samples));
	for (int i = 0; i < SAMPLES; i++) {
		if (!random_below(50)) {
			thread = random_below(THREADS);
			near = random_below(STACKS - 300);
		}
		p->samples[i] = (struct dusk_sample){.time_ns = i * 50000ULL,
						     .value_ns = p->period_ns,
						     .count = 1,
						     .thread = thread,
						     .node = stack[near + random_below(random_below(300) + 1)]};
	}
	p->nr_samples = SAMPLES;
}

static void describe(struct folded *f, struct dusk_counter counters[3])
{
	static struct dusk_setting settings[] = {
		{"command", "dusk record -d 10s"},
		{"hostname", "build7"},
		{"kernel", "6.18.44"},
		{"event", "cpu-clock"},
		{"frequency_hz", "99"},
		{"duration_ns", "17243000000"},
	};

	counters[0] = (struct dusk_counter){"samples", "samples taken", f->profile.nr_samples};
	counters[1] = (struct dusk_counter){"faults", "pages faulted in to read stacks and tables", 214};
	counters[2] = (struct dusk_counter){"lost-samples", "sample events lost: the ring buffer was full", 2};
	f->profile.counters = counters;
	f->profile.nr_counters = 3;
	f->profile.settings = settings;
	f->profile.nr_settings = sizeof(settings) / sizeof(settings[0]);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "small";
	struct dusk_counter counters[2][3];
	struct flame_page page = {"profile.dusk", 1, {NULL}, {"profile.dusk", "after.dusk"}};
	struct folded f, after;
	int err;

	folded_init(&f);
	folded_init(&after);
	if (!strcmp(what, "hostile")) {
		make_hostile(&f);
		page.title = "</title><script>document.body.dataset.owned=1</script>";
	} else if (!strcmp(what, "large")) {
		make_large(&f);
	} else if (!strcmp(what, "idle")) {
		make_idle(&f);
	} else if (!strncmp(what, "wait", 4)) {
		make_waits(&f);
	} else if (!strcmp(what, "kinds")) {
		make_kinds(&f);
	} else if (strcmp(what, "empty")) {
		make_small(&f, false);
	}
	if (!strcmp(what, "diff")) {
		make_small(&after, true);
		page.nr = 2;
	}
	if (!strcmp(what, "waitdiff")) {
		make_waits(&after);
		page.nr = 2;
	}
	describe(&f, counters[0]);
	describe(&after, counters[1]);
	page.profile[0] = &f.profile;
	page.profile[1] = &after.profile;
	err = flame_write(stdout, &page);
	folded_done(&f);
	folded_done(&after);
	return err ? 1 : 0;
}
