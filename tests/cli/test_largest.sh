#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the writer of profiles writes, every command reads, however large it was. usage: test_largest.sh DUSK MAKE_LARGEST
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_largest=$(realpath "$2")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp"
unset DEBUGINFOD_URLS PAGER

# reads COMMAND...: it ends with 0, calls nothing damaged, and leaves no profile out
reads() {
	exits 0 "$dusk" "$@" && ! grep -q "damaged\|is left out\|: left out" said
}
for kind in samples windows; do
	mkdir $kind
	if [ $kind = samples ]; then set --; else set -- windows; fi
	claim "the largest of everything is written: $kind" exits 0 "$make_largest" $kind/20261125T030000Z.dusk "$@"
	cp $kind/20261125T030000Z.dusk $kind/20261125T040000Z.dusk
	what=$kind/20261125T030000Z.dusk
	claim "report reads it: $kind" reads report --json -i $what
	claim "info reads it: $kind" reads info -v -i $what
	claim "script reads it: $kind" reads script -i $what
	claim "flame reads it: $kind" reads flame -i $what -o flame.html
	claim "query reads it: $kind" reads query -i $what --csv 'select * from samples limit 10'
	for format in folded pprof speedscope; do
		claim "export -f $format reads it: $kind" reads export -f $format -i $what -o out
	done
	claim "merge reads it: $kind" reads merge -o merged.dusk $what
	claim "... and what it has written is read" reads report -i merged.dusk
	claim "a store of two is reduced: $kind" reads merge --window 1m --size 1M -o merged.dusk $kind
	claim "... and what it has written is read" reads report --tree --wall -i merged.dusk
	claim "store check reads it: $kind" reads store check $kind
	claim "what was cut is counted: $kind" sh -c "'$dusk' query -i $kind/20261125T030000Z.dusk --csv 'select value > 10 from counter where name = \"texts-cut\"' | tail -n 1 | grep -qx 1"
	claim "... and no text is longer than a name may be" sh -c "[ \"\$(sqlite3 $kind/20261125T030000Z.dusk 'select max(length(cast(value as blob))) between 4090 and 4096 from setting')\" = 1 ]"
done
done_testing
