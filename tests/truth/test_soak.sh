#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the stacks of these programs complete, in the kernel? usage: test_soak.sh DUSK LIVE-VICTIMS
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/programs.sh"
soak=$(dirname "$(realpath "$0")")/soak.sh
dusk=$(realpath "$1")
victims=$(realpath "$2")

if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP needs root"
	exit 0
fi
if ! grep -q ' bpf_task_work_schedule_resume' /proc/kallsyms; then
	echo "1..0 # SKIP needs a kernel with bpf_task_work (Linux 6.18)"
	exit 0
fi
trap 'stop_programs; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
start_programs "$victims"
sleep 2

# A program that could not go on, for whatever reason, is not what this is about; but it is said.
alive() {
	for pid in $programs; do
		if kill -0 "$pid" 2>/dev/null; then
			echo "$pid"
		else
			echo "# process $pid has ended" >&2
		fi
	done
}

nearly_all() {
	exits 0 "$soak" "$dusk" "$tmp/soak.dusk" 6s -p "$(alive | paste -s -d ,)" || return
	tail -n 1 "$tmp/said" | awk '{ exit !($1 > 1000 && $3 >= 99.9) }'
}

claim "of the stacks that were walked, 99.9 % are complete" nearly_all
sed 's/^/# /' "$tmp/said"
done_testing
