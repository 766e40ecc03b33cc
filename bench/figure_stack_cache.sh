# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How many requests are immediate, and are their stacks right? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2034,SC2154

# Load $1 for some seconds, from start to end.
memo_load() {
	local pid
	case $1 in
	xz | gcc)
		set -m
		"load_$1" >/dev/null 2>&1 &
		pid=$!
		set +m
		sleep 6
		kill -- "-$pid"
		wait "$pid" 2>/dev/null || true
		;;
	*)
		for _ in 1 2 3; do
			"rate_$1"
		done >/dev/null
		;;
	esac
}

# A row of load $1, of one recording of the whole machine as it is, and of one in which all is walked again.
measure_memo() {
	local option file
	for option in known verify; do
		file=cached_stack-$option.dusk
		rm -f "$file"
		# shellcheck disable=SC2046
		"$dusk" record -q -a -F 999 $([ $option = known ] || echo --verify) -o "$file" &
		tracer_pid=$!
		sleep 2
		memo_load "$1"
		stop_tracer
	done
	"$dusk" info -i cached_stack-known.dusk >known.info
	"$dusk" info -i cached_stack-verify.dusk >verify.info
	awk -v load="$1" '
		FNR == NR { value[$2] = $1; next }
		{ again[$2] = $1 }
		function share(n, of) { return of ? sprintf("%.1f", 100 * n / of) : "-" }
		END {
			asked = value["requests"]
			kernel = value["kernel-cached"] + value["kernel-checked"] + value["kernel-walks"]
			printf "| %s | %d | %s | %s | %s | %d | %s | %d | **%d** | %d | **%d** |\n", load, asked,
				share(value["cached"], asked), share(value["walked-nofault"], asked), share(value["scheduled"], asked), kernel,
				share(value["kernel-cached"] + value["kernel-checked"], kernel), again["verified-same"],
				again["verified-different"], again["kernel-checked"], again["kernel-wrong"]
		}' known.info verify.info
}

figure_stack_cache() {
	local load
	make_data
	start_servers
	echo "### Immediate requests"
	echo
	echo "Of samples at 999 Hz and intervals of the whole machine. On the right another recording, with \`--verify\`: what was found at" \
		"once was walked again."
	echo
	echo "| load | requests | stack cache, % | no-fault walk, % | scheduled, % | kernel stacks | kernel stack cache, % |" \
		"walked again: same | different | kernel: walked again | different |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|"
	for load in $(switch_loads) xz gcc; do
		[ "$load" = syscalls ] || measure_memo "$load"
	done
	stop_load
	echo
}
