/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is the walk right at every single instruction? A program is single-stepped from its first instruction to its end;
 * at each one its stack is walked as the kernel side does it, and compared with the true one (shadow.h).
 *
 *	step [-l] [-n INSTRUCTIONS] [-s EVERY] [-c] [-k FOLDER] LIST PROGRAM [ARGUMENT...]
 *
 *	-l	from the first instruction of the dynamic linker, not of the program itself
 *	-n	at most so many (default: until it ends)
 *	-s	SIGUSR1 at every so many-th instruction, as soon as it has a handler, except in handlers; at least 2, else it
 *		would not get on
 *	-c	walk without the row cache
 *	-k	keep a specimen, FOLDER/RULE, of each code rule of this architecture that has none there and leads to the true
 *		caller
 *
 * Prints one line: "NAME instructions N stacks N warm N frames N different N explained N"; warm: those that were
 * walked a second time by walk_nofault(), which must not wait, and has to say the same. Differences have to be in LIST
 * (differences.h); what is not is described on stderr, and the exit status is 1.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi/frame.h"
#include "base/map.h"
#include "core/walk/nofault.h"
#include "differences.h"
#include "lib/process/halt.h"
#include "lib/profile/file/abi_names.h"
#include "lib/process/specimen.h"
#include "lib/process/target.h"
#include "shadow.h"
#include "test_step.h"

struct stepper {
	pid_t pid;
	struct target target;
	struct walk walk;
	struct shadow shadow;
	struct differences differences;
	struct user_regs_struct regs;
	uint64_t true_word[SHADOW_DEPTH + 1];
	/* asked */
	const char *keep, *comm;
	struct map kept; /* places at which rules were looked for */
	unsigned long limit, signal_every;
	/* so far */
	unsigned long instructions, stacks, warm, frames, explained, different;
	unsigned long until_signal;
	bool has_handler, with_linker;
};

static struct stepper s;

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (s.pid > 0)
		kill(s.pid, SIGKILL);
	exit(2);
}

static bool read_memory(void *dst, size_t len, uint64_t addr)
{
	return !s.target.read(&s.target, dst, len, addr);
}

/* The frame that the walk has to make of @pc; 0: its module has not been met. */
static uint64_t word_of(uint64_t pc, bool exact)
{
	const struct target_mapping *m = target_find(&s.target, pc - !exact);
	struct module_key key = {0};
	struct module *module;

	if (!m || (!m->vma.ino && !m->vma.vdso))
		return frame_make(FRAME_ANON, pc, !exact);
	key.dev = m->vma.dev;
	key.ino = m->vma.vdso ? 1 : m->vma.ino;
	module = port_module(&key);
	return module ? frame_make(module->id, pc - m->vma.start + m->vma.offset, !exact) : 0;
}

/* Write a specimen of the stack, from within to the caller of the frame of number @nr, for @rule. */
static void keep(u32 rule, u32 nr)
{
	struct specimen *specimen;
	const char *comm = strrchr(s.comm, '/');
	u64 regs[TRACE_REGS];
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.zst", s.keep, trace_rule_name(rule));
	if (!access(path, F_OK))
		return;
	*strrchr(path, '.') = 0;
	halt_registers(regs, &s.regs);
	if (specimen_cut(&specimen, &s.target, regs, nr + 2, comm ? comm + 1 : s.comm))
		die("cannot make %s", path);
	f = fopen(path, "w");
	if (!f || specimen_write(specimen, f) || fclose(f))
		die("cannot write %s", path);
	specimen_free(specimen);
}

/* Keep specimens of the rules by which the frames of this stack are left. */
static void keep_rules(void)
{
	struct trace t;
	u64 regs[TRACE_REGS];

	halt_registers(regs, &s.regs);
	if (trace_init(&t) || trace_walk(&t, regs, MAX_DEPTH))
		die("no memory");
	for (size_t i = 0; i < t.frames.nr; i++)
		if (t.frames.v[i].rule)
			keep(t.frames.v[i].rule, i);
	trace_done(&t);
	target_use(&s.target);
}

/* To s.true_word, the innermost first; returns how many. */
static size_t true_stack(void)
{
	size_t nr = 0;

	s.true_word[nr++] = word_of(step_pc(&s.regs), true);
	for (size_t i = s.shadow.nr; i--;) {
		struct shadow_frame *f = &s.shadow.frame[i];

		if (!f->word)
			f->word = word_of(f->pc, f->pc_is_exact);
		s.true_word[nr++] = f->word;
	}
	return nr;
}

/* A place in the @i-th frame from within: the call, where there is a return address. */
static uint64_t place_of(size_t i)
{
	const struct shadow_frame *f = i ? &s.shadow.frame[s.shadow.nr - i] : NULL;

	return f ? f->pc - !f->pc_is_exact : step_pc(&s.regs);
}

/* Is s.walk's answer the true stack, of @nr frames? *@same: so many of them are. */
static bool is_true(size_t nr, size_t *same)
{
	*same = 0;
	while (*same < nr && *same < s.walk.out.nr && frame_place(s.walk.out.frame[*same]) == s.true_word[*same])
		++*same;
	return *same == nr && *same == s.walk.out.nr && outcomes[s.walk.outcome].kind == DUSK_COMPLETE;
}

static void compare(void)
{
	bool right, is_new = false;
	size_t nr, same;

	halt_registers(s.walk.machine.reg, &s.regs);
	walk_start(&s.walk);
	walk_stack(&s.walk);
	nr = true_stack();
	s.stacks++;
	s.frames += nr;
	right = is_true(nr, &same);
	if (right && s.keep && map_at(&s.kept, step_pc(&s.regs), &is_new) &&
	    is_new) /* once for each place: it takes long */
		keep_rules();
	if (right) { /* then also if it must not wait */
		halt_registers(s.walk.machine.reg, &s.regs);
		if (walk_nofault(&s.walk))
			return;
		s.warm++;
		right = is_true(nr, &same);
	}
	if (right)
		return;
	if (differences_take(&s.differences, &s.target, place_of(same ? same - 1 : 0), &s.walk, s.true_word, nr, same,
			     false))
		s.explained++;
	else
		s.different++;
}

static void enter_handler(void)
{
	struct shadow_signal n;

	if (step_signal(&s.regs, read_memory, &n) && !shadow_signal(&s.shadow, &n))
		die("too deep");
}

static bool changes_mappings(long call, const struct step_calls *calls)
{
	return call == calls->mmap || call == calls->munmap || call == calls->mprotect || call == calls->mremap ||
	       call == calls->brk;
}

static void look_again(void)
{
	int err = target_look_again(&s.target, s.pid);

	if (err)
		die("cannot read mappings: %s", strerror(-err));
	modules_distrust(&s.walk.modules);
}

static void follow_call(const struct user_regs_struct *before)
{
	uint64_t pc, slot;

	if (step_called(before, &s.regs, read_memory, &pc, &slot) && !shadow_call(&s.shadow, pc, slot))
		die("too deep");
}

static void follow_system_call(const struct user_regs_struct *before)
{
	const struct step_calls *calls = step_calls(&s.regs);
	uint64_t argument;
	long call = step_call(before, &argument);

	if (call == calls->rt_sigreturn || call == calls->sigreturn)
		shadow_sigreturn(&s.shadow);
	if ((call == calls->rt_sigaction || call == calls->sigaction) && argument == SIGUSR1)
		s.has_handler = true;
	if (changes_mappings(call, calls))
		look_again();
}

/*
 * The stack in the system call by which a handler ends, where an interrupt finds the program behind the instruction, and all
 * else as it was before.
 */
static void compare_in_sigreturn(enum shadow_kind kind)
{
	const struct step_calls *calls = step_calls(&s.regs);
	struct user_regs_struct before = s.regs;
	uint64_t argument;
	long call = step_call(&before, &argument);

	if (kind != SHADOW_SYSCALL || (call != calls->rt_sigreturn && call != calls->sigreturn))
		return;
	step_enter_call(&s.regs);
	compare();
	s.regs = before;
}

/* What the instruction at @before did. */
static void follow(enum shadow_kind kind, const struct user_regs_struct *before)
{
	switch (kind) {
	case SHADOW_CALL: follow_call(before); break;
	case SHADOW_JUMP:
	case SHADOW_RETURN: shadow_jump(&s.shadow, kind, step_pc(&s.regs), step_sp(&s.regs)); break;
	case SHADOW_SYSCALL: follow_system_call(before); break;
	case SHADOW_OTHER: break;
	}
}

/* The signal to go on with, or 0. */
static int next_signal(int pending)
{
	if (pending || !s.signal_every || !s.has_handler || shadow_in_handler(&s.shadow) || --s.until_signal)
		return pending;
	s.until_signal = s.signal_every;
	return SIGUSR1;
}

/* Has the program a handler for signal @nr? What it has none for, as SIGCHLD after vfork(), changes nothing. */
static bool is_caught(int nr)
{
	unsigned long long caught = 0;
	char path[32], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", s.pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SigCgt: %llx", &caught) == 1)
			break;
	if (f)
		fclose(f);
	return caught >> (nr - 1) & 1;
}

static void read_registers(void)
{
	if (step_read_registers(s.pid, &s.regs))
		die("cannot read registers: %s", strerror(errno));
}

/* Let it run until it comes to one of these places. Returns whether it did. */
static bool run_to(const uint64_t *places, size_t nr)
{
	long code[STEP_MAX_ENDS];
	bool is_there = false;
	int status;

	for (size_t i = 0; i < nr; i++) {
		code[i] = ptrace(PTRACE_PEEKTEXT, s.pid, (void *)places[i], NULL);
		ptrace(PTRACE_POKETEXT, s.pid, (void *)places[i],
		       (void *)((code[i] & ~STEP_BREAKPOINT_MASK) | STEP_BREAKPOINT));
	}
	if (ptrace(PTRACE_CONT, s.pid, NULL, NULL) || waitpid(s.pid, &status, 0) != s.pid || !WIFSTOPPED(status))
		return false;
	read_registers();
	for (size_t i = nr; i--;) {
		is_there |= step_is_at(&s.regs, places[i]);
		ptrace(PTRACE_POKETEXT, s.pid, (void *)places[i], (void *)code[i]);
	}
	step_write_registers(s.pid, &s.regs);
	return is_there;
}

/* One instruction, or several that no stop may come between. False: it has ended. */
static bool advance(int *pending)
{
	struct user_regs_struct before = s.regs;
	int sent = next_signal(*pending), status;
	bool handled = sent && is_caught(sent);
	uint8_t code[16] = {0};
	uint64_t ends[STEP_MAX_ENDS];
	enum shadow_kind kind;
	size_t nr;

	for (size_t len = sizeof(code); !read_memory(code, len, step_pc(&before)) && len > 1; len--)
		; /* at the end of a mapping */
	kind = step_kind(code);
	compare_in_sigreturn(kind);
	nr = sent ? 0 : step_indivisible(&before, read_memory, ends);
	if (nr) {
		if (!run_to(ends, nr))
			die("the program does not come out of an atomic operation");
		s.instructions++;
		return true;
	}
	if (ptrace(PTRACE_SINGLESTEP, s.pid, NULL, (void *)(long)sent) || waitpid(s.pid, &status, 0) != s.pid)
		die("cannot step: %s", strerror(errno));
	if (WIFEXITED(status))
		return false;
	if (!WIFSTOPPED(status))
		die("the program was killed by signal %d", WTERMSIG(status));
	*pending = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	read_registers();
	if (handled)
		enter_handler();
	else if (step_pc(&s.regs) != step_pc(&before) || step_sp(&s.regs) != step_sp(&before) || kind == SHADOW_JUMP)
		follow(kind, &before);
	s.instructions++;
	return true;
}

/* Where the program itself begins. */
static uint64_t entry_point(void)
{
	char path[32];
	uint64_t type = 0, value = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", s.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (read(fd, &type, step_word_bytes(&s.regs)) > 0 && read(fd, &value, step_word_bytes(&s.regs)) > 0)
		if (type == AT_ENTRY) {
			close(fd);
			return value;
		}
	die("the program does not say where it begins");
}

static void begin(char **words)
{
	uint64_t entry;
	int status, err;

	s.pid = fork();
	if (!s.pid) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(words[0], words);
		_exit(127);
	}
	if (s.pid < 0 || waitpid(s.pid, &status, 0) != s.pid || !WIFSTOPPED(status))
		die("cannot run %s", words[0]);
	ptrace(PTRACE_SETOPTIONS, s.pid, NULL, (void *)PTRACE_O_EXITKILL);
	err = target_open(&s.target, s.pid);
	if (err)
		die("cannot look at %s", words[0]);
	read_registers();
	target_use(&s.target);
	modules_reset(&s.walk.modules);
	s.walk.max_depth = MAX_DEPTH;
	s.until_signal = s.signal_every;
	if (s.with_linker)
		return;
	entry = entry_point();
	if (!run_to(&entry, 1))
		die("the program does not come to where it begins");
	look_again();
}

int main(int argc, char **argv)
{
	const char *name;
	int option, pending = 0;

	while ((option = getopt(argc, argv, "+ln:s:ck:")) != -1) {
		switch (option) {
		case 'l': s.with_linker = true; break;
		case 'n': s.limit = strtoul(optarg, NULL, 10); break;
		case 's': s.signal_every = strtoul(optarg, NULL, 10); break;
		case 'c': s.walk.no_cache = 1; break;
		case 'k': s.keep = optarg; break;
		default: return 2;
		}
	}
	if (argc - optind < 2 || s.signal_every == 1) {
		fprintf(stderr,
			"usage: step [-l] [-n INSTRUCTIONS] [-s EVERY] [-c] [-k FOLDER] LIST PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	if (!differences_read(&s.differences, argv[optind]))
		return 2;
	s.comm = argv[optind + 1];
	begin(argv + optind + 1);
	do
		compare();
	while ((!s.limit || s.instructions < s.limit) && advance(&pending));
	kill(s.pid, SIGKILL);

	name = strrchr(argv[optind + 1], '/');
	printf("%s instructions %lu stacks %lu warm %lu frames %lu different %lu explained %lu\n",
	       name ? name + 1 : argv[optind + 1], s.instructions, s.stacks, s.warm, s.frames, s.different,
	       s.explained);
	differences_say(&s.differences);
	return s.different ? 1 : 0;
}
