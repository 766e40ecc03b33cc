# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does an event cost in ftrace's ring, with stacks beside it and without? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

trace_calls=300000
trace_ring=/sys/kernel/tracing/instances/dusk-bench-$$
trace_event=syscalls:sys_enter_getppid

# One run under @1: nanoseconds of a getppid().
trace_once() {
	perf bench -f simple syscall basic --loop $trace_calls |
		awk -v name="$1" -v calls=$trace_calls '{ printf "%s %.0f\n", name, $1 * 1e9 / calls }' >>trace.data
}
# In a ring of its own, so that what others have in theirs stays: @1 is the row, the others are options of ftrace.
trace_ftrace() {
	local row=$1 option
	shift
	mkdir "$trace_ring"
	for option; do
		echo 1 >"$trace_ring/options/$option"
	done
	echo 1 >"$trace_ring/events/${trace_event/://}/enable"
	trace_once "$row"
	echo 0 >"$trace_ring/events/${trace_event/://}/enable"
	rmdir "$trace_ring"
}
# Its lines go to the kernel's own ring.
trace_dusk() {
	local tracing
	rm -f trace.said
	"$dusk" trace -a --stacks trace.fsmb -e $trace_event 2>trace.said &
	tracing=$!
	for _ in $(seq 100); do
		grep -qs 'tracing 1 event' trace.said && break
		sleep 0.1
	done
	trace_once dusk
	kill -INT $tracing
	wait $tracing
}

figure_trace() {
	echo "### Events with stacks"
	echo
	if ! have perf; then
		echo "perf is not installed: it has the loop of system calls."
		echo
		return
	fi
	: >trace.data
	for _ in $(seq $rounds); do
		trace_once none
		trace_ftrace event
		trace_ftrace kernel stacktrace
		trace_ftrace both stacktrace userstacktrace
		trace_dusk
	done
	echo "ns a getppid() in a loop, each an event."
	echo
	echo "| beside the event | ns |"
	echo "|---|---|"
	echo "| no event | $(of none trace.data | spread 0) |"
	echo "| ftrace: nothing | $(of event trace.data | spread 0) |"
	echo "| ftrace: the kernel stack (\`stacktrace\`) | $(of kernel trace.data | spread 0) |"
	echo "| ftrace: both stacks (\`stacktrace\`, \`userstacktrace\`) | $(of both trace.data | spread 0) |"
	echo "| dusk trace: the numbers of both stacks | $(of dusk trace.data | spread 0) |"
	echo
}
