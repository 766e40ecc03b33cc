#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a kill -9 of a recorder, or of the agent, at any moment cost no more than what was not written, which is named? usage: test_kills.sh DUSK
#
# In each of $KILLS rounds (6) a recorder is killed, each third one after it was held up, and then the agent, alone or with its recorder, at
# moments of $SEED, with windows of $WINDOW seconds (0.5). tests/README.md says how many are run where, bench/README.md what came of fifty rounds.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
rounds=${KILLS:-6} seed=${SEED:-$(date +%s)} window=${WINDOW:-0.5}
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS NOTIFY_SOCKET PAGER

can_record "a kill costs no more than a window" || { done_testing; exit; }
echo "# seed $seed"
sh -c 'while :; do :; done' &
busy=$!
agent=
trap 'kill $busy; kill -9 $agent $(recorders) 2>/dev/null; rm -rf "$tmp"' EXIT
recorders() {
	pgrep -f "^dusk record .*$tmp/st/"
}
none_runs() {
	! recorders
}
begin() {
	"$dusk" agent --config /dev/null --store "$tmp/st" -F 49 --window "${window}s" --rotate 1d --compact 0 2>>said.all &
	agent=$!
}
number() { # number PROFILE SQL
	"$dusk" query -i "$1" --csv "$2" 2>/dev/null | tail -n 1
}
recording() { # the newest profile is being recorded, and has a window
	newest=$(ls -d st/*.dusk.recording 2>/dev/null | tail -n 1)
	[ "$newest" ] && ! grep -q "^${newest%.recording} " kills && [ "$(number "${newest%.recording}" "select count(*) from window_count")" -ge 1 ] &&
		seen=$(date +%s.%N)
}
shortly() { # shortly N: for up to a window and a bit
	sleep "$(awk -v seed="$seed$1" -v window="$window" 'BEGIN { srand(seed); printf "%.3f", rand() * (window + 0.1) }')"
}
killed() { # killed PID...: and note which profile that is of, when, and how long after it was seen to record
	newest=$(ls -d st/*.dusk.recording | tail -n 1)
	newest=${newest%.recording}
	before=$(date +%s.%N)
	kill -9 "$@" 2>/dev/null
	echo "$before $seen" >>seen
}
: >kills
held_up() { # the recorder, for some windows: the one that is open then is longer than it says
	pid=$(recorders | sort -n | head -n 1)
	kill -STOP "$pid"
	sleep "$(awk -v window="$window" 'BEGIN { print 4 * window }')"
	kill -CONT "$pid"
	seen=$(date +%s.%N)
}
round() { # round N
	begin
	until_true recording || return 1
	[ $(($1 % 3)) != 0 ] || held_up
	shortly "1$1"
	killed "$(recorders | sort -n | head -n 1)"
	until_true [ ! -e "$newest.recording" ] || return 1
	echo "$newest $before $(date +%s.%N)" >>kills # it died between these, and was seen dead
	until_true grep -q "the recorder of .*/$newest was killed by signal 9" said.all || return 1
	until_true recording || return 1
	shortly "2$1"
	if [ $(($1 % 2)) = 0 ]; then
		killed $agent $(recorders)
		echo "$newest $before" >>kills # nobody has seen when
	else
		kill -9 $agent # its recorders end in order
	fi
	wait $agent 2>/dev/null
	until_true none_runs
}
all_rounds() {
	for i in $(seq "$rounds"); do
		round "$i" || { tail -3 said.all; return 1; }
	done
	begin
	until_true recording
	kill -TERM $agent && wait $agent
}
claim "recorders and agents are killed, $rounds times each" all_rounds
claim "nothing is left of a recording" sh -c "! ls st | grep recording"
claim "all that was taken is stored, or named as lost" exits 0 "$dusk" store check st
claim "each kill of a recorder is named by the agent" [ "$(grep -c "was killed by signal 9\|was not ended: it lacks its last window" said.all)" = "$(wc -l <kills)" ]
# Of each profile: how many windows long is it from the end of the last one that is there until its recorder was killed, and until it was seen dead?
# As many are lost; one, if nobody has seen when. 0.02 s is for a clock that is being adjusted.
lost() {
	echo "lost windows, as counted, at least, at most; seconds that are not there:"
	while read -r profile before after; do
		echo "$(number "$profile" "select value from counter where name = 'lost-windows'")" \
			"$(number "$profile" "select value / 1e9 from setting where key = 'start_realtime_ns'")" \
			"$(number "$profile" "select value / 1e9 from setting where key = 'duration_ns'")" "$before" "$after"
	done <kills | awk -v window="$window" '
		function windows(s) { n = int(s / window); n += n * window < s; return n < 1 ? 1 : n }
		{ gone = $4 - $2 - $3; print $1, $5 ? windows(gone - 0.02) : 1, $5 ? windows(gone + $5 - $4 + 0.02) : 1, gone }' | tee lost
	[ "$(wc -l <lost)" = "$(wc -l <kills)" ] && awk '$1 < $2 || $1 > $3 { bad = 1 } END { exit bad }' lost
}
claim "the windows that it has cost are counted" lost
sort -n -k 4 lost | awk -v window="$window" '{ v[NR] = $4; n[$1]++ } END { printf "# %d kills of recorders: %.2f s are missing in the middle, %.2f s at most; windows of %s s lost, and times: ",
	NR, v[int((NR + 1) / 2)], v[NR], window; for (i in n) printf " %d, %d;", i, n[i]; print "" }'
# If that is as long as what is missing, it was not the recorder that was held up, but all of the machine.
awk '{ s = $1 - $2; if (s > max) max = s } END { printf "# at most %.2f s from when a recorder was last seen to go on to its kill\n", max }' seen
done_testing
