# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a tracer need more memory, the longer it follows many switches? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

# The ping-pong on each CPU for a minute: does the memory of tracer $1 grow? Its lines of the table.
show_steady() {
	local seconds=60 step=10 cpu at pids="" resident="" file=""
	[ "$rounds" -gt 1 ] || seconds=10 step=2
	start_tracer "$1"
	: >steady.out
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		"$tools/pingpong" 20 "$seconds" "$cpu" >>steady.out &
		pids="$pids $!"
	done
	for at in $(seq $step $step "$seconds"); do
		sleep $step
		resident="$resident $(awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$tracer_pid/status")"
		file="$file $(($(stat -c %s tracer.data) >> 20))"
	done
	# shellcheck disable=SC2086
	wait $pids
	stop_tracer
	tracer_intervals "$1" pingpong >steady.seen
	awk -v name="$(tracer_name "$1")" -v resident="$resident" -v file="$file" '
		FNR == NR { seen = $1; next }
		{ rate += $1; nr += $2 }
		END { printf "| %s | %d |%s |%s | %.2f |\n", name, rate, resident, file, (1 - seen / nr) * 100 }' steady.seen steady.out
}

figure_steady() {
	echo "### A minute of switches on all CPUs"
	echo
	echo "| | switches a second | resident memory of the tracer, MB | its file, MB, each after the same time | lost, % |"
	echo "|---|---|---|---|---|"
	show_steady dusk
	show_steady dusk-each
	echo
}
