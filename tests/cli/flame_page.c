/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A flame graph of a profile made by hand, on standard output: `small`, `hostile` or `large`. For flame_browser.sh. */
#include <stdio.h>

#include "report/flame.h"
#include "unit/folded_profile.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"
#define ENTRY(prog) prog "!_start;" LIBC "!__libc_start_main_impl;" LIBC "!__libc_start_call_main;" prog "!main;"
#define SYSCALL "[kernel]!entry_SYSCALL_64_after_hwframe;[kernel]!do_syscall_64;"
#define FAULT "[kernel]!asm_exc_page_fault;[kernel]!exc_page_fault;[kernel]!do_user_addr_fault;[kernel]!handle_mm_fault;"

static const struct { const char *comm, *outcome; int nr; const char *stack; } small[] = {
#define XZ ENTRY("/usr/bin/xz") "/usr/bin/xz!coder_run;/usr/lib/liblzma.so.5!lzma_code;" \
	"/usr/lib/liblzma.so.5!stream_encode;" \
	"/usr/lib/liblzma.so.5!block_encode;/usr/lib/liblzma.so.5!lzma_lzma_encode"
	{"xz", "outermost", 310, XZ ";/usr/lib/liblzma.so.5!lzma_mf_bt4_find"},
	{"xz", "outermost", 90, XZ ";/usr/lib/liblzma.so.5!lzma_mf_find;/usr/lib/liblzma.so.5!bt_find_func"},
	{"xz", "outermost", 170, XZ ";/usr/lib/liblzma.so.5!lzma_lzma_optimum_normal"},
	{"xz", "outermost", 60, XZ},
	{"xz", "outermost", 22, XZ ";" FAULT "[kernel]!do_anonymous_page;[kernel]!clear_page_erms"},
	{"xz", "outermost", 18, ENTRY("/usr/bin/xz") "/usr/bin/xz!coder_run;/usr/bin/xz!io_read;" LIBC "!read;" SYSCALL
		"[kernel]!ksys_read;[kernel]!vfs_read;"
		"[ext4]!ext4_file_read_iter;[kernel]!filemap_read;[kernel]!copy_page_to_iter"},
#define CC1 ENTRY("/usr/lib/gcc/cc1") "/usr/lib/gcc/cc1!toplev::main(int, char**);/usr/lib/gcc/cc1!compile_file();"
#define PASSES CC1 "/usr/lib/gcc/cc1!symbol_table::finalize_compilation_unit();" \
	"/usr/lib/gcc/cc1!cgraph_node::expand();" \
	"/usr/lib/gcc/cc1!execute_pass_list(function*, opt_pass*);/usr/lib/gcc/cc1!execute_one_pass(opt_pass*)"
	{"cc1", "outermost", 95, CC1 "/usr/lib/gcc/cc1!c_common_parse_file();/usr/lib/gcc/cc1!c_parse_file();"
		"/usr/lib/gcc/cc1!c_parser_declaration_or_fndef"},
	{"cc1", "outermost", 48, CC1 "/usr/lib/gcc/cc1!c_common_parse_file();/usr/lib/gcc/cc1!c_parse_file();"
		"/usr/lib/gcc/cc1!c_lex_with_flags;/usr/lib/gcc/cc1!_cpp_lex_direct"},
	{"cc1", "outermost", 120, PASSES ";/usr/lib/gcc/cc1!rest_of_handle_ira();/usr/lib/gcc/cc1!ira_color()"},
	{"cc1", "outermost", 66, PASSES ";/usr/lib/gcc/cc1!rest_of_handle_df_initialize();"
		"/usr/lib/gcc/cc1!df_analyze()"},
	{"cc1", "outermost", 41, PASSES ";/usr/lib/gcc/cc1!execute_pre();"
		"/usr/lib/gcc/cc1!ggc_internal_alloc(unsigned long, void (*)(void*), unsigned long, unsigned long)"},
	{"cc1", "outermost", 19, PASSES ";/usr/lib/gcc/cc1!execute_pre();" LIBC "!malloc;" LIBC "!_int_malloc"},
	{"cc1", "outermost", 24, PASSES ";" FAULT "[kernel]!do_anonymous_page;[kernel]!clear_page_erms"},
#define NODE ENTRY("/usr/bin/node") "/usr/bin/node!node::Start(int, char**);" \
	"/usr/bin/node!node::SpinEventLoop(node::Environment*);" \
	"/usr/bin/node!uv_run;/usr/bin/node!uv__io_poll"
#define JS NODE ";/usr/bin/node!node::InternalCallbackScope::Close();" \
	"/usr/bin/node!v8::Function::Call;[anon]!JSEntry;[anon]!processTicksAndRejections;"
	{"node", "outermost", 105, JS "[anon]!handleRequest server.js:41;[anon]!render template.js:118"},
	{"node", "outermost", 64, JS "[anon]!handleRequest server.js:41;[anon]!render template.js:118;"
		"[anon]!escape template.js:20"},
	{"node", "outermost", 33, JS "[anon]!handleRequest server.js:41;[anon]!parse query.js:7"},
	{"node", "outermost", 29, JS "[anon]!handleRequest server.js:41;/usr/bin/node!v8::internal::JsonStringify"},
	{"node", "outermost", 21, NODE ";" LIBC "!epoll_pwait;" SYSCALL
		"[kernel]!do_epoll_wait;[kernel]!ep_send_events"},
	{"node", "outermost", 37, NODE ";/usr/bin/node!uv__stream_io;" LIBC "!__libc_write;" SYSCALL
		"[kernel]!ksys_write;[kernel]!vfs_write;[kernel]!sock_write_iter;"
		"[kernel]!tcp_sendmsg;[kernel]!tcp_write_xmit;[kernel]!__ip_queue_xmit"},
#define PY ENTRY("/usr/bin/python3.11") "/usr/bin/python3.11!Py_RunMain;/usr/bin/python3.11!PyEval_EvalCode;" \
	"/usr/bin/python3.11!_PyEval_EvalFrameDefault"
	{"python3", "outermost", 140, PY},
	{"python3", "outermost", 72, PY ";/usr/bin/python3.11!_PyEval_EvalFrameDefault;"
		"/usr/bin/python3.11!PyDict_GetItem"},
	{"python3", "outermost", 35, PY ";/usr/bin/python3.11!_PyEval_EvalFrameDefault;"
		"/usr/bin/python3.11!PyObject_Malloc"},
	{"python3", "outermost", 14, PY ";/usr/bin/python3.11!time_time;[vdso]!__vdso_clock_gettime"},
	{"python3", "outermost", 26, PY ";/usr/lib/_json.so!;/usr/lib/_json.so!"},
	{"python3", "no-fde", 6, "/usr/lib/stripped.so!;/usr/lib/stripped.so!;" LIBC "!memcpy"},
	{"sh", "exiting", 3, ""},
	{"sh", "exiting", 9, "[kernel]!do_exit;[kernel]!exit_mmap;[kernel]!unmap_vmas"},
	{"sh", "outermost", 11, ENTRY("/usr/bin/dash") "/usr/bin/dash!evaltree;"
		"/usr/bin/dash!evaltree;/usr/bin/dash!evalcommand;" LIBC "!__libc_fork;" SYSCALL
		"[kernel]!kernel_clone;[kernel]!copy_process;[kernel]!dup_mm"},
	{"kworker/0:1", "kernel-thread", 12, "[kernel]!ret_from_fork_asm;[kernel]!kthread;[kernel]!worker_thread;"
		"[kernel]!process_one_work;[ext4]!ext4_end_io_rsv_work"},
	{"kswapd0", "kernel-thread", 7, "[kernel]!ret_from_fork_asm;[kernel]!kthread;"
		"[kernel]!kswapd;[kernel]!shrink_node"},
};

static void make_small(struct folded *f)
{
	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		folded_add(f, small[i].comm, small[i].outcome, small[i].nr, small[i].stack);
}

/* Names that would run script, or break the page, if they ever were more than text. */
static void make_hostile(struct folded *f)
{
	static const char *const names[] = {
		"</script><script>document.body.dataset.owned=1</script>",
		"<!--<script>",
		"<img src=x onerror=document.body.dataset.owned=1>",
		"\"onmouseover=\"document.body.dataset.owned=1",
		"\xe2\x80\xaereversed\xe2\x80\xa8line\xff\xfe\001\nend",
		"constructor", "__proto__",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		folded_samples(f, names[i], "outermost", i + 1,
			       folded_node(f, 0, folded_module(f, names[i]), folded_function(f, names[i], names[i])));
}

/* A million samples on 200,000 nodes, of which all have names of their own in groups. */
static void make_large(struct folded *f)
{
	static char names[2000][32];
	uint32_t random = 1, node, functions[2000], module = folded_module(f, "/usr/bin/prog");

	for (int i = 0; i < 2000; i++) {
		snprintf(names[i], sizeof(names[i]), "some_function_%d", i);
		functions[i] = folded_function(f, names[i], "prog");
	}
	while (f->profile.nr_nodes < 200000) {
		random = random * 1664525 + 1013904223;
		node = random >> 28 ? f->profile.nr_nodes - 1 : random % f->profile.nr_nodes;
		if (f->profile.nr_nodes < 2)
			node = 0;
		node = folded_node(f, node, module, functions[(random >> 8) % 2000]);
		folded_samples(f, "prog", "outermost", 5, node);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "small";
	struct dusk_counter counters[] = {
		{"samples", "samples taken", 0}, {"faults", "pages faulted in to read stacks and tables", 214},
		{"lost-samples", "sample events lost: the ring buffer was full", 2},
	};
	struct dusk_setting settings[] = {
		{"command", "dusk record -d 10s"}, {"hostname", "build7"}, {"kernel", "6.18.44"}, {"event", "cpu-clock"},
		{"frequency_hz", "99"}, {"duration_ns", "10002000000"},
	};
	struct folded f;
	int err;

	folded_init(&f);
	if (!strcmp(what, "hostile"))
		make_hostile(&f);
	else if (!strcmp(what, "large"))
		make_large(&f);
	else
		make_small(&f);
	counters[0].value = f.profile.nr_samples;
	f.profile.counters = counters;
	f.profile.nr_counters = sizeof(counters) / sizeof(counters[0]);
	f.profile.settings = settings;
	f.profile.nr_settings = sizeof(settings) / sizeof(settings[0]);
	err = flame_write(stdout, &f.profile, 
			  strcmp(what, "hostile") ? "profile.dusk"
					     : "</title><script>document.body.dataset.owned=1</script>");
	folded_done(&f);
	return err ? 1 : 0;
}
