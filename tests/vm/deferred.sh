#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest whose kernel writes deferred user stacks (6.19): dusk takes in what perf has recorded there (tools/readers).
set -u
. /test/folded.sh
cd "$(mktemp -d)" || exit 1
perf() {
	/perf/lib/ld.so --library-path /perf/lib /perf/perf "$@"
}
fail() {
	cat said one two 2>/dev/null
	echo "FAILED: $*"
	exit 1
}
perf record -q -e cpu-clock -F 499 --call-graph fp,defer -o deferred.data /test/busy >said 2>&1 || fail "perf record: exit status $?"
deferred=$(perf script -D --no-inline -i deferred.data 2>said | grep -c PERF_RECORD_CALLCHAIN_DEFERRED)
[ "$deferred" -gt 100 ] || fail "perf has recorded $deferred deferred user stacks"
perf script -i deferred.data --no-inline -F comm,tid,time,event,ip,sym 2>said | folded >one
dusk import -o deferred.dusk deferred.data >said 2>&1 || fail "dusk import: exit status $?"
dusk script -i deferred.dusk --no-inline 2>said | folded >two
grep -q 'main;outer;spin_short' one || fail "perf script shows no stacks of the program"
cmp one two || fail "dusk shows other stacks than perf"
cat two
echo "linux $(uname -r), $(perf --version): $deferred deferred user stacks; dusk import has the stacks that perf shows"
