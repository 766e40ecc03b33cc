/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unserved WAY ROUNDS FOLDER: what any user may do to make others wait. As nobody (except for the last two): recurse 60 times, then work, which
 * counts its rounds in the file ROUNDS, with pages that never come:
 *
 *	userfaultfd	the stack of the frames outside of work
 *	stack		the same, from a FUSE file
 *	tables		this program's own unwind tables: it runs from a FUSE file
 *	lock		none; but a thread of it has the lock of its mappings, and never lets it go
 *	map		none; but it runs code that it has made, whose perf map is a FUSE file that never opens
 *	unread		the same, but it opens, and nothing of it can be read
 */
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "../../live/victims/own_stack.h"
#include "fuse.h"

#define NOBODY 65534

static volatile unsigned long *rounds;
static int faults = -1, file = -1; /* they hold the stack back */
static struct served served;
static const char *file_to_lock;
static volatile unsigned long had_lock;
static void (*made)(unsigned long turns);

/*
 * A private mapping of a file that bypasses the cache, in which there is a page to write back first: mmap() waits for
 * the server of the file, and holds the lock meanwhile (fuse_file_mmap(), fs/fuse/file.c, 6.18).
 */
static void *take_lock(void *direct)
{
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, *(int *)direct, 0);
	return NULL;
}

/* Takes the lock again and again, and counts how often it has had it. */
static void *try_lock(void *arg)
{
	for (;; had_lock++)
		munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE);
	return NULL;
}

static int lock_mappings(void)
{
	static int direct;
	int cached = open(file_to_lock, O_RDWR);
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, cached, 0);
	unsigned long before;
	pthread_t taker, trier;

	direct = open(file_to_lock, O_RDONLY | O_APPEND);
	if (page == MAP_FAILED || direct < 0)
		return 1;
	page[0]++;
	if (pthread_create(&trier, NULL, try_lock, NULL) || pthread_create(&taker, NULL, take_lock, &direct))
		return 1;
	do {
		before = had_lock;
		sleep(1);
	} while (had_lock != before);
	return 0;
}

static int withhold(unsigned long above)
{
	unsigned long start = (above + 2 * PAGE) & -PAGE, bytes = (unsigned long)stack + STACK_BYTES - start;
	struct uffdio_register range = {.range = {start, bytes}, .mode = UFFDIO_REGISTER_MODE_MISSING};

	if (file_to_lock)
		return lock_mappings();
	if (faults >= 0)
		return ioctl(faults, UFFDIO_REGISTER, &range) || madvise((void *)start, bytes, MADV_DONTNEED);
	if (file >= 0)
		return mmap((void *)start, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, served.from) ==
		       MAP_FAILED;
	return 0;
}

KNOWN void work(void)
{
	char here;

	if (withhold((unsigned long)&here))
		exit(1);
	say_ready();
	for (;;) {
		if (made)
			made(100000);
		else
			BURN(100000);
		++*rounds;
	}
}

static int run(int fd)
{
	rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (rounds == MAP_FAILED)
		return 1;
	return run_on_stack(60, work);
}

/* Whole pages of the table in .eh_frame_hdr, as offsets in the program's file. */
static int find_tables(struct dl_phdr_info *info, size_t size, void *arg)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_GNU_EH_FRAME)
			continue;
		served.from = (p->p_offset + PAGE - 1) & -PAGE;
		served.to = (p->p_offset + p->p_filesz) & -PAGE;
	}
	return 1;
}

static int write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	return fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd);
}

static int become_nobody(void)
{
	return setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1);
}

/* Any user may mount FUSE, and nothing else, in namespaces of its own. */
static int serve(const char *folder)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || write_to("/proc/self/setgroups", "deny") ||
	    write_to("/proc/self/uid_map", "0 65534 1") || write_to("/proc/self/gid_map", "0 65534 1"))
		return 1;
	return fuse_serve(folder, &served);
}

/* A loop of @turns turns. */
static int make_code(void)
{
	static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3}; /* 1: dec %rdi; jnz 1b; ret */
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, loop, sizeof(loop));
	made = code;
	return 0;
}

/* The server may be asked by root, as that of a user is who may mount with allow_other. */
static int serve_map(const char *folder, const char *path)
{
	char map[64];

	served.unopened = !served.to;
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	return make_code() || fuse_serve(folder, &served) || symlink(path, map);
}

int main(int argc, char **argv)
{
	struct uffdio_api api = {.api = UFFD_API};
	char path[4096], number[16];
	struct stat st;
	int fd;

	if (argc == 3 && !strcmp(argv[1], "run"))
		return run(atoi(argv[2]));
	fd = argc == 4 ? open(argv[2], O_RDWR) : -1;
	served.fd = open("/proc/self/exe", O_RDONLY);
	if (fd < 0 || fstat(served.fd, &st) || (strcmp(argv[1], "map") && strcmp(argv[1], "unread") && become_nobody()))
		return 1;
	if (!strcmp(argv[1], "userfaultfd")) {
		faults = syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
		return ioctl(faults, UFFDIO_API, &api) ? 1 : run(fd);
	}

	snprintf(path, sizeof(path), "%s/file", argv[3]);
	served.size = st.st_size;
	if (!strcmp(argv[1], "stack")) {
		served.from = (st.st_size + PAGE - 1) & -PAGE;
		served.to = served.size = served.from + STACK_BYTES;
		if (serve(argv[3]))
			return 1;
		file = open(path, O_RDONLY);
		return file < 0 ? 1 : run(fd);
	}
	if (!strcmp(argv[1], "lock")) {
		file_to_lock = path;
		return serve(argv[3]) || run(fd);
	}
	if (!strcmp(argv[1], "unread"))
		served.to = served.size;
	if (!strcmp(argv[1], "map") || !strcmp(argv[1], "unread"))
		return serve_map(argv[3], path) || run(fd);
	dl_iterate_phdr(find_tables, NULL);
	if (served.to <= served.from || serve(argv[3]))
		return 1;
	snprintf(number, sizeof(number), "%d", fd);
	return execl(path, "unserved", "run", number, NULL);
}
