#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/check-words find an old word where there is one, and only there?
. "$(dirname "$0")/tap.sh"
check=$(cd "$(dirname "$0")/../../tools" && pwd)/check-words

fresh() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/src" && (cd "$tmp/tree" && mkdir bench doc examples include kernel man tests tools && : >README.md) || exit 1
	echo "int walk; /* off-CPU intervals; memory; a method; stubbed; discharged */" >"$tmp/tree/src/x.c"
}
refused() {
	fresh
	printf '%s\n' "$1" >>"$tmp/tree/$2"
	exits 1 "$check" "$tmp/tree" && says "$2:"
}

fresh
claim "a tree of the field's words passes" exits 0 "$check" "$tmp/tree"
claim "an old word in a comment" refused "/* each absence */" src/x.c
claim "at the start of a line" refused "Absences are summed up." doc/x.md
claim "an old name of a function" refused "x = memo_find(y);" src/x.c
claim "an old constant" refused "ABSENCE_SLEEPING" src/x.c
claim "an old name of the interface" refused "dusk_unwind_charge(0, 1, 2, &u);" man/x.scd
claim "a verb that stood for a stack cache" refused "/* stacks that are told at once */" src/x.c
claim "a name of the aggregation map" refused "claim \"the ledger is exact\"" tests/x.sh
claim "what was done to it" refused "Amounts are charged to the stack." man/x.scd
done_testing
