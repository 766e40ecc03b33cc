# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How long until it samples, and what does it take of the kernel? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

figure_load() {
	: >load.data
	TIMEFORMAT=%R
	for _ in $(seq $rounds); do
		"$tools/load" time | awk '{ print "ready", $1; print "begun", $2 }' >>load.data
		echo "dusk-true $({ time "$dusk" record -q -e cpu -a -o l.dusk -- true >/dev/null 2>&1; } 2>&1)" >>load.data
		if perf_works; then
			echo "perf-true $({ time perf record -q -a -g -o l.perf -- true >/dev/null 2>&1; } 2>&1)" >>load.data
		fi
		rm -f l.dusk* l.perf*
	done
	"$tools/load" programs >programs.out
	"$tools/load" maps >maps.out
	echo "### Beginning"
	echo
	echo "| | |"
	echo "|---|---|"
	echo "| programs loaded and attached | $(of ready load.data | spread 0) ms |"
	echo "| sampling has begun | $(of begun load.data | spread 0) ms |"
	echo "| \`dusk record -e cpu -a -- true\`, all of it | $(of dusk-true load.data | spread 2) s |"
	echo "| \`perf record -a -g -- true\`, all of it | $(of perf-true load.data | spread 2) s |"
	echo "| memory of the maps | $(awk '{ n += $2 } END { printf "%.1f MiB in %d maps", n / 1048576, NR }' maps.out)" \
		"($(sort -k2 -nr maps.out | head -4 | awk '{ printf "%s%s %.1f", (NR > 1 ? ", " : ""), $1, $2 / 1048576 }')) |"
	echo
	echo "| BPF program | instructions verified | bytes of machine code |"
	echo "|---|---|---|"
	awk '{ print "| " $1 " | " $2 " | " $3 " |" }' programs.out
	echo
}
