/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The SQLite schema of a profile. doc/format.md describes it for readers.
 *
 * To keep it small: numbers that are often 0 or 1 (cpu, outcome, is_return) cost SQLite no byte beyond their type; a
 * value that equals another is NULL (a symbol equal to its name, an address equal to its offset); time is in
 * microseconds; rows are found by their rowid, so that there is no index.
 */
#pragma once

#define PROFILE_APPLICATION_ID 0x6475736b /* "dusk" */
#define PROFILE_VERSION 1
#define PROFILE_PAGE_BYTES 1024
#define PROFILE_MAX_NS (1ULL << 62) /* upper bound of times and durations */
#define PROFILE_MAX_LINES 64	    /* of a frame: functions inlined into each other; unfolding makes a node of each */
#define PROFILE_NO_NAME "?"	    /* of what must have one */

#define PROFILE_TABLES                                                                        \
	"create table setting(key text primary key, value text) without rowid;"               \
	"create table module(id integer primary key, kind int, pid int, path text,"           \
	" build_id text, dev int, ino int, generation int);"                                  \
	"create table image(id integer primary key, name text);"                              \
	"create table function(id integer primary key, name text, symbol text, image int);"   \
	"create table frame(id integer primary key, module int, offset int, is_return int,"   \
	" function int, function_offset int, address int, method int);"                       \
	"create table node(id integer primary key, parent int, frame int);"                   \
	"create table thread(id integer primary key, pid int, tid int, comm text,"            \
	" cgroup int);"                                                                       \
	"create table sample(id integer primary key, time int, thread int, node int,"         \
	" cpu int, outcome int);"                                                             \
	"create table offcpu(id integer primary key, time int, thread int, node int,"         \
	" cpu int, outcome int, state int, value int, runnable int, nr int);"                 \
	"create table waker(offcpu integer primary key, thread int, node int, outcome int,"   \
	" kind int);"                                                                         \
	"create table thread_times(id integer primary key, thread int, start int, end int,"   \
	" on_cpu int, runnable int, blocked int, intervals int);"                             \
	"create table state(id integer primary key, name text, sentence text);"               \
	"create table outcome(id integer primary key, name text, class text, sentence text);" \
	"create table counter(name text primary key, value int, sentence text) without rowid;"

/* Created when lines are known. Profiles without lines lack these tables. */
#define PROFILE_LINE_TABLES                                                                \
	"create table if not exists source(id integer primary key, path text);"            \
	"create table if not exists line(id integer primary key, frame int, function int," \
	" source int, line int);"

/*
 * Created when the first title of a process or its first cgroup is known. Profiles of other profilers lack these
 * tables. A row of title holds for later threads of its process, too.
 */
#define PROFILE_LABEL_TABLES                                                                          \
	"create table title(thread integer primary key, text text, service text, version text);"      \
	"create table cgroup(id integer primary key, path text, container text, container_name text," \
	" pod text, namespace text, unit text, host text);"                                           \
	"create view labels as with a as(select t.*,x.text,x.service s,x.version v,"                  \
	"count(x.thread)over(partition by t.pid order by t.id)g "                                     \
	"from thread t left join title x on x.thread=t.id),"                                          \
	"b as(select id,pid,tid,comm,"                                                                \
	"coalesce(cgroup,case when g then first_value(cgroup)over w end)cgroup,"                      \
	"first_value(s)over w s,first_value(v)over w version,first_value(text)over w title "          \
	"from a window w as(partition by pid,g order by id))"                                         \
	"select b.id thread,pid,tid,comm,coalesce(s,c.unit,c.container_name,comm)service,version,"    \
	"c.container,c.container_name,c.pod,c.namespace,c.unit,c.path cgroup,"                        \
	"coalesce(c.host,(select value from setting where key='hostname'))host,title "                \
	"from b left join cgroup c on c.id=b.cgroup;"

/* Created when tracefs events are recorded. Profiles without events lack these tables. */
#define PROFILE_EVENT_TABLES                                                                     \
	"create table event(id integer primary key, name text);"                                 \
	"create table occurrence(id integer primary key, time int, thread int, node int,"        \
	" cpu int, outcome int, event int, fields text);"                                        \
	"create view events as select s.id,s.time/1e6 time_s,t.pid,t.tid,t.comm,s.cpu,"          \
	"e.name event,s.fields,f.function,f.module,o.name outcome,s.thread "                     \
	"from occurrence s left join thread t on t.id=s.thread left join node n on n.id=s.node " \
	"left join frame_name f on f.id=n.frame left join outcome o on o.id=s.outcome "          \
	"left join event e on e.id=s.event;"

/* Created when samples are summed by windows. Profiles without windows lack these tables. */
#define PROFILE_WINDOW_TABLES                                                                            \
	"create table packed(id integer primary key, name text, nr int, rows blob);"                     \
	"create table window(id integer primary key, start int, length int, rows blob);"                 \
	"create table counted(id integer primary key, name text);"                                       \
	"create table window_count(id integer primary key, start int, counted int, value int);"          \
	"create view counts as select w.start/1e6 time_s,n.name,w.value,c.sentence from window_count w " \
	"join counted n on n.id=w.counted left join counter c on c.name=n.name;"

/* %llu: how many */
#define PROFILE_TEXTS_CUT                                                                                      \
	"insert into counter values('texts-cut',%llu,'texts that were longer than 4096 bytes, and were cut') " \
	"on conflict(name) do update set value=value+excluded.value"

/* A recorder of windows was killed: what is lost is counted where it would have been. */
#define PROFILE_LOST_WINDOWS                                                                                  \
	"begin immediate;"                                                                                    \
	"insert or replace into counter values('lost-windows',%llu,'windows lost: the recorder was killed');" \
	"insert into counted(name) values('lost-windows');"                                                   \
	"insert into window_count(start,counted,value) values(%llu,last_insert_rowid(),%llu);"                \
	"commit"

/*
 * SQLite keeps the text of a view as it is, hence few blanks. The function of an interval is that which waits, not the
 * scheduler's: is_scheduler() of src/report/model/time_base.c has the same names.
 */
#define PROFILE_VIEWS                                                                              \
	"create view frame_name as select f.id,"                                                   \
	"coalesce(fn.name,coalesce(i.name,'[unknown]')||printf('+0x%x',f.offset)) function,"       \
	"coalesce(fi.name,i.name,'[unknown]') module "                                             \
	"from frame f left join function fn on fn.id=f.function "                                  \
	"left join image fi on fi.id=fn.image "                                                    \
	"left join (select id,substr(path,1+length(rtrim(path,replace(path,'/','')))) name "       \
	"from module) i on i.id=f.module;"                                                         \
                                                                                                   \
	"create view top_functions as select "                                                     \
	"coalesce(f.function,'['||o.name||']') function,f.module,t.comm,sum(s.n) samples "         \
	"from (select node,outcome,thread,count(*) n from sample group by 1,2,3) s "               \
	"left join node n on n.id=s.node left join frame_name f on f.id=n.frame "                  \
	"left join thread t on t.id=s.thread left join outcome o on o.id=s.outcome "               \
	"group by 1,2,3 order by 4 desc;"                                                          \
                                                                                                   \
	"create view samples as select s.id,s.time/1e6 time_s,t.pid,t.tid,t.comm,s.cpu,"           \
	"f.function,f.module,o.name outcome,s.thread "                                             \
	"from sample s left join thread t on t.id=s.thread left join node n on n.id=s.node "       \
	"left join frame_name f on f.id=n.frame left join outcome o on o.id=s.outcome;"            \
                                                                                                   \
	"create view intervals as select s.id,s.time/1e6 time_s,t.pid,t.tid,t.comm,s.cpu,"         \
	"a.name state,s.value/1e6 off_ms,s.runnable/1e6 runnable_ms,s.nr,"                         \
	"f.function,f.module,o.name outcome,s.thread "                                             \
	"from offcpu s left join thread t on t.id=s.thread left join node n on n.id="              \
	"(with recursive u(i,d)as(select s.node,0 union all select n.parent,d+1 from u "           \
	"join node n on n.id=u.i join frame f on f.id=n.frame join module m on m.id=f.module "     \
	"join function x on x.id=f.function where n.parent and m.kind=4 and("                      \
	"x.name glob'schedule*'or x.name glob'__schedule*'or x.name glob'io_schedule*'or "         \
	"x.name glob'preempt_schedule*'or x.name glob'__cond_resched*'or "                         \
	"x.name glob'poll_schedule_timeout*'))select i from u order by d desc limit 1)"            \
	"left join frame_name f on f.id=n.frame left join outcome o on o.id=s.outcome "            \
	"left join state a on a.id=s.state;"                                                       \
                                                                                                   \
	"create view timeline as with "                                                            \
	"a as(select pid,tid,time_s-off_ms/1e3 start_s,time_s end_s,state,id offcpu "              \
	"from intervals where cpu is not null),"                                                   \
	"e as(select pid,tid,start_s s,end_s e,0 z from a union all select pid,tid,x/1e9,x/1e9,z " \
	"from(select thread,start x,0 z from thread_times union all "                              \
	"select thread,end,1 from thread_times)l "                                                 \
	"join thread t on t.id=l.thread),"                                                         \
	"g as(select pid,tid,z,e,lead(s)over(partition by pid,tid order by s,e)n from e)"          \
	"select*from a union all select pid,tid,e,n,'on-cpu',null from g where z=0 and n>e+1e-6;"  \
                                                                                                   \
	"create view lives as select t.pid,t.tid,t.comm,l.start/1e9 start_s,l.end/1e9 end_s,"      \
	"l.on_cpu/1e6 on_cpu_ms,l.runnable/1e6 runnable_ms,l.blocked/1e6 blocked_ms,"              \
	"l.intervals,l.thread from thread_times l left join thread t on t.id=l.thread;"            \
                                                                                                   \
	"create view stacks as select s.node id,count(*) samples,"                                 \
	"(with recursive up(node,text) as (select s.node,'' union all "                            \
	"select n.parent,f.function||case text when '' then '' else ';' end||text "                \
	"from up join node n on n.id=up.node join frame_name f on f.id=n.frame) "                  \
	"select text from up where node=0) folded "                                                \
	"from sample s where s.node>0 group by s.node;"                                            \
                                                                                                   \
	"create view losses as select o.name,count(*) value,o.sentence "                           \
	"from sample s join outcome o on o.id=s.outcome where o.class in('cut','none') "           \
	"group by o.id union all select name,value,sentence from counter where value>0 and "       \
	"(name='stacks-shortened' or name like 'lost-%' or name like 'refused-%' "                 \
	"or name like 'closed-%' or name like '%-full');"
