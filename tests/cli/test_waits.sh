#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a command end when it is asked to, and what if another tool is in its way? usage: test_waits.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
"$make_profile" made.dusk || exit 1

# ended PID: it ends, long before what it might wait for does; $status is how
ended() {
	for _ in $(seq 600); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	if kill -9 "$1" 2>/dev/null; then
		echo "still there after 60 s"
		wait "$1"
		return 1
	fi
	wait "$1"
	status=$?
	echo "status $status"
}

# What is written is there under another name until it is whole; strace keeps it from being written.
half_written() {
	rm -rf half && mkdir half
	env --default-signal=INT,QUIT,HUP strace -qq -f -o trace -e trace=write -e inject=write:delay_enter=2000000 "$@" >/dev/null 2>&1 &
	tracer=$!
	for _ in $(seq 200); do
		[ -n "$(ls half)" ] && break
		sleep 0.1
	done
	ls half
	[ "$(ls half | wc -l)" = 1 ] || return
	pkill -"$signal" -P $tracer
	ended $tracer
	ls half
	[ -z "$(ls half)" ]
}
for signal in INT TERM HUP QUIT; do
	needs strace "SIG$signal leaves nothing of an export" &&
		claim "SIG$signal leaves nothing of an export" half_written "$dusk" export -i made.dusk --format folded -o half/x
done
signal=TERM
needs strace "nor of a page" && claim "nor of a page" half_written "$dusk" flame -i made.dusk -o half/x.html

"$dusk" doctor >doctor 2>&1
if [ $? = 3 ] || ! command -v flock >/dev/null; then
	echo "ok $((claims += 1)) - commands that record # SKIP this machine cannot record (see dusk doctor), or has no flock(1)"
	done_testing
	exit
fi

# records FILE ARGUMENT...: process $pid does
records() {
	file=$1
	shift
	rm -rf "$file"*
	"$dusk" record -q -o "$file" "$@" 2>errors &
	pid=$!
	for _ in $(seq 300); do
		[ -e "$file.recording/profile" ] && break
		sleep 0.1
	done
	sleep 1
}
whole() {
	cat errors
	"$dusk" info -i "$1" >info && grep '^recording *finished' info
}
# A stopped process has the lock that tools need to come and go.
hold() {
	flock "$(echo /sys/fs/bpf/dusk/v*)" sleep 1000 &
	holder=$!
	sleep 0.5
	kill -STOP $holder
}
let_go() {
	pkill -9 -P $holder
	kill -9 $holder
	wait $holder
} 2>/dev/null

while_recording() {
	records first.dusk -a
	first=$pid
	hold
	"$@" && kill -0 $first
	result=$?
	let_go
	kill -INT $first
	ended $first
	return $result
} 2>&1
begins() {
	exits 0 timeout -s KILL 120 "$dusk" record -q -a -d 200ms -o second.dusk && says "process $holder (flock) is stopped" &&
		says "kill -KILL $holder ends it" && whole second.dusk
}
claim "a recording that begins while a tool is stopped says which, and records" while_recording begins
looks() {
	exits 0 timeout -s KILL 120 "$dusk" stacks $$ && says "process $holder (flock) is stopped" && says "_start"
}
claim "and so does dusk stacks" while_recording looks
resets() {
	exits 1 timeout -s KILL 120 "$dusk" stackmap reset && says "process $holder (flock) is stopped"
}
claim "dusk stackmap reset says so, and fails" while_recording resets
asked_while_waiting() {
	"$dusk" record -a -o second.dusk 2>said &
	pid=$!
	until grep -q '^SigCgt:.*[4567cdef]...$' /proc/$pid/status || ! kill -0 $pid; do sleep 0.1; done
	sleep 3
	kill -s "$signal" $pid
	ended $pid && says "stopped before anything was recorded" && [ $status = $1 ] && [ -z "$(ls -d second.dusk* 2>/dev/null)" ]
}
rm -rf second.dusk*
signal=TERM
claim "SIGTERM ends the wait for it" while_recording asked_while_waiting 143
signal=INT
claim "and so does SIGINT" while_recording asked_while_waiting 130

asked_while_held() {
	records first.dusk -a
	hold
	kill -INT $pid
	ended $pid && [ $status = 0 ] && whole first.dusk
	result=$?
	let_go
	return $result
}
claim "SIGINT ends a recording whatever another tool does, with a whole file" asked_while_held
in_time() {
	records first.dusk -a -d 4s
	hold
	ended $pid && [ $status = 0 ] && whole first.dusk
	result=$?
	let_go
	return $result
}
claim "so does the end of its time" in_time
claim "the next tool clears up, and leaves nothing pinned" sh -c "$dusk record -q -d 100ms && [ ! -e /sys/fs/bpf/dusk ]"

# At any moment of the start: nothing is left, or a recording that ends as ever.
early() {
	rm -rf early.dusk*
	"$dusk" record -q -a -o early.dusk 2>errors &
	pid=$!
	sleep "$1"
	kill -TERM $pid
	ended $pid || return
	if [ $status = 143 ]; then
		[ -z "$(ls -d early.dusk* 2>/dev/null)" ]
	else
		[ $status = 0 ] && whole early.dusk
	fi
}
for after in 0.02 0.1 0.2 0.4 0.6 0.8 1.0 1.3; do
	claim "SIGTERM $after s after the start" early $after
done
deaf() {
	rm -f ready
	records deaf.dusk -- sh -c 'trap "" INT TERM; touch ready; while :; do sleep 1; done'
	for _ in $(seq 100); do
		[ -e ready ] && break
		sleep 0.1
	done
	kill -TERM $pid
	ended $pid && [ $status = 143 ] && grep 'leaving sh to itself, as process' errors && whole deaf.dusk
	result=$?
	pkill -9 -f 'trap "" INT TERM; touch ready'
	return $result
}
claim "a command that does not end is left to itself, and a whole file is there" deaf
done_testing
