#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does dusk stacks print, and of which threads? usage: test_stacks.sh DUSK
# Skipped where dusk cannot look at other threads.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1
"$dusk" stacks $$ >first 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP $(cat first)"
	exit 0
}

has() {
	wanted=$1
	shift
	exits 0 "$@" && says "$wanted"
}
lacks() {
	wanted=$1
	shift
	exits 0 "$@" && ! says "$wanted"
}

sleep 1000 &
one=$!
sleep 1000 &
two=$!
trap 'kill -KILL $one $two; rm -rf "$tmp"' EXIT
sleep 0.2

claim "a process that sleeps" has "process $one sleep, 1 thread" "$dusk" stacks $one
claim "... and its state" has "1 thread sleeping (S): $one sleep" "$dusk" stacks $one
claim "... where it is in the kernel" has "hrtimer_nanosleep+" "$dusk" stacks $one
claim "... where it is in its program" has "(libc.so.6)" "$dusk" stacks $one
claim "... up to the outermost frame" lacks "    [" "$dusk" stacks $one
claim "without the kernel" lacks "[kernel]" "$dusk" stacks --no-kernel $one
claim "the kernel again" has "[kernel]" "$dusk" stacks --no-kernel -k $one
claim "two processes" sh -c "[ \$($dusk stacks $one $two | grep -c '^process') = 2 ]"
claim "options behind the process" lacks "[kernel]" "$dusk" stacks $one --no-kernel
claim "a thread" has "process $two sleep, 1 thread" "$dusk" stacks -t $two
claim "all of them, without ourselves" sh -c "$dusk stacks -a >all && grep -q '^process $one sleep' all &&
	grep -q '^process $two sleep' all && ! grep -q 'kthreadd' all"
claim "and the kernel's own" has "kthreadd" "$dusk" stacks -a --kernel-threads
claim "a process that is not there" exits 1 "$dusk" stacks 4194304
claim "... is said" says "there is no process 4194304"
claim "a thread that is not there" exits 1 "$dusk" stacks -t 4194304
claim "one that is there and one that is not" exits 1 "$dusk" stacks $one 4194304
kill -STOP $two
sleep 0.2
claim "a stopped one" has "1 thread stopped (T): $two sleep" "$dusk" stacks $two
if needs jq "as json"; then
	claim "as json" sh -c "$dusk stacks --json $one $two |
		jq -es 'length == 2 and all(.outcome == \"outermost\" and .comm == \"sleep\") and map(.state) == [\"S\", \"T\"] and
			(.[0].user | any(.function == \"clock_nanosleep\" and .module == \"libc.so.6\" and .offset > 0)) and
			(.[0].kernel | length > 2)'"
fi
claim "no thread was woken" sh -c "grep -q 'State:.S' /proc/$one/status && grep -q 'State:.T' /proc/$two/status"
done_testing
