#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is every stack of these programs right, at each of their instructions? usage: test_step.sh FOLDER LIST
. "$(dirname "$0")/../tools/tap.sh"
folder=$(realpath "$1")
list=$(realpath "$2")
cd "$folder" || exit 1

lied() {
	exits 1 ./step "$list" ./lies && says ' lie '
}

claim "a lie is found" lied
for victim in calls calls_now calls_no_pie calls_static calls_static_pie calls_cet calls_frame calls_plain calls_sframe calls_sframe_new \
	calls_lld calls_lld_ibt throws calls_32_static; do
	[ ! -x $victim ] || claim "$victim" ./step "$list" ./$victim
done
claim "calls, each frame as if for the first time" ./step -c "$list" ./calls
claim "calls, from the first instruction of the dynamic linker" ./step -l -n 20000 "$list" ./calls
claim "handlers on the own stack" ./step -s 7 "$list" ./handlers own
claim "handlers on an alternate stack" ./step -s 5 "$list" ./handlers alternate
# Up to longjmp(), since the 32-bit C library has no symbols by which the list could name it.
[ ! -x calls_32 ] || claim "calls of 32 bits" ./step -n 12000 "$list" ./calls_32
for stack in own alternate information; do
	[ ! -x handlers_32_static ] || claim "handlers of 32 bits: $stack" ./step -s 7 "$list" ./handlers_32_static $stack
done
for victim in restorers restorers_32_static; do
	[ ! -x $victim ] || for number in $(seq $(./$victim)); do
		claim "handlers that return to code of their own, $victim $number" ./step -s 7 "$list" ./$victim $number
	done
done
# Some lengths, and for i386 also with the functions for CPUs without SSE.
claim "functions written by hand" ./step "$list" ./strings_static 4
if [ -x strings_32_static ]; then
	claim "functions of 32 bits written by hand" ./step "$list" ./strings_32_static 8
	# Without those that call themselves, which the list could not name in the shared library.
	claim "the same of the shared library" ./step "$list" ./strings_32 8 text
	claim "the same for old CPUs" env GLIBC_TUNABLES=glibc.cpu.hwcaps=-SSE4_2,-SSSE3,-SSE2 ./step "$list" ./strings_32_static 8
fi
claim "a library" ./step "$list" ./loads ./liblibrary.so
[ ! -e liblibrary_lld.so ] || claim "a library by lld" ./step "$list" ./loads ./liblibrary_lld.so
done_testing
