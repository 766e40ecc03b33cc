#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a kill -9 of a recorder, or of the agent, at any moment cost no more than the last window, which is named? usage: test_kills.sh DUSK [ROUNDS]
#
# In each round a recorder is killed, and then the agent, alone or with its recorder. bench/README.md has the figures of fifty rounds.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
rounds=${2:-6}
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS NOTIFY_SOCKET PAGER

can_record "a kill costs no more than a window" || { done_testing; exit; }
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
	"$dusk" agent --config /dev/null --store "$tmp/st" -F 49 --window 500ms --rotate 10m --compact 0 2>>said.all &
	agent=$!
}
windows() { # windows PROFILE: how many it has, with their counts
	"$dusk" query -i "$1" --csv "select count(distinct time_s) from counts where name = 'recorder-cpu-ns'" 2>/dev/null | tail -n 1
}
recording() { # the newest profile is being recorded, and has a window
	newest=$(ls -d st/*.dusk.recording 2>/dev/null | tail -n 1)
	[ "$newest" ] && ! grep -q "^${newest%.recording} " kills && [ "$(windows "${newest%.recording}")" -ge 1 ]
}
shortly() { # for up to a window and a bit
	sleep "$(awk -v seed="$1" 'BEGIN { srand(seed); printf "%.3f", rand() * 0.6 }')"
}
killed() { # killed PID...: and note which profile that is of, and when
	newest=$(ls -d st/*.dusk.recording | tail -n 1)
	kill -9 "$@" 2>/dev/null
	echo "${newest%.recording} $(date +%s.%N)" >>kills
}
: >kills
round() { # round N
	begin
	until_true recording || return 1
	shortly "$1$1"
	killed "$(recorders | sort -n | head -n 1)"
	last=$(tail -n 1 kills | cut -d ' ' -f 1)
	until_true [ ! -e "$last.recording" ] || return 1
	grep -q "the recorder of .*/$last was killed by signal 9" said.all || return 1
	until_true recording || return 1
	shortly "7$1"
	if [ $(($1 % 2)) = 0 ]; then
		killed $agent $(recorders)
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
nr=$(wc -l <kills)
claim "nothing is left of a recording" sh -c "! ls st | grep recording"
claim "all that was taken is stored, or named as lost" exits 0 "$dusk" store check st
claim "each kill of a recorder is named: a window each" [ "$(awk '$2 == "lost-windows:" { n += $1 } END { print n }' said)" = "$nr" ]
claim "... by the agent" [ "$(grep -c "was killed by signal 9\|was not ended: it lacks its last window" said.all)" = "$nr" ]
# Of each profile: how many windows were over when the recorder was killed, and how many are there? They are committed once a second: two at a
# time, and as many more where the machine is busy.
lost() {
	while read -r profile when; do
		start=$("$dusk" query -i "$profile" --csv "select value / 1e9 from setting where key = 'start_realtime_ns'" | tail -n 1)
		echo "$(windows "$profile") $start $when" | awk '{ s = $3 - $2; printf "%.3f %d %d\n", s - $1 / 2, s * 2, $1 }'
	done <kills >lost
	echo "seconds that are not there, whole windows that were over, windows that are there:"
	cat lost
	awk '{ if ($2 - $3 > 4) bad = 1 } END { exit bad || !NR }' lost
}
claim "a kill costs the open window, and what was not committed yet" lost
sort -n lost | awk '{ v[NR] = $1 } END { printf "# %d kills of recorders: %.2f s are missing in the middle, %.2f s at most, in windows of 0.5 s\n", NR, v[int((NR + 1) / 2)], v[NR] }'
done_testing
