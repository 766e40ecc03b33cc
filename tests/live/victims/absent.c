/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * absent [-w] FILE ROUNDS [FUNCTION]...: threads that leave the CPU in known ways, each in a function of its own ROUNDS
 * times (or so often that it takes as long), below main or start_thread, follow, 20 times dive, and measure. FILE
 * (truth.h) says for how long each was away. A partner wakes it where it does not wake by itself. Files for its disk
 * are made in the working directory. -w: all threads stay until standard input ends, so that names can be looked up then.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "truth.h"

#define NAP_NS 3000000UL /* what most off-CPU intervals take */
#define SHORT_NS 100000UL
#define DEPTH 20
#define PAGE 4096UL
#define PIPE_BYTES 65536
#define PARTS 16 /* off-CPU intervals in one call */
#define FILE_BYTES (4UL << 20)

volatile unsigned long sink;
static int rounds, stay;
static sem_t finished, end;

/* Begins with data: a function there looks like the caller if a register is taken that points here for a frame
 * pointer. */
struct path {
	int ends[2];
	char *memory;
	const char *function;
	void (*block)(struct path *p);
	void (*partner)(struct path *p);
	int (*prepare)(struct path *p);
	unsigned int word;
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	sem_t held, released;
	struct watch watch;
};

static char data[(PARTS + 1) * PIPE_BYTES];

KNOWN void nap(void)
{
	sleep_ns(NAP_NS);
	sink++;
}

/* The clock, and nobody else, ends it. */
KNOWN void block_in_nanosleep(struct path *p)
{
	for (int i = 0; i < rounds; i++)
		sleep_ns(NAP_NS);
	sink++;
}

KNOWN void block_in_short_sleep(struct path *p)
{
	for (int i = 0; i < rounds * 10; i++)
		sleep_ns(SHORT_NS);
	sink++;
}

KNOWN void block_in_poll(struct path *p)
{
	for (int i = 0; i < rounds; i++)
		poll(NULL, 0, NAP_NS / 1000000);
	sink++;
}

/* Another thread ends it. */
KNOWN void block_in_futex(struct path *p)
{
	for (unsigned int i = 0; i < rounds; i++)
		while (__atomic_load_n(&p->word, __ATOMIC_ACQUIRE) == i)
			syscall(SYS_futex, &p->word, FUTEX_WAIT_PRIVATE, i, NULL, NULL, 0);
	sink++;
}

static void wake_futex(struct path *p)
{
	for (int i = 0; i < rounds; i++) {
		nap();
		__atomic_add_fetch(&p->word, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &p->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

KNOWN void block_in_mutex(struct path *p)
{
	for (int i = 0; i < rounds; i++) {
		sem_wait(&p->held);
		pthread_mutex_lock(&p->mutex);
		pthread_mutex_unlock(&p->mutex);
		sem_post(&p->released);
	}
	sink++;
}

static void hold_mutex(struct path *p)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&p->mutex);
		sem_post(&p->held);
		nap();
		pthread_mutex_unlock(&p->mutex);
		sem_wait(&p->released);
	}
}

KNOWN void block_in_condition(struct path *p)
{
	pthread_mutex_lock(&p->mutex);
	for (unsigned int i = 0; i < rounds; i++)
		while (p->word == i)
			pthread_cond_wait(&p->condition, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
	sink++;
}

static void signal_condition(struct path *p)
{
	for (int i = 0; i < rounds; i++) {
		nap();
		pthread_mutex_lock(&p->mutex);
		p->word++;
		pthread_cond_signal(&p->condition);
		pthread_mutex_unlock(&p->mutex);
	}
}

static int prepare_locks(struct path *p)
{
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->condition, NULL);
	sem_init(&p->held, 0, 0);
	sem_init(&p->released, 0, 0);
	return 0;
}

KNOWN void block_in_pipe(struct path *p)
{
	char c;

	for (int i = 0; i < rounds; i++)
		if (read(p->ends[0], &c, 1) != 1)
			exit(1);
	sink++;
}

KNOWN void block_in_socket(struct path *p)
{
	char c;

	for (int i = 0; i < rounds; i++)
		if (recv(p->ends[0], &c, 1, 0) != 1)
			exit(1);
	sink++;
}

static void feed(struct path *p)
{
	for (int i = 0; i < rounds; i++) {
		nap();
		if (write(p->ends[1], "x", 1) != 1)
			exit(1);
	}
}

static int prepare_pipe(struct path *p)
{
	return pipe2(p->ends, O_CLOEXEC) || fcntl(p->ends[1], F_SETPIPE_SZ, PIPE_BYTES) != PIPE_BYTES ? -1 : 0;
}

static int prepare_socket(struct path *p)
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, p->ends);
}

/* One call, and PARTS off-CPU intervals: the pipe takes a part at once, and each other one when it is empty again. */
KNOWN void block_in_big_write(struct path *p)
{
	for (int i = 0; i < rounds; i += PARTS)
		if (write(p->ends[1], data, (PARTS + 1) * PIPE_BYTES) != (PARTS + 1) * PIPE_BYTES)
			exit(1);
	sink++;
}

static void drain(struct path *p)
{
	static char part[PIPE_BYTES];

	for (int i = 0; i < rounds; i += PARTS)
		for (int n = 0, left = (PARTS + 1) * PIPE_BYTES; left; left -= n) {
			nap();
			n = read(p->ends[0], part, sizeof(part));
			if (n <= 0)
				exit(1);
		}
}

/* The same, reading. */
KNOWN void block_in_big_read(struct path *p)
{
	static char all[PARTS];

	for (int i = 0; i < rounds; i += PARTS)
		if (recv(p->ends[0], all, sizeof(all), MSG_WAITALL) != sizeof(all))
			exit(1);
	sink++;
}

static void feed_parts(struct path *p)
{
	for (int i = 0; i < (rounds + PARTS - 1) / PARTS * PARTS; i++) {
		nap();
		if (write(p->ends[1], "x", 1) != 1)
			exit(1);
	}
}

/* A disk ends it. */
KNOWN void block_in_fsync(struct path *p)
{
	for (int i = 0; i < rounds; i++)
		if (pwrite(p->ends[0], &i, sizeof(i), 0) != sizeof(i) || fsync(p->ends[0]))
			exit(1);
	sink++;
}

KNOWN void block_in_file_read(struct path *p)
{
	static char read_back[FILE_BYTES];

	for (int i = 0; i < rounds; i++) {
		posix_fadvise(p->ends[0], 0, 0, POSIX_FADV_DONTNEED);
		if (pread(p->ends[0], read_back, FILE_BYTES, 0) != FILE_BYTES)
			exit(1);
	}
	sink++;
}

KNOWN void block_in_fault(struct path *p)
{
	unsigned long sum = 0;

	for (int i = 0; i < rounds; i++) {
		madvise(p->memory, FILE_BYTES, MADV_DONTNEED);
		posix_fadvise(p->ends[0], 0, 0, POSIX_FADV_DONTNEED);
		for (unsigned long at = 0; at < 16 * PAGE; at += PAGE)
			sum += ((volatile char *)p->memory)[at];
	}
	sink += sum;
}

static int prepare_file(struct path *p)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.data", p->function);
	p->ends[0] = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	unlink(name);
	for (unsigned long at = 0; at < FILE_BYTES; at += PIPE_BYTES)
		if (pwrite(p->ends[0], data, PIPE_BYTES, at) != PIPE_BYTES)
			return -1;
	p->memory = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, p->ends[0], 0);
	return p->memory == MAP_FAILED || fsync(p->ends[0]) || madvise(p->memory, FILE_BYTES, MADV_RANDOM) ? -1 : 0;
}

/* A page that another thread brings. */
KNOWN void block_in_userfault(struct path *p)
{
	for (int i = 0; i < rounds; i++)
		sink += ((volatile char *)p->memory)[i * PAGE];
}

static void bring_pages(struct path *p)
{
	struct uffd_msg message;

	for (int i = 0; i < rounds; i++) {
		struct uffdio_zeropage page = {.range = {.len = PAGE}};

		if (read(p->ends[0], &message, sizeof(message)) != sizeof(message))
			exit(1);
		nap();
		page.range.start = message.arg.pagefault.address & -PAGE;
		if (ioctl(p->ends[0], UFFDIO_ZEROPAGE, &page))
			exit(1);
	}
}

static int prepare_userfault(struct path *p)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.mode = UFFDIO_REGISTER_MODE_MISSING, .range = {.len = rounds * PAGE}};

	p->memory = mmap(NULL, rounds * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.range.start = (unsigned long)p->memory;
	madvise(p->memory, rounds * PAGE, MADV_NOHUGEPAGE);
	p->ends[0] = syscall(SYS_userfaultfd, O_CLOEXEC);
	return p->ends[0] < 0 || ioctl(p->ends[0], UFFDIO_API, &api) || ioctl(p->ends[0], UFFDIO_REGISTER, &area);
}

/* A child ends it. */
KNOWN void block_in_wait(struct path *p)
{
	for (int i = 0; i < rounds; i++) {
		pid_t child = fork();

		if (!child) {
			nap();
			_exit(0);
		}
		if (waitpid(child, NULL, 0) != child)
			exit(1);
	}
	sink++;
}

KNOWN void block_in_vfork(struct path *p)
{
	for (volatile int i = 0; i < rounds; i++) {
		pid_t child = vfork();

		if (!child) {
			nap();
			_exit(0);
		}
		if (waitpid(child, NULL, 0) != child)
			exit(1);
	}
	sink++;
}

/* Its partner stops it, and lets it go on: the threads of a process share that, so it is a process. */
KNOWN void block_in_stop(struct path *p)
{
	for (int i = 0; i < rounds; i++)
		raise(SIGSTOP);
	sink++;
}

static void spin(void)
{
	unsigned long end = now_ns() + rounds * NAP_NS;

	while (now_ns() < end)
		sink++;
}

/* Nothing ends it but its turn. */
KNOWN void be_preempted(struct path *p)
{
	spin();
	sink++;
}

static void preempt(struct path *p)
{
	spin();
}

static void stay_on_a_cpu(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static struct path paths[] = {
#define PATH(name, ...) {.function = #name, .block = name, ##__VA_ARGS__}
	PATH(block_in_nanosleep),
	PATH(block_in_short_sleep),
	PATH(block_in_poll),
	PATH(block_in_futex, .partner = wake_futex),
	PATH(block_in_mutex, .partner = hold_mutex, .prepare = prepare_locks),
	PATH(block_in_condition, .partner = signal_condition, .prepare = prepare_locks),
	PATH(block_in_pipe, .partner = feed, .prepare = prepare_pipe),
	PATH(block_in_socket, .partner = feed, .prepare = prepare_socket),
	PATH(block_in_big_write, .partner = drain, .prepare = prepare_pipe),
	PATH(block_in_big_read, .partner = feed_parts, .prepare = prepare_socket),
	PATH(block_in_fsync, .prepare = prepare_file),
	PATH(block_in_file_read, .prepare = prepare_file),
	PATH(block_in_fault, .prepare = prepare_file),
	PATH(block_in_userfault, .partner = bring_pages, .prepare = prepare_userfault),
	PATH(block_in_wait),
	PATH(block_in_vfork),
	PATH(block_in_stop),
	PATH(be_preempted, .partner = preempt),
};
#define NR_PATHS (sizeof(paths) / sizeof(paths[0]))

KNOWN void measure(struct path *p)
{
	struct moment before = moment_before(&p->watch);

	p->block(p);
	tell_truth(p->function, &p->watch, &before);
}

KNOWN void dive(struct path *p, int left)
{
	if (left > 1)
		dive(p, left - 1);
	else
		measure(p);
	sink++;
}

static void finish(void)
{
	sem_post(&finished);
	if (stay)
		sem_wait(&end);
}

KNOWN void *follow(void *arg)
{
	struct path *p = arg;

	if (p->block == be_preempted)
		stay_on_a_cpu();
	watch_me(&p->watch);
	dive(p, DEPTH);
	tell_life(&p->watch);
	finish();
	return NULL;
}

static void *help(void *arg)
{
	struct path *p = arg;

	if (p->block == be_preempted)
		stay_on_a_cpu();
	p->partner(p);
	finish();
	return NULL;
}

/* A process that follows @p, and is let go on NAP_NS after each time it stops. */
static void follow_in_process(struct path *p)
{
	pid_t child = fork();
	int status;

	if (!child) {
		stay = 0;
		follow(p);
		_exit(0);
	}
	while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
		nap();
		kill(child, SIGCONT);
	}
}

static void *follow_stopped(void *arg)
{
	follow_in_process(arg);
	finish();
	return NULL;
}

static int is_wanted(const struct path *p, char **names)
{
	for (char **name = names; *name; name++)
		if (!strcmp(p->function, *name))
			return 1;
	return !*names;
}

static int start(struct path *p)
{
	void *(*first)(void *) = p->block == block_in_stop ? follow_stopped : follow;
	pthread_t thread;

	return pthread_create(&thread, NULL, first, p) || (p->partner && pthread_create(&thread, NULL, help, p));
}

int main(int argc, char **argv)
{
	size_t nr = 0;
	char c;

	stay = argc > 1 && !strcmp(argv[1], "-w");
	argc -= stay;
	argv += stay;
	if (argc < 3 || open_truth(argv[1]))
		return 2;
	rounds = atoi(argv[2]);
	for (struct path *p = paths; p < paths + NR_PATHS; p++) {
		if (!is_wanted(p, argv + 3))
			continue;
		if (p->prepare && p->prepare(p))
			fprintf(stderr, "%s: %s\n", p->function, strerror(errno));
		else if (start(p))
			return 1;
		else
			nr += 1 + !!p->partner;
	}
	while (nr--)
		sem_wait(&finished);
	if (stay)
		say_ready();
	while (stay && read(0, &c, 1) > 0)
		;
	return 0;
}
