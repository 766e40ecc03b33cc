#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do events have their stacks beside them in ftrace's ring, and are they decoded? usage: test_trace.sh DUSK VICTIMS
#
# In a mount namespace with a bpffs of its own, so that the stackmap is this test's alone; and in an instance of ftrace's,
# whose ring nobody else reads.
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ "${alone-}" ] || alone=yes exec unshare -m --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1") victims=$(realpath "$2")
cd "$tmp" && mount -t bpf bpf /sys/fs/bpf || exit 1
export LC_ALL=C
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot unwind, see dusk doctor"
	exit 0
}
# One place of tracefs only: debugfs mounts a second one as soon as somebody looks.
umount -l /sys/kernel/debug/tracing /sys/kernel/debug 2>/dev/null
tracefs=/sys/kernel/tracing
[ -e $tracefs/events ] || mount -t tracefs tracefs $tracefs || {
	echo "1..0 # SKIP this kernel has no tracefs"
	exit 0
}
ring=$tracefs/instances/dusk-test-$$
mkdir $ring || exit 1
leave() {
	kill -9 $(jobs -p) 2>/dev/null
	echo "-:dusktest$$/" >>$tracefs/uprobe_events
	rmdir $ring
	echo "$was_on" >$tracefs/tracing_on
	umount -l /sys/fs/bpf
	rm -rf "$tmp"
} 2>/dev/null
trap leave EXIT
trap 'exit 130' INT TERM
was_on=$(cat $tracefs/tracing_on)	# trace-cmd leaves it off
echo 8192 >$ring/buffer_size_kb
echo 1 >$ring/events/bpf_trace/bpf_trace_printk/enable

# traced NAME ARGUMENTS...: dusk trace; what came into the ring is NAME.txt, the stacks NAME.fsmb
traced() {
	name=$1
	shift
	echo >$ring/trace
	"$dusk" trace --stacks "$name.fsmb" "$@" 2>"$name.err"
	status=$?
	cat $ring/trace >"$name.txt"
	cat "$name.err"
	return $status
}
# decoded NAME [ARGUMENTS...]: NAME.txt to NAME.out
decoded() {
	name=$1
	shift
	"$dusk" stackmap decode -i "$name.fsmb" "$@" "$name.txt" >"$name.out" 2>"$name.said"
}
# each FILE EVENT NUMBER STACK: below all lines of the event, which are so many or, with 0, some, are the functions of that
# stack, innermost first; kernel functions come before it.
each() {
	awk -v event="$2" -v number="$3" -v stack=" $4 " '
		function check() {
			if (!open) return
			nr++
			if (!index(names, stack)) { print "not expected: " names; bad = 1 }
			open = 0
		}
		/^        \[[0-9]+\] / { sub(/\+0x.*/, "", $2); names = names $2 " "; next }
		{ check(); names = " " }
		index($0, "bpf_trace_printk: " event " ") { open = 1 }
		END { check(); print nr + 0 " of " event; exit bad || !nr || (number && nr != number) }' "$1"
}
down='descend descend descend descend descend measure work main'

# dozes, which works once and ends
run_dozes() {
	echo >$ring/trace
	echo | "$dusk" trace -q --stacks dozes.fsmb -e syscalls:sys_enter_poll,syscalls:sys_enter_clock_nanosleep,sched:sched_switch -- \
		"$victims/dozes" >dozes.said || return
	cat $ring/trace >dozes.txt
}
claim "a command is traced, and its status is that of dusk" run_dozes
claim "... it ran" grep -q '^await ' dozes.said
claim "the text is decoded by the stacks that were saved" decoded dozes
claim "... nothing is missing" [ ! -s dozes.said ]
claim "each poll() has the user stack that it has" each dozes.out syscalls:sys_enter_poll 25 "await $down"
claim "each sleep has its own" each dozes.out syscalls:sys_enter_clock_nanosleep 25 "rest $down"
claim "... below the kernel's, which was in a system call" each dozes.out syscalls:sys_enter_poll 25 entry_SYSCALL_64_after_hwframe
claim "a thread that leaves the CPU stands in schedule()" each dozes.out sched:sched_switch 0 __schedule
claim "... which poll() did" grep -q 'do_sys_poll+' dozes.out
claim "what is below lines is all that was added" sh -c "grep -v '^        \\[' dozes.out | cmp - dozes.txt"
claim "events of others are not there" sh -c "! grep -v '^#' dozes.txt | grep -v ' *dozes-[0-9]* '"
claim "without symbols frames are numbers" decoded dozes --no-symbols
claim "... all of them" sh -c "grep -q '^        \\[0\\] 0xffffffff' dozes.out && ! grep -q '^        \\[.*+' dozes.out"
claim "of a pipe the user stack stands below the line that ends the cookie" sh -c \
	"$dusk stackmap decode -i dozes.fsmb <dozes.txt >file.out && cat dozes.txt | $dusk stackmap decode -i dozes.fsmb >pipe.out &&
		! cmp -s file.out pipe.out && grep -A1 '<cookie [0-9a-f]*> <user' pipe.out | grep -q '^        \\[0\\] '"
claim "where nothing is pinned any more decode says so" exits 1 "$dusk" stackmap decode dozes.txt
claim "... and what helps" says "-i FILE"

# Processes that run already, and the stackmap while they are traced.
mkfifo orders
"$victims/dozes" <orders >late.said &
victim=$!
exec 9>orders
"$dusk" trace -p $victim -e syscalls:sys_enter_poll --stacks late.fsmb 2>late.err 9>&- &
tracing=$!
for _ in $(seq 300); do
	grep -q '^dusk: tracing 1 event' late.err && break
	sleep 0.1
done
echo >$ring/trace
echo >&9
for _ in $(seq 300); do
	grep -q done late.said && break
	sleep 0.1
done
cat $ring/trace >late.txt
claim "while it is traced, text is decoded by what is pinned" sh -c "$dusk stackmap decode late.txt >late.out"
claim "... each poll() has its stack" each late.out syscalls:sys_enter_poll 25 "await $down"
claim "the stacks of another stackmap are refused" exits 0 "$dusk" stackmap decode dozes.txt
claim "... which is said" says "are of another stackmap"
claim "... none is shown" sh -c "! $dusk stackmap decode dozes.txt 2>/dev/null | grep -q '^        \\['"
exec 9>&-
wait $victim
claim "it ends with the process" wait $tracing
claim "... and says how many events there were" grep -q '^dusk: 25 events are in ftrace.s ring' late.err

# The process that is named only waits; its child, which runs before the trace, sleeps again and again.
mkfifo naps
bash -c 'trap : USR1; (while :; do read -t 0.05 <>naps; done) & wait' & tree=$!
until child=$(cat /proc/$tree/task/$tree/children) && [ "$child" ]; do sleep 0.1; done
child=${child% }
traced_are() {
	wanted=$1
	shift
	traced tree -q -d 1s -e sched:sched_switch "$@" && sed -n 's/^ *[^#]*-\([0-9]*\) *\[[0-9]*\].*/\1/p' tree.txt | sort -u >tree.pids
	cat tree.pids
	[ "$(cat tree.pids)" = "$wanted" ]
}
claim "a process is traced with its children that run already" traced_are $child -p $tree
claim "... or alone" traced_are "" -p $tree --no-children
kill -9 $child $tree
claim "a thread is refused" exits 1 "$dusk" trace -q -e sched:sched_switch -d 1s -p $$,1000000000
claim "... which is said" says "there is no such process"
claim "children for which there is no room are counted, those that are gone need none" sh -c \
	"$dusk trace -e sched:sched_wakeup_new --stacks many.fsmb -- $victims/litter 16400 500 2>&1 |
		grep '^dusk: 17 processes that traced ones created were not traced: there is room for 16384 at once'"
claim "the command has its caller's environment" sh -c \
	"env HOME=$tmp $dusk trace -q -e sched:sched_wakeup_new --stacks env.fsmb -- env >env.txt && ! grep -e LESSHISTFILE -e DEBUGINFOD env.txt"

# More stacks than a small stackmap has room for.
claim "stacks of several epochs are traced" traced epochs -q --stackmap-bits 10 -e syscalls:sys_enter_nanosleep \
	-- "$victims/paths" naps 6000 1
claim "... and saved" decoded epochs
claim "... more than it has room for" [ "$("$dusk" stackmap read epochs.fsmb | grep -c '^stack_id')" -gt 3000 ]
claim "... nothing is missing" [ ! -s epochs.said ]
# Each is a path: 16 calls.
path_calls='
	/^ *\[[0-9]+\] (even|odd)\+/ { n++ }
	/^ *\[[^0-9]/ { why = $0 }
	/bpf_trace_printk: syscalls:sys_enter_nanosleep/ {
		if (seen++ && n != 16) {
			bad++
			print n " calls" why ": " event
		}
		n = 0
		why = ""
		event = $0
	}
	END { print seen, bad + 0; exit bad || seen != 6000 }'
claim "... each is as it was" awk "$path_calls" epochs.out

# While the tool is stopped nobody makes a fresh table.
"$victims/paths" asks 9000 1 >/dev/null &
victim=$!
until grep -q '^State:.*T' /proc/$victim/status; do sleep 0.1; done
"$dusk" trace -p $victim -e syscalls:sys_enter_getppid --stackmap-bits 10 --stacks full.fsmb 2>full.err &
tracing=$!
for _ in $(seq 300); do
	grep -q '^dusk: tracing 1 event' full.err && break
	sleep 0.1
done
echo >$ring/trace
kill -STOP $tracing
kill -CONT $victim
wait $victim
kill -CONT $tracing
wait $tracing
full=$(grep -c 'user 0> .*\[stackmap-full\]' $ring/trace)
claim "trace: stacks without room in the stackmap are named" [ "$full" -gt 1000 ]
claim "trace: they are counted at the end" grep "^dusk: $full of them have no user stack, \[stackmap-full\]: " full.err
claim "trace: a place that cannot be written is refused" exits 1 "$dusk" trace --stacks /no/such/folder/x -e syscalls:sys_enter_getppid -- touch ran
claim "trace: it is refused before anything runs" [ ! -e ran ]

# Events that were made, and neighbours.
place=$(printf '0x%x' "$((0x$(nm "$victims/dozes" | awk '$3 == "await" { print $1 }')))")
if echo "p:dusktest$$/await $victims/dozes:$place" >>$tracefs/uprobe_events 2>made; then
	echo >$ring/trace
	claim "an event that uprobe_events made is traced" sh -c \
		"echo | $dusk trace -q --stacks made.fsmb -e 'dusktest$$:*' -- $victims/dozes >/dev/null"
	cat $ring/trace >made.txt
	claim "... decoded" decoded made
	claim "... with the stack at its first instruction" each made.out "dusktest$$:await" 25 "await $down"
else
	claims=$((claims + 1))
	echo "ok $claims - an event that uprobe_events made is traced # SKIP $(head -1 made)"
fi
if needs perf "perf counts the same events"; then
	neighbour() {
		echo >$ring/trace
		"$dusk" trace -q -a --stacks beside.fsmb -e syscalls:sys_enter_poll -d 60s &
		tracing=$!
		for _ in $(seq 300); do
			grep -q sys_enter_poll $ring/trace && break
			sleep 0.1
		done
		echo | perf stat -x, -e syscalls:sys_enter_poll -o stat.csv "$victims/dozes" >/dev/null
		kill -INT $tracing
		wait $tracing
		cat stat.csv
		grep -q '^25,' stat.csv
	}
	"$victims/dozes" < <(for _ in $(seq 100); do echo; sleep 1; done) >/dev/null &
	background=$!
	claim "perf counts the same events" neighbour
	kill $background
fi

# trace-cmd: its own file, and what it prints. Where the kernel refuses to change function tracing, which trace-cmd resets
# though nobody asked, it writes to files that are none of the kernel's. It also gives up if /proc/kallsyms changes while it copies that, as it does
# while other tests load programs.
if needs trace-cmd "a recording of trace-cmd is decoded"; then
	for file in /proc/kallsyms /proc/sys/kernel/ftrace_enabled $tracefs/set_ftrace_pid $tracefs/set_ftrace_filter $tracefs/set_ftrace_notrace; do
		cat $file >"${file##*/}" 2>/dev/null || : >"${file##*/}"
		mount --bind "${file##*/}" $file 2>/dev/null
	done
	record() {
		echo | trace-cmd record -q -o trace.dat -e syscalls:sys_enter_poll -e bpf_trace "$dusk" trace -q --stacks cmd.fsmb \
			-e syscalls:sys_enter_poll -- "$victims/dozes"
		[ -s trace.dat ] && [ -s cmd.fsmb ]
	}
	claim "trace-cmd records a trace" record
	claim "... its file is decoded" sh -c "$dusk stackmap decode -i cmd.fsmb trace.dat >cmd.out"
	sed -i 's/bpf_trace_printk: */bpf_trace_printk: /' cmd.out
	claim "... each poll() has its stack" each cmd.out syscalls:sys_enter_poll 25 "await $down"
	# By its number: what has ended may have lost its name there.
	traced_pid=$(sed -n 's/^ *[^ ]*-\([0-9]*\) .*bpf_trace_printk: syscalls:sys_enter_poll .*/\1/p' cmd.out | sort -u)
	claim "... beside the kernel's own event" [ "$(grep -c "^ *[^ ]*-$traced_pid .* sys_enter_poll: " cmd.out)" = 25 ]
	claim "... and so is what it prints" sh -c \
		"trace-cmd report -i trace.dat >report.txt 2>/dev/null; $dusk stackmap decode -i cmd.fsmb report.txt | sed 's/bpf_trace_printk: */bpf_trace_printk: /' | cmp - cmd.out"
	claim "a file that only begins like one is refused" sh -c "head -c 20 trace.dat >cut.dat; ! $dusk stackmap decode -i cmd.fsmb cut.dat 2>said"
	claim "... with a reason" grep -q '^dusk: cannot read cut.dat: trace-cmd report failed' said
	# In our mount namespace.
	printf '#!/bin/sh\nkill -KILL $$\n' >killed && chmod 755 killed
	mount --bind killed "$(readlink -f "$(command -v trace-cmd)")"
	claim "where trace-cmd is killed at its limits" exits 1 "$dusk" stackmap decode -i cmd.fsmb trace.dat
	claim "... it is said what works" says "trace-cmd report was killed (Killed); here it may use 10 s of CPU time and 512 MiB. Without these limits: trace-cmd report -i trace.dat | dusk stackmap decode"
fi

claim "an event that is none" exits 1 "$dusk" trace -e sched:nothing -d 1s
claim "... is named" says "there is no event sched:nothing"
claim "a name that is none" exits 1 "$dusk" trace -e sched_switch -d 1s
claim "... is refused with the form of a name" says "events of tracefs as sched:sched_switch"
claim "what dusk trace writes itself is not traced" exits 1 "$dusk" trace -e bpf_trace:bpf_trace_printk -d 1s
claim "a command that is not there has its status" exits 127 "$dusk" trace -q -e sched:sched_switch -- ./nothing
# It sleeps on; the second signal comes once the first one has been passed on.
stubborn() {
	"$dusk" trace -e sched:sched_process_fork --stacks stubborn.fsmb -- sh -c 'trap "" TERM; echo $$ >stubborn.pid; while :; do sleep 0.1; done' 2>stubborn.said &
	for _ in $(seq 100); do
		[ ! -s stubborn.pid ] || break
		sleep 0.1
	done
	kill -TERM $!
	sleep 1
	kill -TERM $!
	wait $!
	status=$?
	kill -KILL "$(cat stubborn.pid)"
	[ $status = 143 ] && grep -q 'leaving sh to itself' stubborn.said
}
claim "a command that does not end is left to itself at the second signal" stubborn
claim "a process in a PID namespace of its own cannot be distinguished from others" exits 1 unshare -p -f --mount-proc \
	"$dusk" trace -q -e sched:sched_switch -- true
claim "... which is said" says "only the whole machine can be traced: --all"
claim "... where all are traced there is no need to" exits 0 unshare -p -f --mount-proc \
	"$dusk" trace -q -a -e sched:sched_switch -- true
claim "nothing stays" [ ! -e /sys/fs/bpf/dusk ]
done_testing
