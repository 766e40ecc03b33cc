#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is a profile readable on another machine, its kernel's functions above all? usage: test_elsewhere.sh DUSK MAKE_PROFILE VMLINUX
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
vmlinux=$(realpath "$3")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS
export LC_ALL=C
needs sqlite3 "profiles are carried to another machine" || { done_testing; exit; }

# As if another machine had recorded it, of the kernel $vmlinux, whose vfs_fixture is where the profile has a frame.
"$make_profile" profile.dusk || exit 1
build_id=$(readelf -n "$vmlinux" | sed -n 's/.*Build ID: //p')
distance=$(nm "$vmlinux" | awk '/ _text$/ { from = $1 } / vfs_fixture$/ { to = $1 } END { print substr(to, 9) " " substr(from, 9) }')
text=$(printf '0x%x' $((-2130706432 - 0x${distance% *} + 0x${distance#* } - 2)))
sqlite3 profile.dusk "update module set build_id = '$build_id' where kind = 4;
	insert or replace into setting values('boot_id', '00000000-0000-0000-0000-000000000000'),
		('kernel', '6.18.0-fixture'), ('kernel_text', '$text')" || exit 1
cp profile.dusk killed.dusk
sqlite3 killed.dusk "update frame set function = null; delete from function; delete from setting where key = 'symbolized'"

# with FILE COMMAND...: where /usr/lib/debug has that as the image of the recorded kernel
with() {
	image=$1
	shift
	unshare -m sh -c 'mount -t tmpfs none /usr/lib/debug && mkdir /usr/lib/debug/boot &&
		cp "$0" /usr/lib/debug/boot/vmlinux-6.18.0-fixture && exec "$@"' "$image" "$@" >said 2>&1
	status=$?
	cat said
	return $status
}
# shows TEXT: what was said has it
shows() {
	cat said
	grep -q -e "$1" said
}

claim "names that were recorded need nothing of this machine" exits 0 "$dusk" report --csv
claim "... the kernel's are there" says ",vfs_read,"
claim "... and nothing is said" sh -c "! $dusk report 2>&1 >/dev/null | grep ."
claim "a recording that was killed has no names elsewhere" exits 0 "$dusk" report -i killed.dusk
claim "... which is said" says "kernel functions have no names: they are of another boot, and the vmlinux of that kernel is not here"
claim "... nothing is guessed" sh -c '! grep -q "vfs_\|worker_thread" said'
claim "... the kernel is named by its build id" shows "\[kernel\], build id $build_id: "
claim "... with what would help" says "/usr/lib/debug/boot/vmlinux-6.18.0-fixture"
if unshare -m true 2>/dev/null && [ -d /usr/lib/debug ]; then
	claim "with the image of that kernel" with "$vmlinux" "$dusk" report -i killed.dusk --csv
	claim "... its functions have names" shows ',vfs_fixture,'
	claim "... inlined ones, too" shows ',inlined,'
	cp "$vmlinux" another
	objcopy --remove-section .note.gnu.build-id another 2>/dev/null
	claim "with the image of another kernel" with another "$dusk" report -i killed.dusk --csv
	claim "... it is refused by name" shows \
		'no names: /usr/lib/debug/boot/vmlinux-6.18.0-fixture is not the kernel that was recorded: its build id differs'
	claim "... nothing is guessed" sh -c '! grep -q vfs_fixture said'
else
	claim "images of kernels # SKIP no mount namespaces here" true
fi
claim "the code of the kernel cannot be annotated" exits 1 "$dusk" annotate vfs_read
claim "... which is said" says "cannot annotate vfs_read: the code of [kernel] is in no file"
done_testing
