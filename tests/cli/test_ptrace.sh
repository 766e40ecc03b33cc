#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does mode ptrace record programs, without disturbing them? usage: test_ptrace.sh DUSK LIVELY WITHOUT_PERF
# As root the user is nobody; else it is whoever runs the test.
. "$(dirname "$0")/../tools/tap.sh"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
cp "$1" "$tmp/dusk" && cp "$2" "$tmp/lively" && cp "$3" "$tmp/without_perf" || exit 1
chmod 755 "$tmp" "$tmp/dusk" "$tmp/lively" "$tmp/without_perf"
mkdir -m 777 "$tmp/there"
cd "$tmp/there" || exit 1
export HOME="$tmp/there" LC_ALL=C
unset SUDO_UID SUDO_GID XDG_CACHE_HOME

# user COMMAND...: as an ordinary user
as=
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip_all "setpriv is not installed"
	as="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
fi
printf '#!/bin/sh\nexec %s "$@"\n' "$as" >"$tmp/user"
chmod 755 "$tmp/user"
PATH=$tmp:$PATH
dusk=$tmp/dusk
number() {
	"$dusk" info --json -i "$1" | sed -n "s/^ *\"$2\": \"*\([0-9]*\)[.\"]*.*/\1/p" | head -n 1
}
counter() {
	"$dusk" query -i "$1" --csv "select value from counter where name = '$2'" | tail -n 1
}
setting() {
	"$dusk" info -i "$1" | sed -n "s/^  $2 = //p"
}
state() {
	sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"
}
tracer() {
	sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$1/status"
}
# eventually TENTHS COMMAND...
eventually() {
	left=$1
	shift
	until "$@"; do
		[ "$left" -gt 0 ] || return 1
		left=$((left - 1))
		sleep 0.1
	done
}
line() {
	sed -n "s/^$1 //p" "$tmp/there/lines" 2>/dev/null
}

# A program that has threads, gets signals, has a child, is stopped, and calls execve() from its second thread.
whole() {
	rm -f lines
	user "$@" -- "$tmp/lively" lines >said 2>&1 & recorder=$!
	eventually 300 sh -c 'grep -q stops lines 2>/dev/null' || return 1
	stopped=$(line stops)
	eventually 50 sh -c "grep -q '^[0-9]* (lively) [tT]' /proc/$stopped/stat" && sleep 0.5
	echo "during $(state "$stopped" | tr t T)$(line continues)" >>lines # t: it is traced, too
	kill -CONT "$stopped"
	wait $recorder
	status=$?
	cat said lines
	[ $status = 7 ]
}
claim "a program is recorded, and its exit status is as without it" whole "$dusk" record --mode ptrace -F 100 -o a.dusk
claim "SIGSTOP stops it, until SIGCONT" [ "$(line during)$(line continues)" = T1 ]
claim "it gets its signals" [ "$(line signals)" -ge 20 ]
claim "it gets its child's status" [ "$(line child)" = 3 ]
claim "it calls execve() from a thread" [ "$(line exec)" = 1 ]
claim "the summary says what the stops have cost" grep -q "threads were stopped [1-9][0-9]* times, for [0-9]* us each" said
claim "... and what would do better" grep -q "kernel.perf_event_paranoid=2" said
claim "the profile says so, too" [ "$(setting a.dusk mode)" = ptrace ]
is_whole() {
	"$dusk" info -i "$1"
	[ "$(number "$1" samples)" -ge "$2" ] && [ "$(number "$1" complete_percent)" -ge 97 ]
}
# How many samples there are depends on the machine: where others want its CPUs, dusk waits while a thread is stopped, and
# stops fewer.
claim "stacks are complete" is_whole a.dusk 1
has_all() {
	"$dusk" query -i a.dusk --csv 'select name from function' >functions
	cat functions
	grep -q '^burn$' functions || return 1
	[ "$(number a.dusk samples)" -ge 50 ] || return 0
	for f in burn_in_thread burn_in_child burn_after_exec; do
		grep -q "$f" functions || return 1
	done
}
claim "its threads, its child, and what it is after execve() are among them" has_all
# What the samples stand for is the CPU time: 3 s on three idle CPUs, and less where others have them.
stands_for() {
	counter a.dusk sampled-us
	[ "$(counter a.dusk sampled-us)" -gt 0 ] && [ "$(counter a.dusk sampled-us)" -lt 4500000 ]
}
claim "samples stand for CPU time" stands_for

refused="mode ptrace: threads that run are stopped 20 times a second, and CPU samples only, since: cannot sample"
claim "where perf events are refused, it is chosen by itself" whole "$tmp/without_perf" "$dusk" record -o b.dusk
claim "... which is said" grep -qF "$refused" said
claim "... and what forbids them" grep -q "seccomp filter" said
claim "... and all is well there, too" [ "$(line during)$(line continues)$(line exec)$(line child)" = T113 ]
not_for() {
	exits 3 user "$tmp/without_perf" "$dusk" record "$@" -o c.dusk
}
claim "off-CPU intervals that are asked for by name are not left out" not_for -e offcpu -- true
claim "the whole machine cannot be recorded so" exits 3 user "$dusk" record --mode ptrace -a -d 1s -o c.dusk
claim "... which is said" says "cannot record the whole machine in mode ptrace"
claim "and leaves no file" [ ! -e c.dusk ]

# Processes that run already. Yama may allow children only.
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
if [ "$scope" = 0 ]; then
	user sh -c 'while :; do :; done' >/dev/null & busy=$!
	user sleep 1000 >/dev/null & idle=$!
	n=0
	until { user readlink /proc/$busy/exe && user readlink /proc/$idle/exe; } >/dev/null || [ $n -ge 50 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	is_free() {
		[ "$(tracer $1)" = 0 ] && [ "$(state $1)" != t ] && [ "$(state $1)" != T ]
	}
	runs_on() {
		before=$(cut -d ' ' -f 1 "/proc/$busy/schedstat")
		eventually 50 is_free $busy && eventually 50 sh -c "[ \$(cut -d ' ' -f 1 /proc/$busy/schedstat) -gt $before ]"
	}
	claim "a process that runs already is recorded" exits 0 user "$dusk" record --mode ptrace -F 100 -q -d 2s -p $busy -o d.dusk
	claim "... with whole stacks" is_whole d.dusk 1
	claim "... and runs on" runs_on
	claim "one that is idle is recorded" exits 0 user "$dusk" record --mode ptrace -q -d 1s -p $idle -o e.dusk
	claim "... and is never stopped" [ "$(counter e.dusk stops)" = 0 ]
	claim "... and is free again" eventually 50 is_free $idle
	user "$dusk" record --mode ptrace -F 100 -q -p $busy,$idle -o f.dusk & killed=$!
	is_traced() {
		[ "$(tracer $busy)" != 0 ] && [ "$(tracer $idle)" != 0 ]
	}
	claim "both are traced" eventually 100 is_traced
	sleep 0.5
	# It is the user's, and not its shell: setpriv has become it.
	kill -KILL $killed
	wait $killed 2>/dev/null
	claim "when dusk is killed, the process runs on" runs_on
	claim "... and the one that was idle is free" eventually 50 is_free $idle
	kill -STOP $idle
	eventually 50 sh -c "grep -q ') T' /proc/$idle/stat"
	claim "a process that is stopped is recorded" exits 0 user "$dusk" record --mode ptrace -q -d 1s -p $idle -o g.dusk
	claim "... and stays stopped" eventually 20 sh -c "grep -q ') T' /proc/$idle/stat"
	kill -CONT $idle
	claim "... until SIGCONT" eventually 50 is_free $idle
	kill $busy $idle
	if [ "$(id -u)" = 0 ]; then
		sleep 100 >/dev/null & roots=$!
		claim "another user's process is refused" exits 3 user "$dusk" record --mode ptrace -p $roots -d 1s -o h.dusk
		claim "... and why" says "it must be your own"
		kill $roots
	fi
fi
done_testing
