/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does each post that was acknowledged leave the spool once, whenever its process is killed? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "fleet/collect/spool.h"
#include "fleet/collect/table.h"

#define SHARDS 2
#define BATCHES 5
#define BYTES (1 << 20)

/* How many seconds the spool's clocks are ahead, by their numbers. */
static time_t ahead_s[2];

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int rc = syscall(SYS_clock_gettime, clock, ret);

	if (!rc && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC))
		ret->tv_sec += ahead_s[clock];
	return rc;
}

static const char *const places[SHARDS] = {"http://one/ dusk", "http://two/ dusk"};
static char folder[] = "/dev/shm/dusk-spool-XXXXXX"; /* a kill is no power failure, and memory is faster */

static void spool_freep(struct spool **s)
{
	spool_free(*s);
}

static struct spool *opened(uint64_t wait_ms)
{
	struct spool *s = NULL;
	struct dusk_error err = {""};

	if (spool_open(&s, folder, places, SHARDS, BYTES, wait_ms, &err))
		print_error("%s\n", err.text);
	assert_non_null(s);
	return s;
}

static int empty_folder(void **state)
{
	char command[128];

	(void)state;
	memset(ahead_s, 0, sizeof(ahead_s));
	snprintf(command, sizeof(command), "rm -rf %s && mkdir %s", folder, folder);
	return system(command);
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static struct spool_post samples(uint64_t batch)
{
	static const char text[] = "01234567";

	return (struct spool_post){.table = TABLE_SAMPLES,
				   .shard = batch % SHARDS,
				   .day = 5,
				   .batch = batch,
				   .nr_rows = 3,
				   .data = text + batch % 8,
				   .len = 1,
				   .result = 1};
}

static int added(struct spool *s, struct spool_post p)
{
	struct spool_post *posts[] = {&p};

	spool_add(s, posts, 1);
	return p.result;
}

static void posts_of_a_shard_leave_as_one_insert(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(0);
	struct spool_insert i, same;
	struct spool_state look;

	(void)state;
	for (uint64_t batch = 1; batch <= 6; batch++)
		assert_int_equal(added(s, samples(batch)), 0);
	assert_int_equal(spool_next(s, 0, &i), 0);
	assert_int_equal(i.nr_posts, 3);
	assert_int_equal(i.nr_rows, 9);
	assert_int_equal(i.day, 5);
	assert_memory_equal(i.data, "246", 3); /* in the order in which they came */
	assert_true(i.len == 3 && !i.maybe && i.batch % 2 == 0 && i.batch);
	assert_int_equal(added(s, samples(8)), 0); /* it comes too late for this INSERT */
	assert_int_equal(spool_next(s, 0, &same), 0);
	assert_true(same.maybe && same.id == i.id && same.len == 3);
	spool_insert_done(&same);
	assert_int_equal(spool_again(s, 0, &i), 0);
	spool_insert_done(&i);
	assert_int_equal(spool_next(s, 0, &i), 0);
	assert_true(i.maybe && i.id != same.id && i.len == 3); /* the same under another id */
	same.id = i.id;
	spool_insert_done(&i);
	assert_int_equal(spool_arrived(s, 0), 0);
	assert_int_equal(spool_next(s, 0, &i), 0);
	assert_true(i.nr_posts == 1 && i.batch == 8 && i.id != same.id);
	spool_insert_done(&i);
	spool_look(s, &look);
	assert_int_equal(look.nr_posts, 4);
	assert_int_equal(look.nr_rows, 12);
}

static void days_and_tables_are_inserts_of_their_own(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(0);
	struct spool_post other_day = samples(4), counts = samples(2), names = samples(0);
	struct spool_insert i;

	(void)state;
	other_day.day = 6;
	counts.table = TABLE_COUNTS;
	names.table = TABLE_FRAMES;
	assert_int_equal(added(s, samples(2)), 0);
	assert_int_equal(added(s, other_day), 0);
	assert_int_equal(added(s, counts), 0); /* the batch of samples, in another table */
	assert_int_equal(added(s, names), 0);
	for (int nr = 0; nr < 4; nr++) {
		assert_int_equal(spool_next(s, 0, &i), 0);
		assert_int_equal(i.nr_posts, 1);
		spool_insert_done(&i);
		assert_int_equal(spool_arrived(s, 0), 0);
	}
	assert_int_equal(spool_next(s, 0, &i), -EAGAIN);
	assert_int_equal(spool_next(s, 1, &i), 0); /* names are for all shards */
	assert_true(i.table == TABLE_FRAMES && i.len == 1 && !i.batch);
	spool_insert_done(&i);
}

static void a_batch_is_taken_once(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(0);
	struct spool_post counts = samples(2), twice[] = {samples(6), samples(6)};
	struct spool_post *const posts[] = {&twice[0], &twice[1]};
	struct spool_insert i;

	(void)state;
	counts.table = TABLE_COUNTS;
	assert_int_equal(added(s, counts), 0);
	assert_false(spool_has(s, TABLE_SAMPLES, 2));
	assert_int_equal(spool_next(s, 0, &i), 0);
	spool_insert_done(&i);
	assert_int_equal(spool_arrived(s, 0), 0);
	assert_false(spool_has(s, TABLE_SAMPLES, 2)); /* that its counts are there says nothing of samples */
	assert_int_equal(added(s, samples(2)), 0);
	assert_int_equal(added(s, samples(2)), -EEXIST);
	assert_true(spool_has(s, TABLE_SAMPLES, 2));
	spool_add(s, posts, 2);
	assert_true(twice[0].result == 0 && twice[1].result == -EEXIST);
	assert_int_equal(spool_next(s, 0, &i), 0);
	assert_int_equal(i.nr_posts, 2);
	spool_insert_done(&i);
	assert_int_equal(spool_arrived(s, 0), 0);
	assert_int_equal(added(s, samples(2)), -EEXIST); /* it has left, and comes late */
	spool_free(steal(s));
	s = opened(0);
	assert_int_equal(added(s, samples(2)), -EEXIST); /* ... also in the next run */
	assert_true(spool_has(s, TABLE_SAMPLES, 2));
	assert_false(spool_has(s, TABLE_SAMPLES, 3));
}

static void arrive(struct spool *s, uint64_t batch)
{
	uint32_t shard = batch % SHARDS;
	struct spool_insert i;

	assert_int_equal(added(s, samples(batch)), 0);
	assert_int_equal(spool_next(s, shard, &i), 0);
	spool_insert_done(&i);
	assert_int_equal(spool_arrived(s, shard), 0);
}

/* However many come meanwhile. */
static void a_batch_that_has_arrived_is_known_for_a_quarter_of_an_hour(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(0);

	(void)state;
	arrive(s, 2);
	for (uint64_t batch = 4; batch < 20; batch += 2)
		arrive(s, batch);
	assert_true(spool_has(s, TABLE_SAMPLES, 2));
	ahead_s[CLOCK_MONOTONIC] += 890;
	arrive(s, 20);
	ahead_s[CLOCK_MONOTONIC] += 20;
	arrive(s, 22);
	ahead_s[CLOCK_MONOTONIC] += 870;
	arrive(s, 24);
	assert_int_equal(added(s, samples(20)), -EEXIST);
	ahead_s[CLOCK_MONOTONIC] += 40;
	arrive(s, 26);
	assert_true(spool_has(s, TABLE_SAMPLES, 22));
	assert_false(spool_has(s, TABLE_SAMPLES, 2)); /* else memory would fill up */
}

static void a_clock_that_was_set_back_makes_nothing_wait(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(3600 * 1000);
	struct spool_insert i;

	(void)state;
	assert_int_equal(added(s, samples(2)), 0);
	assert_int_equal(spool_next(s, 0, &i), -EAGAIN);
	ahead_s[CLOCK_REALTIME] -= 24 * 3600;
	assert_int_equal(spool_next(s, 0, &i), 0);
	assert_int_equal(i.nr_posts, 1);
	spool_insert_done(&i);
}

static void few_rows_wait_for_more(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(3600 * 1000);
	struct spool_post many = samples(4);
	struct spool_insert i;
	int rc;

	(void)state;
	assert_int_equal(added(s, samples(2)), 0);
	assert_int_equal(spool_next(s, 0, &i), -EAGAIN);
	many.nr_rows = SPOOL_ROWS_ENOUGH;
	assert_int_equal(added(s, many), 0);
	while ((rc = spool_next(s, 0, &i)) == -EAGAIN)
		usleep(50000);
	assert_int_equal(rc, 0);
	assert_int_equal(i.nr_posts, 2);
	spool_insert_done(&i);
}

static void an_insert_is_one_block(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(0);
	struct spool_post big = samples(2);
	struct spool_insert i;

	(void)state;
	big.nr_rows = SPOOL_ROWS_MAX - 4;
	assert_int_equal(added(s, big), 0);
	assert_int_equal(added(s, samples(4)), 0);
	assert_int_equal(added(s, samples(6)), 0); /* the third is too many */
	assert_int_equal(spool_next(s, 0, &i), 0);
	assert_int_equal(i.nr_posts, 2);
	assert_int_equal(i.nr_rows, SPOOL_ROWS_MAX - 1);
	spool_insert_done(&i);
}

static void a_full_spool_refuses_and_empties(void **state)
{
	_cleanup_(spool_freep) struct spool *s = opened(0);
	_cleanup_(freep) char *data = calloc(1, 10000);
	struct spool_insert i;
	struct spool_state look;
	uint64_t nr = 0;

	(void)state;
	for (int rc = 0; !rc; nr += !rc) {
		struct spool_post p = samples(2 * nr + 2);

		p.data = data;
		p.len = 10000;
		rc = added(s, p);
		assert_true(!rc || rc == -EDQUOT);
	}
	assert_in_range(nr, BYTES / 10000 / 2, BYTES / 10000);
	spool_look(s, &look);
	assert_true(look.used_bytes <= look.max_bytes && look.nr_posts == nr);
	assert_int_equal(spool_next(s, 0, &i), 0);
	assert_int_equal(i.nr_posts, nr);
	spool_insert_done(&i);
	assert_int_equal(spool_arrived(s, 0), 0);
	assert_int_equal(added(s, samples(3)), 0);
	spool_look(s, &look);
	assert_in_range(look.used_bytes, 1, BYTES / 10);
}

static void a_shard_with_posts_is_not_given_up(void **state)
{
	struct spool *s = opened(0), *other;
	struct dusk_error err;

	(void)state;
	assert_int_equal(added(s, samples(2)), 0);
	assert_int_equal(spool_open(&other, folder, places, SHARDS, BYTES, 0, &err), -EBUSY);
	spool_free(s);
	assert_int_equal(spool_open(&s, folder, places + 1, 1, BYTES, 0, &err), -EEXIST);
	assert_non_null(strstr(err.text, "1 posts for the shard http://one/ dusk"));
	/* The order of shards may change. */
	assert_int_equal(spool_open(&s, folder, (const char *const[]){places[1], places[0]}, 2, BYTES, 0, &err), 0);
	assert_int_equal(spool_next(s, 0, &(struct spool_insert){0}), -EAGAIN);
	spool_free(s);
}

/* ---- Whenever it is killed ---- */

/* What outlives a process: what the shards have, and what was acknowledged to agents. */
static struct world {
	unsigned int there[SHARDS][2 * BATCHES], names[SHARDS];
	bool acknowledged[2 * BATCHES], names_acknowledged;
} *world;

/* A place between what the spool has written and what others know of it, at which the process is killed, too. */
static void may_die(void)
{
	fsync(-1);
}

/* A shard stores an INSERT: one that may have come before is asked for. A post's data says which batch it is. */
static void store(uint32_t shard, const struct spool_insert *i)
{
	if (i->table == TABLE_FRAMES)
		world->names[shard]++;
	else if (!i->maybe || !world->there[shard][i->batch])
		for (size_t k = 0; k < i->len; k++)
			world->there[shard][i->data[k]]++;
}

static void drain(struct spool *s)
{
	for (uint32_t shard = 0; shard < SHARDS; shard++) {
		struct spool_insert i;

		while (!spool_next(s, shard, &i)) {
			may_die();
			store(shard, &i);
			spool_insert_done(&i);
			assert_int_equal(spool_arrived(s, shard), 0);
		}
	}
}

/* An agent posts what was not acknowledged, unless it is there. */
static void post(struct spool *s, uint64_t batch)
{
	uint8_t data = batch;
	struct spool_post p = samples(batch);
	bool there = false;
	int rc;

	for (uint32_t shard = 0; shard < SHARDS; shard++)
		there |= world->there[shard][batch];
	if (world->acknowledged[batch] || there)
		return;
	p.data = &data;
	rc = added(s, p);
	may_die();
	world->acknowledged[batch] = rc == 0;
}

static void live(void)
{
	struct spool *s = opened(0);
	struct spool_post names = samples(0);

	names.table = TABLE_FRAMES;
	for (uint64_t batch = 1; batch < BATCHES; batch++) {
		post(s, batch);
		if (batch == 2)
			world->names_acknowledged = !added(s, names);
		if (batch % 3 == 0)
			drain(s);
	}
	drain(s);
	spool_free(s);
}

/* System calls that change a file stop this process, which is traced. */
static void stop_at_changes(void)
{
	static const int changes[] = {SYS_write,     SYS_pwrite64,  SYS_fsync, SYS_fdatasync,
				      SYS_ftruncate, SYS_fallocate, SYS_openat};
	const size_t nr = sizeof(changes) / sizeof(changes[0]);
	struct sock_filter code[16] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {.len = nr + 3, .filter = code};

	for (size_t i = 0; i < nr; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, changes[i], nr - i, 0);
	code[nr + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[nr + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
}

/* Let a process live, and kill it right before the change number @nr. Returns false if it has ended before. */
static bool killed_at(unsigned int nr)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		stop_at_changes();
		live();
		_exit(0);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL);
	for (unsigned int i = 0; WIFSTOPPED(status) && i <= nr; i++) {
		ptrace(PTRACE_CONT, child, 0, 0);
		waitpid(child, &status, 0);
	}
	if (!WIFSTOPPED(status)) {
		assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
		return false;
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return true;
}

/* Batches that were acknowledged, or @all, are with their shard, once. */
static void check_batches(unsigned int nr, bool all)
{
	for (uint64_t batch = 1; batch < BATCHES; batch++) {
		unsigned int there = world->there[batch % SHARDS][batch],
			     other = world->there[(batch + 1) % SHARDS][batch];

		if (other || there > 1 || (!there && (all || world->acknowledged[batch])))
			fail_msg("killed at change %u: batch %d is there %u times", nr, (int)batch, there + other);
	}
}

/* The next process takes over, and agents go on. */
static void check_world(unsigned int nr)
{
	struct spool *s = opened(0);

	drain(s);
	check_batches(nr, false);
	for (uint32_t shard = 0; shard < SHARDS && world->names_acknowledged; shard++)
		assert_int_not_equal(world->names[shard], 0);
	for (uint64_t batch = 1; batch < BATCHES; batch++)
		post(s, batch);
	drain(s);
	check_batches(nr, true);
	spool_free(s);
}

static void a_kill_loses_and_doubles_nothing(void **state)
{
	unsigned int nr = 0;
	bool killed = true;

	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(world != MAP_FAILED);
	for (; killed; nr++) {
		empty_folder(state);
		memset(world, 0, sizeof(*world));
		killed = killed_at(nr);
		check_world(nr);
	}
	print_message("killed before each of %u changes of files\n", nr - 1);
	assert_true(nr > 100);
	munmap(world, sizeof(*world));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(posts_of_a_shard_leave_as_one_insert, empty_folder),
		cmocka_unit_test_setup(days_and_tables_are_inserts_of_their_own, empty_folder),
		cmocka_unit_test_setup(a_batch_is_taken_once, empty_folder),
		cmocka_unit_test_setup(a_batch_that_has_arrived_is_known_for_a_quarter_of_an_hour, empty_folder),
		cmocka_unit_test_setup(a_clock_that_was_set_back_makes_nothing_wait, empty_folder),
		cmocka_unit_test_setup(few_rows_wait_for_more, empty_folder),
		cmocka_unit_test_setup(an_insert_is_one_block, empty_folder),
		cmocka_unit_test_setup(a_full_spool_refuses_and_empties, empty_folder),
		cmocka_unit_test_setup(a_shard_with_posts_is_not_given_up, empty_folder),
		cmocka_unit_test_setup(a_kill_loses_and_doubles_nothing, empty_folder),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_folder);
}
