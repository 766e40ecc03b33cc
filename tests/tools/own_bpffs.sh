# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Source it first: the script starts anew with a bpffs of its own, so that what it records shares its unwinder with nobody
# else's tools, and tests can run side by side. Without root nothing changes.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_BPFFS-}" ] && unshare --mount true 2>/dev/null; then
	OWN_BPFFS=yes exec unshare --mount --propagation private \
		sh -c 'mount -t bpf bpf /sys/fs/bpf 2>/dev/null; exec "$@"' sh "$0" "$@"
fi
