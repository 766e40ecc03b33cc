/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is the walker right, frame by frame? Its host build and elfutils look at the same stopped process: every program
 * counter of every thread has to be the same. Only where the tables of a binary are known to be wrong may they differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "abi/frame.h"
#include "core/walk/walk.h"
#include "lib/process/halt.h"
#include "lib/process/target.h"
#include "stopped.h"
#include "test_arch.h"

#define STOPS 40

static struct walk walk;
static struct target target;

/* Walk thread @tid, to walk.out. */
static void walk_thread(const struct stopped *s, pid_t tid)
{
	struct user_regs_struct regs;

	stopped_registers(s, tid, &regs);
	halt_registers(walk.machine.reg, &regs);
	walk.max_depth = MAX_DEPTH;
	walk_start(&walk);
	walk_stack(&walk);
}

/* The frame that the walker should make of @pc. */
static u64 frame_at(const struct stopped_frame *f)
{
	struct module_key key = {0};
	struct module *m;
	struct vma v;

	if (port_vma(f->pc - !f->exact, &v) || (!v.ino && !v.vdso))
		return frame_make(FRAME_ANON, f->pc, !f->exact);
	key = (struct module_key){.dev = v.dev, .ino = v.vdso ? 1 : v.ino, .generation = v.generation};
	m = port_module(&key);
	return frame_make(m ? m->id : FRAME_ANON, f->pc - v.start + v.offset, !f->exact);
}

static bool has_cfi(const struct stopped *s, const struct stopped_frame *f)
{
	Dwarf_Addr pc = f->pc - !f->exact, bias = 0;
	Dwfl_Module *m = dwfl_addrmodule(s->dwfl, pc);
	Dwarf_CFI *cfi = m ? dwfl_module_eh_cfi(m, &bias) : NULL;
	Dwarf_Frame *frame = NULL;
	bool has = cfi && !dwarf_cfi_addrframe(cfi, pc - bias, &frame);

	free(frame);
	return has;
}

static bool is_in_linker(const struct stopped *s, const struct stopped_frame *f)
{
	uint64_t offset;
	const char *path = stopped_place(s, f->pc, &offset);

	return path && strstr(path, "/ld-linux-");
}

/*
 * Elfutils cannot leave code without CFI, as lld's stubs and _init: where we come to the outermost, it sees no caller, or a wrong
 * one; where the return address is in a register, the caller, but not that one's. On arm64 stubs of GNU ld have none either. At
 * the first instructions of a new thread, which have none either, it takes what lies on the stack for a caller: one that
 * is in no file. And libgcc's _Unwind_RaiseException and _Unwind_Resume overwrite their own return address before they
 * leave, where elfutils believes their CFI, and we end.
 */
static bool is_hole(const struct stopped *s, const struct stopped_frame *theirs, size_t nr, size_t same)
{
	Dwfl_Module *m = dwfl_addrmodule(s->dwfl, theirs[0].pc);
	const char *name = m ? dwfl_module_addrname(m, theirs[0].pc) : NULL;

	if (same && same < walk.out.nr && walk.outcome == UNDEFINED_RA &&
	    (!has_cfi(s, &theirs[same - 1]) || (RA_IN_A_REGISTER && same == 2 && !has_cfi(s, &theirs[0]))))
		return true;
	if (walk.outcome == LANDING && same == walk.out.nr)
		return true;
	if (RA_IN_A_REGISTER && same >= 2 &&
	    is_in_linker(s, &theirs[same - 2])) /* whose _dl_runtime_resolve() has wrong CFI */
		return true;
	if (walk.outcome == THREAD_START && same == walk.out.nr && same < nr) {
		uint64_t offset;
		const char *path = stopped_place(s, theirs[same].pc, &offset);

		return !path || path[0] != '/';
	}
	return name && (!strncmp(name, "_Unwind_RaiseException", 22) || !strncmp(name, "_Unwind_Resume", 14));
}

static void say_difference(const struct stopped *s, const struct stopped_frame *theirs, size_t nr, size_t at)
{
	print_message("differ at frame %zu: outcome %u, %u frames against %zu\n", at, walk.outcome, walk.out.nr, nr);
	for (size_t i = at > 2 ? at - 2 : 0; i < at + 3; i++) {
		uint64_t offset = 0;
		const char *path = i < nr ? stopped_place(s, theirs[i].pc, &offset) : NULL;
		u64 ours = i < walk.out.nr ? walk.out.frame[i] : 0;

		print_message("  #%zu %llx, elfutils: %s+0x%llx\n", i, ours, path ? path : "-",
			      (unsigned long long)offset);
	}
}

struct sums {
	size_t stacks, frames, holes, different;
};

static void compare(const struct stopped *s, pid_t tid, struct sums *sums)
{
	static struct stopped_frame theirs[MAX_DEPTH];
	size_t nr = stopped_stack(s, tid, theirs, MAX_DEPTH), same = 0;

	walk_thread(s, tid);
	while (same < nr && same < walk.out.nr && frame_place(walk.out.frame[same]) == frame_at(&theirs[same]))
		same++;
	if (nr && same == nr && same == walk.out.nr) {
		sums->stacks++;
		sums->frames += nr;
	} else if (is_hole(s, theirs, nr, same)) {
		sums->holes++;
	} else {
		sums->different++;
		say_difference(s, theirs, nr, same);
	}
}

static void stop_and_compare(pid_t pid, struct sums *sums)
{
	struct stopped s;

	stopped_begin(&s, pid);
	assert_int_equal(target_open(&target, pid), 0);
	target_use(&target);
	modules_reset(&walk.modules);
	for (int i = 0; i < s.nr_tids; i++)
		compare(&s, s.tid[i], sums);
	target_done(&target);
	stopped_end(&s);
}

static void same_as_elfutils(const char *const *words)
{
	struct sums sums = {0};
	const char *name = strrchr(words[0], '/');
	pid_t pid = live_start(true, words);

	for (int i = 0; i < STOPS; i++) {
		stop_and_compare(pid, &sums);
		live_sleep_ms(1 + i % 7);
	}
	live_end(pid);
	print_message("%-20s %-10s %4zu stacks, %6zu frames the same, %zu in a hole, %zu different\n",
		      name ? name + 1 : words[0], words[1] ? words[1] : "", sums.stacks, sums.frames, sums.holes,
		      sums.different);
	assert_int_equal(sums.different, 0);
	assert_true(sums.stacks > (TEST_VDSO_HAS_CFI ? sums.holes : 0));
}
#define SAME(...) same_as_elfutils((const char *const[]){__VA_ARGS__, NULL})

static void recursion(void **state)
{
	SAME(live_victim("recurse"), "10");
	SAME(live_victim("recurse"), "60");
	SAME(live_victim("recurse"), "200");
	SAME(live_victim("recurse"), "1000");
}

static void however_it_was_linked(void **state)
{
	SAME(live_victim("recurse_static"), "60");
	SAME(live_victim("recurse_static_pie"), "60");
	SAME(live_victim("recurse_no_pie"), "60");
	SAME(live_victim("recurse_2m"), "60");
	SAME(live_victim("recurse_2m_no_pie"), "60");
	if (access(live_victim("recurse_lld"), X_OK)) {
		print_message("no lld: not tried\n");
		return;
	}
	SAME(live_victim("recurse_lld"), "60");
	SAME(live_victim("recurse_lld_2m"), "60");
	SAME(live_victim("recurse_lld_no_pie"), "60");
}

static void stubs_of_the_plt(void **state)
{
	SAME(live_victim("stubs"));
	SAME(live_victim("stubs_lazy"));
	if (!access(live_victim("stubs_lld"), X_OK))
		SAME(live_victim("stubs_lld"));
}

static void exceptions(void **state)
{
	SAME(live_victim("throw"));
}

static void threads(void **state)
{
	SAME(live_victim("threads"));
}

static void signal_handlers(void **state)
{
	if (!TEST_VDSO_HAS_CFI) {
		print_message("elfutils cannot: truth/step.c can\n");
		skip();
	}
	SAME(live_victim("signals"), "own");
	SAME(live_victim("signals"), "alternate");
}

static void libraries_that_come_and_go(void **state)
{
	SAME(live_victim("dlopen"), live_victim("libplugin.so"), "stay");
	SAME(live_victim("dlopen"), live_victim("libplugin.so"), "reopen");
	if (!access(live_victim("libplugin_lld.so"), R_OK))
		SAME(live_victim("dlopen"), live_victim("libplugin_lld.so"), "reopen");
}

static void the_vdso(void **state)
{
	SAME(live_victim("clock"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion),
		cmocka_unit_test(however_it_was_linked),
		cmocka_unit_test(stubs_of_the_plt),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(threads),
		cmocka_unit_test(signal_handlers),
		cmocka_unit_test(libraries_that_come_and_go),
		cmocka_unit_test(the_vdso),
	};

	return LIVE_MAIN(argc, argv, tests);
}
