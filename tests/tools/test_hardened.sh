#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is what was built able to withstand its own bugs? usage: test_hardened.sh yes|no FILE...
# FILE: programs and shared libraries with their symbols. no: they were built without optimisation, or with sanitizers, so that
# calls of the C library are not checked by it.
. "$(dirname "$0")/tap.sh"
fortified=$1
here=$PWD
shift
export LC_ALL=C

position_independent() {
	readelf -hW "$1" | grep 'Type: *DYN' && readelf -dW "$1" | grep -E 'FLAGS_1.*PIE|SONAME'
}
read_only() {
	readelf -lW "$1" | grep GNU_RELRO && readelf -dW "$1" | grep -E 'FLAGS_1.*NOW'
}
nothing_to_inject() {
	readelf -lW "$1" && readelf -lW "$1" | grep 'GNU_STACK.* RW ' && ! readelf -lW "$1" | grep 'LOAD.* RWE '
}
# A function of ours that has a buffer, and writes to it by snprintf(). What we link with may be built otherwise.
in_remedy() {
	objdump -d --no-show-raw-insn --disassemble=dusk_symbol_hint "$1" >code && cat code && grep "$2" code
}
cd "$tmp" || exit 1
for file; do
	[ "${file#/}" != "$file" ] || file=$here/$file
	name=$(basename "$file")
	claim "$name lies anywhere in memory" position_independent "$file"
	claim "$name: what the loader has written is read-only afterwards, all of it" read_only "$file"
	claim "$name: nothing that can be written can be executed" nothing_to_inject "$file"
	needs objdump "$name: what its code does" || continue
	claim "$name: functions look after their stack" in_remedy "$file" 'call.*__stack_chk_fail'
	if [ "$fortified" = yes ]; then
		claim "$name: the C library looks after the room of buffers" in_remedy "$file" 'call.*__snprintf_chk'
	else
		claims=$((claims + 1))
		echo "ok $claims - $name: the C library looks after the room of buffers # SKIP not optimised, or sanitized"
	fi
	if [ "$(uname -m)" = x86_64 ]; then
		claim "$name: functions that are called by pointers say so" in_remedy "$file" endbr64
	fi
done
done_testing
