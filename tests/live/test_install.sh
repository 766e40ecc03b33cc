#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Can somebody else build and run a tool with what is installed? usage: test_install.sh BUILD CLANG VICTIMS
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ -e /sys/kernel/btf/vmlinux ] || {
	echo "1..0 # SKIP needs the kernel's BTF for vmlinux.h"
	exit 0
}
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")") build=$(realpath "$1") clang=$2 victims=$(realpath "$3")
cd "$tmp" || exit 1

install_it() {
	meson install -C "$build" --no-rebuild --destdir "$tmp/root"
	status=$?
	chown --reference="$build" "$build"/meson-logs/install-log.txt
	return $status
}
claim "meson install" install_it

# What a prefix that is on all paths would do.
pc=$(find root -name dusk.pc)
prefix=$tmp/root$(sed -n 's/^prefix=//p' "$pc")
sed -i "s|^prefix=.*|prefix=$prefix|" "$pc"
PKG_CONFIG_PATH=$(realpath "$(dirname "$pc")")
PATH=$prefix/bin:$PATH:/usr/local/sbin:/usr/sbin:/sbin
LD_LIBRARY_PATH=$(realpath "$(dirname "$(find root -name libdusk.so)")")
export PKG_CONFIG_PATH PATH LD_LIBRARY_PATH
same_version() {
	cat >version.c <<-'END'
		#include <dusk/dusk.h>
		#include <stdio.h>
		#include <string.h>
		int main(void)
		{
			printf("%s %d.%d.%d\n", dusk_version(), DUSK_VERSION_MAJOR, DUSK_VERSION_MINOR,
			       DUSK_VERSION_PATCH);
			return strcmp(dusk_version(), DUSK_VERSION);
		}
	END
	cc version.c -o version $(pkg-config --cflags --libs dusk) && ./version && pkg-config --modversion dusk &&
		[ "$(./version)" = "$(pkg-config --modversion dusk) $(pkg-config --modversion dusk)" ]
}
claim "library, headers and dusk.pc are of one version" same_version

# The functions of the headers: names before a parenthesis, at the start of a declaration.
of_headers() {
	sed -n 's/^[a-z].*[ *]\(dusk_[a-z_]*\)(.*/\1/p' "$prefix"/include/dusk/{dusk,stackmap,unwind}.h | sort
}
shows_the_api() {
	of_headers >headers
	nm "$@" --defined-only | awk '$2 ~ /[TDBR]/ { sub(/@.*/, "", $3); print $3 }' | sort >shown
	[ -s headers ] && diff headers shown
}
claim "libdusk.so shows what the headers declare, and no more" shows_the_api -D "$LD_LIBRARY_PATH/libdusk.so"
claim "so does libdusk.a" shows_the_api -g "$LD_LIBRARY_PATH/libdusk.a"
is_cxx() {
	printf '#include <dusk/unwind.h>\nint main() { return dusk_version() == 0; }' >plus.cc
	c++ -Wall -Werror plus.cc -o plus $(pkg-config --cflags --libs dusk) && ./plus
}
claim "the headers are C++, too" is_cxx
links_statically() {
	cc version.c -o static $(pkg-config --cflags dusk) -L"$LD_LIBRARY_PATH" -l:libdusk.a \
		$(pkg-config --static --libs dusk | sed 's/-ldusk//') && ! ldd static | grep libdusk && ./static
}
claim "a program can be linked with libdusk.a" links_statically

mkdir built
for makefile in "$prefix"/share/doc/dusk/examples/*/Makefile; do
	name=$(basename "$(dirname "$makefile")")
	cp -r "$(dirname "$makefile")" "$name"
	claim "$name builds, without a warning" make -C "$name" CLANG="$clang" CFLAGS='-O2 -Wall -Werror'
	mv "$name/$name" built
done
for page in libdusk.3 dusk_unwind_request.3 dusk-link.1; do
	claim "$page is installed" test -s "$prefix/share/man/man${page##*.}/$page"
done
claim "dusk-link says what is wrong with a name" exits 2 dusk-link not-a-name.bpf.o
claim "dusk-link knows where the objects are" dusk-link -o linked.o skeleton/skeleton.bpf.o

"$here/test_examples.sh" built "$victims" "$prefix/bin/dusk" >examples.tap
worked() {
	cat examples.tap
	grep -q '^1\.\.' examples.tap && ! grep -q '^not ok' examples.tap
}
claim "and they all do what those of the tree do" worked
done_testing
