#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/check-promises see what it is there for?
. "$(dirname "$0")/tap.sh"
check=$(dirname "$0")/../../tools/check-promises

tree="$tmp/a tree"
page="$tree/doc/security.md"
fresh() {
	rm -rf "$tree"
	mkdir -p "$tree/doc" "$tree/tests/unit" "$tree/tests/cli"
	printf 'cmocka_unit_test(it_works),\nstatic void not_run(void **state)\n' >"$tree/tests/unit/test_one.c"
	: >"$tree/tests/cli/test_two.sh"
	cat >"$page" <<-'-'
		| dusk promises | how | test |
		|---|---|---|
		| first | `lib/a.c` | `cli/test_two.sh`, and what it says |
		| second | `lib/b.c` | `unit/test_one:it_works` |
		| third | | the same |

		| it tries to | what holds | where |
		|---|---|---|
		| other | things | here |
	-
}
refused() {
	fresh
	sed -i "$1" "$page"
	exits 1 "$check" "$tree" && says "$2"
}

fresh
claim "a page whose tests exist passes" exits 0 "$check" "$tree"
claim "a promise names no test" refused '/first/s/`cli.*/ |/' "doc/security.md:3: a promise names no test"
claim "a file beside it is no test of it" refused '/second/s/`unit.*/ |/' ":4: a promise names no test"
claim "a test that is none" refused 's/test_two/test_none/' ":3: there is no test cli/test_none"
claim "a function that is none" refused 's/it_works/it_fails/' "tests/unit/test_one.c does not run it_fails"
claim "a function that is not run" refused 's/it_works/not_run/' "does not run not_run"
claim "a page without promises" refused '1d' "there are no promises"
done_testing
