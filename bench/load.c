/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does it take to begin? Loads and attaches as `dusk record` does.
 *
 *	load time	one line: milliseconds until all is loaded and attached, and until sampling has begun
 *	load programs	a line for each BPF program: name, instructions verified, bytes of machine code
 *	load maps	a line for each map: name, bytes that the kernel accounts for it
 */
#include <bpf/bpf.h>
#include <dusk/dusk.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Is @id one that was there before? */
static bool known(const __u32 *before, size_t nr, __u32 id)
{
	for (size_t i = 0; i < nr; i++)
		if (before[i] == id)
			return true;
	return false;
}

static size_t list(__u32 *ret, size_t max, int (*next)(__u32 id, __u32 *next_id))
{
	size_t nr = 0;

	for (__u32 id = 0; nr < max && !next(id, &id);)
		ret[nr++] = id;
	return nr;
}

static void show_program(__u32 id)
{
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	printf("%s %u %u\n", info.name, info.verified_insns, info.jited_prog_len);
	close(fd);
}

/* What a map costs stands in the fdinfo of a descriptor of it. */
static void show_map(__u32 id)
{
	struct bpf_map_info info = {0};
	__u32 size = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);
	unsigned long long bytes = 0;
	char path[64], line[128];
	FILE *f;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	if (f)
		fclose(f);
	printf("%s %llu\n", info.name, bytes);
	close(fd);
}

int main(int argc, char **argv)
{
	static __u32 before[4096], after[4096];
	struct dusk_record_options opts = {.sz = sizeof(opts), .path = "load.dusk", .owner_uid = -1, .owner_gid = -1};
	bool programs = argc == 2 && !strcmp(argv[1], "programs"), maps = argc == 2 && !strcmp(argv[1], "maps");
	int (*next)(__u32, __u32 *) = programs ? bpf_prog_get_next_id : bpf_map_get_next_id;
	size_t nr_before, nr_after;
	struct dusk_error error;
	struct dusk_record *r;
	double start, ready, begun;

	if (argc != 2 || (!programs && !maps && strcmp(argv[1], "time")))
		errx(2, "usage: load time|programs|maps");
	nr_before = list(before, 4096, next);
	start = now_ms();
	if (dusk_record_new(&r, &opts, &error))
		errx(1, "%s", error.text);
	ready = now_ms();
	if (dusk_record_start(r, &error))
		errx(1, "%s", error.text);
	begun = now_ms();

	if (programs || maps) {
		nr_after = list(after, 4096, next);
		for (size_t i = 0; i < nr_after; i++)
			if (!known(before, nr_before, after[i]))
				programs ? show_program(after[i]) : show_map(after[i]);
	} else {
		printf("%.1f %.1f\n", ready - start, begun - start);
	}
	dusk_record_stop(r, &error);
	dusk_record_free(r);
	unlink(opts.path);
	return 0;
}
