#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Would the judge see a wrong stack? test_judge.sh DUSK FOLDER: the same recording, judged by true and by forged logs.
dusk=$1 here=$2
if [ "$(id -u)" != 0 ] || ! grep -q ' bpf_task_work_schedule_resume' /proc/kallsyms; then
	echo "1..0 # SKIP needs root and a kernel with bpf_task_work (Linux 6.18)"
	exit 0
fi
. "$(dirname "$0")/../tools/tap.sh"

# judged LOG: sets right and wrong, and says how it judged.
judged() {
	"$here/judge" "$tmp/profile" "$1" >"$tmp/said" 2>/dev/null
	status=$?
	echo "exit status $status"
	grep '^count' "$tmp/said"
	right=$(awk '$2 == "right" { print $3 }' "$tmp/said")
	wrong=$(awk '$2 == "wrong" { print $3 }' "$tmp/said")
}
forged() {
	cp --sparse=always "$tmp/log" "$tmp/forged" && "$here/forge" "$tmp/forged" "$1" && judged "$tmp/forged"
}
all_right() { judged "$tmp/log" && [ $status = 0 ] && [ "$wrong" = 0 ] && [ "$right" -gt 100 ]; }
all_wrong() { forged caller && [ $status = 1 ] && [ "$right" = 0 ] && [ "$wrong" -gt 100 ]; }
many_wrong() { forged late && [ $status = 1 ] && [ "$wrong" -gt 20 ]; }

"$dusk" record -q -e cpu -F 1999 -o "$tmp/profile" -- "$here/victim" plain "$tmp/log" 1000
claim "a true log is believed" all_right
claim "a log with other callers is not" all_wrong
claim "a log of another time is not" many_wrong
done_testing
