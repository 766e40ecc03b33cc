/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads of a profile that is written, and where they belong. */
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/write/writer.h"

/* The identity of a thread. There is no padding: it is hashed and compared as bytes. */
struct thread_key {
	pid_t pid, tid;
	uint32_t cgroup, again; /* again: its own number plus one, if it is another thread than those before it */
	char comm[24];
};

static uint32_t add_thread(struct profile_writer *w, struct thread_key *key, const char *comm)
{
	sqlite3_stmt *stmt = writer_begin(w, THREAD);
	uint32_t number;
	bool fresh;

	if (!stmt)
		return 0;
	snprintf(key->comm, sizeof(key->comm), "%.16s", comm ?: "");
	if (keys_number(&w->threads, key, sizeof(*key), &number, &fresh)) {
		writer_fail_memory(w);
		return 0;
	}
	if (!fresh)
		return number;
	sqlite3_bind_int64(stmt, 1, number);
	writer_bind_pid(stmt, 2, key->pid);
	writer_bind_pid(stmt, 3, key->tid);
	writer_bind_text(w, stmt, 4, key->comm);
	if (key->cgroup)
		sqlite3_bind_int64(stmt, 5, key->cgroup);
	else
		sqlite3_bind_null(stmt, 5);
	writer_run(w, stmt);
	return number;
}

uint32_t profile_thread_in(struct profile_writer *w, uint32_t cgroup, pid_t pid, pid_t tid, const char *comm)
{
	return add_thread(w, &(struct thread_key){.pid = pid, .tid = tid, .cgroup = cgroup}, comm);
}

uint32_t profile_thread_anew(struct profile_writer *w, uint32_t cgroup, pid_t pid, pid_t tid, const char *comm)
{
	struct thread_key key = {.pid = pid, .tid = tid, .cgroup = cgroup, .again = w->threads.nr + 1};

	return add_thread(w, &key, comm);
}

uint32_t profile_thread(struct profile_writer *w, pid_t pid, pid_t tid, const char *comm)
{
	return profile_thread_in(w, 0, pid, tid, comm);
}

bool profile_thread_ids(const struct profile_writer *w, uint32_t thread, pid_t *pid, pid_t *tid)
{
	const struct thread_key *key;

	if (thread >= w->threads.nr)
		return false;
	key = keys_at(&w->threads, thread);
	*pid = key->pid;
	*tid = key->tid;
	return true;
}

const char *profile_thread_comm(const struct profile_writer *w, uint32_t thread)
{
	return ((const struct thread_key *)keys_at(&w->threads, thread))->comm;
}

static void make_label_tables(struct profile_writer *w)
{
	writer_fail_db(w, db_exec(w->db, PROFILE_LABEL_TABLES));
	if (!w->error)
		writer_fail_db(w, db_prepare(&w->title, w->db, "insert or replace into title values(?,?,?,?)"));
	if (!w->error)
		writer_fail_db(w,
			       db_prepare(&w->cgroup, w->db, "insert or replace into cgroup values(?,?,?,?,?,?,?,?)"));
	if (!w->error)
		writer_fail_db(w, db_prepare(&w->of_thread, w->db, "update thread set cgroup=? where id=?"));
}

static bool begin_labels(struct profile_writer *w)
{
	if (writer_begin(w, THREAD) && !w->title)
		make_label_tables(w);
	return !w->error;
}

void profile_process(struct profile_writer *w, uint32_t thread, const struct profile_process *p)
{
	if (!begin_labels(w))
		return;
	sqlite3_bind_int64(w->title, 1, thread);
	writer_bind_text(w, w->title, 2, p->title);
	writer_bind_text(w, w->title, 3, p->service);
	writer_bind_text(w, w->title, 4, p->version);
	writer_run(w, w->title);
}

uint32_t profile_cgroup(struct profile_writer *w, const struct dusk_cgroup *c)
{
	const char *const texts[] = {c->path, c->container, c->container_name, c->pod, c->pod_namespace,
				     c->unit, c->host};
	_cleanup_(freep) char *key = NULL;
	uint32_t number;
	int len;

	if (!begin_labels(w))
		return 0;
	len = asprintf(&key, "%s%c%s", c->host ?: "", 0, c->path);
	if (len < 0)
		key = NULL;
	if (!key || strings_number(&w->cgroups, key, len, &number, NULL)) {
		writer_fail_memory(w);
		return 0;
	}
	sqlite3_bind_int64(w->cgroup, 1, ++number);
	for (int i = 0; i < 7; i++)
		writer_bind_text(w, w->cgroup, i + 2, texts[i]);
	writer_run(w, w->cgroup);
	return number;
}

void profile_thread_cgroup(struct profile_writer *w, uint32_t thread, uint32_t cgroup)
{
	if (!cgroup || !begin_labels(w))
		return;
	sqlite3_bind_int64(w->of_thread, 1, cgroup);
	sqlite3_bind_int64(w->of_thread, 2, thread);
	writer_run(w, w->of_thread);
}
