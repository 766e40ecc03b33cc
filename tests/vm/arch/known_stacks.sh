#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest that has nothing but busybox: programs whose stacks are known are recorded, all of them, and as they are.
#
#	known_stacks.sh full|copied	the mode in which this kernel lets them be recorded
set -u
mode=$1
# The kernel would take what an emulated CPU needs for a sample as a reason to allow fewer of them.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
cd "$(mktemp -d)" || exit 1
fail() {
	cat said
	echo "FAILED: $victim: $*"
	exit 1
}

# record VICTIM ARGUMENT: to x.dusk, and its stacks with their counts to folded.
record() {
	victim=$1
	/victims/"$1" "$2" >/dev/null &
	dusk record -e cpu -F 499 -d 4s -p $! -o x.dusk >said 2>&1 || fail "record: exit status $?"
	kill $!
	case $mode in
	full) ! grep -q 'mode copied' said || fail "it was not the full mode" ;;
	copied) grep -q 'mode copied' said || fail "it was not mode copied" ;;
	esac
	grep -Eq ' (100.00|99.[5-9][0-9]) % of [1-9][0-9]* user stacks complete' said || fail "stacks are not complete"
	complete=$(grep -E ' user stacks complete|^dusk: +[0-9]+  [a-z-]+: ' said)
	! grep -q 'the kernel shows no addresses' said || fail "root sees the kernel's addresses"
	dusk info -i x.dusk >info 2>&1 || fail "info: exit status $?"
	grep -q '^  event = cycles$' info || fail "samples are not of the PMU's cycles"
	dusk export --format folded -i x.dusk >folded 2>said || fail "export: exit status $?"
	echo "$mode: $victim: $complete"
}

if [ $mode = full ]; then
	victim=doctor
	dusk doctor >said 2>&1 || fail "doctor: exit status $?"
fi
for name in recurse recurse_static recurse_signed recurse_bare; do
	record $name 10
	grep -q ";main;.*;compare;\(recurse;\)\{10\}burn " folded || fail "no stack is ten deep in recurse"
	! grep ';burn[; ]' folded | grep -v ';main;.*;compare;\(recurse;\)\{10\}burn[; ]' >said || fail "stacks of burn that are not so deep"
	! grep -v "^$name;_start;" folded >said || fail "stacks that do not go back to _start"
done
# In mode copied the copy is of the stack of the handler: what it interrupts is on it, or was not copied.
stacks=own
[ $mode = copied ] || stacks='own alternate'
for stack in $stacks; do
	record signals $stack
	work='\(work;\)\{20\}'
	grep -q ";main;$work\[*[^;]*rt_sigreturn[^;]*;handle " folded || grep -q ";main;$work[^;]*;handle " folded ||
		fail "no handler interrupts work"
	! grep ';handle[; ]' folded | grep -v ';main;' >said || fail "handlers that interrupt nothing"
done
echo "all stacks are as they should be"
