# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tracers that follow all switches of tasks on the machine: started, asked and stopped the same way. Sourced by run.
# shellcheck shell=bash disable=SC2154

tracer_pid=

# Those that are here. dusk sums off-CPU intervals under 1 ms (that is its default), or writes each one; one also samples CPU time, and
# one works without BPF.
tracers() {
	echo dusk dusk-each dusk-both dusk-copied
	perf_traces && echo perf-fp perf-dwarf
	have bpftrace && [ -e /sys/kernel/tracing/events ] && echo bpftrace
	have offcputime && echo offcputime
}

perf_traces() {
	have perf && record_perf -e sched:sched_switch -c 1 -o perf.try -- true
}

tracer_name() {
	case $1 in
	dusk) echo "dusk, intervals under 1 ms summed" ;;
	dusk-each) echo "dusk, each interval written" ;;
	dusk-both) echo "dusk, summed, and CPU time at 99 Hz" ;;
	dusk-copied) echo "dusk, summed, mode copied" ;;
	perf-*) echo "perf sched_switch, ${1#perf-}" ;;
	bpftrace) echo "bpftrace script" ;;
	offcputime) echo "offcputime (libbpf-tools)" ;;
	esac
}

# What bpftrace users write; a stack is taken when the task leaves, and its time when it is back.
bpftrace_script='
tracepoint:sched:sched_switch
{
	@left[tid] = nsecs;
	@stack[tid] = (kstack, ustack);
	if (@left[args->next_pid]) {
		$stack = @stack[args->next_pid];
		@ns[args->next_pid, $stack.0, $stack.1] = sum(nsecs - @left[args->next_pid]);
		delete(@left[args->next_pid]);
	}
}
END
{
	clear(@left);
	clear(@stack);
}'

# Is it at work? dusk writes once a second; of the others is known what they have attached.
tracer_follows() {
	case $1 in
	dusk*) "$dusk" query -i tracer.data --csv "select 1 from offcpu limit 1" 2>/dev/null | grep -q "^1$" ;;
	*) find "/proc/$tracer_pid/fd" -lname "*bpf[_-]link*" -o -lname "*perf_event*" 2>/dev/null | grep -q . ;;
	esac
}

# Start tracer $1 on the whole machine; what it records is in tracer.data.
start_tracer() {
	rm -f tracer.data tracer.data.old
	case $1 in
	dusk) "$dusk" record -q -a -e offcpu -o tracer.data & ;;
	dusk-each) "$dusk" record -q -a -e offcpu --min-block 0 -o tracer.data & ;;
	dusk-both) "$dusk" record -q -a -e cpu,offcpu -o tracer.data & ;;
	dusk-copied) "$dusk" record -q -a -e offcpu --mode copied -o tracer.data & ;;
	perf-*) perf record -q -a -e sched:sched_switch -c 1 --call-graph "${1#perf-}" -o tracer.data & ;;
	bpftrace) BPFTRACE_MAP_KEYS_MAX=65536 bpftrace -o tracer.data -e "$bpftrace_script" & ;;
	offcputime) offcputime --stack-storage-size=65536 -m 0 >tracer.data & ;;
	esac >tracer.log 2>&1
	tracer_pid=$!
	for _ in $(seq 300); do
		tracer_follows "$1" && sleep 1 && return
		kill -0 "$tracer_pid" || break
		sleep 0.1
	done
	echo "bench/run: $(tracer_name "$1") does not start: $(cat tracer.log)" >&2
	exit 1
}

# What it took so far: "MEMORY-MB CPU-SECONDS", peak and all.
tracer_costs() {
	awk -v hz="$(getconf CLK_TCK)" '
		FNR == NR { if ($1 == "VmHWM:") mb = $2 / 1024; next }
		{ sub(/.*\) /, ""); printf "%.1f %.2f\n", mb, ($12 + $13) / hz }' \
		"/proc/$tracer_pid/status" "/proc/$tracer_pid/stat"
}

stop_tracer() {
	[ -z "$tracer_pid" ] && return
	kill -INT "$tracer_pid" 2>/dev/null || true
	wait "$tracer_pid" 2>/dev/null || true
	tracer_pid=
}

# How many off-CPU intervals of processes called $2 tracer $1 has recorded, and in how many rows or events: "INTERVALS ROWS". dusk has
# a sum under the last name that it knew: what a process did just after its execve() may be under the one before.
tracer_intervals() {
	case $1 in
	dusk*)
		"$dusk" query -i tracer.data --csv "select coalesce(sum(a.nr), 0), count(*) from offcpu a
			join thread t on t.id = a.thread where t.pid in (select pid from thread where comm = '$2')" | awk -F, 'END { print $1, $2 }'
		;;
	perf-*) perf script -i tracer.data -F comm 2>/dev/null | awk -v comm="$2" '$1 == comm { n++ } END { print n + 0, n + 0 }' ;;
	esac
}

# All that it has recorded, of whatever task.
tracer_all_intervals() {
	case $1 in
	dusk*) "$dusk" query -i tracer.data --csv "select coalesce(sum(nr), 0) from offcpu" | tail -1 ;;
	perf-*) perf_samples tracer.data ;;
	esac
}
