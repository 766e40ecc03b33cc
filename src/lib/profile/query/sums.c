/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of windows as a view. See sums.h. */
#include <errno.h>
#include "base/cleanup.h"
#include "lib/error.h"
#include "lib/profile/file/db.h"
#include "lib/profile/query/sums.h"
#include "lib/profile/sums/windows.h"

#define TABLE                                                                                                       \
	"create temp table window_sum(time int, thread int, node int, outcome int, state int, value int, runnable " \
	"int, nr int)"
#define PERIOD                                                                               \
	"coalesce((select value from setting where key='period_ns'),1e9/(select value from " \
	"setting where key='frequency_hz'))"
#define VIEW                                                                                                         \
	"create temp view sums as select s.time/1e6 time_s,t.pid,t.tid,t.comm,coalesce(a.name,'on-cpu') state,s.nr," \
	"coalesce(s.value,s.nr*" PERIOD                                                                              \
	")/1e6 ms,s.runnable/1e6 runnable_ms,f.function,f.module,o.name outcome,s.thread "                           \
	"from temp.window_sum s left join thread t on t.id=s.thread left join node n on n.id=s.node "                \
	"left join frame_name f on f.id=n.frame left join outcome o on o.id=s.outcome left join state a on "         \
	"a.id=s.state"

/* Of samples the state is NULL, and the value if it is the period's. */
static int insert(sqlite3_stmt *stmt, sqlite3_int64 time_us, const struct dusk_sample *s)
{
	sqlite3_bind_int64(stmt, 1, time_us);
	sqlite3_bind_int64(stmt, 2, s->thread);
	sqlite3_bind_int64(stmt, 3, s->node);
	sqlite3_bind_int(stmt, 4, s->outcome);
	sqlite3_bind_null(stmt, 5);
	if (s->source == DUSK_OFF_CPU)
		sqlite3_bind_int(stmt, 5, s->state);
	sqlite3_bind_null(stmt, 6);
	if (s->value_ns || s->source == DUSK_OFF_CPU)
		sqlite3_bind_int64(stmt, 6, s->value_ns);
	sqlite3_bind_int64(stmt, 7, s->runnable_ns);
	sqlite3_bind_int64(stmt, 8, s->count);
	return db_run(stmt);
}

/* The rows of a window, whose columns are those of @from. */
static int add_rows(sqlite3_stmt *stmt, sqlite3_stmt *from, bool *damaged)
{
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	struct dusk_sample s;
	struct block_row row;
	int err = block_decode(sqlite3_column_blob(from, 1), sqlite3_column_bytes(from, 1), &c), rc = 0;

	*damaged = err && err != -ENOMEM;
	if (err)
		return err == -ENOMEM ? SQLITE_NOMEM : 0;
	for (uint32_t i = 0; i < c.rows && !rc && !*damaged; i++) {
		block_row(&row, &c, i);
		*damaged = !window_sample(&row, &s);
		rc = *damaged ? 0 : insert(stmt, sqlite3_column_int64(from, 0), &s);
	}
	return rc;
}

int query_add_sums(const struct profile_file *f)
{
	_cleanup_(db_finalizep) sqlite3_stmt *from = NULL, *to = NULL;
	sqlite3_int64 nr = 0;
	bool damaged = false;
	int rc = db_integer(f->db, "select count(*) from sqlite_schema where name='window' and type='table'", &nr);

	if (!rc && !nr)
		return 0;
	rc = rc ?: db_exec(f->db, "pragma temp_store=memory");
	rc = rc ?: db_exec(f->db, TABLE);
	rc = rc ?: db_prepare(&to, f->db, "insert into temp.window_sum values(?,?,?,?,?,?,?,?)");
	rc = rc ?: db_prepare(&from, f->db, "select start,rows from main.window order by rowid");
	while (!rc && !damaged && (rc = sqlite3_step(from)) == SQLITE_ROW)
		rc = add_rows(to, from, &damaged);
	if (damaged)
		return error_set(f->err, -EINVAL, "%s is damaged: a wrong value in table window", f->path);
	rc = rc == SQLITE_DONE ? db_exec(f->db, VIEW) : rc;
	return rc ? profile_file_failed(f, rc) : 0;
}
