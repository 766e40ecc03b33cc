# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How large is a day of dusk agent? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

day_kinds=${day_kinds:-idle service}

# A root of Debian 12 with what day.sh starts, in a file system.
day_disk() {
	FRESH_DISK=$PWD/disk "$tree/tools/fresh" bookworm sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install \
		nginx postgresql curl gcc libc6-dev procps >/dev/null' >day.made 2>&1
}

figure_day() {
	local kind
	if ! have qemu-system-x86_64 || ! "$tree/tools/vm-kernel" --cached -a amd64 sid >/dev/null; then
		echo "The figure day needs qemu and a kernel: tools/setup vm, tools/vm-kernel sid"
		return
	fi
	day_disk || {
		cat day.made
		echo "The figure day needs a root of Debian 12"
		return
	}
	echo "### A day of the agent"
	for kind in $day_kinds; do
		echo
		"$tree/tools/vm" -s -c 1 -m 1024 -t 20000 -d disk -f "$here/day.sh:/day/day.sh" -f "$dusk:/day/dusk" sid \
			sh /day/day.sh "$kind" >"day.$kind"
		mkdir "$kind"
		sed '1,/^STORE/d' "day.$kind" | tr -d '\r' | base64 -d | tar -C "$kind" -x
		echo "$kind:"
		sed '/^STORE/,$d' "day.$kind"
		TIMEFORMAT='the flame graph of the first day: %U and %S s of CPU time'
		time TZ=UTC "$dusk" flame -i "$kind@2026-11-24..2026-11-25" -o day.html
	done
}
