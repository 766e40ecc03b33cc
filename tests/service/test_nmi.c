/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is a request in a true NMI answered with the stack that it interrupted?
 *
 * Only in a guest: the kernel is made (sysrq-l) to send an NMI for a backtrace to each other CPU. The victim has CPU 1,
 * and what sends has CPU 0. The victim notes where it is, which is read in the NMI and compared with the stack.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "asker.h"
#include "place.h"
#include "victim.h"

#define NMIS 300
#define NMI_SECONDS 400 /* the guest's CPUs are emulated, on a busy machine */
#define MAX_TEXTS 4096

enum { QUEUED, PENDING, EXECUTED }; /* as <dusk/dusk.bpf.h> has them for programs */

/* What of the kernel was interrupted, as far as it matters here. */
enum text { TEXT_USER, TEXT_ENTRY, TEXT_ASKING, TEXT_WALKING, TEXT_TASK_WORK, TEXT_REST, NR_TEXTS };
static const char *const text_name[NR_TEXTS] = {
	"user mode",
	"entry code, or where nothing may be traced",
	"requests",
	"walks",
	"the kernel's task work",
	"elsewhere in the kernel",
};

struct text_range {
	uint64_t start, end;
	enum text text;
};

struct results {
	uint32_t nr, of_text[NR_TEXTS], queued, pending, executed, refused, placed, wrong, unanswered;
	uint32_t refused_again, refused_contended;
};

static struct asker tool;
static struct text_range range[MAX_TEXTS];
static size_t nr_ranges;

static int close_tool(void **state)
{
	asker_close(&tool);
	return 0;
}

static enum text text_of(const char *name, bool *entry)
{
	static const char *const asking[] = {"_by_nmi", "_by_raw", "_request", "_defer_", "_task_value", "_visit_of"};
	static const char *const work[] = {"bpf_task_work", "task_work_"};

	if (!strcmp(name, "__entry_text_start") || !strcmp(name, "__noinstr_text_start"))
		*entry = true;
	if (!strcmp(name, "__entry_text_end") || !strcmp(name, "__noinstr_text_end"))
		*entry = false;
	if (*entry)
		return TEXT_ENTRY;
	for (size_t i = 0; i < sizeof(work) / sizeof(*work); i++)
		if (!strncmp(name, work[i], strlen(work[i])))
			return TEXT_TASK_WORK;
	if (strncmp(name, "bpf_prog_", 9) != 0)
		return TEXT_REST;
	for (size_t i = 0; i < sizeof(asking) / sizeof(*asking); i++)
		if (strstr(name, asking[i]))
			return TEXT_ASKING;
	return TEXT_WALKING;
}

/* Where the kernel keeps what we tell apart. To be called while the programs are loaded. */
static void learn_texts(void)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/kallsyms", "re");
	bool entry = false, open = false;
	char type, name[256];
	uint64_t addr;

	assert_non_null(f);
	nr_ranges = 0;
	while (fscanf(f, "%" SCNx64 " %c %255s%*[^\n]", &addr, &type, name) == 3) {
		enum text text;

		if (type != 't' && type != 'T')
			continue;
		text = text_of(name, &entry);
		if (open && range[nr_ranges].start < addr) {
			range[nr_ranges++].end = addr;
			open = false;
		}
		if (text == TEXT_REST || open)
			continue;
		assert_true(nr_ranges < MAX_TEXTS);
		range[nr_ranges] = (struct text_range){addr, addr, text};
		open = true;
	}
	if (open)
		range[nr_ranges++].end = UINT64_MAX;
}

static enum text interrupted(uint64_t ip)
{
	if ((int64_t)ip >= 0)
		return TEXT_USER;
	for (size_t i = 0; i < nr_ranges; i++)
		if (ip >= range[i].start && ip < range[i].end)
			return range[i].text;
	return TEXT_REST;
}

/* The kernel's function that @ip is in. */
static const char *name_of(uint64_t ip)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/kallsyms", "re");
	static char best[256];
	uint64_t addr, nearest = 0;
	char name[256];

	strcpy(best, "user mode");
	while (f && (int64_t)ip < 0 && fscanf(f, "%" SCNx64 " %*c %255s%*[^\n]", &addr, name) == 2)
		if (addr <= ip && addr >= nearest) {
			nearest = addr;
			strcpy(best, name);
		}
	return best;
}

static void keep_to_cpu(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		fail_msg("cannot keep process %d to CPU %d: %s", pid, cpu, strerror(errno));
}

/* Send NMIs until @nr of them have asked. */
static void send_nmis(uint32_t nr)
{
	_cleanup_(closep) int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	double end = live_now_s() + NMI_SECONDS;

	if (fd < 0)
		fail_msg("cannot open /proc/sysrq-trigger: %s", strerror(errno));
	while (tool.control->runs[BY_NMI] < nr) {
		if (write(fd, "l", 1) != 1)
			fail_msg("cannot ask for backtraces: %s", strerror(errno));
		if (live_now_s() > end)
			fail_msg("only %llu NMIs have asked", tool.control->runs[BY_NMI]);
		assert_true(dusk_unwind_poll(tool.unwinder, 0) >= 0);
	}
}

static const struct probe_nmi *map_nmis(void)
{
	int fd = bpf_object__find_map_fd_by_name(tool.obj, ".bss.nmis");
	void *at = mmap(NULL, PROBE_NMIS * sizeof(struct probe_nmi), PROT_READ, MAP_SHARED, fd, 0);

	assert_true(at != MAP_FAILED);
	return at;
}

/* Can this be the stack of the victim where it says that it is? */
static bool is_right(uint32_t stack, uint32_t outcome, const struct probe_nmi *n)
{
	uint32_t place = n->place;
	const char *sentence = asker_sentence(&tool, stack);

	if (!stack || dusk_outcome(outcome)->kind != DUSK_COMPLETE) {
		print_message("no stack: %s\n", dusk_outcome(outcome)->name);
		return false;
	}
	if (place == PLACE_LEFT && !strcmp(sentence, "left leaf inner middle outer main"))
		return true;
	if (place == PLACE_RIGHT && !strcmp(sentence, "right leaf inner middle outer main"))
		return true;
	if (place == PLACE_NEITHER && strstr(sentence, "leaf inner middle outer main"))
		return true;
	print_message("place %u, but the stack is: %s; interrupted: %s; answer %d\n", place, sentence, name_of(n->ip),
		      n->result);
	return false;
}

static void judge(const struct probe_nmi *n, struct results *r)
{
	struct got got;

	assert_true(n->preempt_count & PROBE_IN_NMI);
	r->nr++;
	r->of_text[interrupted(n->ip)]++;
	r->placed += n->place > PLACE_NEITHER;
	if (n->result < 0) {
		r->refused++;
		assert_int_equal(n->cookie, 0);
		r->refused_again += !strcmp(dusk_outcome(n->outcome)->name, "asked-again");
		r->refused_contended += !strcmp(dusk_outcome(n->outcome)->name, "contended");
		return;
	}
	if (n->result == EXECUTED) {
		r->executed++;
		r->wrong += !is_right(n->stack, n->outcome, n);
		return;
	}
	r->queued += n->result == QUEUED;
	r->pending += n->result == PENDING;
	assert_int_not_equal(n->cookie, 0);
	if (asker_find(&tool, n->cookie, 1, &got) != 1)
		r->unanswered++;
	else
		r->wrong += !is_right(got.stack, got.outcome, n);
}

static struct results judge_all(void)
{
	const struct probe_nmi *nmi = map_nmis();
	struct results r = {0};

	for (uint32_t i = 0; i < tool.control->nr_nmis && i < PROBE_NMIS; i++)
		judge(&nmi[i], &r);
	munmap((void *)nmi, PROBE_NMIS * sizeof(*nmi));
	print_message("%u NMIs: %u queued, %u pending, %u executed, %u refused (%u asked again, %u contended); %u in "
		      "left() or right(); %u without answer, "
		      "%u wrong\n",
		      r.nr, r.queued, r.pending, r.executed, r.refused, r.refused_again, r.refused_contended, r.placed,
		      r.unanswered, r.wrong);
	for (int i = 0; i < NR_TEXTS; i++)
		print_message("\t%u in %s\n", r.of_text[i], text_name[i]);
	return r;
}

/*
 * @nr NMIs ask a victim in @mode; if @also, a program at each of its system calls does, too. @no_ip: those in NMIs do
 * not know what they have interrupted.
 */
static struct results ask_in_nmis(const char *mode, bool also, bool no_ip, uint32_t nr)
{
	struct victim v = victim_start(mode);
	struct results r;
	int ret;

	keep_to_cpu(v.pid, 1);
	keep_to_cpu(0, 0);
	asker_open(&tool, KIND(BY_NMI) | (also ? KIND(BY_RAW) : 0), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_init(&tool, 1, DUSK_DELIVER_RING);
	tool.control->no_ip = no_ip;
	tool.control->place = victim_address(&v, "place");
	if (also)
		asker_attach(&tool, BY_RAW, v.pid, 1);
	ret = try_attach(&tool, BY_NMI, v.pid, 1 << 1);
	if (ret)
		fail_msg("cannot attach to what runs in an NMI: %s", strerror(-ret));
	learn_texts();
	send_nmis(nr);
	asker_silence(&tool);
	asker_poll(&tool, 500);
	r = judge_all();
	victim_end(&v);
	assert_true(r.nr >= nr);
	assert_true(r.placed > nr / 10);
	assert_int_equal(r.wrong, 0);
	assert_int_equal(r.unanswered, 0);
	assert_int_equal(r.refused, r.refused_again + r.refused_contended);
	assert_true(r.refused_again <= asker_counter(&tool, "refused-again"));
	assert_true(r.refused_contended <= asker_counter(&tool, "refused-contended"));
	return r;
}

static void an_nmi_in_user_mode_gets_the_stack_that_it_interrupted(void **state)
{
	struct results r = ask_in_nmis("burns", false, false, NMIS);

	assert_true(r.of_text[TEXT_USER] > NMIS / 2);
	assert_true(r.refused < NMIS / 10); /* an NMI that comes at once after a walk */
	assert_int_equal(asker_counter(&tool, "requests"), r.nr);
	assert_int_equal(asker_counter(&tool, "refused-again"), r.refused_again);
}

static void an_nmi_in_a_system_call_and_in_entry_code_gets_the_stack_below_it(void **state)
{
	struct results r = ask_in_nmis("turns", false, false, 3 * NMIS);

	assert_true(r.nr - r.of_text[TEXT_USER] > NMIS / 2);
	assert_true(r.of_text[TEXT_ENTRY] > NMIS / 10);
	assert_int_equal(asker_counter(&tool, "requests"), r.nr);
}

/* The registers of a page fault are saved on another stack, and brought to the task's. */
static void an_nmi_while_registers_are_on_their_way_from_another_stack_is_not_misled(void **state)
{
	struct results r = ask_in_nmis("faults", false, false, 3 * NMIS);

	assert_true(r.of_text[TEXT_ENTRY] > NMIS / 10);
}

static void a_program_in_an_nmi_need_not_know_what_was_interrupted(void **state)
{
	struct results r = ask_in_nmis("turns", false, true, 3 * NMIS);

	assert_true(r.of_text[TEXT_ENTRY] > 0);
}

static void an_nmi_may_interrupt_requests_and_walks(void **state)
{
	struct results r = ask_in_nmis("turns", true, false, 3 * NMIS);

	assert_true(r.of_text[TEXT_ASKING] > 0);
	assert_true(r.of_text[TEXT_WALKING] > 100);
	assert_true(r.pending > 100);
}

#define with_tool(f) cmocka_unit_test_teardown(f, close_tool)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tool(an_nmi_in_user_mode_gets_the_stack_that_it_interrupted),
		with_tool(an_nmi_in_a_system_call_and_in_entry_code_gets_the_stack_below_it),
		with_tool(an_nmi_while_registers_are_on_their_way_from_another_stack_is_not_misled),
		with_tool(a_program_in_an_nmi_need_not_know_what_was_interrupted),
		with_tool(an_nmi_may_interrupt_requests_and_walks),
	};

	return ASKER_MAIN(argc, argv, tests);
}
