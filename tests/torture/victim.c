/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * victim SCENARIO LOG MILLISECONDS: a program that keeps a log of where it is (truth.h), under difficult circumstances.
 *
 * 77: the scenario cannot be here, with the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <mntent.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "victim.h"

struct truth *truth;
uint64_t deadline_ns;
char **arguments;
char folder[PATH_MAX];
static char cgroup[PATH_MAX];

struct thread_work {
	unsigned int mask, times;
};

void cannot(const char *what)
{
	printf("cannot %s\n", what);
	fflush(stdout);
	_exit(77);
}

int write_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int make_file(const char *name, size_t bytes)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, bytes))
		cannot("make a file");
	return fd;
}

pid_t fork_victim(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		cannot("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	place_init();
	truth_note(TRUTH_BIRTH, place.pid);
	return 0;
}

pid_t start_worker(unsigned int mask, unsigned int times)
{
	pid_t pid = fork_victim();

	if (pid)
		return pid;
	run_some(mask, times);
	truth_note(TRUTH_DOOM, place.pid);
	_exit(0);
}

void end_worker(pid_t pid)
{
	truth_note(TRUTH_DOOM, pid);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

static void *thread_main(void *arg)
{
	struct thread_work work = *(struct thread_work *)arg;

	free(arg);
	place_init();
	run_some(work.mask, work.times);
	return NULL;
}

pthread_t start_thread(unsigned int mask, unsigned int times, void *stack, size_t bytes)
{
	struct thread_work *work = malloc(sizeof(*work));
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstack(&attr, stack, bytes);
	else
		pthread_attr_setstacksize(&attr, bytes);
	if (!work)
		cannot("allocate memory");
	*work = (struct thread_work){mask, times};
	if (pthread_create(&thread, &attr, thread_main, work))
		cannot("create a thread");
	pthread_attr_destroy(&attr);
	return thread;
}

const char *make_cgroup(const char *file)
{
	FILE *mounts = setmntent("/proc/mounts", "r");
	struct mntent *m;
	char probe[PATH_MAX + 512];

	while (mounts && !*cgroup && (m = getmntent(mounts))) {
		if (strncmp(m->mnt_type, "cgroup", 6))
			continue;
		snprintf(cgroup, sizeof(cgroup), "%s/%s", m->mnt_dir, strrchr(folder, '/') + 1);
		snprintf(probe, sizeof(probe), "%s/%s", cgroup, file);
		if (mkdir(cgroup, 0700) || access(probe, F_OK)) {
			rmdir(cgroup);
			*cgroup = 0;
		}
	}
	if (mounts)
		endmntent(mounts);
	return *cgroup ? cgroup : NULL;
}

int write_cgroup(const char *file, const char *text)
{
	char path[PATH_MAX + 512];

	snprintf(path, sizeof(path), "%s/%s", cgroup, file);
	return write_file(path, text);
}

void remove_cgroup(void)
{
	for (int i = 0; i < 1000 && rmdir(cgroup) && errno == EBUSY; i++)
		nap_us(1000);
}

static void open_log(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || (st.st_size < (off_t)sizeof(*truth) && ftruncate(fd, sizeof(*truth))))
		cannot("make the log");
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (truth == MAP_FAILED)
		cannot("map the log");
	close(fd);
	truth->magic = TRUTH_MAGIC;
	snprintf(folder, sizeof(folder), "%s", path);
	dirname(folder);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
#define X(name, sentence) {#name, scenario_##name},
		SCENARIOS(X)
#undef X
	};
	char *end;

	if (argc == 2 && !strcmp(argv[1], "--list")) {
#define X(name, sentence) printf("%s\t%s\n", #name, sentence);
		SCENARIOS(X)
#undef X
		return 0;
	}
	if (argc < 4)
		return 2;
	arguments = argv;
	open_log(argv[2]);
	/* What execs itself says when to end; at first it is for how long. */
	deadline_ns = strtoull(argv[3], &end, 10);
	if (*end != '@')
		deadline_ns = now_ns() + deadline_ns * 1000000;
	place_init();
	truth_note(TRUTH_BIRTH, place.pid);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!strcmp(argv[1], scenarios[i].name)) {
			scenarios[i].run();
			truth_note(TRUTH_DOOM, place.pid);
			return 0;
		}
	return 2;
}
