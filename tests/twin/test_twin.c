/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is the core that the kernel runs the core that the other tests have tested?
 *
 *	test_twin OBJECT CORPUS
 *
 * The inputs are those of the fuzzers (what they begin with is said in tests/fuzz/fuzz_*.c) and MUTANTS of each, with
 * some bytes changed. Both twins keep their row cache, their stack table and their count of modules from one input to
 * the next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "core/rowcache.h"
#include "twin.h"
#include "test_arch.h"
#include "test_kernel_frame.h"

#define SKIP 77
#define MUTANTS 1000
#define ADDR 0x10000000ULL
#define STACK 0x20000000ULL
#define FILE_BYTES (3 * PAGE_BYTES)

struct twin twin; /* the host's */
u64 twin_table[TWIN_TABLE_WORDS];

static struct bpf_object *obj;
static struct twin *kernel_twin; /* the kernel's, mapped */
static const char *corpus;
static u32 random_state = 1;

static u32 any(u32 below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

/* A variable of the kernel's, by the section that it has to itself. */
static void *shared(const char *section, size_t size)
{
	struct bpf_map *m = bpf_object__find_map_by_name(obj, section);
	void *mem = m ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(m), 0) : MAP_FAILED;

	return mem == MAP_FAILED ? NULL : mem;
}

/* Both copies begin as @twin; run both; they must be equal. */
static void run_both(const char *name, void (*host)(struct twin *))
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct bpf_program *prog;
	char program[32];

	snprintf(program, sizeof(program), "twin_%s", name);
	prog = bpf_object__find_program_by_name(obj, program);
	assert_non_null(prog);
	*kernel_twin = twin;
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), 0);
	host(&twin);
	if (memcmp(kernel_twin, &twin, sizeof(twin))) {
		const u8 *a = (void *)kernel_twin, *b = (void *)&twin;
		size_t i = 0;

		while (a[i] == b[i])
			i++;
		fail_msg("%s: byte %zu of %zu is %02x in the kernel and %02x on the host; outcomes %u and %u", name, i,
			 sizeof(twin), a[i], b[i], kernel_twin->outcome, twin.outcome);
	}
}

/* Map @size bytes, at most what is left of the memory, at @addr. */
static void map(u64 addr, const u8 *bytes, u32 size, struct vma like)
{
	struct twin_mapping *m = &twin.mapping[twin.nr_mappings];

	m->at = twin.nr_mappings ? FILE_BYTES : 0;
	if (size > (twin.nr_mappings ? PAGE_BYTES : FILE_BYTES))
		size = twin.nr_mappings ? PAGE_BYTES : FILE_BYTES;
	m->vma = like;
	m->vma.start = addr;
	m->vma.end = (addr + size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	memcpy(twin.memory + m->at, bytes, size);
	twin.nr_mappings++;
}

static void run_cfi_input(const u8 *data, u32 size)
{
	struct cfi *c = &twin.cfi;
	u32 head = 6;

	if (size < head)
		return;
	map(ADDR, data + head, size - head, (struct vma){0});
	twin.fail_nth = data[5];
	c->pc = data[1] | data[2] << 8;
	c->code_align = 1 + (data[3] & 7);
	c->data_align = (s8)data[3] >> 3;
	c->encoding = data[4];
	c->class = data[4] >> 7 & TEST_CLASSES;
	c->hdr = c->initial_insns = ADDR;
	c->initial_end = c->insns = ADDR + data[0] % (size - head + 1);
	c->end = ADDR + size - head;
	run_both("cfi", run_cfi);
}

static void run_expr_input(const u8 *data, u32 size)
{
	struct machine *m = &twin.walk.machine;
	u32 head = 15;

	if (size < head)
		return;
	map(ADDR, data + head, size - head, (struct vma){0});
	twin.fail_nth = data[14];
	m->hdr = ADDR;
	m->pc = m->cfa = m->sp = ADDR + size / 2;
	for (u32 i = 0; i < NR_REGS; i++)
		m->reg[i] = ADDR + i * 8;
	m->lazy = data[0] | data[1] << 8;
	m->invalid = data[2] & data[3];
	m->class = data[4] >> 1 & 3;
	m->row.cfa_kind = data[4] & 1 ? CFA_EXPR : CFA_REG;
	for (u32 i = 0; i < NR_SLOTS; i++) {
		m->row.rule[i] = data[5] >> i & 1 ? RULE_EXPR : RULE_SAME;
		m->row.off[i] = data[6 + i];
	}
	run_both("expr", run_expr);
}

static void run_ehframe_input(const u8 *data, u32 size)
{
	u32 head = 6;
	s32 off;

	if (size < head)
		return;
	memcpy(&off, data, sizeof(off));
	map(ADDR, data + head, size - head, (struct vma){0});
	twin.fail_nth = data[5];
	twin.ehframe.pc = ADDR + (s64)off;
	twin.range.hdr = ADDR;
	twin.range.nr_entries = data[4];
	twin.range.class = data[4] >> 7;
	twin.range.kind = data[4] ? MODULE_ELF : MODULE_SCANNED;
	run_both("ehframe", run_ehframe);
}

static void run_sframe_input(const u8 *data, u32 size)
{
	u32 head = 5;
	s32 off;

	if (size < head)
		return;
	memcpy(&off, data, sizeof(off));
	map(ADDR, data + head, size - head, (struct vma){0});
	twin.fail_nth = data[4];
	twin.sframe.pc = ADDR + (s64)off;
	twin.range.sframe = twin.range.entry = ADDR;
	for (u32 i = 0; i < NR_REGS; i++)
		twin.walk.machine.reg[i] = ADDR + i * 8;
	twin.walk.machine.lazy = 0xff00;
	run_both("sframe", run_sframe);
}

static void run_elf_input(const u8 *data, u32 size)
{
	u32 head = 3;

	if (size <= head)
		return;
	map(ADDR, data + head, size - head, (struct vma){.dev = 1, .ino = 2, .executable = 1});
	twin.fail_nth = data[2];
	twin.walk.modules.here = NR_RANGES;
	twin.walk.machine.pc = ADDR + (data[0] | data[1] << 8) % (size - head);
	run_both("module", run_module);
}

/* Of a task whose file is of that class. */
static void set_mode(u64 *reg, const u8 *file, u32 size)
{
	test_set_mode(reg, size > EI_CLASS && file[EI_CLASS] == ELFCLASS32);
}

static void run_walk_input(const u8 *data, u32 size)
{
	struct walk *w = &twin.walk;
	u32 head = 5, stack;

	if (size <= head)
		return;
	stack = (data[2] | data[3] << 8) % (size - head);
	map(ADDR, data + head, size - head - stack, (struct vma){.dev = 1, .ino = 2, .executable = 1});
	map(STACK, data + size - stack, stack, (struct vma){0});
	twin.fail_nth = data[4];
	w->modules.epoch = 1;
	w->max_depth = 64;
	for (u32 i = 0; i < INPUT_REGS; i++)
		w->machine.reg[i] = STACK + 8 * i;
	w->machine.reg[REG_PC] = ADDR + (data[0] | data[1] << 8);
	set_mode(w->machine.reg, data + head, size - head);
	run_both("walk", run_walk);
	twin.reads = 0; /* again, with the module known and its rows in the cache */
	modules_reset(&w->modules);
	w->machine.reg[REG_PC] = ADDR + (data[0] | data[1] << 8);
	w->machine.reg[REG_SP] = STACK;
	run_both("walk", run_walk);
}

static u32 nofault_frames, recalled, forgotten;

/* Walk as run_walk_input(), then at once; remember that; and recall it on a stack of which a word may have changed. */
static void run_warm_input(const u8 *data, u32 size)
{
	struct walk *w = &twin.walk;

	run_walk_input(data, size);
	if (size <= 5)
		return;
	twin.fail_nth = 0;
	for (u32 i = 0; i < INPUT_REGS; i++)
		twin.reg[i] = STACK + 8 * i;
	twin.reg[REG_PC] = ADDR + (data[0] | data[1] << 8);
	twin.reg[REG_SP] = STACK;
	set_mode(twin.reg, data + 5, size - 5);
	memcpy(w->machine.reg, twin.reg, sizeof(twin.reg));
	stack_forget(&w->machine);
	run_both("warm", run_warm);
	nofault_frames += w->out.nr;

	twin.stack_cache_key = (struct stack_cache_key){.mm = 1, .ip = twin.reg[REG_PC], .sp = STACK};
	twin.id = 1 + any(1000);
	run_both("remember", run_remember);
	twin.memory[FILE_BYTES + any(PAGE_BYTES)] ^= any(4);
	run_both("recall", run_recall);
	recalled += twin.id != 0;
	forgotten += !twin.id;
}

static void run_mutants(const char *path, void (*run)(const u8 *, u32))
{
	_cleanup_(fclosep) FILE *file = fopen(path, "re");
	u8 bytes[FILE_BYTES], mutant[FILE_BYTES];
	u32 size;

	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	for (u32 i = 0; i <= MUTANTS; i++) {
		memcpy(mutant, bytes, size);
		for (u32 n = i ? 1 + any(4) : 0; size && n; n--)
			mutant[any(size)] = any(3) ? any(256) : any(2) * 0xff;
		memset(&twin, 0, sizeof(twin));
		run(mutant, size);
	}
}

static void run_corpus(const char *name, void (*run)(const u8 *, u32))
{
	struct dirent **entry;
	char path[4096];
	int nr, inputs = 0;

	snprintf(path, sizeof(path), "%s/%s", corpus, name);
	nr = scandir(path, &entry, NULL, alphasort);
	assert_true(nr > 2);
	for (int i = 0; i < nr; i++) {
		if (entry[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s/%s", corpus, name, entry[i]->d_name);
			run_mutants(path, run);
			inputs++;
		}
		free(entry[i]);
	}
	free(entry);
	print_message("  %d inputs, %d mutants of each\n", inputs, MUTANTS);
}

static void cfi_programs_give_the_same_rows(void **state)
{
	run_corpus("cfi", run_cfi_input);
}

static void expressions_give_the_same_values(void **state)
{
	run_corpus("expr", run_expr_input);
}

static void the_same_fdes_are_found(void **state)
{
	run_corpus("ehframe", run_ehframe_input);
}

static void sframe_gives_the_same_rows(void **state)
{
	run_corpus("sframe", run_sframe_input);
}

static void files_say_the_same_of_themselves(void **state)
{
	run_corpus("elf", run_elf_input);
}

static void the_same_stacks_are_walked(void **state)
{
	run_corpus("walk", run_walk_input);
}

static void no_fault_walks_and_the_cache_give_the_same_stacks(void **state)
{
	run_corpus("walk", run_warm_input);
	print_message("  %u frames, %u recalled, %u not\n", nofault_frames, recalled, forgotten);
	assert_true(nofault_frames && forgotten);
	assert_true(recalled ||
		    TEST_MACHINE != EM_X86_64); /* the corpus is of x86-64: elsewhere its stacks have no end */
}

static void cached_kernel_stacks_are_the_same(void **state)
{
	u32 cached = 0;

	memset(&twin, 0, sizeof(twin));
	for (u32 i = 0; i < 10000; i++) {
		struct kernel_copy *c = &twin.copy;
		u32 callee = 0;

		twin.kernel_key = (struct kernel_key){.entry = any(3), .depth = any(2) * 256, .inner = any(2)};
		twin.kernel_key.outer = !twin.kernel_key.depth;
		twin.id = 1 + i;
		c->sp = 0xffff800080000000ULL + any(4) * 65536;
		c->words = twin.stack.nr = 0;
		for (u32 j = any(4); j < 6; j++) {
			for (u32 n = any(3) + TEST_FRAME_WORDS - 1; n; n--)
				c->now.word[c->words++] = any(10) ? 0 : test_word(1 + any(8));
			twin.stack.frame[twin.stack.nr] = test_word(1 + any(2) + j);
			test_kernel_frame(c, c->words, callee, twin.stack.frame[twin.stack.nr++]);
			callee = c->words++;
		}
		run_both("kernel", run_kernel);
		cached += twin.id != 0;
	}
	assert_true(cached > 100 && cached < 9900);
}

static void the_same_stacks_get_the_same_ids(void **state)
{
	struct stacktable *table = shared(".bss.table", sizeof(twin_table)), *ours = (struct stacktable *)twin_table;
	u32 kept = 0, refused = 0;

	assert_non_null(table);
	ours->bits = TWIN_BITS;
	ours->epoch = 77;
	ours->seed = 0x123456789abcdefULL;
	memcpy(table, ours, sizeof(*ours));
	for (u32 i = 0; i < 60000; i++) {
		twin.cpu = any(70);
		memset(&twin.stack, 0, sizeof(twin.stack));
		twin.stack.nr = i < 10 ? MAX_DEPTH - i : any(60);
		for (u32 j = 0; j < twin.stack.nr; j++)
			twin.stack.frame[j] = any(j < 2 ? 5 : 2) + j;
		run_both("stacks", run_stacks);
		kept += !twin.outcome;
		refused += twin.outcome == ENOSPC || twin.outcome == EBUSY;
	}
	assert_true(kept && refused && kept + refused == 60000);
	assert_int_equal(table->stacks, ours->stacks);
	assert_false(memcmp(table, twin_table, sizeof(twin_table)));
	munmap(table, sizeof(twin_table));
}

static void the_same_requests_get_the_same_verdicts(void **state)
{
	memset(&twin, 0, sizeof(twin));
	for (u32 i = 0; i < 3000; i++) {
		for (u32 j = 0; j < TWIN_DEFERS; j++) {
			twin.step[j].who = any(5) ? any(DEFER_CONSUMERS) : DEFER_CONSUMERS;
			twin.step[j].fresh = defer_cookie(any(4096), 12, 1 + any(~0u));
		}
		run_both("defer", run_defer);
	}
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

static bool kernel_is_new_enough(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 9);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cfi_programs_give_the_same_rows),
		cmocka_unit_test(expressions_give_the_same_values),
		cmocka_unit_test(the_same_fdes_are_found),
		cmocka_unit_test(sframe_gives_the_same_rows),
		cmocka_unit_test(files_say_the_same_of_themselves),
		cmocka_unit_test(the_same_stacks_are_walked),
		cmocka_unit_test(no_fault_walks_and_the_cache_give_the_same_stacks),
		cmocka_unit_test(cached_kernel_stacks_are_the_same),
		cmocka_unit_test(the_same_stacks_get_the_same_ids),
		cmocka_unit_test(the_same_requests_get_the_same_verdicts),
	};
	int err;

	if (argc != 3)
		return 2;
	if (geteuid() || !kernel_is_new_enough()) {
		printf("%s\n", geteuid() ? "loading BPF programs takes root" : "the kernel is older than 6.9");
		return SKIP;
	}
	corpus = argv[2];
	libbpf_set_print(quiet);
	obj = bpf_object__open_file(argv[1], NULL);
	err = obj ? bpf_object__load(obj) : -errno;
	if (err == -EPERM) {
		printf("this root may not load BPF programs\n");
		return SKIP;
	}
	kernel_twin = err ? NULL : shared(".bss.twin", sizeof(twin));
	if (!kernel_twin) {
		printf("%s: cannot be loaded: %s\n", argv[1], strerror(-err));
		return 1;
	}
	err = cmocka_run_group_tests(tests, NULL, NULL);
	bpf_object__close(obj);
	return err;
}
