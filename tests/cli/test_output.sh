#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What do the views print of a profile that is known? usage: test_output.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/page.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
"$make_profile" profile.dusk || exit 1
unset PAGER NO_COLOR
export LC_ALL=C

# prints COMMAND...: exactly what stands on standard input
prints() {
	cat >want
	"$@" >got 2>errors
	status=$?
	cat errors
	diff want got && [ $status = 0 ] && [ ! -s errors ]
}
has() {
	wanted=$1
	shift
	exits 0 "$@" && says "$wanted"
}

claim "folded: every sample, by task and names" prints "$dusk" export --format folded <<'-'
xz;main;code;match;code;match 6
xz;main;code;memcpy 2
xz;main;code;libc.so.6+0x1234 1
xz;libc.so.6+0x1234 1
kworker/0:1;worker_thread 5
my_app;start;(anonymous namespace)::run(int);vfs_read 4
my_app;[no stack: exiting] 1
-
claim "folded with pids and marks" prints sh -c "$dusk export --show-pid --annotate | grep _.k" <<'-'
kworker/0:1-300;worker_thread_[k] 5
my_app-200;start;(anonymous namespace)::run(int);vfs_read_[k] 4
-
claim "csv: recursion counts once in total" prints "$dusk" report --csv <<'-'
self_percent,total_percent,self,total,function,dso
30.0000,30.0000,6,6,match,xz
25.0000,25.0000,5,5,worker_thread,[kernel]
20.0000,20.0000,4,4,vfs_read,[kernel]
10.0000,10.0000,2,2,libc.so.6+0x1234,libc.so.6
10.0000,10.0000,2,2,memcpy,libc.so.6
5.0000,5.0000,1,1,[no stack: exiting],
0.0000,45.0000,0,9,code,xz
0.0000,45.0000,0,9,main,xz
0.0000,20.0000,0,4,(anonymous namespace)::run(int),my app
0.0000,20.0000,0,4,start,my app
-
claim "csv by task and module, in that order" prints "$dusk" report --csv --no-children --sort pid,dso,comm <<'-'
self_percent,self,pid,dso,comm
30.0000,6,100,xz,xz
25.0000,5,300,[kernel],kworker/0:1
20.0000,4,200,[kernel],my app
20.0000,4,100,libc.so.6,xz
5.0000,1,200,[no stack: exiting],my app
-
claim "filters choose samples" prints "$dusk" report --csv --sort comm --comm "my app,xz" --dso "[kernel],libc.so.6" <<'-'
self_percent,self,comm
50.0000,4,my app
50.0000,4,xz
-
claim "ndjson: the first line tells the columns" prints "$dusk" report --json --sort comm --limit 1 <<'-'
{"schema":"dusk-table-1","columns":["self_percent","self","comm"]}
{"self_percent":50,"self":10,"comm":"xz"}
-
traced() {
	cp profile.dusk traced.dusk && sqlite3 traced.dusk "update setting set value = 'tracefs' where key = 'event'" &&
		"$dusk" report -i traced.dusk | grep -qx '# event:     tracefs'
}
needs sqlite3 "events of tracefs have no rate" && claim "events of tracefs have no rate" traced
claim "the report says what was recorded and what was lost" prints sh -c "
	$dusk report --sort comm | sed 's/^\(# *[0-9]*  [a-z-]*\): .*/\1/'" <<'-'
# command:   make all
# host:      box
# duration:  0.2 s
# event:     cpu-clock (this machine has no PMU), 100 samples a second and CPU
# samples:   20; 86.67 % of the user stacks complete
#
#   Self    Samples  Command
  50.00%         10  xz
  25.00%          5  kworker/0:1
  25.00%          5  my app
#
# Not complete, or lost:
#         1  no-fde
#         1  exiting
#         3  lost-samples
-
claim "the tree" prints sh -c "$dusk report --tree --ascii --comm xz | grep -v '^#'" <<'-'
 100.00%     0.00%  xz
  90.00%     0.00%     |- main  (xz)
  90.00%     0.00%     |  code
  60.00%     0.00%     |  |- match
  60.00%     0.00%     |  |  code
  60.00%    60.00%     |  |  match
  20.00%    20.00%     |  |- memcpy  (libc.so.6)
  10.00%    10.00%     |  |- libc.so.6+0x1234  (libc.so.6)
  10.00%    10.00%     |- libc.so.6+0x1234  (libc.so.6)
-
claim "the callers" prints sh -c "$dusk report --callers --dso libc.so.6 --percent-limit 30 | grep -v '^#'" <<'-'
  50.00%  libc.so.6+0x1234  (libc.so.6)
  50.00%  memcpy  (libc.so.6)
  50.00%     code  (xz)
  50.00%     main
-
claim "the callees come first in --tree callee, as in --callers" sh -c "
	[ \"\$($dusk report --tree callee)\" = \"\$($dusk report --callers)\" ] &&
	[ \"\$($dusk report --tree caller)\" = \"\$($dusk report -g)\" ]"
claim "fields: the columns that are named, in that order" prints "$dusk" report --csv --limit 2 --fields self,comm,total_percent,function <<'-'
self,comm,total_percent,function
6,xz,30.0000,match
5,kworker/0:1,25.0000,worker_thread
-
claim "fields on paper" prints sh -c "
	$dusk report --fields comm,self,function --percent-limit 20 | sed -n '/Function/,/rows;/p'" <<'-'
# Command        Samples  Function
  xz                   6  match
  kworker/0:1          5  worker_thread
  my app               4  vfs_read
# 3 of 10 rows; --limit and --percent-limit choose
-
claim "rows are sorted by what they weigh, wherever it stands among the keys" prints sh -c "
	$dusk report --csv --sort function,count --fields count,function --limit 3
	$dusk report --csv --sort comm,total,function --fields total,comm,function --limit 4" <<'-'
count,function
9,code
9,main
6,match
total,comm,function
9,xz,code
9,xz,main
6,xz,match
5,kworker/0:1,worker_thread
-
claim "total first" prints "$dusk" report --csv --sort total --limit 3 --fields total,function <<'-'
total,function
9,code
9,main
6,match
-
"$make_profile" both.dusk 0 off || exit 1
claim "samples are what is usual, whatever else there is" sh -c "
	for o in '' --tree --csv '--json --sort comm'; do
		[ \"\$($dusk report \$o)\" = \"\$($dusk report -i both.dusk \$o)\" ] || exit 1
	done
	$dusk diff --csv profile.dusk both.dusk | awk -F, 'NR > 1 && \$1 != 0 { exit 1 }'"
claim "report --off-cpu" prints sh -c "$dusk report -i both.dusk --off-cpu | sed '/^# Not/,\$d'" <<'-'
# command:   make all
# host:      box
# duration:  0.2 s
# intervals: 44, 0.164 s off CPU; 100.00 % of the user stacks complete
#
#   Self     Total      Total ms  Intervals    Longest ms  Function    Module
  60.98%    60.98%       100.000          1       100.000  futex_wait  [kernel]
  36.59%    36.59%        60.000          3        30.000  vfs_read    [kernel]
   2.44%    39.02%        64.000         43        30.000  code        xz
   0.00%    60.98%       100.000          1       100.000  start       my app
   0.00%    39.02%        64.000         43        30.000  main        xz
#
-
claim "report --off-cpu by count, by runnable time, by state" prints sh -c "
	$dusk report -i both.dusk --off-cpu --csv --weight count --fields self,total,function --limit 2
	$dusk report -i both.dusk --off-cpu --csv --weight runnable --fields self,total,function --limit 1
	$dusk report -i both.dusk --off-cpu --csv --no-children --sort state" <<'-'
self,total,function
40,43,code
3,3,vfs_read
self_ms,total_ms,function
4.000000,5.000000,code
self_percent,self_ms,state
85.3659,140.000000,sleeping
12.1951,20.000000,uninterruptible
2.4390,4.000000,preempted
-
claim "report --wall: how each task spent its time" prints "$dusk" report -i both.dusk --wall --csv --sort comm,state,self --comm xz <<'-'
self_percent,self_ms,comm,state
60.9756,100.000000,xz,on-cpu
24.3902,40.000000,xz,sleeping
12.1951,20.000000,xz,uninterruptible
2.4390,4.000000,xz,preempted
-
claim "report --wall --tree: what is off CPU says so" prints sh -c "
	$dusk report -i both.dusk --wall --tree --ascii --comm 'my app' | sed '/^#/d'" <<'-'
 100.00%     0.00%  my app
  93.33%     0.00%     |- start  (my app)
  66.67%    66.67%     |  |- futex_wait  ([kernel])
  66.67%     0.00%     |  |  [sleeping]
  26.67%     0.00%     |  |- (anonymous namespace)::run(int)
  26.67%    26.67%     |     vfs_read  ([kernel])
   6.67%     6.67%     |- [no stack: exiting]
-
claim "report --state: on CPU and off CPU" prints sh -c "
	$dusk report -i both.dusk --csv --state preempted,uninterruptible --fields state,total,function
	$dusk report -i both.dusk --csv --state sleeping --sort comm --limit 1" <<'-'
state,total_ms,function
uninterruptible,20.000000,vfs_read
preempted,4.000000,code
uninterruptible,20.000000,code
uninterruptible,20.000000,main
preempted,4.000000,main
self_percent,self_ms,comm
71.4286,100.000000,my app
-
claim "report --wakers: the wakers, and theirs" prints sh -c "
	$dusk report -i both.dusk --wakers 2 --ascii | sed '/^#/d'" <<'-'
  60.98%     0.00%  my app
  60.98%     0.00%     start  (my app)
  60.98%    60.98%     futex_wait  ([kernel])
  60.98%     0.00%     --
  60.98%     0.00%     code  (xz)
  60.98%     0.00%     main
  60.98%     0.00%     xz
  60.98%     0.00%     pid 100
  60.98%     0.00%     --
  60.98%     0.00%     worker_thread  ([kernel])
  60.98%     0.00%     [interrupt]
  39.02%     0.00%  xz
  39.02%     0.00%     main  (xz)
  39.02%     2.44%     code
  36.59%    36.59%     vfs_read  ([kernel])
   6.10%     0.00%     --
   6.10%     0.00%     worker_thread  ([kernel])
   6.10%     0.00%     [interrupt]
-
claim "export --wakers: the same in a line" prints sh -c "$dusk export -i both.dusk --wakers | grep -e --" <<'-'
my_app;start;futex_wait;--;code;main;xz 100000000
xz;main;code;vfs_read;--;worker_thread;[interrupt] 10000000
-
claim "script: wakers, in comments" prints sh -c "
	$dusk script -i both.dusk | sed -n '/woken by/,/^[^#]/p'" <<'-'
# woken by [interrupt]
#	ffffffff81000100 worker_thread+0x0 ([kernel.kallsyms])
	ffffffff81000200 schedule+0x0 ([kernel.kallsyms])
# woken by xz  100/100
#	            2000 code+0x0 (/usr/bin/xz)
#	            1000 main+0x0 (/usr/bin/xz)
	ffffffff81000200 schedule+0x0 ([kernel.kallsyms])
-
claim "wakers that were not recorded" exits 1 "$dusk" report --wakers
claim "... are missed, with what records them" says "profile.dusk says nothing of wakers; dusk record -e offcpu --wakers"
claim "a thread on a CPU is not woken" exits 2 "$dusk" report -i both.dusk --wakers --cpu
claim "wakers are for folded stacks" exits 2 "$dusk" export -i both.dusk --wakers -f jsonl
claim "a state that is none" exits 2 "$dusk" report --state asleep
claim "... is named, with those that there are" says "there are on-cpu, preempted, sleeping"
claim "query: the function of an interval is what waits, not the scheduler" sh -c "
	$dusk query -i both.dusk --csv 'select distinct function from intervals order by 1' | tr '\\n' ' ' | grep -qx 'function code futex_wait vfs_read '"
claim "samples and off-CPU intervals are not counted together" exits 2 "$dusk" report -i both.dusk --wall --weight count
claim "nor in columns" exits 2 "$dusk" report -i both.dusk --wall --fields count,function
claim "a thread on a CPU does not wait for it" exits 2 "$dusk" report --weight runnable
claim "diff --off-cpu" prints "$dusk" diff --off-cpu both.dusk both.dusk --limit 1 --percent-limit 0 <<'-'
# before:    both.dusk: 44 off-CPU intervals, 0.16 s off CPU
# after:     both.dusk: 44 off-CPU intervals, 0.16 s off CPU
#
#   Before     After     Delta      Function  Module
     2.44%     2.44%    +0.00%      code      xz
# 1 of 3 rows; --limit and --percent-limit choose
-
claim "timeline: what a thread did, and when" prints "$dusk" query -i both.dusk --csv \
	"select tid, start_s, end_s, state from timeline where tid = 201 order by 2" <<'-'
tid,start_s,end_s,state
201,0.05,0.06,on-cpu
201,0.06,0.16,sleeping
201,0.16,0.2,on-cpu
-
claim "report --focus and --hide" prints "$dusk" report --csv --focus '^code$' --hide 'match|mem' --fields self,total,function <<'-'
self,total,function
8,9,code
1,1,libc.so.6+0x1234
0,9,main
-
claim "export --ignore and --hide" prints "$dusk" export --ignore 'worker|no stack' --hide 'code|libc' <<'-'
xz;main 3
xz;main;match;match 6
my_app;start;(anonymous namespace)::run(int);vfs_read 4
-
claim "script --focus" sh -c "[ \$($dusk script --focus '^memcpy$' | grep -c cpu-clock:) = 2 ]"
hides_match() {
	flame_json --hide '^match$' >x.json && grep -q memcpy x.json && ! grep -q '"match"' x.json && flame_json | grep -q '"match"'
}
claim "flame --hide" hides_match
"$make_profile" more.dusk 4 || exit 1
claim "diff: what changed most comes first, with its chance" prints "$dusk" diff --csv --limit 3 more.dusk profile.dusk <<'-'
delta_percent,before_percent,after_percent,before,after,chance,mark,function,dso
13.3333,16.6667,30.0000,6,6,0.3135,,match,xz
11.1111,13.8889,25.0000,5,5,0.4677,,worker_thread,[kernel]
-11.1111,11.1111,0.0000,4,0,0.2853,,xz+0x100000,xz
-
claim "diff on paper" prints "$dusk" diff profile.dusk profile.dusk --total --percent-limit 0 --focus memcpy <<'-'
# before:    profile.dusk: 2 samples, 0.02 s of CPU time
# after:     profile.dusk: 2 samples, 0.02 s of CPU time
# marks:     * ** *** on a row say: chance alone would do this in 5, 1, 0.1 % of the cases
#
#   Before     After     Delta      Function  Module
   100.00%   100.00%    +0.00%      code      xz
   100.00%   100.00%    +0.00%      main      xz
   100.00%   100.00%    +0.00%      memcpy    libc.so.6
-
claim "diff --stacks --absolute" prints "$dusk" diff --stacks --absolute --json more.dusk profile.dusk --limit 2 <<'-'
{"schema":"dusk-diff-1","columns":["delta_s","before_s","after_s","before","after","chance","mark","stack"]}
{"delta_s":-0.04,"before_s":0.04,"after_s":0,"before":4,"after":0,"chance":0.125,"mark":"","stack":"xz+0x100000"}
{"delta_s":-0.04,"before_s":0.04,"after_s":0,"before":4,"after":0,"chance":0.125,"mark":"","stack":"xz+0x100000;xz+0x100040"}
-
mv more.dusk profile.dusk.old
claim "diff without profiles takes the last two" sh -c "
	[ \"\$($dusk diff)\" = \"\$($dusk diff profile.dusk.old profile.dusk)\" ] && $dusk diff | grep -q '^# before: *profile.dusk.old: 36 '"
claim "query without SQL lists the views of the format" sh -c "
	$dusk query --csv | cut -d, -f1 | tr '\\n' ' ' | grep -qx 'view frame_name intervals lives losses samples stacks timeline top_functions '"
claim "query: numbers stand to the right" prints "$dusk" query "select comm, null as x, count(*) as n from samples group by 1 order by 3 desc, 1" <<'-'
comm         x   n
-----------  -  --
xz              10
kworker/0:1      5
my app           5
-
claim "csv has no formulas and no control characters, but numbers as they are" prints "$dusk" query --csv \
	"select '=1+1' a, '@x' b, '-5' c, -5 d, '-x,y' e, '+1.5e3' f, char(27) || '[31m' g, 'a=b' h, char(13) i" <<'-'
a,b,c,d,e,f,g,h,i
'=1+1,'@x,-5,-5,"'-x,y",+1.5e3,\x1b[31m,a=b,\x0d
-
claim "query as csv, options behind the words" prints "$dusk" query "select time_s, comm, null, 'a,\"b' from samples where pid = 200" --csv -i profile.dusk <<'-'
time_s,comm,null,"'a,""b'"
0.1,my app,,"a,""b"
0.11,my app,,"a,""b"
0.12,my app,,"a,""b"
0.13,my app,,"a,""b"
0.14,my app,,"a,""b"
-
claim "query as json" prints "$dusk" query --json "select id, time_s, null as x, comm from samples limit 1" <<'-'
{"schema":"dusk-query-1","columns":["id","time_s","x","comm"]}
{"id":1,"time_s":0,"x":null,"comm":"xz"}
-
claim "query: no control characters to the terminal" sh -c "$dusk query \"select char(27, 155) as x\" | tail -n 1 | grep -qxF '\\x1b\\xc2\\x9b'"
claim "query: a name that is none" exits 2 "$dusk" query "select zebra from samples"
claim "... is named, with the remedy" says "no such column: zebra; 'dusk query' lists the views"
claim "query: what writes is refused" exits 2 "$dusk" query "delete from sample"
claim "... by name" says "DELETE is refused"
claim "query: another file is refused" exits 2 "$dusk" query "attach 'x.db' as x"
claim "... and is not made" sh -c "[ ! -e x.db ] && [ \$($dusk query --csv 'select count(*) from sample' | tail -n 1) = 20 ]"
claim "query --json: columns of one name are refused" exits 2 "$dusk" query --json "select 1 as a, 2 as a"
claim "query: rows after the first thousands come, too" sh -c "
	[ \$($dusk query 'with recursive n(i) as (values(1) union all select i+1 from n where i < 50000) select i from n' | tail -n 1) = 50000 ]"
claim "script: as perf script has it" prints sh -c "$dusk script | sed -n '/^my/,/^$/p' | head -n 5" <<'-'
my_app    200/201   [000]     0.100000:   10000000 cpu-clock: 
	ffffffff81000000 vfs_read+0x0 ([kernel.kallsyms])
	            6000 {anonymous}::run(int)+0x1f (/opt/my\040app)
	            8000 start+0x0 (/opt/my\040app)

-
claim "script: an off-CPU interval is a sample of its own event" prints sh -c "$dusk script -i both.dusk --off-cpu | tail -n 5" <<'-'
xz    100/100   [000]     0.200000:    4000000 off-cpu: 
# preempted 4.000000 ms, runnable 4.000000 ms, the sum of 40
	            2000 code+0x0 (/usr/bin/xz)
	            1000 main+0x0 (/usr/bin/xz)

-
claim "script has a header for each sample" sh -c "[ \$($dusk script | grep -c cpu-clock:) = 20 ]"
claim "export --format script is script" sh -c "[ \"\$($dusk script)\" = \"\$($dusk export --format script)\" ]"

if command -v perl >/dev/null; then
	# The patterns by which stackcollapse-perf.pl, speedscope and the Firefox Profiler know headers and frames.
	cat >readers.pl <<'-'
	next if /^$/ || /^#/ || /^\s+(\w+)\s*(.+) \((\S*)\)$/;
	my ($comm, $pid, $tid) = /^(\S.+?)\s+(\d+)\/*(\d+)*\s+/;
	die $_ unless $comm =~ /^(xz|my_app|kworker\/0:1)$/ && $pid && $tid;
	die $_ unless /^(.*)\s+([\d.]+):/ && /\s+(\d+\.\d+):\s+/ && /(\S+):\s*$/;
-
	claim "every line of script is a header, a frame, a comment or empty" sh -c "$dusk script -i both.dusk | perl -n readers.pl"
fi

claim "info names the outcomes and counters that are not zero" sh -c "
	$dusk info >text && grep -q '^ *1  no-fde ' text && grep -q '^ *14  walks ' text && grep -q '^complete *86.67 %' text &&
	! grep '^ *0  ' text && grep -q '^[0-9]* outcomes, events and counters of zero are left out; -v shows them' text"
claim "info -v names every outcome and counter" sh -c "
	$dusk info -v >text && grep -q '^ *0  no-cookie ' text && [ \$(grep -c '^ *[0-9][0-9]*  [a-z]' text) -gt 40 ] && ! grep 'left out' text"
claim "info: time off CPU by state" prints sh -c "$dusk info -i both.dusk | sed -n '/^Time off CPU/,/^Off-CPU intervals by/p'" <<'-'
Time off CPU by state: seconds, of these runnable, intervals
         0.004        0.004           40  preempted
         0.140        0.001            3  sleeping
         0.020        0.000            1  uninterruptible

accounted: 97.14 % of 0.350 thread-seconds, of 2 threads

Threads of whose time more than 0.1 % is not accounted for, or twice: 1
  200/201  my app: on CPU 0.040 s and off CPU 0.100 s, of 0.150 s

Off-CPU intervals by how their user stack ended
-
claim "info says nothing of off-CPU intervals where there are none" sh -c "! $dusk info | grep -i interval"
claim "info tells what a finished recording is" has "recording      finished" "$dusk" info
claim "info --json is one object" sh -c "$dusk info --json >json && grep -q '\"samples\": 20,' json"
if command -v jq >/dev/null; then
	"$dusk" info --json -i both.dusk >off.json
	claim "info --json is JSON, and its outcomes add up" sh -c "
		[ \$(jq '[.outcomes[].samples] | add == .samples' json 2>/dev/null || jq '([.outcomes[].samples] | add)' json) = 20 ] ||
		jq -e '([.outcomes[].samples] | add) == .samples' json"
	claim "info --json has what is off CPU" prints jq -c '.samples, .off_cpu.intervals, .off_cpu.states.sleeping, .off_cpu.missing' off.json <<'-'
20
44
{"intervals":3,"ns":140000000,"runnable_ns":1000000}
[{"pid":200,"tid":201,"comm":"my app","life_ns":150000000,"on_cpu_ns":40000000,"off_cpu_ns":100000000}]
-
	claim "report --json is JSON" sh -c "$dusk report --json | jq -es 'length == 11'"
	claim "report --json --tree is JSON" sh -c "$dusk report --json --tree | jq -es '.[0].columns[0] == \"depth\"'"
fi
titled() {
	flame_json --title 'a & b' | grep -q '"title":"a & b"'
}
claim "flame has the title that was wished for" titled
claim "flame writes one page" sh -c "$dusk flame -o x.html && grep -q '</html>' x.html"
compared() {
	"$dusk" flame -o x.html profile.dusk profile.dusk.old && page_json x.html >x.json &&
		grep -q '"title":"profile.dusk → profile.dusk.old"' x.json && grep -q '"profile":1' x.json
}
claim "flame compares two profiles" compared
claim "flame writes to standard output" sh -c "$dusk flame -o - | grep -qi '<!doctype html>'"

if needs script "what a terminal gets"; then
	claim "a terminal gets what the pager makes of it" sh -c "
		TERM=xterm PAGER='sed s/^/paged:/' script -qec '$dusk report' /dev/null </dev/null >typed; cat typed
		grep -q '^paged:# command:' typed && ! grep -q '^[^p]' typed"
	claim "less gets FRSX, unless the user has set LESS" sh -c "
		env -u LESS PAGER='echo \$LESS; cat' TERM=xterm script -qec '$dusk report' /dev/null </dev/null | grep -q '^FRSX' &&
		LESS=S PAGER='echo \$LESS; cat' TERM=xterm script -qec '$dusk report' /dev/null </dev/null | grep -q '^S'"
	claim "a terminal gets colours" sh -c "
		PAGER= TERM=xterm script -qec '$dusk report' /dev/null </dev/null >typed; grep -q '[[]31m' typed"
	claim "... but not with NO_COLOR" sh -c "
		NO_COLOR=1 PAGER= TERM=xterm script -qec '$dusk report' /dev/null </dev/null >typed; ! grep -q '[[]31m' typed"
	claim "a pipe gets neither" sh -c "TERM=xterm PAGER='sed s/^/paged:/' $dusk report | grep -v '^[# ]'; [ \$? = 1 ] &&
		! TERM=xterm $dusk report | grep '[[]31m'"
fi
for command in script "export" "flame -o -" info report diff query; do
	claim "$command: a full disk is an error" exits 1 sh -c "$dusk $command >/dev/full"
done
# What a file or its name says reaches the terminal by all ways without control characters: errors, store check, JSON; and CSV without formulas.
esc=$(printf '\033')
c1=$(printf '\302\233')
"$dusk" --version >/dev/null
plain() { # plain COMMAND...: whatever its status, there is no control character in what it says
	"$dusk" "$@" >all 2>&1
	cat -v all
	[ -s all ] && ! grep -q "[$esc$(printf '\177')]\|$c1" all
}
"$make_profile" evil.dusk
sqlite3 evil.dusk "create view \"v${esc}]0;PWNED\" as select 1 a; insert into counter values('lost-${esc}[2J',5,'${esc}]0;${c1}sentence'),('samples',20,''); update thread set comm = char(127) || char(155) || 'x'"
claim "a query's error has none" plain query -i evil.dusk "select * from \"no${esc}such\""
claim "nor has store check" plain store check evil.dusk
cp evil.dusk "evil${esc}]0;name.dusk"
claim "... of a file of such a name" plain store check "evil${esc}]0;name.dusk"
claim "nor has JSON" plain report --json -s thread -i evil.dusk
claim "... DEL and C1 are escaped" sh -c "'$dusk' query -i evil.dusk --json 'select comm from thread' | grep -q 'u007f.u009bx'"
claim "a formula behind blanks is none in CSV" sh -c "'$dusk' query -i evil.dusk --csv \"select char(9) || '=1+1' a\" | tail -n 1 | grep -q \"'\""
claim "a field with ; is quoted" sh -c "'$dusk' query -i evil.dusk --csv \"select 'a;b' a\" | tail -n 1 | grep -qxF '\"a;b\"'"
"$make_profile" large.dusk 100000 || exit 1
for command in script "export" "report --csv --percent-limit 0" "report --tree --percent-limit 0" "flame -o -"; do
	claim "$command: a reader that has read enough is no error" sh -c "
		{ $dusk $command -i large.dusk 2>errors; echo \$? >status; } | head -n 1 >/dev/null
		[ \$(cat status) = 0 ] && [ ! -s errors ]"
done
claim "a file that could not be written in full is removed" sh -c "
	ulimit -f 8; trap '' XFSZ
	$dusk export --format script -i large.dusk -o cut.perf; [ \$? = 1 ] && [ ! -e cut.perf ]"
claim "a profile cut short is refused or read, not a crash" sh -c "
	for n in 100 1000 4096 20000 50000; do
		head -c \$n large.dusk >short.dusk
		$dusk report -i short.dusk >/dev/null 2>errors; [ \$? -le 1 ] || exit 1
	done"
done_testing
