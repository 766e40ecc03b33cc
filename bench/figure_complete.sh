# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How many user stacks reach their root? Sourced by run; README.md explains the table. "programs='go java'" in the
# environment: only these rows.
# shellcheck shell=bash disable=SC2154

# One recording of the whole machine by $2, for 2 s; what of it concerns $1's processes, to $1.data.
measure_complete() {
	local target=$1 tool=$2
	shift 2
	case $tool in
	dusk)
		"$dusk" record -q -e cpu -a -F 499 -d 2s -o c.dusk
		"$tools/roots" dusk c.dusk "$@" >roots.out
		awk -v f="$target.data" 'NR == 1 && $1 {
			print "dusk", 100 * $2 / $1 >> f
			print "reported", 100 * $3 / $1 >> f
			print "walked", $4 ? 100 * $3 / $4 : 0 >> f
			print "samples", $1 >> f
		}
		$1 == "outcome" { print "not-complete", $2, $3 >> f }' roots.out
		;;
	copied)
		"$dusk" record -q --mode copied -e cpu -a -F 499 -d 2s -o c.dusk
		"$tools/roots" dusk c.dusk "$@" | awk -v f="$target.data" 'NR == 1 && $1 { print "copied", 100 * $2 / $1 >> f }'
		;;
	*)
		record_perf -a -F 499 --call-graph "${tool#perf-}" -o c.perf -- sleep 2 || return 0
		local comms
		comms=$(IFS=,; echo "$*")
		perf script -i c.perf --no-inline --max-stack 1024 --comms "$comms" -F comm,tid,ip,sym,dso 2>/dev/null |
			"$tools/roots" perf "$@" | awk -v tool="$tool" -v f="$target.data" '$1 { print tool, 100 * $2 / $1 >> f }'
		;;
	esac
	rm -f c.dusk c.perf c.perf.old c.dusk.old
}

figure_complete() {
	local peers="dusk copied" target comms
	perf_works && peers="dusk copied perf-fp perf-dwarf"

	echo "### Complete user stacks"
	echo
	echo "% of all samples of the program's processes, at 499 Hz; \"reported\" is what dusk says of itself, \"of walked\" leaves" \
		"out what had no stack to walk any more."
	echo
	echo "| program | dusk | dusk, mode copied | perf fp | perf dwarf | dusk: reported | dusk: of walked | samples | not complete, by name |"
	echo "|---|---|---|---|---|---|---|---|---|"
	make_data
	while read -r target needs comms; do
		[ -z "${programs-}" ] || [[ " $programs " == *" $target "* ]] || continue
		[ "$needs" = - ] || have "$needs" || [ -x "$tools/$needs" ] || continue
		[ "$target" != postgres ] || postgres_tools >/dev/null || continue
		: >"$target.data"
		start_load "$target"
		case $target in
		postgres) sleep 4 ;;
		go | cgo | java*) sleep 3 ;;		# it is compiled first
		esac
		for _ in $(seq $rounds); do
			for tool in $peers; do
				# shellcheck disable=SC2086
				measure_complete "$target" "$tool" $comms
			done
		done
		stop_load
		echo "| $target | $(of dusk "$target.data" | spread 2) |" \
			"$(of copied "$target.data" | spread 2) | $(of perf-fp "$target.data" | spread 1) |" \
			"$(of perf-dwarf "$target.data" | spread 1) | $(of reported "$target.data" | spread 2) |" \
			"$(of walked "$target.data" | spread 2) | $(of samples "$target.data" | awk '{ n += $1 } END { print n + 0 }') |" \
			"$(awk '$1 == "not-complete" { n[$2] += $3 } END { for (o in n) printf "%s %d ", o, n[o] }' "$target.data") |"
	done <<-EOF
	xz xz xz
	sort sort sort
	python3 /usr/bin/python3 python3
	perl perl perl
	gcc gcc cc1 gcc as
	ruby ruby ruby
	php php php
	node node node
	node-flags node node
	java java java
	java-fp java java
	java-int java java
	luajit luajit luajit
	luajit-off luajit luajit
	go go busy-go
	cgo go busy-cgo
	redis redis-server redis-server redis-benchmark
	postgres runuser postgres pgbench
	storm - storm
	static - recurse-static
	i386 recurse-32 recurse-32 recurse-32-fp recurse-32-stat signals-32 strings-32
	EOF
	echo
}
