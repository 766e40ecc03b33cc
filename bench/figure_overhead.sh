# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does being recorded cost a program? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

# Run work on the last CPU under a tool: "$1 WORK-US" and "$1-tool TOOL-MS" to overhead.data.
under() {
	local row=$1 own all
	shift
	TIMEFORMAT='%U %S'
	all=$({ time "$@" "$tools/work" "$(($(nproc) - 1))" "$loops" >own.out 2>/dev/null; } 2>&1 | tail -1)
	own=$(awk 'NF == 1 { print $1 }' own.out | tail -1)
	echo "$row $own" >>overhead.data
	echo "$row-tool $(awk -v own="$own" -v all="$all" 'BEGIN { split(all, t, " "); print (t[1] + t[2]) * 1e3 - own / 1e3 }')" \
		>>overhead.data
}

figure_overhead() {
	local rows="dusk-99 copied-99 dusk-999 copied-999" row us hz tool
	perf_works && rows="dusk-99 copied-99 perf-fp-99 perf-dwarf-99 dusk-999 copied-999 perf-fp-999 perf-dwarf-999"
	us=$("$tools/work" "$(($(nproc) - 1))" 2000)
	loops=$((2000 * 1500000 / us))
	: >overhead.data
	for _ in $(seq $((rounds > 1 ? rounds + 4 : 1))); do
		: >round.data
		under alone env
		for row in $rows; do
			hz=${row##*-}
			tool=${row%-*}
			case $tool in
			dusk) under "$row" "$dusk" record -q -e cpu -a -F "$hz" -o o.dusk -- ;;
			copied) under "$row" "$dusk" record -q --mode copied -e cpu -a -F "$hz" -o o.dusk -- ;;
			*) under "$row" perf record -q -a -F "$hz" --call-graph "${tool#perf-}" -o o.perf -- ;;
			esac
			rm -f o.dusk o.dusk.old o.perf o.perf.old
		done
		under alone2 env
		awk '{ last[$1] = $2 } END { base = (last["alone"] + last["alone2"]) / 2
			print "ratio-alone", last["alone2"] / last["alone"]
			for (r in last) if (r !~ /alone|tool|ratio/) print "ratio-" r, last[r] / base }' overhead.data >round.data
		cat round.data >>overhead.data
	done
	echo "### Slowdown of a fixed amount of work"
	echo
	echo "CPU time (user and system) of a program that does 1.5 s of work on one CPU, over its time alone, before and after in" \
		"the same round; the whole machine is recorded."
	echo
	echo "| | of its time alone | CPU time of the profiler itself, ms |"
	echo "|---|---|---|"
	echo "| alone, the second time (noise) | $(of ratio-alone overhead.data | spread 4) | - |"
	for row in $rows; do
		echo "| ${row%-*}, ${row##*-} Hz | $(of "ratio-$row" overhead.data | spread 4) | $(of "$row-tool" overhead.data | spread 0) |"
	done
	echo
}
