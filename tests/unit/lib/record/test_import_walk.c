/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is a stack that perf copied walked as it was, with the files that were mapped, and never with others? This process copies a
 * stack of its own into a perf.data.
 */
#include "profile_fixture.h"
#include <fcntl.h>
#include <ucontext.h>
#include <unistd.h>
#include "lib/arch/names.h"
#include "lib/arch/perf_regs.h"
#include "lib/buildid.h"
#include "perf_file.h"
#include "test_registers.h"

#define DEPTH 20
#define ALL UINT64_MAX
#define FACT_MACHINE 6
#define NO_REGISTERS UINT64_MAX

static struct perf_file file;

static struct {
	u64 regs[INPUT_REGS], bytes, of_descend;
	u8 stack[16384];
	u64 returns[DEPTH + 1]; /* innermost first */
} copied;

/* As memcpy(), also of what lies between variables, where the address sanitizer allows nothing. */
__attribute__((no_sanitize("address"))) static void copy_stack(u64 from)
{
	for (u64 i = 0; i < copied.bytes; i++)
		copied.stack[i] = ((const volatile u8 *)from)[i];
}

__attribute__((noinline)) static int look(void)
{
	ucontext_t c;

	copied.returns[0] = (u64)__builtin_return_address(0);
	getcontext(&c);
	test_registers(copied.regs, &c);
	copy_stack(copied.regs[REG_SP]);
	return copied.stack[0];
}

__attribute__((noinline)) static int descend(int depth)
{
	volatile char room[100];

	room[0] = depth;
	copied.returns[depth] = (u64)__builtin_return_address(0);
	room[1] = depth > 1 ? descend(depth - 1) : look();
	return room[1] + room[0];
}

/* Copy the stack of @DEPTH calls, and those of this test up to the end of the stack's mapping, or of the room for it. */
__attribute__((noinline)) static void copy_descent(void)
{
	u64 here = (u64)__builtin_frame_address(0), end = 0, from, to;
	_cleanup_(fclosep) FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx", &from, &to) == 2 && here >= from && here < to)
			end = to;
	copied.bytes = end - here < sizeof(copied.stack) / 2 ? end - here : sizeof(copied.stack) / 2;
	descend(DEPTH);
	copied.of_descend = here - copied.regs[REG_SP];
	copied.bytes = copied.bytes + copied.of_descend < sizeof(copied.stack) ? copied.bytes + copied.of_descend
									       : sizeof(copied.stack);
	descend(DEPTH); /* with the whole of them */
}

static void end_record(uint64_t time)
{
	perf_put32(&file, getpid(), getpid());
	perf_put64(&file, time);
	perf_put64(&file, 101);
	perf_record_end(&file);
}

/* What is mapped as @line of /proc/self/maps says; the build id of a file at path @other is another one. */
static void put_map(const char *line, const char *other)
{
	char perms[5], name[256] = "", hex[BUILDID_TEXT_BYTES] = "";
	unsigned long long start, end, offset;
	uint8_t id[24] = {20};
	int fd;

	assert_true(sscanf(line, "%llx-%llx %4s %llx %*s %*s %255s", &start, &end, perms, &offset, name) >= 4);
	fd = *name == '/' ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0)
		buildid_read(hex, sizeof(hex), fd);
	close(fd);
	if (!*hex && strcmp(name, "[vdso]") != 0)
		return;
	for (int i = 0; i < 20; i++)
		sscanf(hex + 2 * i, "%2hhx", &id[4 + i]);
	id[4] ^= other && strstr(name, other) ? 1 : 0;
	perf_record(&file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	perf_put32(&file, getpid(), getpid());
	perf_put64(&file, start);
	perf_put64(&file, end - start);
	perf_put64(&file, offset);
	perf_put(&file, id, sizeof(id));
	perf_put32(&file, (perms[0] == 'r') | (perms[1] == 'w') << 1 | (perms[2] == 'x') << 2, 2);
	perf_put_text(&file, name);
	end_record(1);
}

struct put {
	const char *other; /* see put_map() */
	uint64_t bytes;	   /* of the copy, at most */
	uint64_t without;  /* registers of perf's */
	const char *machine;
	bool in_kernel, maps_missing;
	uint64_t abi; /* 0: of 64 bits */
};

static void put_sample(const struct put *p, uint64_t mask)
{
	uint64_t values[64] = {0}, bytes = (p->bytes < copied.bytes ? p->bytes : copied.bytes) & ~7ULL;

	for (int i = 0; i < INPUT_REGS; i++)
		values[perf_regs[i]] = copied.regs[i];
	perf_record(&file, PERF_RECORD_SAMPLE, p->in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	perf_put64(&file, p->in_kernel ? 0xffffffff81001000 : copied.regs[REG_PC]);
	perf_put32(&file, getpid(), getpid());
	perf_put64(&file, 10);
	perf_put64(&file, 101);
	perf_put64(&file, 0); /* frames */
	if (p->abi == NO_REGISTERS) {
		perf_put64(&file, PERF_SAMPLE_REGS_ABI_NONE);
		perf_put64(&file, 0);
		perf_record_end(&file);
		return;
	}
	perf_put64(&file, p->abi ?: PERF_SAMPLE_REGS_ABI_64);
	for (int i = 0; i < 64; i++)
		if (mask >> i & 1)
			perf_put64(&file, values[i]);
	perf_put64(&file, sizeof(copied.stack));
	perf_put(&file, copied.stack, sizeof(copied.stack));
	perf_put64(&file, bytes);
	perf_record_end(&file);
}

static void put_machine(const char *name)
{
	uint64_t at = file.len + sizeof(struct perf_file_section);
	uint32_t bytes = strlen(name) + 1;

	perf_end(&file, 1 << FACT_MACHINE);
	perf_put(&file, &(struct perf_file_section){at, sizeof(bytes) + bytes}, 16);
	perf_put(&file, &bytes, sizeof(bytes));
	perf_put(&file, name, bytes);
}

/* Import a sample of what was copied. */
static void import(struct put p)
{
	struct dusk_import_options o = {.sz = sizeof(o), .owner_uid = -1, .owner_gid = -1};
	uint64_t mask = TEST_PERF_MASK & ~p.without;
	struct dusk_error err = {""};
	FILE *maps, *f;
	char line[512];

	file = (struct perf_file){0};
	perf_event(&file, PERF_COUNT_SW_CPU_CLOCK,
		   PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CALLCHAIN |
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	file.attrs[0].sample_regs_user = mask;
	file.attrs[0].sample_stack_user = sizeof(copied.stack);
	perf_begin(&file);
	maps = fopen("/proc/self/maps", "re");
	while (!p.maps_missing && fgets(line, sizeof(line), maps))
		put_map(line, p.other);
	fclose(maps);
	put_sample(&p, mask);
	put_machine(p.machine ?: ARCH_UNAME);
	f = fopen(copy, "w");
	assert_int_equal(fwrite(file.v, 1, file.len, f), file.len);
	fclose(f);
	unlink(path);
	if (dusk_import_perf(copy, path, &o, &err))
		fail_msg("%s", err.text);
}

static const char *outcome(void)
{
	return queried("select o.name from sample s join outcome o on o.id = outcome");
}

static long nr_frames(void)
{
	return atol(queried("with recursive up(node) as (select node from sample where node union all select n.parent "
			    "from up join node n "
			    "on n.id = up.node where n.parent) select count(*) from up"));
}

/* Is frame @i, from 0 on the innermost, the return to @pc in this program? */
static bool is_return_to(long i, u64 pc)
{
	char sql[512], wanted[64];
	_cleanup_(fclosep) FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long start, end, offset;
	char line[512];

	snprintf(sql, sizeof(sql),
		 "with recursive up(node, i) as (select node, 0 from sample union all select n.parent, i + 1 from up "
		 "join node n on n.id = up.node where i < %ld) select f.offset || '.' || f.is_return from up join node "
		 "n on n.id = up.node "
		 "join frame f on f.id = n.frame where i = %ld",
		 i, i);
	*wanted = 0;
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 && pc >= start && pc < end)
			snprintf(wanted, sizeof(wanted), "%llu.1", pc - start + offset);
	return !strcmp(queried(sql), wanted);
}

static void a_copied_stack_is_walked(void **state)
{
	import((struct put){.bytes = ALL});
	for (int i = 0; i <= DEPTH; i++)
		assert_true(is_return_to(i + 1, copied.returns[i]));
	assert_true(nr_frames() > DEPTH + 2);
	assert_true(!strcmp(outcome(), "outermost") || !strcmp(outcome(), "entry-point") ||
		    (copied.bytes == sizeof(copied.stack) && !strcmp(outcome(), "not-copied")));
	import((struct put){.bytes = ALL, .in_kernel = true});
	assert_true(is_return_to(1 + DEPTH + 1, copied.returns[DEPTH])); /* below a frame of the kernel */
}

/* All of it is used, also a page that is not whole; and what is beyond it is said to be missing. */
static void a_copy_is_used_to_its_last_word(void **state)
{
	long before = 0;

	import((struct put){.bytes = copied.of_descend});
	assert_true(is_return_to(DEPTH + 1, copied.returns[DEPTH]));
	assert_string_equal(outcome(), "not-copied");
	for (u64 bytes = 8; bytes < copied.of_descend; bytes += copied.of_descend / 10) {
		long nr;

		import((struct put){.bytes = bytes});
		nr = nr_frames();
		assert_string_equal(outcome(), "not-copied");
		assert_true(nr >= 1 && nr >= before && nr <= DEPTH + 2);
		for (int i = 0; i < nr - 1; i++)
			assert_true(is_return_to(i + 1, copied.returns[i]));
		before = nr;
	}
	assert_true(before >= DEPTH / 2);
}

static void a_file_that_is_another_one_is_not_read(void **state)
{
	import((struct put){.bytes = ALL, .other = "test_import_walk"});
	assert_string_equal(outcome(), "no-file");
	assert_int_equal(nr_frames(), 1);
	import((struct put){.bytes = ALL, .other = "libc"});
	assert_string_equal(outcome(), "no-file");
	assert_true(is_return_to(DEPTH + 1, copied.returns[DEPTH]));
}

static void what_was_not_recorded_is_not_made_up(void **state)
{
	import((struct put){.bytes = ALL, .abi = NO_REGISTERS, .in_kernel = true});
	assert_string_equal(outcome(), "exited");
	import((struct put){.bytes = ALL, .abi = NO_REGISTERS, .in_kernel = true, .maps_missing = true});
	assert_string_equal(outcome(), "kernel-thread");
	import((struct put){.bytes = 0, .in_kernel = true});
	assert_string_equal(outcome(), "not-given");
	import((struct put){.bytes = ALL, .without = 1ULL << perf_regs[REG_SP]});
	assert_string_equal(outcome(), "not-reported"); /* where the sample was is known still */
	assert_int_equal(nr_frames(), 1);
	import((struct put){.bytes = ALL, .machine = "s390x"});
	assert_string_equal(outcome(), "not-reported");
	assert_string_equal(queried("select value from counter where name = 'foreign-copies'"), "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copied_stack_is_walked),
		cmocka_unit_test(a_copy_is_used_to_its_last_word),
		cmocka_unit_test(a_file_that_is_another_one_is_not_read),
		cmocka_unit_test(what_was_not_recorded_is_not_made_up),
	};

	copy_descent();
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
