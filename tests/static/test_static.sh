#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is dusk-x86_64 one file that needs nothing of the machine but its kernel? usage: test_static.sh TREE DUSK VICTIMS
#
# In a mount namespace of its own, in which the roots that it makes have their /proc, /sys and /dev.
[ "$(id -u)" != 0 ] || [ "${alone-}" ] || alone=yes exec unshare --mount --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
tree=$(realpath "$1") shared=$(realpath "$2") victims=$(realpath "$3") dusk=$(realpath "$1")/build-static/dusk-x86_64
. "$(dirname "$0")/made.sh"
trap 'umount -l root/proc root/dev root/sys 2>/dev/null; rm -rf --one-file-system "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp" || exit 1
unset DEBUGINFOD_URLS LD_LIBRARY_PATH
export LC_ALL=C

claim "tools/static makes it" "$tree/tools/static"
[ -e "$dusk" ] || { done_testing; exit; }

is_alone() {
	readelf -l -d "$dusk" >elf && ! grep -e INTERP -e NEEDED elf
}
claim "it asks for no dynamic linker and no shared library" is_alone
claim "it lies at addresses of the kernel's choice" sh -c "readelf -h '$dusk' | grep -q DYN"
claim "it is built to withstand its own bugs, as the other dusk is" sh -c "
	'$tree/tests/tools/test_hardened.sh' yes '$tree/build-static/src/cli/dusk' >hardened; cat hardened
	grep -q '^1\.\.' hardened && ! grep -q '^not ok' hardened"
claim "it has less than 15 MB" [ "$(stat -c %s "$dusk")" -lt 15000000 ]
claim "it knows nothing of the folder that it was built in" sh -c "! grep -qF '$tree' '$dusk'"
claim "its debug information lies beside it" sh -c "
	readelf -p .gnu_debuglink '$dusk' | grep -q dusk-x86_64.debug && readelf -S '$dusk.debug' | grep -q debug_info"
claim "commands and options are those of the other dusk" sh -c "
	for of in '$dusk' '$shared'; do \"\$of\" --help; \"\$of\" record --help; \"\$of\" completion bash; done >help
	[ -s help ] && [ \$(head -n \$((\$(wc -l <help) / 2)) help | sha256sum | cut -c 1-64) = \
		\$(tail -n +\$((\$(wc -l <help) / 2 + 1)) help | sha256sum | cut -c 1-64) ]"

# A library that leaves a file when it is loaded, under the names that libdw and the C library look for.
lay_trap() {
	mkdir -p trap/gconv && cat >trap.c <<-'-' &&
		#include <fcntl.h>
		#include <stdlib.h>
		#include <unistd.h>
		__attribute__((constructor)) static void loaded(void)
		{
			close(open(getenv("TRAPPED"), O_WRONLY | O_CREAT, 0600));
		}
	-
	cc -shared -fPIC -o trap/libdebuginfod.so.1 trap.c &&
		cp trap/libdebuginfod.so.1 trap/gconv/TRAP.so &&
		ln -s libdebuginfod.so.1 "trap/libdebuginfod-$(pkg-config --modversion libdw).so" &&
		echo "module TRAP// INTERNAL TRAP 1" >trap/gconv/gconv-modules
}
# Something with frames that have no names.
make_nameless() {
	echo 'int main(void) { return 0; }' | cc -x c -O2 -Wl,--build-id=sha1 -o unnamed - && strip unnamed &&
		id=$(readelf -n unnamed | sed -n 's/.*Build ID: //p') &&
		"$located" unnamed.dusk "$tmp/unnamed" "$id" 0x1040 5
}
with_trap() {
	rm -f trapped
	env TRAPPED="$tmp/trapped" DEBUGINFOD_URLS=http://127.0.0.1:1 LD_LIBRARY_PATH="$tmp/trap" GCONV_PATH="$tmp/trap/gconv" LC_ALL=de_DE.TRAP \
		"$@" report -i unnamed.dusk
}
# What asks servers does so in the background.
is_trapped() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ ! -e trapped ] || return 0
		sleep 0.5
	done
	return 1
}
located=$victims/../cli/make_located
claim "a trap is laid" lay_trap
claim "a profile lacks names" make_nameless
claim "a dusk with shared libraries runs into it" exits 0 with_trap "$shared"
claim "..." is_trapped
claim "the static one loads no library, whatever the environment names" exits 0 with_trap "$dusk"
not_trapped() {
	! is_trapped
}
claim "..." not_trapped
claim "... and says that it asks no servers of debug information" says "this dusk is static and cannot ask the servers in \$DEBUGINFOD_URLS"

reason=$(cannot_record)
busybox=$(command -v busybox) || reason="busybox is not installed"
if [ "$reason" ]; then
	skipped "$reason" "it records and reports where there is nothing but busybox"
	done_testing
	exit
fi

# Nothing but busybox, dusk and a victim.
make_root() {
	mkdir -p root/bin root/proc root/sys root/dev root/tmp && cp "$busybox" "$dusk" root/bin/ &&
		cp "$victims/recurse_static" root/victim && ! ldd root/bin/busybox >/dev/null 2>&1 &&
		mount -t proc proc root/proc && mount --rbind /sys root/sys && mount --rbind /dev root/dev &&
		mount -t bpf bpf root/sys/fs/bpf
}
inside() {
	chroot root /bin/busybox env -i PATH=/bin LC_ALL=C "$@"
}
in_root() {
	inside /bin/dusk-x86_64 "$@"
}
claim "a root has nothing but busybox" make_root
claim "doctor is content there" exits 0 in_root doctor
claim "a command is recorded" exits 143 in_root record -F 499 -o /tmp/a.dusk -- busybox timeout 2 /victim 10
claim "... whose stacks are complete" says "100.00 % of"
folded() {
	in_root export --format folded -i /tmp/a.dusk >folded && grep victim folded >of_victim &&
		complete of_victim
}
claim "... and all named" folded
claim "the machine is recorded, and each off-CPU interval" exits 0 in_root record -q -d 1s -e cpu,offcpu -o /tmp/b.dusk
for command in report "report --tree" "report --off-cpu" info script "flame -o /tmp/f.html" "query --csv 'select 1'" "diff /tmp/a.dusk"; do
	of="-i /tmp/b.dusk"
	case $command in diff*) of=/tmp/b.dusk ;; esac
	claim "$command works" exits 0 eval in_root "$command" $of
done
has_lines() {
	chroot root /bin/busybox env -i PATH=/bin LANG=de_DE.UTF-8 /bin/dusk-x86_64 report --tree --wall -i /tmp/b.dusk >tree &&
		cp tree lines && grep -q '├─' lines && in_root report --tree --wall -i /tmp/b.dusk >tree && ! grep -q '├─' tree && return
	head -n 20 lines tree
	return 1
}
claim "a tree has lines if the locale's name says UTF-8, though no locale is installed" has_lines
claim "a program that is not there is said to be missing" exits 1 in_root annotate --disassembly -i /tmp/a.dusk burn
claim "..." says "objdump is not installed"
stands() {
	chroot root /bin/busybox sleep 100 &
	sleep 1
	in_root stacks $!
	status=$?
	kill $!
	return $status
}
claim "a thread's stack is shown without stopping it" exits 0 stands
claim "..." says nanosleep
claim "nothing stays behind" sh -c "[ ! -e root/sys/fs/bpf/dusk ]"
done_testing
