#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Can doc/tour.md be followed word by word, and is what it shows still what comes? usage: test_tour.sh DUSK
#
# Each command behind a "$" is run as it stands, but for those that build dusk. Its real output must have what the tour
# shows of it: its headings (lines that begin with "#" and have no number), and each function of the program that is toured.
# Skipped where dusk cannot record.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
tree=$(cd "$(dirname "$0")/../.." && pwd)
cd "$tmp" || exit 1
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot record, see dusk doctor"
	exit 0
}
ln -s "$tree/doc" doc
PATH=$(dirname "$dusk"):$PATH
unset PAGER
functions=$(sed -n 's/^[a-z].*[ *]\([a-z_]*\)(.*)$/\1/p' doc/tour/shop.c | grep -v '^__attribute__$')

# The commands to command.N, and what is shown of their outputs to shown.N.
awk '!/^    / && !/^$/ { n = 0 }
	/^    \$ / { n = 0; if (/tools\/(setup|build)|export PATH/) next; n = ++nr; print substr($0, 7) >("command." n); printf "" >("shown." n); next }
	n { print substr($0, 5) >("shown." n) }' doc/tour.md

# has_headings N: what the output of command N has to have are headings
has_headings() {
	grep '^#' "shown.$1" | grep -v '[0-9]' | grep '[A-Z].*  [A-Z]' | tr -s ' ' >headings
	[ -s headings ] || return 0
	tr -s ' ' <"output.$1" | sed 's/ $//' | grep -qxF -f headings || { cat headings "output.$1"; return 1; }
}
# has_functions N: ... are functions of the program
has_functions() {
	for name in $functions; do
		grep -qw -e "$name" "shown.$1" || continue
		grep -qw -e "$name" "output.$1" || { echo "no $name in"; cat "output.$1"; return 1; }
	done
}

nr=0
while [ -e command.$((nr + 1)) ]; do
	nr=$((nr + 1))
	claim "$(cat command.$nr)" bash -c "$(cat command.$nr) >output.$nr 2>&1; s=\$?; cat output.$nr; exit \$s"
	claim "... its headings" has_headings $nr
	claim "... its functions" has_functions $nr
done
claim "the tour has commands, and shop.c functions" [ $nr -gt 15 -a "$(echo "$functions" | wc -l)" -gt 7 ]
claim "each clerk books the same, however it is built" sh -c '[ "$(grep -h booked output.* | sort -u | wc -l)" = 1 ]'
done_testing
