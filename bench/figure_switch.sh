# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does it cost to follow each switch of tasks? Sourced by run; README.md explains the tables.
# shellcheck shell=bash disable=SC2154

# Load $1 with tracer $2, and its rate alone, which was $before, afterwards; of the first load what else is to be known.
measure_switch() {
	local with after
	start_tracer "$2"
	with=$("rate_$1")
	if [ "$1" = pingpong20 ]; then
		tracer_costs | awk -v t="$2" '{ print t "-memory", $1; print t "-cpu", $2 }' >>switch.data
	fi
	stop_tracer
	[ "$1" != pingpong20 ] || count_intervals "$2" >>switch.data
	after=$("rate_$1")
	awk -v key="$1-$2" -v a="$before" -v b="$with" -v c="$after" 'BEGIN {
		print key, b * 2 / (a + c)
		print key "-us", 1e6 / b - 2e6 / (a + c)
		print key "-noise", a / c
		print key "-alone", c }' >>switch.data
	before=$after
}

# Of the ping-pong that has just been recorded.
count_intervals() {
	local true_nr
	true_nr=$(awk '{ print $2 }' switch.count)
	tracer_intervals "$1" pingpong | awk -v t="$1" -v nr="$true_nr" '{ print t "-lost", (1 - $1 / nr) * 100; print t "-rows", $2 }'
	tracer_all_intervals "$1" | awk -v t="$1" -v size="$(stat -c %s tracer.data)" '$1 > 0 { print t "-bytes", size / $1 }'
	case $1 in
	dusk*) "$dusk" info -i tracer.data | awk -v t="$1" '$2 ~ /^lost-/ { n += $1 } END { print t "-events-lost", n + 0 }' ;;
	esac
}

# How long tracer $1 (none: no tracer) holds up a switch of the ping-pong: "MEDIAN P99 MAX" in nanoseconds.
measure_between() {
	local ends
	coproc ends { "$tools/between" 2>/dev/null; }
	read -r _ <&"${ends[0]}"
	[ "$1" = none ] || start_tracer "$1"
	echo >&"${ends[1]}"
	read -r _ <&"${ends[0]}"
	rate_pingpong20 >/dev/null
	eval "exec ${ends[1]}>&-"
	read -r _ median p99 max <&"${ends[0]}"
	wait "$ends_PID" || true
	stop_tracer
	echo "$1-median $median"
	echo "$1-p99 $p99"
	echo "$1-max $max"
}

# A row called $1 of the first table: figure $2 with $3 digits of each load that follows, whatever the tracer.
switch_row() {
	local row="| $1 |" figure=$2 digits=$3 load
	shift 3
	for load; do
		row="$row $(grep "^$load-.*-$figure " switch.data | awk '{ print $2 }' | spread "$digits") |"
		case $load in
		pingpong*) row="$row - |" ;;
		esac
	done
	echo "$row"
}

figure_switch() {
	local all loads load tracer row before
	all=$(tracers | tr '\n' ' ')
	loads=$(switch_loads | tr '\n' ' ')
	: >switch.data
	start_servers
	for _ in $(seq $rounds); do
		for load in $loads; do
			before=$("rate_$load")
			for tracer in $all; do
				measure_switch "$load" "$tracer"
			done
		done
		for tracer in none $all; do
			measure_between "$tracer" >>switch.data
		done
	done
	stop_load
	echo "### Following each switch"
	echo
	echo "Work a second, over that alone just before and afterwards. Ping-pong: two processes on one CPU that wake each other by pipes," \
		"without frame pointers, below 20 and 100 calls. The last row: what is smaller was not measured."
	echo
	printf '| | ping-pong, depth 20 | us a switch | depth 100 | us a switch |'
	for load in ${loads#pingpong20 pingpong100}; do
		printf ' %s |' "$load"
	done
	echo
	printf '|---|---|---|---|---|'
	for load in ${loads#pingpong20 pingpong100}; do
		printf -- '---|'
	done
	echo
	for tracer in $all; do
		row="| $(tracer_name "$tracer") |"
		for load in $loads; do
			row="$row $(of "$load-$tracer" switch.data | spread 3) |"
			case $load in
			pingpong*) row="$row $(of "$load-$tracer-us" switch.data | spread 2) |" ;;
			esac
		done
		echo "$row"
	done
	switch_row "alone, work a second" alone 0 $loads
	switch_row "alone, before over after (noise)" noise 3 $loads
	echo
	echo "The same ping-pong, depth 20, for $switch_seconds s. Lost: of its switches, as the kernel counted them."
	echo
	echo "| | lost, % | bytes an interval | rows | peak memory, MB | CPU time of the tracer, s |" \
		"ns at each switch, median | p99 | longest |"
	echo "|---|---|---|---|---|---|---|---|---|"
	for tracer in $all none; do
		row="| $(tracer_name "$tracer") |"
		[ "$tracer" != none ] || row="| no tracer (the clock) |"
		row="$row $(of "$tracer-lost" switch.data | spread 2) | $(of "$tracer-bytes" switch.data | spread 1) |"
		row="$row $(of "$tracer-rows" switch.data | spread 0) |"
		row="$row $(of "$tracer-memory" switch.data | spread 1) | $(of "$tracer-cpu" switch.data | spread 2) |"
		row="$row $(of "$tracer-median" switch.data | spread 0) | $(of "$tracer-p99" switch.data | spread 0) |"
		echo "$row $(of "$tracer-max" switch.data | spread 0) |"
	done
	echo
}
