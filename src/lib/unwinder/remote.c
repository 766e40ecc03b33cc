/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A pass is one reading of the iterator, by a child process. Before the iterator reads a page, it checks whether the
 * read could be made to wait, but that may change between check and read. Then the child hangs, and not we. We kill it,
 * leave the process on which it hung alone from then on, and go on with the next thread, until the time for all threads
 * is over. Some waits do not end when their task is killed: then we leave the child behind with its programs and
 * memory, and load them again if there is time left.
 */
#include "lib/unwinder/remote.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi/outcome.h"
#include "abi/remote.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "core/atomic.h"
#include "lib/error.h"
#include "lib/unwinder/object.h"

#define TRIES 8 /* passes that retry threads that have moved */
#define STUCK_MS 1000
#define MAX_HUNG 8	     /* hung children, in all passes: a second or two each */
#define READ_BYTES (1 << 16) /* more than the kernel buffers for a reader */

DECLARE_IMAGE(remote);

struct remote {
	struct bpf_object *obj;
	struct bpf_link *link;
	struct shared shared; /* a struct remote_pass, and more */
	int chosen;
	struct service *service;
	struct vec(pid_t) left_behind;
};

struct walking {
	const struct dusk_threads_options *options;
	int (*fn)(void *ctx, const struct dusk_thread_stack *t);
	void *ctx;
	struct vec(char) bytes; /* read, but not processed yet */
	struct vec(pid_t) moved, untouched;
	bool last; /* threads that move are not retried */
	u32 after; /* of this pass: the tid of the last record processed */
	u64 end_ns;
	int hung;
	int stops; /* *options->stops at the beginning */
};

/* Should we stop? Returns 0 (no), -ETIMEDOUT or -EINTR. */
static int why_end(const struct walking *w)
{
	if (w->options->stops && *w->options->stops != w->stops)
		return -EINTR;
	return now_ns() >= w->end_ns ? -ETIMEDOUT : 0;
}

static struct remote_pass *pass_of(const struct remote *r)
{
	return r->shared.elements;
}

static int load(struct remote *r, struct dusk_error *err)
{
	int ret;

	ret = object_open(&r->obj, &IMAGE(remote), "dusk_remote", err);
	if (ret)
		return ret;
	ret = service_share(r->service, r->obj);
	if (!ret)
		ret = bpf_object__load(r->obj);
	if (!ret)
		ret = shared_map(&r->shared, r->obj, ".bss.remote", true);
	if (ret)
		return object_load_error(ret, err);
	r->chosen = bpf_object__find_map_fd_by_name(r->obj, "chosen");
	r->link = bpf_program__attach_iter(bpf_object__find_program_by_name(r->obj, "walk_task"), NULL);
	if (!r->link)
		return error_set(err, -errno, "cannot make an iterator over tasks: %s", strerror(errno));
	return 0;
}

static void unload(struct remote *r)
{
	bpf_link__destroy(steal(r->link));
	shared_unmap(&r->shared);
	bpf_object__close(steal(r->obj));
}

int remote_open(struct remote **ret, struct service *s, struct dusk_error *err)
{
	struct remote *r;
	int e;

	if (!probe_holds_memory())
		return error_set(err, -EOPNOTSUPP,
				 "this kernel cannot look safely at the memory of other threads "
				 "(bpf_iter_task_vma); Linux 6.18.44, 7.2 and newer can");
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->service = s;
	e = load(r, err);
	if (e) {
		remote_close(r);
		return e;
	}
	*ret = r;
	return 0;
}

void remote_close(struct remote *r)
{
	if (!r)
		return;
	unload(r);
	for (size_t i = 0; i < r->left_behind.nr; i++)
		waitpid(r->left_behind.v[i], NULL, WNOHANG);
	vec_done(&r->left_behind);
	free(r);
}

static int choose(struct remote *r, enum chosen_kind kind, const pid_t *ids, size_t nr)
{
	u32 value = 1;

	for (size_t i = 0; i < nr; i++) {
		struct chosen_key key = {ids[i], kind};

		if (bpf_map_update_elem(r->chosen, &key, &value, BPF_ANY))
			return -errno;
	}
	return 0;
}

static void choose_none(struct remote *r)
{
	struct chosen_key key;

	while (!bpf_map_get_next_key(r->chosen, NULL, &key))
		bpf_map_delete_elem(r->chosen, &key);
}

/*
 * Run the child. It keeps no descriptor open but the iterator and the pipe, so that no reader elsewhere waits for their
 * end.
 */
static void read_iterator(int in, int out, pid_t parent)
{
	static char buffer[READ_BYTES];
	ssize_t got;

	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	in = fcntl(in, F_DUPFD, 2); /* or the dup2() of @out might replace it */
	if (getppid() != parent || in < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    close_range(2, ~0U, 0))
		_exit(errno);
	while ((got = read(STDIN_FILENO, buffer, sizeof(buffer)))) {
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			_exit(errno);
		if (got > 0 && file_write_fd(STDOUT_FILENO, buffer, got))
			_exit(errno);
	}
	_exit(0);
}

/* The letter that the kernel shows in /proc (linux 6.18 include/linux/sched.h, task_state_to_char()). */
static char state_letter(u32 state)
{
	const u32 idle = 0x402, frozen = 0x8000, lock = 0x1000;
	u32 reported = state & 0x7f;

	if ((state & idle) == idle)
		return 'I';
	if (state & (frozen | lock))
		return 'D';
	return reported ? "SDTtXZP"[31 - __builtin_clz(reported)] : 'R';
}

static int take_record(struct walking *w, const struct remote_record *r)
{
	const uint64_t *frames = (const uint64_t *)(r + 1);
	struct dusk_thread_stack t = {
		.pid = r->pid,
		.tid = r->tid,
		.comm = r->comm,
		.state = state_letter(r->state),
		.outcome = r->outcome,
		.switches = r->switches,
		.nr_kernel = r->nr_kernel,
		.nr_user = r->nr_user,
		.kernel = frames,
		.user = frames + r->nr_kernel,
	};

	w->after = r->tid;
	if (r->outcome == MOVED && !w->last)
		return vec_push(&w->moved, r->tid);
	return w->fn(w->ctx, &t);
}

/* Process all complete records. Returns 0, or what stops the walk. */
static int take_records(struct walking *w)
{
	size_t at = 0, size;
	int ret = 0;

	while (!ret && w->bytes.nr - at >= sizeof(struct remote_record)) {
		const struct remote_record *r = (const void *)(w->bytes.v + at);

		size = sizeof(*r) + ((size_t)r->nr_kernel + r->nr_user) * sizeof(u64);
		if (w->bytes.nr - at < size)
			break;
		ret = take_record(w, r);
		at += size;
	}
	w->bytes.nr -= at;
	memmove(w->bytes.v, w->bytes.v + at, w->bytes.nr);
	return ret;
}

/* Read and process what is there; *@end: there is no more. Returns 0, or what stops the walk. */
static int take_some(struct walking *w, int in, bool *end)
{
	ssize_t got;

	if (vec_reserve(&w->bytes, READ_BYTES))
		return -ENOMEM;
	got = read(in, w->bytes.v + w->bytes.nr, READ_BYTES);
	*end = !got;
	if (got <= 0)
		return got && errno != EINTR ? -errno : 0;
	w->bytes.nr += got;
	return take_records(w);
}

/* Process what the child writes to @in, up to its end or until it @hangs. Returns 0, or what stops the walk. */
static int take_all(struct walking *w, struct remote_pass *pass, int in, bool *hangs)
{
	struct pollfd poll_fd = {.fd = in, .events = POLLIN};
	bool end = false;
	int ret = 0;

	while (!ret && !end && !*hangs) {
		u64 walks = load_relaxed(&pass->walks);
		int ready = poll(&poll_fd, 1, STUCK_MS);

		if (ready > 0)
			ret = take_some(w, in, &end);
		else if (!ready)
			*hangs = walks == load_relaxed(&pass->walks);
		if (!ret && !end)
			ret = why_end(w);
	}
	return ret;
}

/* Kill the child. Returns false if it does not die. */
static bool kill_child(pid_t child)
{
	kill(child, SIGKILL);
	for (int ms = 0; ms < STUCK_MS; ms++) {
		if (waitpid(child, NULL, WNOHANG))
			return true;
		usleep(1000);
	}
	return false;
}

/* Load the programs again if the last ones were left behind. Returns 0 or a negative errno. */
static int load_again(struct remote *r, struct dusk_error *err)
{
	int ret = r->obj ? 0 : load(r, err);

	if (ret)
		unload(r);
	return ret;
}

/*
 * Give up a child that hangs in the memory of another process, with the programs that it runs and the maps that it
 * writes to.
 */
static void leave_behind(struct remote *r, pid_t child)
{
	vec_push(&r->left_behind, child);
	unload(r);
}

/* Exclude the process on which the child hangs, if any. To be called before the child is killed: then it clears tid. */
static int note_untouched(struct remote *r, struct walking *w)
{
	const struct remote_pass *pass = pass_of(r);

	if (++w->hung > MAX_HUNG)
		return -ETIMEDOUT;
	return load_relaxed(&pass->tid) && vec_push(&w->untouched, (pid_t)pass->tgid) ? -ENOMEM : 0;
}

/* Run one child from fork to exit, and process what it reads. Returns 0, or what stops the walk. */
static int read_tasks(struct remote *r, struct walking *w, bool *hangs, struct dusk_error *err)
{
	_cleanup_(closep) int iterator = bpf_iter_create(bpf_link__fd(r->link)), in = -1, out = -1;
	pid_t self = getpid(), child;
	int pipe_fds[2], status, ret;

	if (iterator < 0 || pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	in = pipe_fds[0];
	out = pipe_fds[1];
	child = fork();
	if (child < 0)
		return -errno;
	if (!child)
		read_iterator(iterator, out, self);
	close(steal_fd(&out));
	w->bytes.nr = 0;
	ret = take_all(w, pass_of(r), in, hangs);
	if (*hangs && !ret)
		ret = note_untouched(r, w);
	if (ret || *hangs) {
		if (!kill_child(child))
			leave_behind(r, child);
		return ret;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 0; /* the caller's program has already waited for it: its output has ended all the same */
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

/*
 * Choose the threads of this pass: those of the caller's options, or those that moved. Returns 0 or a negative errno.
 */
static int choose_for(struct remote *r, const struct walking *w, const pid_t *again, size_t nr_again)
{
	const struct dusk_threads_options *o = w->options;
	int ret;

	if (nr_again)
		return choose(r, CHOSEN_THREAD, again, nr_again);
	ret = choose(r, CHOSEN_PROCESS, o->pids, o->nr_pids);
	return ret ?: choose(r, CHOSEN_THREAD, o->tids, o->nr_tids);
}

/* Prepare a pass that goes on after the last record, for a child to read. */
static void begin_pass(struct remote *r, const struct walking *w, bool filter)
{
	struct remote_pass *pass = pass_of(r);

	choose_none(r);
	pass->self_tgid = getpid();
	pass->no_kernel = w->options->no_kernel;
	pass->filter = filter;
	pass->after = w->after;
	pass->tid = 0;
}

/* Walk all tasks, or those that moved in the last pass. Returns 0, or what stops the walk. */
static int pass(struct remote *r, struct walking *w, const pid_t *again, size_t nr_again, struct dusk_error *err)
{
	const struct dusk_threads_options *o = w->options;
	int ret = 0;

	w->after = 0;
	for (;;) {
		bool hangs = false;

		ret = load_again(r, err);
		if (ret)
			return ret;
		begin_pass(r, w, nr_again || o->nr_pids || o->nr_tids);
		ret = choose_for(r, w, again, nr_again);
		if (!ret)
			ret = choose(r, UNTOUCHED_PROCESS, w->untouched.v, w->untouched.nr);
		if (!ret)
			ret = read_tasks(r, w, &hangs, err);
		if (ret || !hangs)
			return ret;
	}
}

/* Run passes until no thread has moved. Returns 0, or what stops the walk. */
static int passes(struct remote *r, struct walking *w, struct dusk_error *err)
{
	_cleanup_(freep) pid_t *again = NULL;
	size_t nr_again = 0;
	int ret = 0;

	for (int left = TRIES; left; left--) {
		w->last = left == 1;
		ret = pass(r, w, again, nr_again, err);
		if (ret || !w->moved.nr)
			break;
		nr_again = w->moved.nr;
		free(again);
		again = vec_steal(&w->moved);
	}
	return ret;
}

int remote_walk(struct remote *r, const struct dusk_threads_options *o,
		int (*fn)(void *ctx, const struct dusk_thread_stack *t), void *ctx, struct dusk_error *err)
{
	struct walking w = {
		.options = o,
		.fn = fn,
		.ctx = ctx,
		.end_ns = o->timeout_ms ? now_ns() + o->timeout_ms * 1000000ULL : UINT64_MAX,
		.stops = o->stops ? *o->stops : 0,
	};
	int ret;

	if (err)
		*err->text = 0;
	ret = passes(r, &w, err);
	vec_done(&w.bytes);
	vec_done(&w.moved);
	vec_done(&w.untouched);
	if (ret == -ETIMEDOUT && err && !*err->text)
		error_set(err, ret,
			  "not all threads were looked at: some hang whose memory is not given out, and time is up");
	if (ret < 0 && err && !*err->text)
		error_set(err, ret, "cannot look at threads: %s", strerror(-ret));
	return ret;
}
