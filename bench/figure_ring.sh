# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How much of ftrace's ring does an event take, with its stacks and with their numbers? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

ring_tracefs=/sys/kernel/tracing
ring_event=sched/sched_switch
ring_seconds=5
ring_kb=65536		# a CPU

# What the ring in folder @1 holds: bytes, and entries that were lost.
ring_stats() {
	cat "$1"/per_cpu/cpu*/stats | awk '
		/^bytes:/ { bytes += $2 }
		/^overrun:/ { lost += $2 }
		END { printf "%d %d", bytes, lost }'
}
# Bytes an event of what lies in ring @2 since it held @3, to row @1.
ring_note() {
	local row=$1 ring=$2 before=$3 events
	events=$(grep -c ' sched_switch: ' "$ring/trace")
	echo "$before $(ring_stats "$ring")" | awk -v row="$row" -v events="$events" '{
		printf "%s %.1f\n%s-lost %d\n%s-events %d\n", row, ($3 - $1) / events, row, $4 - $2, row, events }' >>ring.data
}
# One run in a ring of its own: @1 is the row, the others are options of ftrace.
ring_ftrace() {
	local row=$1 ring=$ring_tracefs/instances/dusk-bench-$$ option
	shift
	mkdir "$ring"
	echo $ring_kb >"$ring/buffer_size_kb"
	for option; do
		echo 1 >"$ring/options/$option"
	done
	echo 1 >"$ring/events/$ring_event/enable"
	sleep $ring_seconds
	echo 0 >"$ring/events/$ring_event/enable"
	ring_note "$row" "$ring" "0 0"
	rmdir "$ring"
}
# Its lines go to the kernel's own ring, beside the event.
ring_dusk() {
	local before kb
	kb=$(cat $ring_tracefs/buffer_size_kb)
	echo $ring_kb >$ring_tracefs/buffer_size_kb
	before=$(ring_stats $ring_tracefs)
	rm -f ring.said
	"$dusk" trace -a -d ${ring_seconds}s --stacks ring.fsmb -e ${ring_event/\//:} 2>ring.said &
	for _ in $(seq 100); do
		grep -qs 'tracing 1 event' ring.said && break
		sleep 0.1
	done
	echo 1 >$ring_tracefs/events/$ring_event/enable
	wait $!
	echo 0 >$ring_tracefs/events/$ring_event/enable
	ring_note dusk $ring_tracefs "$before"
	echo "dusk-lines $(grep -c '<stack_id\|<cookie' $ring_tracefs/trace)" >>ring.data
	echo >$ring_tracefs/trace
	echo "${kb%% *}" >$ring_tracefs/buffer_size_kb
	"$dusk" stackmap read --json ring.fsmb >ring.json
	jq -r '[length, (map(.ips | length) | add)] | "distinct \(.[0])\nframes \(.[1] / .[0])"' ring.json >>ring.data
}

figure_ring() {
	echo "### Stacks in ftrace's ring"
	echo
	if ! have jq; then
		echo "jq is not installed."
		echo
		return
	fi
	: >ring.data
	start_load compile
	for _ in $(seq $rounds); do
		ring_ftrace event
		ring_ftrace kernel stacktrace
		ring_ftrace both stacktrace userstacktrace
		ring_dusk
	done
	stop_load
	echo "Bytes an event \`sched_switch\` under a load of two compilers, ${ring_seconds} s each."
	echo
	echo "| beside the event | bytes, that of ftrace included | lost |"
	echo "|---|---|---|"
	echo "| ftrace: nothing | $(of event ring.data | spread 1) | $(of event-lost ring.data | spread 0) |"
	echo "| ftrace: the kernel stack (\`stacktrace\`) | $(of kernel ring.data | spread 1) | $(of kernel-lost ring.data | spread 0) |"
	echo "| ftrace: both stacks | $(of both ring.data | spread 1) | $(of both-lost ring.data | spread 0) |"
	echo "| dusk trace: lines of text with the numbers of both | $(of dusk ring.data | spread 1) | $(of dusk-lost ring.data | spread 0) |"
	echo
	echo "| dusk trace | |"
	echo "|---|---|"
	echo "| events | $(of dusk-events ring.data | spread 0) |"
	echo "| lines | $(of dusk-lines ring.data | spread 0) |"
	echo "| distinct stacks, of kernel and user | $(of distinct ring.data | spread 0) |"
	echo "| frames of a distinct stack | $(of frames ring.data | spread 1) |"
	echo
}
