#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest: what dusk can do on its kernel, as one line of a table in markdown (tools/matrix). Fails if it records nothing,
# or if stacks are not complete.
set -u
cd "$(mktemp -d)" || exit 1
dusk doctor >doctor 2>&1
verified=$(sed -n 's/.* \([0-9]*\) instructions visited in \([a-z_]*\).*/\1 (\2)/p' doctor)

# Programs with shared libraries and without, of eight threads, and of a few milliseconds. Not the shell: Debian's busybox is
# built without tables.
/victims/recurse 20 >/dev/null &
/victims/recurse_static 20 >/dev/null &
/victims/threads >/dev/null &
/victims/storm /victims/short 100000 &
dusk record -a -F 199 -d 6s -o x.dusk >said 2>&1
status=$?
dusk info -i x.dusk >info 2>&1
setting() {
	sed -n "s/^  $1 = //p" info
}
# share WHAT: of its user stacks, that are complete
share() {
	sed -n "s/^dusk: $1: \([0-9.]*\) % of \([0-9]*\) user stacks complete/\1 % of \2/p" said
}
accounted=$(sed -n 's/^dusk: accounted: \([0-9.]* %\).*/\1/p' said)
samples=$(share samples)
echo "| $(uname -r) | $(setting mode) | ${samples:--} | $(share 'off-CPU intervals' | grep . || echo -) | ${accounted:--} | ${verified:--} |"
[ $status = 0 ] && [ "${samples%%.*}" -ge 99 ] && exit
cat doctor said
exit 1
