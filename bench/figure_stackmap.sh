# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does it cost to keep each stack once, and which are lost? Sourced by run; README.md explains the tables.
# shellcheck shell=bash disable=SC2154

figure_stackmap() {
	local depth fill map
	: >stackmap.data
	: >losses.data
	for _ in $(seq $rounds); do
		"$tools/stackmap" costs >>stackmap.data
		"$tools/stackmap" stackid >>stackmap.data
		"$tools/stackmap" losses >>losses.data 2>/dev/null
	done
	echo "### Keeping a stack"
	echo
	echo "ns a stack, the stackmap (14 bits) beside a BPF hash map keyed by the stack (16,384 entries of 1 KiB)."
	echo
	echo "| frames | filled | known: stackmap | hash map | bpf_get_stackid | new: stackmap | hash map |"
	echo "|---|---|---|---|---|---|---|"
	for depth in 10 30 120; do
		for fill in 10 50 90 100; do
			echo "| $depth | $fill % | $(of dusk-$depth-$fill-hit stackmap.data | spread 0) | $(of hash-$depth-$fill-hit stackmap.data | spread 0) | $([ $fill = 10 ] && of stackid-$depth stackmap.data | spread 0) | $(of dusk-$depth-$fill-insert stackmap.data | spread 0) | $(of hash-$depth-$fill-insert stackmap.data | spread 0) |"
		done
	done
	echo
	echo "The stackmap takes" \
		"$(for depth in 10 30 120; do echo "$(of room-$depth stackmap.data | spread 0) stacks of $depth frames,"; done)" \
		"and refuses the next in" \
		"$(for depth in 10 30 120; do echo "$(of dusk-$depth-refused stackmap.data | spread 0),"; done) ns."
	echo
	echo "| 16,384 distinct stacks | lost |"
	echo "|---|---|"
	for map in dusk stackid; do
		echo "| $map | $(of $map losses.data | spread 0) |"
	done
	echo
	stackmap_of_load
}

# The stackmap of a recording of the whole machine under a mixed load.
stackmap_of_load() {
	start_load mixed
	"$dusk" record -q -e cpu -F 499 -d 12s -o stackmap.dusk &
	sleep 10
	"$dusk" stackmap stat >stat
	"$dusk" stackmap show --no-symbols | awk '/^stack_id/ { refs = $4 + 0; depth = $6 + 0
			asked += refs; whole += refs * 8 * depth; kept += 8 * depth + 24 }
		END { printf "asked %d\nwhole %d\nids %d\n", asked, whole, asked * 4 + kept }' >saved
	wait $!
	stop_load
	echo "10 s of a mixed load at 499 Hz: $(sed -n 's/^entries: \([0-9]*\).*/\1/p' stat) distinct stacks of" \
		"$(of asked saved) that were asked for, $(sed -n 's/^bytes: .*, \(.*\)/\1/p' stat); whole stacks would have been" \
		"$(of whole saved) bytes in the rings, ids and the table are $(of ids saved)."
	echo
}
