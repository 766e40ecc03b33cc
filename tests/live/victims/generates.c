/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Generated code in memory of a KIND that is used again, as its WORDS say:
 *
 *	generates KIND dump|map|both again|once|fork|grandchild
 *	KIND: private|shared|sysv|memfd|private_memfd|shm|huge|zero
 *
 * main calls run_generated(), which calls first_generated() or second_generated() at one address, which call burn_first()
 * or burn_second(): so a stack says itself which of the two it was. "again": they take turns, a second each. "fork": the
 * code is run by a child only. With "both" the dump has first_generated, and the map second_generated, elsewhere.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include "victim.h"
#include "victim_code.h"

#define BYTES 65536
#define SECOND_AT 4096 /* where "both" has the other one */

volatile unsigned long sink;

static const unsigned char code[] = CALLS_ARGUMENT;
static FILE *dump, *map;

KNOWN void burn_first(void)
{
	BURN(200000);
}

KNOWN void burn_second(void)
{
	BURN(200000);
}

KNOWN void run_generated(void (*generated)(void (*)(void)), void (*burn)(void))
{
	generated(burn);
	sink++;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The same memory twice: *@ret is to be written, the result is executable. */
static char *mapped_twice(int fd, char **ret)
{
	if (fd < 0 || ftruncate(fd, BYTES))
		return MAP_FAILED;
	*ret = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return mmap(NULL, BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
}

/* Shared memory @id, which is removed with its last process. */
static char *segment(int id)
{
	char *memory = shmat(id, NULL, SHM_EXEC);

	shmctl(id, IPC_RMID, NULL);
	return memory;
}

/* The file @fd mapped privately: what is written is a copy. */
static char *mapped_privately(int fd)
{
	if (fd < 0 || (ftruncate(fd, BYTES) && errno != EINVAL))
		return MAP_FAILED;
	return mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, 0);
}

static char *memory_of(const char *kind, char **ret)
{
	char name[32];

	if (!strcmp(kind, "huge"))
		return *ret = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_ANONYMOUS | MAP_PRIVATE | MAP_HUGETLB, -1, 0);
	if (!strcmp(kind, "zero"))
		return *ret = mapped_privately(open("/dev/zero", O_RDWR));
	if (!strcmp(kind, "private_memfd"))
		return *ret = mapped_privately(memfd_create("code", 0));

	if (!strcmp(kind, "memfd"))
		return mapped_twice(memfd_create("doublemapper", 0), ret);
	if (!strcmp(kind, "shm")) {
		snprintf(name, sizeof(name), "/dusk-jit-%d", getpid());
		return mapped_twice(shm_open(name, O_RDWR | O_CREAT, 0600), ret);
	}
	if (!strcmp(kind, "sysv"))
		return *ret = segment(shmget(IPC_PRIVATE, BYTES, 0700 | IPC_CREAT));
	return *ret = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_ANONYMOUS | (strcmp(kind, "shared") ? MAP_PRIVATE : MAP_SHARED), -1, 0);
}

static int begin_dump(void)
{
	const uint32_t head[10] = {0x4a695444, 1, sizeof(head), 0, 0, getpid()};
	char name[64];

	snprintf(name, sizeof(name), "/tmp/jit-%d.dump", getpid());
	dump = fopen(name, "w+");
	return !dump || fwrite(head, sizeof(head), 1, dump) != 1 || fflush(dump) ||
	       mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED;
}

static int begin_map(void)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = fopen(name, "w");
	return !map;
}

static void say(const char *name, const char *at, int in_dump)
{
	const struct {
		uint32_t id, bytes;
		uint64_t time, pid, vma, address, size, index;
	} r = {0, sizeof(r) + strlen(name) + 1, now(), 0, (uint64_t)at, (uint64_t)at, sizeof(code), now()};

	if (in_dump) {
		fwrite(&r, sizeof(r), 1, dump);
		fwrite(name, strlen(name) + 1, 1, dump);
		fflush(dump);
	} else {
		fprintf(map, "%lx %zx %s\n", (unsigned long)at, sizeof(code), name);
		fflush(map);
	}
}

static void put(char *to, char *at, const char *name, int in_dump)
{
	say(name, at, in_dump);
	memcpy(to, code, sizeof(code));
	__builtin___clear_cache(at, at + sizeof(code));
}

/* Go on as a child, which ends with its parent. */
static void leave_to_child(void)
{
	pid_t parent = getpid();

	if (fork()) {
		wait(NULL);
		exit(0);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		exit(0);
}

int main(int argc, char **argv)
{
	char *memory, *to, *second;
	int in_dump, again, both;

	if (argc < 4)
		return 1;
	memory = memory_of(argv[1], &to);
	both = !strcmp(argv[2], "both");
	in_dump = strcmp(argv[2], "map") != 0;
	again = !strcmp(argv[3], "again");
	if (memory == MAP_FAILED || (in_dump && begin_dump()) || ((both || !in_dump) && begin_map()))
		return 1;
	second = memory + (both ? SECOND_AT : 0);
	put(to, memory, "first_generated", in_dump);
	if (both)
		put(to + SECOND_AT, second, "second_generated", 0);
	for (int left = !strcmp(argv[3], "fork") ? 1 : !strcmp(argv[3], "grandchild") ? 2 : 0; left; left--)
		leave_to_child();
	say_ready();
	for (;;) {
		for (uint64_t until = now() + 1000000000; now() < until || !again;) {
			run_generated((void (*)(void (*)(void)))memory, burn_first);
			if (both)
				run_generated((void (*)(void (*)(void)))second, burn_second);
		}
		put(to, memory, "second_generated", in_dump);
		for (uint64_t until = now() + 1000000000; now() < until;)
			run_generated((void (*)(void (*)(void)))memory, burn_second);
		put(to, memory, "first_generated", in_dump);
	}
}
