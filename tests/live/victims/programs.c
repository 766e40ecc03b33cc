/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * main calls run_first() and run_second() in turns, for 300 ms each; each loads a BPF program of its name, runs it and unloads
 * it. So a stack says itself which of the two programs was there, often at one address. With a number it waits for SIGUSR1, loads
 * and unloads a program of 256 functions so many times, and ends.
 */
#include <linux/bpf.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
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

static int load(const char *name, const struct bpf_insn *code, int nr)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	a.insns = (uintptr_t)code;
	a.insn_cnt = nr;
	a.license = (uintptr_t)"GPL";
	strncpy(a.prog_name, name, sizeof(a.prog_name) - 1);
	return syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
}

static int load_loop(const char *name)
{
	return load(name, insns, sizeof(insns) / sizeof(insns[0]));
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

/* Each function of a program is a symbol: main calls SUBPROGRAMS, each of which returns 0. */
#define SUBPROGRAMS 255

static int load_many(int nr)
{
	struct bpf_insn many[3 * SUBPROGRAMS + 2];
	sigset_t go;
	int which;

	for (int i = 0; i < SUBPROGRAMS; i++)
		many[i] = (struct bpf_insn){
			.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = SUBPROGRAMS + 1 + i};
	for (int i = SUBPROGRAMS; i < 3 * SUBPROGRAMS + 2; i += 2) {
		many[i] = (struct bpf_insn)INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0);
		many[i + 1] = (struct bpf_insn)INSN(BPF_JMP | BPF_EXIT, 0, 0, 0);
	}
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	say_ready();
	sigwait(&go, &which);
	while (nr--) {
		int fd = load("many", many, sizeof(many) / sizeof(many[0]));

		if (fd < 0)
			return 1;
		close(fd);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int fd = load_loop("first");

	if (fd < 0)
		return 1;
	if (argc > 1)
		return load_many(atoi(argv[1]));
	say_ready();
	for (;;) {
		run_first(fd, now() + 0.3);
		close(fd);
		fd = load_loop("second");
		run_second(fd, now() + 0.3);
		close(fd);
		fd = load_loop("first");
	}
}
