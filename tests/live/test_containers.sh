#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do containers have their names? usage: test_containers.sh DUSK podman|docker
#
# Their runtime is the real one, with a storage that is empty and goes with the test, as its processes do. Where there is cgroup v1, too, the test
# sees cgroup2 alone.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
runtime=$2
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
[ "$(id -u)" = 0 ] || skip "needs root"
command -v "$runtime" >/dev/null || skip "$runtime is not installed"
[ "$runtime" = podman ] || command -v dockerd >/dev/null || skip "dockerd is not installed"
busybox=$(command -v busybox) || skip "busybox is not installed"
! ldd "$busybox" >/dev/null 2>&1 || skip "this busybox needs libraries: busybox-static does not"
[ "${OWN_BPFFS-}" ] || skip "this machine has no mount namespaces"
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp"
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || skip "this machine cannot unwind, see dusk doctor"
for folder in /var/lib/containers /var/lib/docker /var/lib/containerd /run /dev/shm; do
	mkdir -p $folder && mount -t tmpfs tmpfs $folder || skip "nothing can be mounted at $folder"
done 2>/dev/null
[ -e /sys/fs/cgroup/cgroup.controllers ] ||
	{ umount -R /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup; } 2>mount.said || skip "cgroup2 cannot be mounted: $(cat mount.said)"
daemon=
end() {
	"$runtime" rm -f shop brief late
	[ ! "$daemon" ] || { kill $daemon; wait $daemon; }
	umount -R /var/lib/containers /var/lib/docker
	find /sys/fs/cgroup/docker /sys/fs/cgroup/libpod_parent -depth -type d -exec rmdir {} +
	rm -rf "$tmp"
} >/dev/null 2>&1
trap end EXIT
if [ "$runtime" = docker ]; then
	dockerd --iptables=false --ip6tables=false --bridge=none --exec-opt native.cgroupdriver=cgroupfs >daemon.said 2>&1 &
	daemon=$!
	for i in $(seq 100); do
		! docker info >/dev/null 2>&1 || break
		kill -0 $daemon 2>/dev/null || skip "dockerd does not run here: $(tail -n 1 daemon.said)"
		sleep 0.2
	done
fi
mkdir -p image/bin && cp "$busybox" image/bin/busybox && ln -s busybox image/bin/sh
tar -C image -c . | "$runtime" import - busy >said 2>&1 || skip "$runtime imports nothing: $(tail -n 1 said)"

# The least that each version can do, and a machine that may not raise its limits.
runs=("$runtime" run -d --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
[ "$runtime" = docker ] || runs=(podman --cgroup-manager cgroupfs --runtime "$(command -v runc crun | head -n 1)" "${runs[@]:1}")
forever='while :; do :; done'
for pids in -1 0; do
	"${runs[@]}" --pids-limit=$pids --name shop busy sh -c "$forever" >said 2>&1 && break
	"$runtime" rm -f shop >/dev/null 2>&1
done
[ "$("$runtime" inspect -f '{{.State.Running}}' shop 2>&1)" = true ] || skip "$runtime runs no container here: $(tail -n 1 said)"
runs+=(--pids-limit=$pids --rm)
claim "another, which is removed when it ends" "${runs[@]}" --name brief busy sh -c "$forever"

containers() { # containers PROFILE: the names that its samples are of
	"$dusk" report -i "$1" --sort container --no-children --csv | tail -n +2 | cut -d , -f 3 | tee "$tmp/containers"
}
only() { # only NAME PROFILE
	containers "$2"
	[ "$(cat "$tmp/containers")" = "$1" ]
}
has() { # has NAME PROFILE: among what else the machine runs
	containers "$2"
	grep -qx "$1" "$tmp/containers"
}
claim "a recording" "$dusk" record -q -d 2s -o all.dusk
claim "a container has its name" has shop all.dusk
claim "... and another, which is removed when it ends" has brief all.dusk
claim "a container is recorded by its name" "$dusk" record -q -d 1s --container shop -o one.dusk
claim "... and nothing else" only shop one.dusk
claim "one that is removed when it ends, too" "$dusk" record -q -d 1s --container brief -o two.dusk
claim "... and nothing else" only brief two.dusk
"$runtime" kill shop brief >/dev/null
"$dusk" record -q -d 5s -o late.dusk &
sleep 1
claim "one that begins under way" "${runs[@]}" --name late busy sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
wait $!
claim "... has its name" has late late.dusk
done_testing
