#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the example tools say what their victim did? usage: test_examples.sh EXAMPLES VICTIMS DUSK
#
# In a mount namespace with a bpffs of its own: what tools share below /sys/fs/bpf/dusk is shared by those of this test
# alone, and its counters are theirs.
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ "${alone-}" ] || alone=yes exec unshare -m --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
examples=$(realpath "$1") victims=$(realpath "$2") dusk=$(realpath "$3")
cd "$tmp" && mount -t bpf bpf /sys/fs/bpf || exit 1
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot unwind, see dusk doctor"
	exit 0
}
trap 'kill -9 $(jobs -p) 2>/dev/null; umount -l /sys/fs/bpf; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# wait_for TEXT FILE PID: until it is there, while the process lives
wait_for() {
	for _ in $(seq 300); do
		grep -qs "$1" "$2" && return
		kill -0 "$3" || break
		sleep 0.1
	done
	echo "no $1 in $2:"
	cat "$2"
	return 1
}
# start NAME EXAMPLE ARGUMENTS...: until it is ready; its output is in NAME.out and NAME.err, its pid in $started
start() {
	name=$1 tool=$2
	shift 2
	"$examples/$tool" -v "$@" >"$name.out" 2>"$name.err" &
	started=$!
	wait_for ready "$name.err" $started
}
stop() {
	kill -INT "$1"
	wait "$1"
}
# start_victim: $victim dozes for work
start_victim() {
	mkfifo orders 2>/dev/null
	"$victims/dozes" <orders >dozes.out &
	victim=$!
	exec 9>orders
	wait_for ready dozes.out $victim
}
end_victim() {
	exec 9>&-
	wait $victim
}
work() {
	before=$(grep -c done dozes.out)
	echo >&9
	for _ in $(seq 600); do
		[ "$(grep -c done dozes.out)" -gt "$before" ] && return
		sleep 0.1
	done
	return 1
}
# value NAME FILE: of "NAME VALUE"
value() {
	awk -v name="$1" '$1 == name { print $2 }' "$2"
}

# off-CPU time
down='main;work;measure;descend;descend;descend;descend;descend'
# bounded PLACE: the time below that user stack lies between what the victim asked for, with 1 % to get there, and saw
bounded() {
	awk -v stack=";$down;$1;" -v place="$1" '
		FNR == NR { if ($1 == place) { min = $2; max = $3 }; next }
		index($0, stack) { sum += $NF }
		END {
			print place ": " sum " ns, and the victim says " min " to " max
			exit !(min && sum >= 0.99 * min && sum <= max)
		}' dozes.out off.out
}
# each_complete FILE: all lines of the victim begin at _start, and nothing is said to be missing
each_complete() {
	[ -s "$1" ] && ! grep -v '^dozes-[0-9]*;_start;' "$1"
}
blocks_in() {
	grep -q ";$down;$1;.*$2_\[k\]" off.out
}
start_victim
claim "offcputime starts" start off offcputime -p $victim
claim "the victim works" work
claim "offcputime ends with status 0" stop $started
claim "all of its user stacks are complete" each_complete off.out
claim "a sleep takes as long as the victim says" bounded rest
claim "poll() takes as long as the victim says" bounded await
claim "the sleep is below hrtimer_nanosleep" blocks_in rest hrtimer_nanosleep
claim "poll() is below do_sys_poll" blocks_in await do_sys_poll
claim "no amount is lost" [ "$(value lost-sums off.err)" = 0 ]
claim "it walked" [ "$(value walks off.err)" -ge 50 ]

# uprobes: innermost first, "rest+0x0 (dozes)"
# stacks PLACE FILE: as many as the victim's turns, each of them this one
stacks() {
	awk -v place="$1" -v down="descend descend descend descend descend measure work main" '
		function check() {
			if (!stack)
				return
			nr++
			if (index(stack, place " " down " ") != 1 || stack !~ / _start $/) {
				print "not expected: " stack
				bad = 1
			}
			stack = ""
		}
		/^process/ { check() }
		/^    / { sub(/\+0x.*/, "", $1); stack = stack $1 " " }
		END { check(); print nr " stacks"; exit bad || nr != 25 }' "$2"
}
claim "uprobestack starts" start function uprobestack -p $victim "$victims/dozes" await
claim "the victim works" work
claim "uprobestack ends with status 0" stop $started
claim "each call has its stack" stacks await function.out
claim "which begins at the function's first instruction" [ "$(grep -c '^    await+0x0 (dozes)$' function.out)" = 25 ]
claim "uprobestack starts at a USDT mark" start mark uprobestack -p $victim "$victims/dozes" dozes:pass
claim "the victim works" work
claim "uprobestack ends with status 0" stop $started
claim "each pass has its stack" stacks rest mark.out
claim "its program's own variable says how many" [ "$(value hits mark.err)" = 25 ]
claim "no stack is lost" [ "$(value lost-stacks mark.err)" = 0 ]

# skeleton
begot() {
	awk -v pid="$victim," '
		/^process/ { if (stack ~ want) found = 1; stack = ""; ours = $2 == pid }
		/^    [^[]/ { sub(/\+0x.*/, "", $1); if (ours) stack = stack $1 " " }
		END { exit !(found || stack ~ want) }
	' want='fork beget descend descend descend descend descend work main .*_start $' "$1"
}
"$examples/skeleton" >skeleton.out &
skeleton=$!
for _ in $(seq 600); do
	[ -s skeleton.out ] && break
	/bin/true
	sleep 0.1
done
claim "the victim works" work
claim "skeleton sees the task that forks" wait_for "process $victim," skeleton.out $skeleton
claim "skeleton ends with status 0" stop $skeleton
claim "with the whole stack" begot skeleton.out
end_victim

# stacktop, beside a recording
looks() {
	for _ in $(seq 100); do
		"$examples/stacktop" 3 >top.out 2>top.err && grep -q '^    descend+.* (dozes)$' top.out && return
		work || return
	done
	cat top.out top.err
	return 1
}
claim "without a tool stacktop says so" exits 1 "$examples/stacktop"
claim "... and why" says "no recording or tool"
start_victim
"$dusk" record -q -e offcpu -p $victim -o top.dusk &
recording=$!
claim "stacktop shows the victim's stacks while they are recorded" looks
claim "... three, the first of which comes most often" sh -c "awk '/times/ { if (n++ && \$1 > last) bad = 1; last = \$1 } END { exit bad || n != 3 }' top.out"
stop $recording
end_victim

# Tools that know nothing of each other. The tool that schedules a walk counts it as scheduled; the walk is counted once for
# all. The first to come sees all walks; when the victim is dead, no walk is due.
counters() {
	for _ in $(seq 100); do
		[ -e /sys/fs/bpf/dusk ] || break
		sleep 0.1
	done
	"$victims/threads" >threads.out &
	victim=$!
	wait_for ready threads.out $victim || return
	start first offcputime -p $victim || return
	first=$started
	start second offcputime -p $victim || return
	second=$started
	"$dusk" record -q -e cpu -F 999 -o shared.dusk -d 3s -p $victim || return
	stop $second || return
	kill -9 $victim
	wait $victim
	sleep 1
	stop $first || return
	recorded=$(sqlite3 shared.dusk "select value from counter where name = 'scheduled'")
	cat first.err second.err
	echo "scheduled by record: $recorded"
	[ "$recorded" -gt 0 ]
}
one_walk() {
	scheduled=$(($(value scheduled first.err) + $(value scheduled second.err) + recorded + $(value unasked first.err)))
	ended=$(awk '/^(walks|closed-)/ { sum += $2 } END { print sum }' first.err)
	echo "scheduled $scheduled, walked or closed $ended"
	[ "$scheduled" = "$ended" ]
}
shared_walks() {
	requests=$(($(value requests first.err) + $(value requests second.err)))
	joined=$(($(value joined first.err) + $(value joined second.err)))
	echo "$joined of $requests requests joined"
	[ "$joined" -ge $((requests / 4)) ]
}
claim "two tools and a recording run at once" counters
claim "each walk is scheduled by one of them" one_walk
claim "and shared with the others" shared_walks
claim "nothing stays behind" [ ! -e /sys/fs/bpf/dusk ]
done_testing
