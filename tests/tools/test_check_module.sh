#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/check-module see what it is there for? A copy of the core and of kernel/, one sin at a time.
. "$(dirname "$0")/tap.sh"
check=$(dirname "$0")/../../tools/check-module
tree=$tmp/tree

fresh() {
	rm -rf "$tree"
	mkdir "$tree"
	(cd "$(dirname "$check")/.." && cp -r --parents kernel src/abi src/core src/arch/x86_64 "$tree")
}
# refused TEXT FILE SED: with FILE of the tree so changed, the check fails and says TEXT.
refused() {
	fresh
	touch "$tree/$2"
	sed -i "$3" "$tree/$2"
	exits 1 "$check" "$tree" && says "$1"
}
refused_new() {
	fresh
	echo '#include "core/env.h"' >"$tree/$2"
	exits 1 "$check" "$tree" && says "$1"
}
refused_without() {
	fresh
	rm "$tree/$2"
	exits 1 "$check" "$tree" && says "$1"
}

fresh
claim "the tree passes" exits 0 "$check" "$tree"
claim "a new file of a language has to be built or left out" refused_new "core file lang/tcl is neither built nor left out" \
	src/core/lang/tcl.c
claim "and one in a new folder" refused_new "core file tcl is neither" src/core/tcl.c
claim "and one of the architecture" refused_new "core file arch/rust is neither" src/arch/x86_64/core/arch/rust.c
claim "a file that is gone has to go there, too" refused_without "there is no core file lang/perl" src/core/lang/perl.c
claim "also one that was left out" refused_without "there is no core file walk/nofault" src/core/walk/nofault.c
claim "a file is left out for a reason" refused "core file walk/nofault is neither built nor left out for a reason" kernel/Kbuild \
	's/^# left out: walk\/nofault: .*/# left out: walk\/nofault:/'
claim "a file is not both built and left out" refused "has walk/walk twice" kernel/Kbuild '1i# left out: walk/walk: it is long'
claim "a word of the dialect that only other builds have is seen" refused "opaque" kernel/env_kernel.h '/define opaque/d'
claim "and a function of libc" refused "abort" src/core/machine.c '$a int machine_end(void);\nint machine_end(void) { abort(); }'
claim "and a struct that the module's half does not know any more" refused "walking.c" kernel/walking.c 's/max_depth/most/'
claim "and what no build warns of but the kernel's" refused "missing-prototypes" src/core/machine.c '$a int f(void) { return 0; }'
done_testing
