#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run a test on the kernel of a Debian suite, if that has been fetched: nothing is downloaded here.
#
#	in_guest.sh VM SUITE[.arm64] COMMAND... [-- option of VM]...		VM: tools/vm
set -u
vm=$1
suite=$2
shift 2
arch=amd64 qemu=qemu-system-x86_64
case $suite in
*.arm64) suite=${suite%.arm64} arch=arm64 qemu=qemu-system-aarch64 ;;
esac
for program in $qemu busybox xz; do
	if ! command -v $program >/dev/null; then
		echo "needs $program: tools/setup vm installs it"
		exit 77
	fi
done
if ! "$vm-kernel" --cached -a $arch "$suite" >/dev/null; then
	echo "needs the kernel of Debian's $suite: tools/vm-kernel -a $arch $suite fetches it"
	exit 77
fi

# Files that are made elsewhere.
option=
for word; do
	if [ "$option" = -f ] && [ ! -e "${word%%:*}" ]; then
		echo "needs ${word%%:*}: tools/static makes it"
		exit 77
	fi
	option=$word
done

# What stands behind -- goes before KERNEL and COMMAND.
words=
for word; do
	shift
	if [ "$word" = -- ]; then
		exec "$vm" -a $arch "$@" "$suite" $words
	fi
	words="$words $word"
done
