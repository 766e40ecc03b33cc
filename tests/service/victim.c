/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "victim.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "live/live.h"

#define READY_MS 20000
#define BURNER_NICE 15 /* some burn, and programs are to be verified meanwhile */

const char *victim_path(void)
{
	return live_victim("path");
}

struct victim victim_start(const char *mode)
{
	struct victim v;
	int in[2], out[2];
	char said[6];
	struct pollfd p;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	v = (struct victim){.pid = fork(), .in = in[1], .out = out[0]};
	assert_true(v.pid >= 0);
	if (!v.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpriority(PRIO_PROCESS, 0, BURNER_NICE);
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(victim_path(), victim_path(), mode, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p = (struct pollfd){.fd = v.out, .events = POLLIN};
	if (poll(&p, 1, READY_MS) != 1 || read(v.out, said, 6) != 6)
		fail_msg("the victim did not say that it is ready");
	return v;
}

void victim_feed(struct victim *v, int nr)
{
	while (nr--)
		assert_int_equal(write(v->in, "", 1), 1);
}

static char state_of(pid_t pid, pid_t tid)
{
	char path[64], state = '?';
	_cleanup_(fclosep) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = '?';
	return state;
}

void victim_wait_asleep(const struct victim *v, pid_t tid)
{
	double end = live_now_s() + 20;

	while (state_of(v->pid, tid) != 'S') {
		if (live_now_s() > end)
			fail_msg("thread %d does not sleep", tid);
		live_sleep_ms(2);
	}
}

void victim_wait_fed(const struct victim *v)
{
	double end = live_now_s() + 20;
	int left = 1;

	while (!ioctl(v->in, FIONREAD, &left) && left) {
		if (live_now_s() > end)
			fail_msg("the victim does not read what it is fed");
		live_sleep_ms(2);
	}
	live_sleep_ms(5); /* what it has read it may not yet have come back with */
	victim_wait_asleep(v, v->pid);
}

void victim_end(struct victim *v)
{
	live_end(v->pid);
	close(v->in);
	close(v->out);
}

static bool find_symbol(Elf *elf, const char *function, GElf_Sym *sym)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data = elf_getdata(scn, NULL);

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB || !data)
			continue;
		for (size_t i = 0; i < shdr.sh_size / shdr.sh_entsize; i++)
			if (gelf_getsym(data, i, sym) && !strcmp(elf_strptr(elf, shdr.sh_link, sym->st_name), function))
				return true;
	}
	return false;
}

uint64_t victim_offset(const char *function)
{
	_cleanup_(closep) int fd = open(victim_path(), O_RDONLY | O_CLOEXEC);
	Elf *elf;
	GElf_Sym sym;
	GElf_Phdr phdr;
	uint64_t offset = 0;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !find_symbol(elf, function, &sym))
		fail_msg("the victim has no %s", function);
	for (int i = 0; gelf_getphdr(elf, i, &phdr); i++)
		if (phdr.p_type == PT_LOAD && sym.st_value - phdr.p_vaddr < phdr.p_filesz)
			offset = sym.st_value - phdr.p_vaddr + phdr.p_offset;
	elf_end(elf);
	return offset;
}

uint64_t victim_address(const struct victim *v, const char *function)
{
	uint64_t offset = victim_offset(function), start, end, at;
	_cleanup_(fclosep) FILE *f = NULL;
	char path[64], line[512];

	snprintf(path, sizeof(path), "/proc/%d/maps", v->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &at) == 3 && strstr(line, "/path") && offset >= at &&
		    offset - at < end - start)
			return start + offset - at;
	fail_msg("the victim does not map %s", function);
	return 0;
}
