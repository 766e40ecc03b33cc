/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does it take to begin? Loads and attaches as `dusk record` does.
 *
 *	load time	one line: milliseconds until all is loaded and attached, and until sampling has begun
 *	load programs	a line for each BPF program: name, instructions verified, bytes of machine code
 *	load maps	a line for each map: name, bytes that the kernel accounts for it
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <dusk/dusk.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_MAPS 128

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* The number behind @key in the fdinfo of our descriptor @name, or 0: what the kernel says of what we hold. */
static unsigned long long about(const char *name, const char *key)
{
	unsigned long long ret = 0;
	char path[320], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", name);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			ret = strtoull(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return ret;
}

static void show_program(const char *name)
{
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);

	if (about(name, "prog_id:") && !about(name, "link_id:") && !bpf_obj_get_info_by_fd(atoi(name), &info, &size))
		printf("%s %u %u\n", info.name, info.verified_insns, info.jited_prog_len);
}

/* Two objects may share a map: it counts once. */
static void show_map(const char *name)
{
	static __u32 seen[MAX_MAPS];
	static size_t nr;
	struct bpf_map_info info = {0};
	__u32 size = sizeof(info), id = about(name, "map_id:");

	for (size_t i = 0; i < nr; i++)
		if (seen[i] == id)
			return;
	if (!id || nr == MAX_MAPS || about(name, "link_id:") || bpf_obj_get_info_by_fd(atoi(name), &info, &size))
		return;
	seen[nr++] = id;
	printf("%s %llu\n", info.name, about(name, "memlock:"));
}

static void each_descriptor(void (*show)(const char *name))
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!folder)
		err(1, "/proc/self/fd");
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			show(entry->d_name);
	closedir(folder);
}

int main(int argc, char **argv)
{
	struct dusk_record_options opts = {.sz = sizeof(opts), .path = "load.dusk", .owner_uid = -1, .owner_gid = -1};
	const char *what = argc == 2 ? argv[1] : "";
	struct dusk_error error;
	struct dusk_record *r;
	double start, ready, begun;

	if (strcmp(what, "time") && strcmp(what, "programs") && strcmp(what, "maps"))
		errx(2, "usage: load time|programs|maps");
	start = now_ms();
	if (dusk_record_new(&r, &opts, &error))
		errx(1, "%s", error.text);
	ready = now_ms();
	if (dusk_record_start(r, &error))
		errx(1, "%s", error.text);
	begun = now_ms();

	if (!strcmp(what, "time"))
		printf("%.1f %.1f\n", ready - start, begun - start);
	else
		each_descriptor(!strcmp(what, "maps") ? show_map : show_program);
	dusk_record_stop(r, &error);
	dusk_record_free(r);
	unlink(opts.path);
	return 0;
}
