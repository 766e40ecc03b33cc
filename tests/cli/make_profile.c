/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a small profile whose every view is known, for the tests of the command. usage: make_profile FILE [N [off]]
 *
 * Twenty samples: three processes, a recursion, the kernel, code without a symbol, a thread without a stack, one cut
 * short. With N: that many stacks more, each four times, for tests of size. With a third word also off-CPU intervals
 * from the CPU, four and a sum of forty, and the lives of two threads, in the second of which 10 of 150 ms are missing.
 * If that word is "pool": also two threads that wait for work, one that waits for a lock, one that works now and then,
 * and a program in C++ with a long name that calls itself.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/offcpu.h"
#include "abi/outcome.h"
#include "lib/profile/write/write.h"

static const char functions[] = "insert into image(id,name) values(1,'xz'),(2,'libc.so.6'),(3,'my app'),(4,'[kernel]');"
				"insert into function(id,name,symbol,image) values"
				"(1,'main','main',1),(2,'code','code',1),(3,'match','match',1),(4,'memcpy','memcpy',2),"
				"(5,'(anonymous namespace)::run(int)','run',3),(6,'vfs_read','vfs_read',4),"
				"(7,'worker_thread','worker_thread',4),(8,'start','start',3);"
				"update frame set function=1 where offset=4096;"
				"update frame set function=2 where offset=8192;"
				"update frame set function=3 where offset=12288;"
				"update frame set function=4 where offset=20480;"
				"update frame set function=5, function_offset=31 where offset=24576;"
				"update frame set function=8 where offset=32768;"
				"update frame set function=6 where offset=-2130706432;"
				"update frame set function=7 where offset=-2130706176;"
				"insert or replace into setting values('symbolized','1');";

static const char off_cpu_functions[] =
	"insert into function(id,name,symbol,image) values(9,'schedule','schedule',4),(10,'futex_wait','futex_wait',4);"
	"update frame set function=9 where offset=-2130705920;"
	"update frame set function=10 where offset=-2130705664;";

#define CXX_NAME                                                                             \
	"std::__detail::_Executor<__gnu_cxx::__normal_iterator<char const*, std::string >, " \
	"std::allocator<std::sub_match<char const*> >, true>::_M_dfs(std::__detail::_Match_mode, long)"

static const char pool_functions[] =
	"insert into function(id,name,symbol,image) values(11,'pthread_cond_wait','pthread_cond_wait',2),"
	"(12,'pthread_mutex_lock','pthread_mutex_lock',2),(13,'" CXX_NAME "','_ZNSt8',3);"
	"update frame set function=11 where offset=20736;"
	"update frame set function=12 where offset=20992;"
	"update frame set function=13 where offset between 40960 and 40976;";

static struct profile_writer *writer;
static uint64_t nr_samples;

static void sample(uint32_t nr, uint32_t thread, uint32_t node, uint8_t outcome)
{
	while (nr--) {
		struct dusk_sample s = {
			.time_ns = nr_samples * 10000000,
			.thread = thread,
			.node = node,
			.cpu = nr_samples % 2,
			.outcome = outcome,
		};

		profile_sample(writer, &s);
		nr_samples++;
	}
}

static uint32_t module(enum dusk_module_kind kind, const char *path, uint64_t ino)
{
	const char *build_id = ino == 1 ? "0123456789abcdef0123456789abcdef01234567" : "";
	struct dusk_module m = {kind, 100, path, build_id, 1, ino, 0};

	return profile_module(writer, &m);
}

static uint32_t node(uint32_t parent, uint32_t of, uint64_t offset)
{
	return profile_node(writer, parent, profile_frame(writer, of, offset, true, DUSK_BY_CFI));
}

static void known(void)
{
	uint32_t xz = module(DUSK_MODULE_FILE, "/usr/bin/xz", 1),
		 libc = module(DUSK_MODULE_FILE, "/usr/lib/libc.so.6", 2);
	uint32_t app = module(DUSK_MODULE_FILE, "/opt/my app", 3), kernel = module(DUSK_MODULE_KERNEL, "[kernel]", 0);
	uint32_t t1 = profile_thread(writer, 100, 100, "xz"), t2 = profile_thread(writer, 200, 201, "my app");
	uint32_t t3 = profile_thread(writer, 300, 300, "kworker/0:1");
	uint32_t xz_main = node(0, xz, 0x1000), xz_code = node(xz_main, xz, 0x2000);
	uint32_t start = node(0, app, 0x8000), run = node(start, app, 0x6000);

	sample(6, t1, node(node(node(xz_code, xz, 0x3000), xz, 0x2000), xz, 0x3000), UNDEFINED_RA);
	sample(2, t1, node(xz_code, libc, 0x5000), UNDEFINED_RA);
	sample(1, t1, node(xz_code, libc, 0x1234), UNDEFINED_RA);
	sample(1, t1, node(0, libc, 0x1234), NO_FDE);
	sample(4, t2, node(run, kernel, 0xffffffff81000000), UNDEFINED_RA);
	sample(1, t2, 0, EXITING);
	sample(5, t3, node(0, kernel, 0xffffffff81000100), KERNEL_THREAD);
}

/* Returns its number. */
static uint64_t interval(uint32_t end_ms, uint32_t thread, uint32_t node, enum offcpu_reason state, uint32_t ms,
			 uint32_t runnable_ms, uint32_t nr)
{
	struct dusk_sample s = {
		.time_ns = end_ms * 1000000ULL,
		.thread = thread,
		.node = node,
		.outcome = UNDEFINED_RA,
		.cpu = nr > 1 ? DUSK_NO_CPU : 1,
		.source = DUSK_OFF_CPU,
		.state = state,
		.value_ns = ms * 1000000ULL,
		.runnable_ns = runnable_ms * 1000000ULL,
		.count = nr,
	};
	uint64_t number;

	number = profile_new_interval(writer);
	profile_interval(writer, &s, number);
	return number;
}

static void off_cpu(void)
{
	uint32_t xz = module(DUSK_MODULE_FILE, "/usr/bin/xz", 1), app = module(DUSK_MODULE_FILE, "/opt/my app", 3);
	uint32_t kernel = module(DUSK_MODULE_KERNEL, "[kernel]", 0);
	uint32_t t1 = profile_thread(writer, 100, 100, "xz"), t2 = profile_thread(writer, 200, 201, "my app");
	uint32_t code = node(node(0, xz, 0x1000), xz, 0x2000), start = node(0, app, 0x8000);
	uint32_t read = node(node(code, kernel, 0xffffffff81000000), kernel, 0xffffffff81000200);
	uint32_t futex = node(node(start, kernel, 0xffffffff81000300), kernel, 0xffffffff81000200);

	interval(40, t1, read, OFFCPU_UNINTERRUPTIBLE, 20, 0, 1);
	interval(75, t1, read, OFFCPU_SLEEPING, 30, 1, 1);
	profile_waker(writer,
		      &(struct dusk_waker){.node = node(0, kernel, 0xffffffff81000100), .kind = DUSK_WAKER_INTERRUPT},
		      interval(120, t1, read, OFFCPU_SLEEPING, 10, 0, 1));
	profile_waker(writer, &(struct dusk_waker){.node = code, .thread = t1, .kind = DUSK_WAKER_TASK},
		      interval(160, t2, futex, OFFCPU_SLEEPING, 100, 0, 1));
	interval(200, t1, code, OFFCPU_PREEMPTED, 4, 4, 40);
	profile_thread_times(writer, &(struct dusk_thread_times){t1, 0, 200000000, 136000000, 5000000, 59000000, 43});
	profile_thread_times(writer, &(struct dusk_thread_times){t2, 50000000, 200000000, 40000000, 0, 100000000, 1});
}

static void waits(pid_t tid, const char *comm, uint32_t node, uint32_t ms)
{
	uint32_t thread = profile_thread(writer, 400, tid, comm);

	interval(200, thread, node, OFFCPU_SLEEPING, ms, 0, 1);
	profile_thread_times(writer, &(struct dusk_thread_times){thread, 0, 200000000, 200000000 - ms * 1000000ULL, 0,
								 ms * 1000000ULL, 1});
}

static void pool(void)
{
	uint32_t libc = module(DUSK_MODULE_FILE, "/usr/lib/libc.so.6", 2),
		 app = module(DUSK_MODULE_FILE, "/opt/my app", 3);
	uint32_t kernel = module(DUSK_MODULE_KERNEL, "[kernel]", 0), start = node(0, app, 0x8000);
	uint32_t wait = node(node(start, libc, 0x5100), kernel, 0xffffffff81000300);
	uint32_t lock = node(node(start, libc, 0x5200), kernel, 0xffffffff81000300), at = start;

	waits(401, "pool", wait, 200);
	waits(402, "pool", wait, 199);
	waits(403, "stuck", lock, 200);
	waits(404, "busy", wait, 190);
	for (uint32_t i = 0; i < 3; i++)
		at = node(at, app, 0xa000 + 8 * i);
	sample(3, profile_thread(writer, 500, 500, "cxx"), node(at, libc, 0x5000), UNDEFINED_RA);
	sample(1, profile_thread(writer, 500, 500, "cxx"), at, UNDEFINED_RA);
}

static void many(uint32_t nr)
{
	uint32_t of = module(DUSK_MODULE_FILE, "/usr/bin/xz", 1), thread = profile_thread(writer, 100, 100, "xz"),
		 at = 0;

	for (uint32_t i = 0; i < nr; i++) {
		at = i % 32 ? at : 0;
		at = node(at, of, 0x100000 + i % 32 * 64 + i / 1024 * 4096);
		sample(4, thread, at, UNDEFINED_RA);
	}
}

static int add_functions(const char *path, const char *sql)
{
	char *message = NULL;
	sqlite3 *db;
	int failed = sqlite3_open(path, &db) || sqlite3_exec(db, sql, NULL, NULL, &message);

	if (failed)
		fprintf(stderr, "%s\n", message ? message : sqlite3_errmsg(db));
	sqlite3_free(message);
	return sqlite3_close(db) || failed;
}

int main(int argc, char **argv)
{
	struct dusk_error err = {""};

	if (argc < 2 || profile_create(&writer, argv[1], -1, -1, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	profile_set(writer, "command", "make all");
	profile_set(writer, "hostname", "box");
	profile_set(writer, "event", "cpu-clock");
	profile_set(writer, "frequency_hz", "100");
	profile_set(writer, "stackmap_bits", "14");
	profile_set(writer, "stackmap_epochs", "3");
	profile_set(writer, "stackmap_full", "7");
	profile_set(writer, "stackmap_contended", "1");
	profile_set(writer, "stackmap_raced", "2");
	profile_set(writer, "stackmap_successes", "192");
	profile_set(writer, "stackmap_probes", "90 6 3 1 0 0 0 92");
	known();
	if (argc > 2)
		many(atoi(argv[2]));
	if (argc > 3)
		off_cpu();
	if (argc > 3 && !strcmp(argv[3], "pool"))
		pool();
	profile_counter(writer, "lost-samples", "sample events lost: the ring buffer was full", 3);
	profile_counter(writer, "walks", "stacks walked", 14);
	if (profile_close(writer, true, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return add_functions(argv[1], functions) || (argc > 3 && add_functions(argv[1], off_cpu_functions)) ||
	       (argc > 3 && !strcmp(argv[3], "pool") && add_functions(argv[1], pool_functions));
}
