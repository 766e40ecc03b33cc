#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the options of all commands mean the same? usage: test_options.sh DUSK
. "$(dirname "$0")/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1

# "COMMAND LETTER NAME" of each option of a help text that has a letter
letters() {
	sed -n "s/^  -\([a-zA-Z]\), *--\([a-z-]*\).*/$1 \1 \2/p"
}
# Letters with two names, and names with two letters, each with a command that has it.
conflicts() {
	awk '$2 in name && name[$2] != $3 { print "-" $2 " is --" name[$2] " of " of[$2] ", and --" $3 " of " $1 }
		$3 in letter && letter[$3] != $2 { print "--" $3 " is -" letter[$3] ", and -" $2 " of " $1 }
		{ name[$2] = $3; of[$2] = $1; letter[$3] = $2 }' "$1"
}
agree() {
	conflicts options
	[ -z "$(conflicts options)" ]
}
is() {
	grep -w "$1" options | sort -u
	[ "$(grep -cw "$1" options)" -gt 1 ] && ! grep -w "^[a-z]* $1" options | grep -qv " $2\$"
}

for command in $("$dusk" --help | sed -n '/^Options:/q; s/^  \([a-z]*\) .*/\1/p') completion; do
	"$dusk" "$command" --help | letters "$command"
done >options
claim "there are options with letters in all commands" sh -c '[ "$(cut -d" " -f1 options | sort -u | wc -l)" -gt 15 ]'
claim "a letter is one option in all commands, and an option has one letter" agree
claim "-t is --tid everywhere" is t tid
claim "-l is --limit everywhere" is l limit

found() {
	printf '%s\n' "$@" >made
	conflicts made
	[ "$(conflicts made | wc -l)" = 1 ]
}
claim "a letter with two names would be found" found "record t tid" "report t tree"
claim "a name with two letters would be found" found "report l limit" "stackmap n limit"
done_testing
