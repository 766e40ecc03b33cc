# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does a frame cost? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

# Walks of victim $2 at depth $3 ($4: libc) by $1, to `walks frames ns program-ns`.
walk_cost() {
	local pid
	"$tools/$2" "$3" 30 ${4:-} &
	pid=$!
	sleep 0.2
	"$tools/frame" "$1" "$pid" 2 || true
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null || true
}

# Two depths: "ns a frame, ns a walk beyond that, ns in the interrupt", to row $1 of frame.data.
slope() {
	local row=$1 mode=$2 victim=$3 libc=${6:-}
	{
		walk_cost "$mode" "$victim" "$4" $libc
		walk_cost "$mode" "$victim" "$5" $libc
	} | awk -v row="$row" 'NF == 4 { f[NR] = $2; ns[NR] = $3; program = $4 }
	END {
		if (f[2] <= f[1])
			exit
		a = (ns[2] - ns[1]) / (f[2] - f[1])
		print row, a
		print row "-walk", ns[1] - a * f[1]
		print row "-program", program
	}' >>frame.data
}

figure_frame() {
	: >frame.data
	for _ in $(seq $rounds); do
		slope dusk dusk recurse 10 110
		slope fp fp recurse-fp 10 110
		slope libc dusk recurse 3 30 libc
		slope cold cold recurse 10 110
		awk '{ last[$1] = $2 } END { if (last["fp"]) {
			print "ratio", last["dusk"] / last["fp"]; print "ratio-libc", last["libc"] / last["fp"]
		} }' frame.data >ratio.now
		cat ratio.now >>frame.data
	done
	echo "### Cost of a frame"
	echo
	echo "Slope between two depths (10 and 110 calls; libc: 3 and 30 sorts), medians over about 4,000 walks each at 1,999 Hz."
	echo
	echo "| walk | ns a frame | of the kernel's | ns a walk besides | ns of the program in the interrupt |"
	echo "|---|---|---|---|---|"
	echo "| kernel, frame pointers | $(of fp frame.data | spread 1) | 1 | $(of fp-walk frame.data | spread 0) | $(of fp-program frame.data | spread 0) (walk included) |"
	echo "| dusk, warm | $(of dusk frame.data | spread 1) | $(of ratio frame.data | spread 2) | $(of dusk-walk frame.data | spread 0) | $(of dusk-program frame.data | spread 0) |"
	echo "| dusk, warm, mostly libc's frames | $(of libc frame.data | spread 1) | $(of ratio-libc frame.data | spread 2) | $(of libc-walk frame.data | spread 0) | $(of libc-program frame.data | spread 0) |"
	echo "| dusk, no row cached | $(of cold frame.data | spread 0) | | $(of cold-walk frame.data | spread 0) | |"
	echo
}
