/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "live.h"
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"

#define MAX_WORDS 32
#define READY_SECONDS 120 /* in a guest whose CPUs are emulated, on a busy machine */
#define RECORD_SECONDS 300
#define VICTIM_NICE "5" /* many that burn time would keep their recorder from a busy machine's CPUs */

char live_folder[] = "/tmp/dusk-live-XXXXXX";
static const char *dusk, *victims;
static char paths[8][PATH_MAX];
static unsigned int next_path;

bool live_has_kernel_function(const char *name)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

/* Why dusk cannot work here, or NULL. Not asked of dusk itself: what it gets wrong must not skip its tests. */
static const char *why_not(void)
{
	if (geteuid())
		return "needs root";
	if (!live_has_kernel_function("bpf_task_work_schedule_resume") &&
	    !live_has_kernel_function("bpf_task_work_schedule_resume_impl"))
		return "needs a kernel with BTF and bpf_task_work (Linux 6.18)";
	return NULL;
}

static void remove_folder(void)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -rf '%s'", live_folder);
	if (system(command))
		fprintf(stderr, "cannot remove %s\n", live_folder);
}

/* Nobody else's tools: what we record shares its unwinder only with what we record. */
static int leave_others(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	return mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL) ? -errno : 0;
}

int live_main(int argc, char **argv, const struct CMUnitTest *tests, size_t nr_tests)
{
	const char *reason = why_not();
	int failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (reason) {
		printf("SKIP: %s\n", reason);
		return 77;
	}
	dusk = argc > 1 ? argv[1] : NULL;
	victims = argc > 2 ? argv[2] : NULL;
	if (!mkdtemp(live_folder)) {
		fprintf(stderr, "cannot make %s: %s\n", live_folder, strerror(errno));
		return 1;
	}
	if (leave_others())
		fprintf(stderr, "cannot have a bpffs of our own: other tools may disturb: %s\n", strerror(errno));
	failed = _cmocka_run_group_tests("live", tests, nr_tests, NULL, NULL);
	remove_folder();
	return failed;
}

static const char *path_in(const char *folder, const char *name)
{
	char *path = paths[next_path++ % 8];

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

const char *live_dusk(void)
{
	assert_non_null(dusk);
	return dusk;
}

const char *live_victim(const char *name)
{
	return path_in(victims, name);
}

const char *live_file(const char *name)
{
	return path_in(live_folder, name);
}

volatile unsigned long *live_number(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *p;

	assert_true(fd >= 0 && !ftruncate(fd, 4096));
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(p != MAP_FAILED);
	close(fd);
	return p;
}

double live_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

void live_sleep_ms(int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* fork() and execv(), with @out as standard output unless that is -1, and so much nicer than we are. */
static pid_t spawn(const char *const *words, int out, int nicer)
{
	pid_t parent = getpid(), pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(126);
	if (out >= 0)
		dup2(out, 1);
	nice(nicer);
	execvp(words[0], (char *const *)words);
	fprintf(stderr, "cannot execute %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

pid_t live_start(bool wait, const char *const *words)
{
	const char *nicer = getenv("VICTIM_NICE"); /* where nobody else runs, 19 lets a recorder load at full speed */
	int ends[2];
	char said[6];
	struct pollfd p;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = spawn(words, wait ? ends[1] : -1, atoi(nicer ? nicer : VICTIM_NICE));
	close(ends[1]);
	p = (struct pollfd){.fd = ends[0], .events = POLLIN};
	if (wait && (poll(&p, 1, READY_SECONDS * 1000) != 1 || read(ends[0], said, 6) != 6))
		fail_msg("%s did not say that it is ready", words[0]);
	close(ends[0]);
	return pid;
}

int live_wait(pid_t pid, int seconds)
{
	double end = live_now_s() + seconds;
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG)) && live_now_s() < end)
		live_sleep_ms(5);
	if (!got) {
		kill(pid, SIGKILL);
		fail_msg("process %d is not over after %d s", pid, seconds);
	}
	assert_int_equal(got, pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

void live_wait_state(pid_t pid, char state)
{
	double end = live_now_s() + READY_SECONDS;

	for (int seen = 0; seen < 10; seen = state_of(pid) == state ? seen + 1 : 0) {
		if (live_now_s() > end)
			fail_msg("process %d is not in state %c but %c", pid, state, state_of(pid));
		live_sleep_ms(10);
	}
}

/* The time of all its threads on the CPUs, in user mode and in the kernel. */
static double cpu_ms(pid_t pid)
{
	unsigned long user = 0, kernel = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2)
		fail_msg("cannot read %s", path);
	fclose(f);
	return (user + kernel) * 1000.0 / sysconf(_SC_CLK_TCK);
}

void live_wait_cpu(pid_t pid, int ms)
{
	double end = live_now_s() + READY_SECONDS, first = cpu_ms(pid);

	while (cpu_ms(pid) < first + ms) {
		if (live_now_s() > end)
			fail_msg("process %d did not run for %d ms", pid, ms);
		live_sleep_ms(10);
	}
}

void live_end(pid_t pid)
{
	kill(pid, SIGKILL);
	live_wait(pid, 10);
}

static bool names_events(const char *const *words)
{
	for (; *words && strcmp(*words, "--"); words++)
		if (!strcmp(*words, "-e"))
			return true;
	return false;
}

pid_t live_spawn_record(const char *file, const char *const *words)
{
	const char *all[MAX_WORDS] = {dusk, "record", "-q", "-o", file};
	size_t nr = 5;

	assert_non_null(dusk);
	unlink(file);
	if (!names_events(words)) { /* most tests count ticks */
		all[nr++] = "-e";
		all[nr++] = "cpu";
	}
	while (*words && nr < MAX_WORDS - 1)
		all[nr++] = *words++;
	return spawn(all, 2, 0); /* a recorded victim says "ready" to nobody */
}

int live_record(const char *file, const char *const *words)
{
	return live_wait(live_spawn_record(file, words), RECORD_SECONDS);
}

/* Does the file hold a sample? A reader sees what is committed while it is written. */
static bool has_samples(const char *file)
{
	_cleanup_profile_ p = NULL;

	return !dusk_profile_read(&p, file, NULL) && p->nr_samples;
}

pid_t live_start_record(const char *file, const char *const *words)
{
	pid_t pid = live_spawn_record(file, words);
	double end = live_now_s() + READY_SECONDS;

	while (!has_samples(file)) {
		if (live_now_s() > end || waitpid(pid, NULL, WNOHANG) == pid)
			fail_msg("dusk record does not record");
		live_sleep_ms(50);
	}
	return pid;
}

int live_stop_record(pid_t pid)
{
	kill(pid, SIGINT);
	return live_wait(pid, RECORD_SECONDS);
}

int live_record_process(const char *file, pid_t pid, int ms, const char *const *words)
{
	const char *all[MAX_WORDS] = {"-p"};
	char number[16];
	size_t nr = 2;
	pid_t recorder;

	snprintf(number, sizeof(number), "%d", pid);
	all[1] = number;
	while (*words && nr < MAX_WORDS - 1)
		all[nr++] = *words++;
	recorder = live_start_record(file, all);
	live_wait_cpu(pid, ms);
	return live_stop_record(recorder);
}
