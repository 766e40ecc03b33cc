#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a command end when it is asked to? usage: test_waits.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
"$make_profile" made.dusk || exit 1

# ended SECONDS PID: it is over by then; $status is how
ended() {
	for _ in $(seq $(($1 * 10))); do
		kill -0 "$2" 2>/dev/null || break
		sleep 0.1
	done
	if kill -9 "$2" 2>/dev/null; then
		echo "still there after $1 s"
		wait "$2"
		return 1
	fi
	wait "$2"
	status=$?
	echo "status $status"
}

# What is written is there under another name until it is whole; strace keeps it from being written.
half_written() {
	rm -rf half && mkdir half
	env --default-signal=INT,QUIT strace -qq -f -o trace -e trace=write -e inject=write:delay_enter=2000000 "$@" >/dev/null 2>&1 &
	tracer=$!
	for _ in $(seq 200); do
		[ -n "$(ls half)" ] && break
		sleep 0.1
	done
	ls half
	[ "$(ls half | wc -l)" = 1 ] || return
	pkill -"$signal" -P $tracer
	ended 30 $tracer
	ls half
	[ -z "$(ls half)" ]
}
for signal in INT TERM HUP QUIT; do
	needs strace "SIG$signal leaves nothing of an export" &&
		claim "SIG$signal leaves nothing of an export" half_written "$dusk" export -i made.dusk --format folded -o half/x
done
signal=TERM
needs strace "nor of a page" && claim "nor of a page" half_written "$dusk" flame -i made.dusk -o half/x.html

done_testing
