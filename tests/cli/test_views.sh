#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What do the views select, and how do they fit a terminal? usage: test_views.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/page.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
"$make_profile" profile.dusk 0 off && "$make_profile" pool.dusk 0 pool && "$make_profile" cpu.dusk || exit 1
export LC_ALL=C PAGER=

# prints COMMAND...: exactly what stands on standard input
prints() {
	cat >want
	"$@" >got 2>errors
	status=$?
	cat errors
	diff want got && [ $status = 0 ] && [ ! -s errors ]
}
# tells TEXT COMMAND...: it succeeds and prints that
tells() {
	wanted=$1
	shift
	exits 0 "$@" && says "$wanted"
}
finds_nothing() {
	wanted=$1
	shift
	exits 4 "$@" && says "$wanted" && [ "$(wc -l <said)" = 1 ]
}

# ---- More time off CPU than on CPU

claim "a report of samples says how much more time is off CPU" tells \
	"# off CPU:   1.0 s are not in this view: see --off-cpu, --wall" "$dusk" report -i pool.dusk
claim "... of the threads that are shown" tells "# off CPU:   0.1 s are" "$dusk" report --tid 201
claim "... also above a tree" tells "# off CPU:   1.0 s" "$dusk" report -i pool.dusk --tree
claim "but not if there is less" sh -c "! $dusk report | grep 'off CPU:'"
claim "nor to those who asked for samples" sh -c "! $dusk report -i pool.dusk --cpu | grep 'off CPU:'"
claim "nor in a view of it" sh -c "! $dusk report -i pool.dusk --off-cpu | grep 'off CPU:'"

# ---- The selection, the same in all commands

claim "--time chooses samples by their time" prints "$dusk" export --time 60ms-0.12s <<'-'
xz;main;code;memcpy 2
xz;main;code;libc.so.6+0x1234 1
xz;libc.so.6+0x1234 1
my_app;start;(anonymous namespace)::run(int);vfs_read 2
-
claim "--time takes the part of an interval that is inside" prints \
	"$dusk" report --off-cpu --time 50ms-70ms --csv --fields self,runnable,count,function <<'-'
self_ms,runnable_ms,count,function
20.000000,0.000000,1,vfs_read
10.000000,0.000000,1,futex_wait
0.000000,0.000000,1,code
0.000000,0.000000,1,main
0.000000,0.000000,1,start
-
claim "... where it was runnable, too" prints sh -c "
	$dusk report --off-cpu --time 74500us-80ms --comm xz --csv --fields self,runnable,function | head -n 2" <<'-'
self_ms,runnable_ms,function
0.500000,0.500000,vfs_read
-
claim "--time without an end, and without a beginning" sh -c "
	[ \$($dusk script --cpu --time 0.15s- | grep -c cpu-clock:) = 5 ] && [ \$($dusk script --cpu --time 0-50ms | grep -c cpu-clock:) = 5 ]"
claim "--time -50ms is the last 50 ms" sh -c "
	$dusk script --cpu --time -50ms >last && grep -q 0.190000: last && $dusk script --cpu --time 0.15s- | cmp - last"
claim "--time -1h of less is all" sh -c "$dusk script --cpu >whole && $dusk script --cpu --time -1h | cmp - whole"
claim "--tid chooses threads" prints sh -c "$dusk report --csv --tid 201 --sort tid; $dusk report --csv -t 300,100 --sort tid" <<'-'
self_percent,self,tid
100.0000,5,201
self_percent,self,tid
66.6667,10,100
33.3333,5,300
-
claim "--min chooses off-CPU intervals by their length" prints "$dusk" report --min 20ms --csv --fields total,count,function <<'-'
total_ms,count,function
100.000000,1,futex_wait
50.000000,2,vfs_read
100.000000,1,start
50.000000,2,code
50.000000,2,main
-
claim "... before --time cuts them" prints "$dusk" report --min 100ms --time 100ms-110ms --csv --fields self,function <<'-'
self_ms,function
10.000000,futex_wait
-
claim "... and sums by their average" sh -c "[ \$($dusk script --off-cpu --min 1ms | grep -c off-cpu:) = 4 ]"
claim "script has the samples between them" sh -c "[ \$($dusk script --min 20ms | grep -c cpu-clock:) = 20 ]"
claim "--own leaves the functions of the program" prints sh -c "$dusk export --off-cpu --own; $dusk export --own" <<'-'
my_app;start 100000000
xz;main;code 64000000
xz;main;code 3
xz;main;code;match;code;match 6
my_app;start;(anonymous namespace)::run(int) 4
my_app;[no stack: exiting] 1
-
claim "what hides a whole stack leaves no state of it" finds_nothing "nothing in profile.dusk matches" \
	"$dusk" report --wall --tree --comm xz --hide 'xz|libc|kernel'
flame_has() {
	wanted=$1
	shift
	flame_json "$@" >x.json && grep -q "$wanted" x.json
}
claim "flame shows what is selected" flame_has '"futex_wait"' --tid 201
claim "... and nothing else" sh -c "! grep -q '\"memcpy\"' x.json"
kinds_of() { # the kinds of samples in a page's data, and those that could be asked for
	"$dusk" flame --data "$@" | gzip -dc | head -n 1 | jq -c '[.series[].kind], .others'
}
claim "flame shows all kinds of samples" prints kinds_of <<'-'
["cpu","off-cpu"]
[]
-
claim "... or those that are chosen, and names the others" prints kinds_of --cpu <<'-'
["cpu"]
[["off-cpu","off CPU"]]
-
of_a_file() { flame_json "$@" | jq -c '[.series[].kind], .others'; }
claim "... which a file does not" prints of_a_file --off-cpu <<'-'
["off-cpu"]
[]
-
claim "diff compares what is selected" prints "$dusk" diff --csv --tid 201 --time 0s-130ms profile.dusk profile.dusk <<'-'
delta_percent,before_percent,after_percent,before,after,chance,mark,function,dso
0.0000,100.0000,100.0000,3,3,1,,vfs_read,[kernel]
-
claim "annotate counts what is selected" finds_nothing "nothing in profile.dusk matches: dusk annotate match --time 5s-" \
	"$dusk" annotate match --time 5s-
claim "chains of wakers go on to threads that are not selected" prints sh -c "
	$dusk export --wakers 2 --comm 'my app' --time 150ms-" <<'-'
my_app;start;futex_wait;--;code;main;xz;--;worker_thread;[interrupt] 10000000
-

claim "a name may be a pattern, as of a service" sh -c "
	$dusk script --comm xz >name && $dusk script --comm 'x*' >pattern && [ -s name ] && cmp name pattern"
claim "... which fits whole names" finds_nothing "nothing in profile.dusk matches: dusk script --comm" "$dusk" script --comm 'z*'

# ---- Idle threads

claim "--ignore-idle leaves out the threads of a pool, not those that work or wait for a lock" prints \
	"$dusk" report -i pool.dusk --ignore-idle --csv --sort comm,tid,self --fields self,comm,tid <<'-'
self_ms,comm,tid
200.000000,stuck,403
190.000000,busy,404
100.000000,my app,201
64.000000,xz,100
-
claim "... and the report says so" tells "# idle:      2 intervals of idle threads, 0.399 s, are left out" \
	"$dusk" report -i pool.dusk --ignore-idle
claim "... also of a part of the time" tells "# idle:      2 intervals of idle threads, 0.020 s, are left out" \
	"$dusk" report -i pool.dusk --ignore-idle --time 100ms-110ms

# ---- Nothing matches

claim "a selection without a match fails, with what was asked" finds_nothing \
	"dusk: nothing in profile.dusk matches: dusk report --comm nobody --time 1s-2s" "$dusk" report --comm nobody --time 1s-2s
for command in script flame export "diff profile.dusk profile.dusk" "report --csv"; do
	claim "... so does dusk $command" finds_nothing "nothing in profile.dusk matches: dusk $command --time 5s-" "$dusk" $command --time 5s-
done
claim "... and flame leaves no page" sh -c "[ ! -e flame.html ]"
claim "a profile without off-CPU intervals says what records them" finds_nothing \
	"cpu.dusk has no off-CPU intervals; dusk record -e cpu,offcpu records them" "$dusk" report --off-cpu cpu.dusk

# ---- Trees

claim "a function that calls itself is one line of a tree" prints sh -c "
	$dusk report -i pool.dusk --tree --ascii --comm cxx | sed '/^#/d; s/std::.*_M_dfs(...)/dfs/'" <<'-'
 100.00%     0.00%  cxx
 100.00%     0.00%     start  (my app)
 100.00%    25.00%     dfs  [recursive]
  75.00%    75.00%     memcpy  (libc.so.6)
-
claim "... also where callers are below it" sh -c "[ \$($dusk report -i pool.dusk --callers --comm cxx | grep -c 'recursive') = 2 ]"
claim "... but not for programs" sh -c "[ \$($dusk report -i pool.dusk --tree --csv --comm cxx | grep -c _M_dfs) = 3 ]"
self_of_csv() {
	awk -F, -v n="$1" '$n != "self_ms" { sum += $n } END { print sum }'
}
adds_up() {
	table=$("$dusk" report --off-cpu --csv --fields self,function | self_of_csv 1)
	[ "$table" = 164 ] && [ "$("$dusk" report --off-cpu --tree --csv --percent-limit 0 | self_of_csv 4)" = "$table" ] &&
		[ "$("$dusk" report --wakers 3 --csv --percent-limit 0 | self_of_csv 4)" = "$table" ]
}
claim "self time adds up to all time off CPU, in tables, trees and trees of wakers" adds_up
claim "the state of a thread has no time itself" sh -c "
	$dusk report --wall --tree --csv | awk -F, '\$5 ~ /^\\[s/ { n++; bad += \$4 != 0 } END { exit !n || bad }'"

# ---- Names and terminals

claim "long names lose template arguments and parameters" tells "  std::__detail::_Executor<...>::_M_dfs(...)  " "$dusk" report -i pool.dusk
claim "... in trees" tells "  std::__detail::_Executor<...>::_M_dfs(...)  [recursive]" "$dusk" report -i pool.dusk -g
claim "... and in diff" tells "  std::__detail::_Executor<...>::_M_dfs(...)  " "$dusk" diff cpu.dusk pool.dusk
whole="std::allocator<std::sub_match<char const*> >, true>::_M_dfs(std::__detail::_Match_mode, long)"
claim "--full-names has them all" sh -c "
	for c in report 'report -g' 'diff cpu.dusk'; do
		$dusk \$c pool.dusk --full-names | grep -qF '$whole' && ! $dusk \$c pool.dusk | grep -F '$whole' || exit 1
	done"
claim "programs get whole names" sh -c "
	for o in --csv --json '--csv --tree' '--json --tree'; do $dusk report pool.dusk \$o | grep -qF '$whole' || exit 1; done"
if needs script "a table fits the terminal"; then
	# fits COLUMNS COMMAND...: on a terminal of so many, no row is longer, and there are some
	fits() {
		columns=$1
		shift
		TERM=dumb script -qec "stty cols $columns; $dusk $*" /dev/null </dev/null | tr -d '\r' | sed '/^# [^ ]/d; /^#  *[0-9]/d' >typed
		cat typed
		[ "$(grep -c '%' typed)" -gt 2 ] && awk -v n="$columns" 'length > n { exit 1 }' typed
	}
	for columns in 80 100 120; do
		claim "a table fits $columns columns" fits $columns report pool.dusk
		claim "a table of off-CPU intervals fits $columns columns" fits $columns report pool.dusk --off-cpu
		claim "a tree fits $columns columns" fits $columns report pool.dusk --wakers
		claim "a difference fits $columns columns" fits $columns diff cpu.dusk pool.dusk
	done
	room_for_names() {
		fits 80 report pool.dusk --off-cpu && grep -q '  pthread_mutex_lock  *libc.so.6' typed && ! grep -q Longest typed &&
			fits 120 report pool.dusk --off-cpu && grep -q Longest typed
	}
	claim "names have room before the lesser columns of numbers" room_for_names
	claim "a wide terminal has whole names" sh -c "
		TERM=dumb script -qec 'stty cols 250; $dusk report pool.dusk' /dev/null </dev/null | grep -qF '$whole'"
fi

# ---- What perf's users type

claim "FILE is the profile" sh -c "
	for c in report script export 'info' 'report --csv'; do
		[ \"\$($dusk \$c pool.dusk)\" = \"\$($dusk \$c -i pool.dusk)\" ] || exit 1
	done"
claim "flame FILE is its page" sh -c "$dusk flame pool.dusk -o x.html && $dusk flame -i pool.dusk -o y.html && cmp x.html y.html"
claim "-g and --call-graph are the tree" sh -c "
	for o in -g --call-graph '-g caller' --call-graph=graph; do
		[ \"\$($dusk report --tree)\" = \"\$($dusk report \$o)\" ] || exit 1
	done
	[ \"\$($dusk report --callers)\" = \"\$($dusk report -g callee --stdio)\" ] && [ \"\$($dusk report --call-graph none)\" = \"\$($dusk report)\" ]"
claim "--sort knows perf's names of keys" sh -c "
	[ \"\$($dusk report --csv --sort sym,dso)\" = \"\$($dusk report --csv --sort function,dso)\" ] &&
	[ \"\$($dusk report --csv --sort comm,symbol)\" = \"\$($dusk report --csv --sort comm,function)\" ] &&
	[ \"\$($dusk report --csv --fields overhead,sym)\" = \"\$($dusk report --csv --fields self_percent,function)\" ]"
# ---- Two services of one time

services() { # of the first and of the second side of a diff: what it says was compared
	"$dusk" diff "$@" | sed -n 's/^# \(before\|after\):.*: \([0-9]*\) samples.*/\2/p' | paste -sd' '
}
of_service() {
	"$dusk" report -i cpu.dusk --service "$1" | sed -n 's/^# samples: *\([0-9]*\).* \([0-9]*\) of them selected.*/\2/p'
}
first=$("$dusk" report -i cpu.dusk --sort service --json | jq -r 'select(.service) | .service' | head -n 1)
second=$("$dusk" report -i cpu.dusk --sort service --json | jq -r 'select(.service) | .service' | sed -n 2p)
claim "there are two services" [ "$second" ]
claim "before and after may be two services of one profile" [ "$(services --before "service=$first" --service "$second" cpu.dusk cpu.dusk)" = "$(of_service "$first") $(of_service "$second")" ]
claim "... in a flame graph, too" sh -c "'$dusk' flame --data --before 'service=$first' --service '$second' cpu.dusk cpu.dusk >data && [ \"\$(gzip -dc data | head -n 1 | jq -c '[.profiles[].samples]')\" = '[$(of_service "$first"),$(of_service "$second")]' ]"
claim "... which needs two profiles" exits 2 "$dusk" flame --data --before "service=$first" cpu.dusk
claim "what is no label is refused" exits 2 "$dusk" diff --before colour=red cpu.dusk cpu.dusk
claim "... with an example" says "such as version=8a6e*"

# ---- A nested set

# folded lines of a nested set on standard input
of_nested_set() {
	jq -r 'reduce .[] as $r ({path: [], out: []}; .path = (.path[0:$r.level] + [$r.label]) |
		if $r.self > 0 then .out += ["\([.path[1] | gsub(" "; "_")] + .path[2:] | join(";")) \($r.self)"] else . end) | .out[]' | sort
}
same_as_folded() { # same_as_folded PROFILE [OPTION...]
	"$dusk" export -f folded -i "$@" 2>/dev/null | sort >want
	"$dusk" export -f nested-set -i "$@" 2>/dev/null >nested.json
	of_nested_set <nested.json >got
	diff want got && [ -s got ]
}
sums_fit() { # a value is that of its node, and of those right below it
	jq -e '. as $rows | [range(length)] | all(. as $i | $rows[$i] as $r |
		($rows[$i + 1:] | reduce .[] as $b ({sum: 0, over: false};
			if .over or $b.level <= $r.level then .over = true elif $b.level == $r.level + 1 then .sum += $b.value else . end) | .sum) + $r.self == $r.value)' nested.json
}
if needs jq "a nested set has the stacks of folded lines"; then
	claim "a nested set has the stacks of folded lines" same_as_folded cpu.dusk
	claim "... and its values are sums" sums_fit
	claim "... off CPU as well" same_as_folded pool.dusk --off-cpu
	claim "... and its values are sums" sums_fit
	claim "its first row is all" sh -c "jq -e '.[0].level == 0 and .[0].label == \"total\" and .[0].value > 0 and .[0].self == 0' nested.json"
	claim "a file is one by its suffix" sh -c "'$dusk' export -o x.nested.json cpu.dusk 2>/dev/null && jq -e length x.nested.json"
fi
if needs sqlite3 "interrupted code that the frame pointer alone led on from is unsure"; then
	cp cpu.dusk unsure.dusk
	claim "a sure stack is not called unsure" sh -c "! '$dusk' info cpu.dusk | grep unsure"
	sqlite3 unsure.dusk "update frame set method = 3, is_return = 0 where module in (select id from module where kind = 1)"
	claim "interrupted code that the frame pointer alone led on from is unsure" tells ' of these: interrupted in code that has no CFI' \
		"$dusk" info unsure.dusk
	claim "... also above a view" tells 'complete (13 of them unsure)' "$dusk" report -i unsure.dusk
	claim "... and in lines of JSON" sh -c "'$dusk' export -f jsonl -i unsure.dusk 2>/dev/null | grep -q '\"unsure\":1'"
fi
done_testing
