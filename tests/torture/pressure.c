/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks and tables that are not in memory, memory that runs out, and threads that work or wait in the kernel. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "victim.h"

#define PAGE 4096UL
#define WORKERS 3
#define STACK_BYTES (1 << 17)
#define FILE_BYTES (64 << 20)
#define LIMIT "16777216"
#define TOO_MUCH (24 << 20)
#define NR_REQUESTS 8
#define STALLED 3000
#define PIPE_BYTES (1 << 16)

/* Drop the unwind tables of the program or library that @address is in, and what follows them. */
INLINE void evict_tables(void *address)
{
	struct dl_find_object found;
	char *start;

	if (_dl_find_object(address, &found))
		return;
	start = (char *)((uintptr_t)found.dlfo_eh_frame & -PAGE);
	madvise(start, (char *)found.dlfo_map_end - start, MADV_PAGEOUT);
}

/* Where the stacks are, and the file that keeps them. */
static char *stacks;
static int stacks_fd;

KNOWN void evict(void)
{
	struct truth_entry *e = truth_begin();

	evict_tables(evict);
	evict_tables(madvise);
	msync(stacks, WORKERS * STACK_BYTES, MS_ASYNC);
	madvise(stacks, WORKERS * STACK_BYTES, dice(2) ? MADV_PAGEOUT : MADV_DONTNEED);
	posix_fadvise(stacks_fd, 0, 0, POSIX_FADV_DONTNEED);
	burn_cycles(dice(20000));
	truth_end(e);
}

void scenario_pageout(void)
{
	pthread_t thread[WORKERS];

	stacks_fd = make_file("stacks", WORKERS * STACK_BYTES);
	stacks = mmap(NULL, WORKERS * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, stacks_fd, 0);
	if (stacks == MAP_FAILED)
		cannot("map the stacks");
	for (int i = 0; i < WORKERS; i++)
		thread[i] = start_thread(USUAL | ANY(evict), -1, stacks + i * STACK_BYTES, STACK_BYTES);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
}

static char *large;

/* Read more than fits below the limit, so that something else has to go. */
KNOWN void reread(void)
{
	struct truth_entry *e = truth_begin();
	unsigned long from = dice(FILE_BYTES / PAGE - 512) * PAGE;

	for (unsigned long i = 0; i < 512; i++)
		sink += large[from + i * PAGE];
	truth_end(e);
}

/* Ask for more than there is, now and then. */
KNOWN void fill(void)
{
	struct truth_entry *e = truth_begin();
	size_t bytes = dice(20) ? 1 << 20 : TOO_MUCH;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; p != MAP_FAILED && i < bytes; i += PAGE)
		p[i] = 1;
	munmap(p, bytes);
	truth_end(e);
}

static pid_t start_limited(void)
{
	pid_t pid = start_worker(ANY(burn) | ANY(touch) | ANY(reread) | ANY(fill), -1);
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	write_cgroup("cgroup.procs", number);
	return pid;
}

void scenario_limit(void)
{
	bool v2 = make_cgroup("memory.max");
	pid_t worker[WORKERS], dead;
	int fd;

	if (!v2 && !make_cgroup("memory.limit_in_bytes"))
		cannot("make a memory cgroup");
	if (write_cgroup(v2 ? "memory.max" : "memory.limit_in_bytes", LIMIT))
		cannot("limit memory");
	/* The log counts as our memory, as we touch it first. */
	madvise(truth, sizeof(*truth), MADV_POPULATE_WRITE);
	fd = make_file("large", FILE_BYTES);
	large = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	for (int i = 0; i < WORKERS; i++)
		worker[i] = start_limited();
	while (!time_is_up()) {
		nap_us(900);
		dead = waitpid(-1, NULL, WNOHANG);
		for (int i = 0; i < WORKERS; i++)
			if (worker[i] == dead)
				worker[i] = start_limited();
	}
	for (int i = 0; i < WORKERS; i++)
		end_worker(worker[i]);
	remove_cgroup();
}

/* An io_uring, as far as we use it. */
static struct {
	int fd, file;
	bool polled;
	unsigned int mask, *tail, *head, *flags, *array, *cq_tail, *cq_head;
	struct io_uring_sqe *sqes;
} ring;

static void make_ring(bool polled)
{
	struct io_uring_params p = {.flags = polled ? IORING_SETUP_SQPOLL : 0, .sq_thread_idle = 1};
	char *sq, *cq;

	ring.polled = polled;
	ring.file = make_file("read", FILE_BYTES);
	ring.fd = syscall(SYS_io_uring_setup, NR_REQUESTS, &p);
	if (ring.fd < 0)
		cannot("make an io_uring");
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
		  IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED,
		  ring.fd, IORING_OFF_CQ_RING);
	ring.sqes = mmap(NULL, p.sq_entries * sizeof(*ring.sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
			 IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || ring.sqes == MAP_FAILED)
		cannot("map an io_uring");
	ring.mask = p.sq_entries - 1;
	ring.tail = (void *)(sq + p.sq_off.tail);
	ring.head = (void *)(sq + p.sq_off.head);
	ring.flags = (void *)(sq + p.sq_off.flags);
	ring.array = (void *)(sq + p.sq_off.array);
	ring.cq_tail = (void *)(cq + p.cq_off.tail);
	ring.cq_head = (void *)(cq + p.cq_off.head);
}

/* Reads that others do for us. */
KNOWN void submit(void)
{
	struct truth_entry *e = truth_begin();
	static char bytes[NR_REQUESTS][1 << 16];
	unsigned int tail = *ring.tail, flags = IORING_ENTER_GETEVENTS;

	for (int i = 0; i < NR_REQUESTS; i++) {
		unsigned int slot = (tail + i) & ring.mask;

		ring.sqes[slot] = (struct io_uring_sqe){
			.opcode = IORING_OP_READ,
			.flags = IOSQE_ASYNC,
			.fd = ring.file,
			.addr = (uintptr_t)bytes[i],
			.len = sizeof(bytes[i]),
			.off = dice(FILE_BYTES / PAGE - 16) * PAGE,
		};
		ring.array[slot] = slot;
	}
	__atomic_store_n(ring.tail, tail + NR_REQUESTS, __ATOMIC_SEQ_CST);
	if (ring.polled && __atomic_load_n(ring.flags, __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP)
		flags |= IORING_ENTER_SQ_WAKEUP;
	syscall(SYS_io_uring_enter, ring.fd, NR_REQUESTS, NR_REQUESTS, flags, NULL, 0);
	__atomic_store_n(ring.cq_head, __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	truth_end(e);
}

static pid_t start_submitter(bool polled)
{
	pid_t pid = fork_victim();

	if (pid)
		return pid;
	make_ring(polled);
	run_some(ANY(burn) | ANY(submit), -1);
	truth_note(TRUTH_DOOM, place.pid);
	_exit(0);
}

void scenario_workers(void)
{
	pid_t child[2] = {start_submitter(false), start_submitter(true)};
	int status;

	for (int i = 0; i < 2; i++)
		if (waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) && WEXITSTATUS(status))
			exit(WEXITSTATUS(status));
}

/* A pipe for each thread, which fills it and waits until somebody reads. */
static int pipes[STALLED][2];
static unsigned int nr_pipes;

/* Long enough in the kernel to be sampled there, and then blocked in the same call. */
KNOWN void stall(void)
{
	static __thread unsigned int mine;
	struct truth_entry *e = truth_begin();
	char *p = mmap(NULL, 2 * PIPE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!mine)
		mine = __atomic_add_fetch(&nr_pipes, 1, __ATOMIC_RELAXED);
	sink += write(pipes[mine - 1][1], p, PIPE_BYTES + 1);
	munmap(p, 2 * PIPE_BYTES);
	truth_end(e);
}

void scenario_pending(void)
{
	struct rlimit files = {2 * STALLED + 64, 2 * STALLED + 64};
	char bytes[PIPE_BYTES];

	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 0; i < STALLED; i++)
		if (pipe2(pipes[i], O_CLOEXEC) || fcntl(pipes[i][0], F_SETFL, O_NONBLOCK))
			cannot("make pipes");
	for (int i = 0; i < STALLED; i++)
		start_thread(ANY(stall), -1, NULL, STACK_BYTES / 2);
	for (int i = 0; !time_is_up(); i = (i + 1) % STALLED) {
		while (read(pipes[i][0], bytes, sizeof(bytes)) > 0)
			;
		if (i == 0)
			nap_us(300000);
	}
}
