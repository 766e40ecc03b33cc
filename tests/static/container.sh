#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run a program of an unpacked image as a container's runtime does, with the capabilities that are named, and no others.
#
#	container.sh ROOT DATA CAPABILITIES PROGRAM...		CAPABILITIES: their numbers, as 38,39
#
# ROOT is read-only, /proc and /sys are too but for what is the container's own, PIDs are its own, and DATA is /data. The word
# NEIGHBOUR among those of PROGRAM stands for the PID of another process of the container, which runs $NEIGHBOUR. If $FILTERED is set, bpf() is forbidden, as some
# runtimes do.
set -eu
if [ ! "${CONTAINED-}" ]; then
	exec env CONTAINED=yes unshare --mount --propagation private --pid --fork --kill-child --ipc --uts --cgroup --net \
		"$0" "$@"
fi
root=$1 data=$2 capabilities=$3
shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
mount -t tmpfs -o size=64k dev "$root/dev"
for device in null zero full random urandom; do
	: >"$root/dev/$device"
	mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind "$data" "$root/data"

# The program has what is in its bounding set, as root has it.
enter() {
	exec perl -e '
		my ($root, $keep, @words) = @ARGV;
		my %keep = map { $_ => 1 } split /,/, $keep;
		open(my $last, "<", "/proc/sys/kernel/cap_last_cap") or die "cap_last_cap: $!";
		my $nr = <$last> + 0;
		chroot $root or die "chroot: $!";
		chdir "/data" or die "/data: $!";
		for my $c (0 .. $nr) {	# prctl(PR_CAPBSET_DROP)
			$keep{$c} or syscall(157, 24, $c, 0, 0, 0) == 0 or die "capability $c: $!";
		}
		if ($ENV{FILTERED}) {	# prctl(PR_SET_SECCOMP): EPERM for bpf(), else allowed
			my $filter = pack("SCCL" x 4, 0x20, 0, 0, 0, 0x15, 0, 1, 321, 6, 0, 0, 0x50001, 6, 0, 0, 0x7fff0000);
			my $program = pack("Sx6P", 4, $filter);
			syscall(157, 22, 2, $program, 0, 0) == 0 or die "seccomp: $!";
		}
		%ENV = (PATH => "/usr/bin:/data", HOME => "/tmp", LC_ALL => "C");
		exec @words or die "$words[0]: $!"' "$root" "$capabilities" "$@"
}
neighbour=
if [ "${NEIGHBOUR-}" ]; then
	# shellcheck disable=SC2086
	enter $NEIGHBOUR >/dev/null &
	neighbour=$!
	sleep 1
fi
for word; do
	shift
	[ "$word" != NEIGHBOUR ] || word=$neighbour
	set -- "$@" "$word"
done
enter "$@"
