#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest that has nothing but busybox: one static file records, and names what it has recorded.
set -u
cd "$(mktemp -d)" || exit 1
fail() {
	cat said
	echo "FAILED: $*"
	exit 1
}
dusk doctor >said 2>&1 || fail "doctor: exit status $?"
/victims/recurse_static 10 >/dev/null &
victim=$!
dusk record -e cpu,offcpu -F 499 -d 5s -p $victim -o x.dusk >said 2>&1 || fail "record: exit status $?"
grep -q '100.00 % of [1-9][0-9]* user stacks complete' said || fail "stacks are not complete"
kill $victim
dusk export --format folded -i x.dusk >said 2>&1 || fail "export: exit status $?"
grep -q '^recurse_static;_start;.*;main;.*;compare;\(recurse;\)\{10\}burn' said || fail "no stack is ten deep in recurse"
! grep -v '^recurse_static;_start[; ]' said >odd || { cat odd; fail "stacks that do not go back to _start"; }
dusk report -i x.dusk >said && cat said
