# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How large is a day of dusk agent? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

day_kinds=${day_kinds:-idle service}

# A root of Debian 12 with what day.sh starts, in a file system.
day_disk() {
	FRESH_OUT=$PWD "$tree/tools/fresh" bookworm sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install \
		nginx postgresql curl gcc libc6-dev procps >/dev/null && apt-get clean &&
		tar -C / --one-file-system --exclude=./out --exclude=./home -cf /out/root.tar .' >day.made 2>&1 || return
	mkdir root
	tar -C root -xpf root.tar
	mkdir -p root/day
	cp "$dusk" "$here/day.sh" root/day/
	ldd "$dusk" | grep -o '/[^ ]*' | while read -r library; do
		[ -e "root$library" ] || install -D "$library" "root$library"
	done
	truncate -s 4G disk
	mke2fs -q -t ext4 -d root disk
	rm -rf root root.tar
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
		"$tree/tools/vm" -s -c 1 -m 1024 -t 20000 -d disk -f "$here/day.sh:/day.sh" -f /bin/bash:/bin/bash sid \
			/bin/bash /day.sh "$kind" >"day.$kind"
		mkdir "$kind"
		sed '1,/^STORE/d' "day.$kind" | tr -d '\r' | base64 -d | tar -C "$kind" -x
		echo "$kind:"
		sed '/^STORE/,$d' "day.$kind"
		TIMEFORMAT='the flame graph of the first day: %U and %S s of CPU time'
		time TZ=UTC "$dusk" flame -i "$kind@2026-11-24..2026-11-25" -o day.html
	done
}
