# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does it cost to keep each stack once, and which are lost? Sourced by run; README.md explains the tables.
# shellcheck shell=bash disable=SC2154

figure_stackmap() {
	local depth fill map
	: >stackmap.data
	: >losses.data
	: >load.data
	for _ in $(seq $rounds); do
		"$tools/stackmap" costs >>stackmap.data
		"$tools/stackmap" stackid >>stackmap.data
		"$tools/stackmap" losses >>losses.data 2>/dev/null
		stackmap_of_load >>load.data
	done
	echo "### Keeping a stack"
	echo
	echo "ns a stack, the stackmap (14 bits) beside a BPF hash map keyed by the stack (16,384 entries of 1 KiB)."
	echo
	echo "| frames | filled | known: stackmap | hash map | bpf_get_stackid | new: stackmap | hash map | bpf_get_stackid |"
	echo "|---|---|---|---|---|---|---|---|"
	for depth in 10 30 120; do
		for fill in 10 50 90 100; do
			echo "| $depth | $fill % | $(of dusk-$depth-$fill-hit stackmap.data | spread 0) | $(of hash-$depth-$fill-hit stackmap.data | spread 0) | $([ $fill != 10 ] || of stackid-$depth-hit stackmap.data | spread 0) | $(of dusk-$depth-$fill-insert stackmap.data | spread 0) | $(of hash-$depth-$fill-insert stackmap.data | spread 0) | $([ $fill != 10 ] || of stackid-$depth-insert stackmap.data | spread 0) |"
		done
	done
	echo
	echo "The stackmap takes" \
		"$(for depth in 10 30 120; do printf "%s " "$(of room-$depth stackmap.data | spread 0) stacks of $depth frames,"; done)" \
		"and refuses the next in" \
		"$(for depth in 10 30 120; do printf "%s " "$(of dusk-$depth-refused stackmap.data | spread 0),"; done)ns."
	echo
	echo "A reference to a cached stack: $(of again-one stackmap.data | spread 1) ns to the same as before," \
		"$(of again-many stackmap.data | spread 1) ns to one of 1,000 in turn."
	echo
	echo "| 16,384 distinct stacks | lost |"
	echo "|---|---|"
	for map in dusk stackid; do
		echo "| $map | $(of $map losses.data | spread 0) |"
	done
	echo
	echo "A mixed load for 10 s, the whole machine at 499 Hz:"
	echo
	echo "| | |"
	echo "|---|---|"
	echo "| stacks asked for | $(of asked load.data | spread 0) |"
	echo "| distinct | $(of distinct load.data | spread 0) |"
	echo "| frames of a distinct stack | $(of depth load.data | spread 1) |"
	echo "| bytes of a distinct stack | $(of bytes load.data | spread 0) |"
	echo "| of 8 bytes x frames + 24 | $(of goal load.data | spread 3) |"
	echo "| bytes in the rings, whole stacks | $(of whole load.data | spread 0) |"
	echo "| bytes in the rings, ids | $(of ids load.data | spread 0) |"
	echo "| saved in the rings, % | $(of saved load.data | spread 1) |"
	echo "| saved, with what the table takes, % | $(of saved-in-all load.data | spread 1) |"
	echo
}

# The stackmap of a recording of the whole machine under a mixed load, as lines of "NAME NUMBER".
stackmap_of_load() {
	start_load mixed
	"$dusk" record -q -e cpu -F 499 -d 12s -o stackmap.dusk &
	sleep 10
	"$dusk" stackmap stat >stat
	"$dusk" stackmap show --no-symbols >stacks
	wait $!
	stop_load
	awk 'FNR == NR && /^entries/ { n = $2 }
		FNR == NR && /^(user|kernel)/ { frames += $4 }
		FNR == NR && /^bytes/ { bytes = $2 }
		FNR != NR && /^stack_id/ { asked += $4; whole += $4 * 8 * $6; kept += 8 * $6 + 24 }
		END {
			printf "asked %d\ndistinct %d\ndepth %f\nbytes %f\n", asked, n, frames / n, bytes / n
			printf "goal %f\nwhole %d\nids %d\n", bytes / (8 * frames + 24 * n), whole, asked * 4
			printf "saved %f\n", 100 - 100 * asked * 4 / whole
			printf "saved-in-all %f\n", 100 - 100 * (asked * 4 + kept) / whole
		}' stat stacks
}
