#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does check-size find the chains of programs whose chains are known?
#
#	test_check_size.sh CHECK_SIZE CLANG
. "$(dirname "$0")/tap.sh"
check=$1
clang=$2
source=$(dirname "$0")/chains.bpf.c

object() {
	"$clang" -target bpf -mcpu=v4 -O2 -g "$@" -c "$source" -o "$tmp/x.o"
}
measure() {
	object "$@" && exits 0 "$check" "$tmp/x.o"
}
too_much() {
	object "$@" && exits 1 "$check" "$tmp/x.o" && says "TOO MUCH"
}

claim "a small object passes" measure
claim "a call is a frame" says "direct > leaf"
claim "the body of a loop is a frame of its caller" says "looping > body > level3 > leaf"
claim "what comes later does not count where it is asked for" says "deferring: 1 of 8 frames"
claim "but begins a chain" says "callback: 3 of 8 frames"
claim "stack is rounded up to 16 bytes a frame" says "direct: 2 of 8 frames, 32 of 512 bytes"
claim "8 frames fit" measure -DFRAMES=8
claim "and are counted" says "direct: 8 of 8 frames"
claim "9 frames do not fit" too_much -DFRAMES=9
claim "and the chain is shown" says \
	"direct > top > level8 > level7 > level6 > level5 > level4 > level3 > leaf"
claim "512 bytes fit" measure -DBYTES=256
claim "and are counted" says "greedy: 3 of 8 frames, 512 of 512 bytes"
claim "more do not" too_much -DBYTES=264
lowered() {
	object && exits 1 "$check" --frames 3 "$tmp/x.o" && says "looping: 4 of 3 frames"
}
claim "a limit can be lowered" lowered
claim "a limit must be a number" exits 2 "$check" --frames many "$tmp/x.o"
claim "an object is needed" exits 2 "$check"
claim "a file that is not there is named" exits 1 "$check" "$tmp/none"
printf 'no object' >"$tmp/none"
claim "a file that is no object is refused" exits 1 "$check" "$tmp/none"
head -c 700 "$tmp/x.o" >"$tmp/cut"
claim "a truncated object is refused" exits 1 "$check" "$tmp/cut"
done_testing
