#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is what libdusk(3) shows what is built and run, and are the pages that are made such that man(1) and apropos(1) can read them?
# tools/check-man compares them with the headers.
. "$(dirname "$0")/tap.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)

# shows NAME: the literal text behind "_NAME_:" is that file of the skeleton. scdoc takes a backslash for an escape there, too.
shows() {
	awk -v name="_$1_:" '
		index($0, name) { wanted = 1 }
		/^```/ { if (inside) exit; inside = wanted; next }
		inside { print }' "$tree/man/libdusk.3.scd" | sed 's/\\\(.\)/\1/g' | diff - "$tree/examples/skeleton/$1"
}
for name in skeleton.bpf.c skeleton.c Makefile; do
	claim "libdusk(3) shows the skeleton's $name" shows "$name"
done

# reads PAGE: it is made, formatted without a warning, and its NAME is understood
reads() {
	scdoc <"$1" >"$tmp/page.${1##*.}" || return
	man --warnings -l "$tmp/page.${1##*.}" 2>"$tmp/warnings" >/dev/null
	cat "$tmp/warnings"
	[ ! -s "$tmp/warnings" ] && lexgrog "$tmp/page.${1##*.}"
}
every_page() {
	for page in "$tree"/man/*.scd; do
		reads "$page" >"$tmp/why" 2>&1 || { echo "$page:"; cat "$tmp/why"; }
	done >"$tmp/bad"
	cat "$tmp/bad"
	[ ! -s "$tmp/bad" ]
}
text="each page is formatted without a warning, and has a NAME that apropos understands"
needs scdoc "$text" && needs lexgrog "$text" && claim "$text" every_page
done_testing
