# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What tests that record have in common: source it. They are called with DUSK, and run as root in a mount namespace with a BPF file system
# of their own, in an empty folder. $here: their own folder.
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ "${alone-}" ] || alone=yes exec unshare -m --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1") here=$(realpath "$(dirname "$0")")
cd "$tmp" && mount -t bpf bpf /sys/fs/bpf || exit 1
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot unwind, see dusk doctor"
	exit 0
}
leave() {
	umount -l /sys/fs/bpf
	rm -rf "$tmp"
} 2>/dev/null
trap leave EXIT
trap 'exit 130' INT TERM
