#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does ./check count right? tools/testlog.awk on logs whose counts are known.
. "$(dirname "$0")/tap.sh"
testlog=$(dirname "$0")/../../tools/testlog.awk

# log NAME RESULT STDOUT [SECONDS]: one line as meson writes it.
log() {
	printf '{"name": "dusk:unit / %s", "stdout": "%s", "result": "%s", "duration": %s, "returncode": 0}\n' \
		"$1" "$3" "$2" "${4-0.1}"
}
# counts "P F S": what the log on stdin adds up to.
counts() {
	rm -f "$tmp/totals"
	awk -v suite=unit -v totals="$tmp/totals" -f "$testlog" "$tmp/log" >"$tmp/said"
	cat "$tmp/said" "$tmp/totals"
	[ "$(cat "$tmp/totals")" = "$1" ]
}

log a OK 'silent' >"$tmp/log"
claim "an executable counts as one" counts "1 0 0"

log a OK '[ RUN      ] x\n[       OK ] x\n[ RUN      ] y\n[       OK ] y\n[  PASSED  ] 2 test(s).\n' >"$tmp/log"
claim "cmocka's tests are counted" counts "2 0 0"

log a FAIL '[ RUN      ] x\n[       OK ] x\n[ RUN      ] y\n[  FAILED  ] y\n[  FAILED  ] 1 test(s)' >"$tmp/log"
claim "a failure is counted once" counts "1 1 0"
claim "and its log is shown" says "[  FAILED  ] y"

log a FAIL '[ RUN      ] x\n[       OK ] x\n[ RUN      ] y\nSegmentation' >"$tmp/log"
claim "a test that takes all down has failed" counts "1 1 0"

log a FAIL '[ RUN      ] x\n[       OK ] x\nLeakSanitizer: detected memory leaks' >"$tmp/log"
claim "a failure after the last test is one" counts "1 1 0"

log a TIMEOUT '' >"$tmp/log"
claim "a test that does not end has failed" counts "0 1 0"

log a OK '[ RUN      ] x\nneeds root\n[  SKIPPED ] x\n[  SKIPPED ] 1 test(s), listed:\n[  SKIPPED ] x\n' >"$tmp/log"
claim "a skipped test is counted once" counts "0 0 1"
claim "and says why" says "skipped: a: x: needs root"

log a SKIP 'needs CAP_BPF: run as root\n' >"$tmp/log"
claim "a skipped executable is counted" counts "0 0 1"
claim "and says why as well" says "skipped: a: needs CAP_BPF: run as root"

log a OK 'ok 1 - x\nok 2 - y # SKIP no lld\nnot ok 3 - z\n1..3\n' >"$tmp/log"
claim "TAP is counted" counts "1 1 1"

log a OK 'says \"result\": \"FAIL\" within' >"$tmp/log"
claim "a result within the output is not believed" counts "1 0 0"

{ log a OK 'ok 1 - x, \"duration\": 9' 1.3 && log b OK 'ok 1 - y\nok 2 - z\n' 2.4; } >"$tmp/log"
claim "executables add up" counts "3 0 0"
claim "and so does their time" says "unit:            3 passed, 0 failed, 0 skipped, 4 s"
done_testing
