/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * main calls run_first() and run_second() in turns, for 300 ms each; each loads a BPF program of its name, runs it and unloads
 * it. So a stack says itself which of the two programs was there, often at one address.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "victim.h"

#define INSN(c, d, o, i) {.code = (c), .dst_reg = (d), .off = (o), .imm = (i)}

volatile unsigned long sink;

/* for (r1 = 50000; r1; r1--) ; return 0 */
static const struct bpf_insn insns[] = {
	INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0), INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 50000),
	INSN(BPF_ALU64 | BPF_SUB | BPF_K, 1, 0, 1), INSN(BPF_JMP | BPF_JNE | BPF_K, 1, -2, 0),
	INSN(BPF_JMP | BPF_EXIT, 0, 0, 0),
};

static int load(const char *name)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	a.insns = (uintptr_t)insns;
	a.insn_cnt = sizeof(insns) / sizeof(insns[0]);
	a.license = (uintptr_t)"GPL";
	strncpy(a.prog_name, name, sizeof(a.prog_name) - 1);
	return syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
}

static int run(int fd)
{
	static char data[64], out[64];
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.test.prog_fd = fd;
	a.test.data_in = (uintptr_t)data;
	a.test.data_out = (uintptr_t)out;
	a.test.data_size_in = a.test.data_size_out = sizeof(data);
	a.test.repeat = 20;
	return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &a, sizeof(a));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

KNOWN void run_first(int fd, double until)
{
	while (now() < until && !run(fd))
		sink++;
	sink++;
}

KNOWN void run_second(int fd, double until)
{
	while (now() < until && !run(fd))
		sink++;
	sink++;
}

int main(void)
{
	int fd = load("first");

	if (fd < 0)
		return 1;
	say_ready();
	for (;;) {
		run_first(fd, now() + 0.3);
		close(fd);
		fd = load("second");
		run_second(fd, now() + 0.3);
		close(fd);
		fd = load("first");
	}
}
