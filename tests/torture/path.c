/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions a victim is in: those of a path, and the bodies that need nothing but a thread. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include "victim.h"

#define PAGE 4096
#define TOUCHED_PAGES 8
#define ALTERNATE_BYTES (1 << 18)

__thread struct place place;
volatile unsigned long sink;

static void (*const bodies[NR_BODIES])(void) = {
#define X(name) [BODY_##name] = name,
	BODIES(X)
#undef X
};

KNOWN void burn(void)
{
	struct truth_entry *e = truth_begin();

	burn_cycles(2000 + dice(60000));
	truth_end(e);
}

KNOWN void nap(void)
{
	struct truth_entry *e = truth_begin();

	nap_us(20 + dice(100));
	truth_end(e);
}

KNOWN void calls(void)
{
	struct truth_entry *e = truth_begin();
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char bytes[PAGE];

	for (int i = 0; i < 30; i++) {
		syscall(SYS_getppid);
		sink += read(fd, bytes, sizeof(bytes));
	}
	close(fd);
	truth_end(e);
}

KNOWN void touch(void)
{
	struct truth_entry *e = truth_begin();
	char *p = mmap(NULL, TOUCHED_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; p != MAP_FAILED && i < TOUCHED_PAGES; i++)
		p[i * PAGE] = 1;
	munmap(p, TOUCHED_PAGES * PAGE);
	truth_end(e);
}

KNOWN void signal_self(void)
{
	struct truth_entry *e = truth_begin();

	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), place.level ? SIGUSR2 : SIGUSR1);
	burn_cycles(5000);
	truth_end(e);
}

static KNOWN void deep(int left)
{
	volatile char room[600]; /* so that the stack has some pages */

	room[0] = left;
	if (left > 1)
		deep(left - 1);
	else
		bodies[PATH_BODY(place.path)]();
	sink += room[0];
}

static KNOWN void step(void)
{
	if (PATH_DEEP(place.path))
		deep(DEEP);
	else
		bodies[PATH_BODY(place.path)]();
	sink++;
}

#define VIA(name)                    \
	static KNOWN void name(void) \
	{                            \
		step();              \
		sink++;              \
	}
VIA(via_a)
VIA(via_b)
VIA(via_c)
VIA(via_d)
static void (*const vias[NR_VIAS])(void) = {via_a, via_b, via_c, via_d};

KNOWN void run(unsigned int path)
{
	place.path = path;
	vias[PATH_VIA(path)]();
	sink++;
}

KNOWN void on_signal(int signal)
{
	uint32_t interrupted = place.path;
	enum body body = place.level < 2 && dice(4) == 0 ? BODY_signal_self : dice(2) ? BODY_burn : BODY_calls;

	place.level++;
	place.path = PATH(dice(NR_VIAS), dice(2), body);
	vias[PATH_VIA(place.path)]();
	place.path = interrupted;
	place.level--;
	sink++;
}

void run_some(unsigned int mask, unsigned int times)
{
	while (times-- && !time_is_up()) {
		unsigned int body = dice(NR_BODIES);

		while (!(mask >> body & 1))
			body = (body + 1) % NR_BODIES;
		run(PATH(dice(NR_VIAS), dice(2), body));
	}
}

/* /proc has our numbers in its own PID namespace, whatever ours is. */
void place_init(void)
{
	char link[64] = "";

	place = (struct place){.dice = now_ns()};
	if (readlink("/proc/thread-self", link, sizeof(link) - 1) < 0 ||
	    sscanf(link, "%u/task/%u", &place.pid, &place.tid) != 2)
		cannot("read /proc/thread-self");
	place.dice += place.tid * 0x9E3779B97F4A7C15ULL;
}

void handle_signals(bool alternate_stack)
{
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART | (alternate_stack ? SA_ONSTACK : 0)};
	stack_t stack = {.ss_size = ALTERNATE_BYTES, .ss_sp = malloc(ALTERNATE_BYTES)};

	if (!stack.ss_sp || sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &act, NULL) ||
	    sigaction(SIGALRM, &act, NULL))
		cannot("handle signals");
	act.sa_flags |= SA_NODEFER;
	if (sigaction(SIGUSR2, &act, NULL))
		cannot("handle signals");
}
