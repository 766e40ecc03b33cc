#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a user without privileges record, and know at which price? usage: test_copied.sh DUSK
# As root the user is nobody; else it is whoever runs the test.
. "$(dirname "$0")/../tools/tap.sh"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
cp "$1" "$tmp/dusk" || exit 1
chmod 755 "$tmp" "$tmp/dusk"
mkdir -m 777 "$tmp/there"
cd "$tmp/there" || exit 1
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid) || skip_all "there are no perf events"
[ "$paranoid" -le 2 ] || skip_all "kernel.perf_event_paranoid is $paranoid: without privilege there are no perf events"
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
busy='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
has() {
	wanted=$1
	shift
	exits 0 "$@" && says "$wanted"
}
number() {
	"$dusk" info --json -i "$1" | sed -n "s/^ *\"$2\": \"*\([0-9]*\)[.\"]*.*/\1/p" | head -n 1
}
setting() {
	"$dusk" info -i "$1" | sed -n "s/^  $2 = //p"
}
# is_whole FILE SAMPLES: it has so many samples at least, of which 97 % have complete stacks
is_whole() {
	"$dusk" info -i "$1"
	[ "$(number "$1" samples)" -ge "$2" ] && [ "$(number "$1" complete_percent)" -ge 97 ]
}

claim "a user without privileges records a command, and learns how, and what is missing" \
	has "KiB of each stack, and off-CPU intervals without stacks, since: cannot load BPF programs" \
	user "$dusk" record -F 999 -o a.dusk -- sh -c "sleep 0.3; $busy"
claim "the profile says so" [ "$(setting a.dusk mode)" = copied ]
claim "... and how much of a stack was copied" [ "$(setting a.dusk stack_bytes)" -ge 16384 ]
claim "its stacks are complete" is_whole a.dusk 50
claim "... and have names" sh -c "$dusk report -i a.dusk --csv | grep -q libc.so"
# Off its CPU: the sleep, which is known to the millisecond, and whose stacks only privileged users may see.
waited() {
	"$dusk" report -i a.dusk --off-cpu --csv --sort comm | tee said
	"$dusk" query -i a.dusk --csv "select sum(value) / 1000000 from offcpu join thread t on t.id = offcpu.thread
		where comm = 'sleep' and value > 100000000" >ms
	cat ms
	[ "$(tail -n 1 ms)" -ge 300 ] && [ "$(tail -n 1 ms)" -lt 3000 ]
}
if [ "$paranoid" -gt 1 ]; then
	claim "... for how long its threads were off their CPU" waited
	claim "... and that nobody knows where" says "not-sampled"
	claim "... as the profile says" [ "$(setting a.dusk off_cpu_stacks)" = "left out" ]
	balanced() {
		"$dusk" info -i a.dusk
		[ "$(number a.dusk accounted_percent)" -ge 99 ]
	}
	claim "... and nothing of their time is missing" balanced
fi
claim "only CPU time is recorded if that is asked for" \
	has "KiB of each stack, since: cannot load" user "$dusk" record -e cpu -o b.dusk -- true
claim "... and nothing else is in the profile" [ "$(setting b.dusk off_cpu_stacks)" = "" ]
claim "the exit status is the command's" exits 7 user "$dusk" record -q -o b.dusk -- sh -c 'exit 7'
is_quiet() {
	user "$dusk" record -q -o b.dusk -- true >said 2>&1
	cat said
	[ ! -s said ]
}
claim "quiet is quiet" is_quiet
short() {
	exits 0 user "$dusk" record -q -F 4999 -o c.dusk -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do /bin/ls / >/dev/null; done' && is_whole c.dusk 10
}
claim "processes of some milliseconds have complete stacks, too" short

# Of a process that runs already, and of what it creates.
user sh -c 'n=0; while [ $n -lt 1000 ]; do n=$((n + 1)); (i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done); done' >/dev/null & busy_pid=$!
n=0
until user readlink /proc/$busy_pid/exe >/dev/null || [ $n -ge 50 ]; do # until it is the user's
	n=$((n + 1))
	sleep 0.1
done
running() {
	exits 0 user "$dusk" record -q -F 999 -d 1s -p $busy_pid -o d.dusk && is_whole d.dusk 100
}
claim "a process that runs already is recorded" running
children() {
	"$dusk" query -i d.dusk --csv 'select count(distinct pid) from thread' >said
	cat said
	[ "$(tail -n 1 said)" -gt 2 ]
}
claim "... with its children" children
kill $busy_pid

# What it maps on a CPU that is not sampled is known, too.
elsewhere() {
	exits 0 user "$dusk" record -q -e cpu -F 999 -C 0 -o i.dusk -- \
		taskset -c 1 sh -c "taskset -p -c 0 \$\$ >/dev/null; $busy" && is_whole i.dusk 50
}
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null; then
	claim "-C samples a CPU, and follows programs on all" elsewhere
fi

claim "--mode full is the full mode or nothing" exits 3 user "$dusk" record --mode full -o e.dusk -- true
claim "... and leaves no file" [ ! -e e.dusk ]
claim "--mode copied is possible for all" exits 0 user "$dusk" record -q --mode copied --stack-bytes 32K -o f.dusk -- true
claim "... with as much of the stack as is asked for" [ "$(setting f.dusk stack_bytes)" = 32768 ]
claim "another mode is refused" exits 2 "$dusk" record --mode other -- true
claim "... which it says" says "--mode takes full, copied or ptrace, not 'other'"
claim "what needs the full mode is refused in the other" exits 3 user "$dusk" record --mode copied --wakers -o g.dusk -- true
claim "... by name" says "cannot record wakers in mode copied"
claim "asked for by name, it is not left out silently" exits 3 user "$dusk" record --budget 1% -o g.dusk -- true
claim "off-CPU intervals alone are recorded" exits 0 user "$dusk" record -q -e offcpu -o g.dusk -- sleep 0.1
claim "... and no samples" [ "$(setting g.dusk event)" = off-cpu ]
claim "a process that does not exist" exits 1 user "$dusk" record --mode copied -p 4194304 -d 1s
claim "... is named" says "there is no such process"
if [ "$(id -u)" = 0 ]; then
	sleep 100 >/dev/null & roots=$!
	claim "another user's process is refused" exits 3 user "$dusk" record -p $roots -d 1s -o h.dusk
	claim "... and why" says "it must be your own"
	kill $roots
fi
if [ "$paranoid" -gt 0 ]; then
	claim "the whole machine is refused" exits 3 user "$dusk" record -a -d 1s -o h.dusk
	claim "... and it is said what allows it" says "kernel.perf_event_paranoid=0, and it is $paranoid"
fi
done_testing
