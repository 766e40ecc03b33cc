#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/check-invariants see what it is there for?
. "$(dirname "$0")/tap.sh"
check=$(dirname "$0")/../../tools/check-invariants

tree="$tmp/a tree"
page="$tree/doc/invariants.md"
fresh() {
	rm -rf "$tree"
	mkdir -p "$tree/doc" "$tree/tests/live" "$tree/tests/cli"
	printf 'cmocka_unit_test(it_works),\nstatic void not_run(void **state)\n' >"$tree/tests/live/test_one.c"
	: >"$tree/tests/cli/test_two.sh"
	{
		echo '| # | must | how | test |'
		echo '|---|---|---|---|'
		for row in $(seq 49); do
			echo "| $row | be so | \`core/walk/walk.c\` | \`cli/test_two\`, \`live/test_one:it_works\` |"
		done
	} >"$page"
}
refused() {
	fresh
	sed -i "$1" "$page"
	exits 1 "$check" "$tree" && says "$2"
}

fresh
claim "a page whose tests exist passes" exits 0 "$check" "$tree"
fresh
echo '| a proposal | here | `live/test_one:is_gone` |' >"$tree/doc/seeds.md"
seeds_refused() {
	exits 1 "$check" "$tree" && says 'doc/seeds.md:1: tests/live/test_one.c does not run is_gone'
}
claim "a test that the page of proposals names is gone" seeds_refused
claim "a row is missing" refused '/^| 7 /d' "row 8 stands where 7 belongs"
claim "the last row is missing" refused '/^| 49 /d' "the last row is 48, not 49"
claim "a row is there twice" refused '/^| 7 /p' "row 7 stands where 8 belongs"
claim "a row names no test" refused '/^| 3 /s/`cli.*/ |/' "invariant 3 names no test"
claim "a test that is none" refused '/^| 4 /s/test_two/test_none/' ":6: there is no test cli/test_none"
claim "a function that is none" refused '/^| 5 /s/it_works/it_fails/' ":7: tests/live/test_one.c does not run it_fails"
claim "a function that is not run" refused '/^| 5 /s/it_works/not_run/' "does not run not_run"
claim "an empty page" refused d "the last row is 0, not 49"
done_testing
