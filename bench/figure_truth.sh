# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is the time that tracers report for a place the time that was spent there? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

# Where one thread of the victim is each. Not those places that a child process shares.
truth_places="block_in_nanosleep block_in_short_sleep block_in_poll block_in_futex block_in_mutex block_in_condition
	block_in_pipe block_in_socket block_in_big_write block_in_big_read block_in_fsync block_in_file_read block_in_fault
	block_in_userfault be_preempted"

# The beginning of an awk program: known[] has those places.
know_places='BEGIN { split(places, list); for (i in list) known[list[i]] = 1 }'

# Nanoseconds in each place, in lines of "PLACE NS", as tracer $1 has them in tracer.data.
reported() {
	case $1 in
	dusk*)
		"$dusk" query -i tracer.data --csv "
			with recursive below(node, place) as (
				select n.id, u.name from node n join frame f on f.id = n.frame join function u on u.id = f.function
				where u.name like 'block_in_%' or u.name = 'be_preempted'
				union select n.id, b.place from below b join node n on n.parent = b.node)
			select b.place, sum(a.value) from below b join offcpu a on a.node = b.node group by 1" | tr ',' ' '
		;;
	perf-*)
		perf script --ns -i tracer.data -F tid,time,event,trace,ip,sym 2>/dev/null | awk -v places="$truth_places" "$know_places"'
			/sched:sched_switch:/ {
				tid = $1
				at = $2 * 1e9
				match($0, / next_pid=[0-9]+/)
				next_tid = substr($0, RSTART + 10, RLENGTH - 10) + 0
				if (next_tid in left && place[next_tid] != "")
					ns[place[next_tid]] += at - left[next_tid]
				left[tid] = at
				place[tid] = ""
				next
			}
			$2 in known { place[tid] = $2 }
			END { for (p in ns) printf "%s %.0f\n", p, ns[p] }'
		;;
	bpftrace)
		awk -v places="$truth_places" "$know_places"'
			/^@ns\[/ { place = "" }
			{ name = $1; sub(/\+.*/, "", name); if (name in known) place = name }
			/\]: [0-9]+$/ { if (place != "") ns[place] += $NF }
			END { for (p in ns) printf "%s %.0f\n", p, ns[p] }' tracer.data
		;;
	offcputime)
		awk -v places="$truth_places" "$know_places"'
			$1 in known { place = $1 }
			/^ +- .*\([0-9]+\)$/ { getline; if (place != "") ns[place] += $1 * 1000; place = "" }
			END { for (p in ns) printf "%s %.0f\n", p, ns[p] }' tracer.data
		;;
	esac
}

# The victim $2 under tracer $1: "$1-$2-PLACE REPORTED/TRUE" to truth.data. It stays until the tracer has looked up names.
measure_truth() {
	local ends
	rm -f truth.true
	start_tracer "$1"
	# shellcheck disable=SC2086
	coproc ends { exec "$tools/bench-$2" -w truth.true $truth_rounds $truth_places; }
	read -r _ <&"${ends[0]}"
	stop_tracer
	eval "exec ${ends[1]}>&-"
	wait "$ends_PID" || true
	reported "$1" | awk -v key="$1-$2" '
		!truth { ns[$1] = $2; next }
		$1 != "life" { print key "-" $1, ns[$1] / $3; print "true-" $1, $3 / 1e6 }' - truth=1 truth.true >>truth.data
}

figure_truth() {
	local columns="dusk-absent dusk-each-absent" tracer place column row
	truth_rounds=$((rounds > 1 ? 500 : 200))
	for tracer in $(tracers); do
		case $tracer in
		perf-dwarf) columns="$columns $tracer-absent" ;;
		perf-fp | bpftrace | offcputime) columns="$columns $tracer-absent $tracer-absent-fp" ;;
		esac
	done
	: >truth.data
	for _ in $(seq $((rounds > 1 ? 3 : 1))); do
		for column in $columns; do
			tracer=${column%-fp}
			measure_truth "${tracer%-absent}" "absent${column#"${tracer%-absent}-absent"}"
		done
	done
	echo "### Time in known places, reported over true"
	echo
	echo "FP: the victim is built with frame pointers."
	echo
	row="| place | truly, ms |"
	for column in $columns; do
		row="$row $(echo "$column" | sed 's/-absent-fp/, FP/; s/-absent//; s/^dusk-each/dusk, each/; s/^perf-/perf /') |"
	done
	echo "$row"
	echo "$row" | sed 's/[^|]\{1,\}/---/g'
	for place in $truth_places; do
		row="| $place | $(of "true-$place" truth.data | spread 0) |"
		for column in $columns; do
			row="$row $(of "$column-$place" truth.data | spread 3) |"
		done
		echo "$row"
	done
	echo
}
