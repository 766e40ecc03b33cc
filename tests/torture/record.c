/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * record PROFILE HZ [MAP=ENTRIES | stacks=full|rolling | reader=asleep]... -- COMMAND...
 *
 * What if the kernel side has hardly any room? Records COMMAND with libdusk, on an unwinder that is shared with nobody
 * and has maps of other sizes: libdusk is linked so that its service_new(), bpf_object__load() and others are ours
 * (--wrap), where that can still be set. A stackmap that rolls has a fresh table at each look. A reader that is asleep
 * takes in events only when the command has ended.
 */
#include <dusk/dusk.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/unwinder/service.h"

#define POLL_MS 20
#define WORDS_LEFT 64

int __real_bpf_object__load(struct bpf_object *obj);
int __wrap_bpf_object__load(struct bpf_object *obj);
int __real_service_new(struct service **ret, const struct service_options *o, struct dusk_error *err);
int __wrap_service_new(struct service **ret, const struct service_options *o, struct dusk_error *err);
int __real_stackmap_make_table(u32 bits, u32 epoch);
int __wrap_stackmap_make_table(u32 bits, u32 epoch);
int __real_service_keep_stacks(struct service *s);
int __wrap_service_keep_stacks(struct service *s);

static char **sizes; /* ended by "--" */
static bool asleep, full, rolling;

/* The size of map @name that was asked for; 0: none. */
static unsigned int size_of(const char *name)
{
	size_t len = strlen(name);

	for (char **s = sizes; strcmp(*s, "--"); s++)
		if (!strncmp(*s, name, len) && (*s)[len] == '=')
			return atoi(*s + len + 1);
	return 0;
}

int __wrap_service_new(struct service **ret, const struct service_options *o, struct dusk_error *err)
{
	struct service_options small = *o;

	small.stackmap_bits = rolling ? STACK_MIN_BITS : 0;
	small.max_tasks = size_of("tasks");
	small.max_walkers = size_of("walkers");
	small.max_modules = size_of("modules");
	return __real_service_new(ret, &small, err);
}

/* Leave room for a stack or two, and no fresh table comes. */
int __wrap_stackmap_make_table(u32 bits, u32 epoch)
{
	int fd = __real_stackmap_make_table(bits, epoch);
	struct stacktable *t = MAP_FAILED;

	if (fd >= 0 && full)
		t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (t != MAP_FAILED) {
		t->used = stacktable_words(bits) - stacktable_slots(bits) - WORDS_LEFT;
		munmap(t, sizeof(*t));
	}
	return fd;
}

int __wrap_service_keep_stacks(struct service *s)
{
	return full ? 0 : rolling ? stackmap_roll(service_stacks(s)) : __real_service_keep_stacks(s);
}

int __wrap_bpf_object__load(struct bpf_object *obj)
{
	static const char *const own[] = {"events", "wanted"};
	struct bpf_map *map;
	int ret = 0;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && !ret; i++) {
		map = bpf_object__find_map_by_name(obj, own[i]);
		if (map && size_of(own[i]))
			ret = bpf_map__set_max_entries(map, size_of(own[i]));
	}
	return ret ? ret : __real_bpf_object__load(obj);
}

/* A child that execs when @go is closed. */
static pid_t start(char **command, int go[2])
{
	pid_t pid;
	char byte;

	if (pipe(go))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &byte, 1))
		_exit(1);
	close(go[0]);
	execv(command[0], command);
	_exit(127);
}

static int record(const char *path, unsigned int hz, char **command, struct dusk_error *err)
{
	struct dusk_record_options options = {
		.sz = sizeof(options),
		.path = path,
		.frequency_hz = hz,
		.owner_uid = -1,
		.owner_gid = -1,
		.nr_pids = 1,
		.no_sharing = true,
	};
	struct dusk_record *r;
	int go[2], status, ret;
	pid_t pid = start(command, go);

	if (pid < 0)
		return -errno;
	options.pids = &pid;
	ret = dusk_record_new(&r, &options, err);
	if (ret)
		return ret;
	ret = dusk_record_start(r, err);
	close(go[1]);
	while (!ret && !waitpid(pid, &status, asleep ? 0 : WNOHANG))
		ret = dusk_record_poll(r, POLL_MS, err);
	if (!ret)
		ret = dusk_record_stop(r, err);
	if (!ret)
		ret = dusk_record_symbolize(r, NULL, NULL, err);
	dusk_record_free(r);
	return ret ? ret : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct dusk_error err = {""};
	char **command;
	int ret;

	for (command = argv + 3; argc > 3 && *command && strcmp(*command, "--"); command++) {
		asleep |= !strcmp(*command, "reader=asleep");
		full |= !strcmp(*command, "stacks=full");
		rolling |= !strcmp(*command, "stacks=rolling");
	}
	if (argc < 5 || !*command || !command[1])
		return 2;
	sizes = argv + 3;
	ret = record(argv[1], atoi(argv[2]), command + 1, &err);
	if (ret < 0)
		fprintf(stderr, "%s\n", *err.text ? err.text : strerror(-ret));
	return ret < 0 ? 1 : ret;
}
