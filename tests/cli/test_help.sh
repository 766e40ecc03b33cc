#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the man pages and --help name the same options? usage: test_help.sh DUSK FOLDER_OF_MAN_PAGES
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
man=$2

# "-o, --output FILE" of each option, one a line
of_help() {
	sed -n 's/^  \( *\(-[a-zA-Z], \)\{0,1\} *--[a-z-]*\( [[A-Z]*]*\)\{0,1\}\)  *.*/\1/p' | sed 's/,  */, /; s/^ *//; s/ *$//' | sort
}
of_page() {
	sed -n '/^# OPTIONS/,/^# [^O]/p' "$1" | sed -n '/^\*-/{s/[*_]//g;p;}' | sort
}
same() {
	$dusk $1 --help | of_help >"$tmp/help"
	of_page "$2" >"$tmp/page"
	[ -s "$tmp/help" ] && diff "$tmp/help" "$tmp/page"
}

# fits COMMAND: 48 lines of 80 columns
fits() {
	"$dusk" "$1" --help | awk 'length > 80 { print; bad = 1 } END { exit bad || !NR || NR > 49 }'
}

claim "dusk(1) has the options of dusk" same "" "$man/dusk.1.scd"
for command in $("$dusk" --help | sed -n '/^Options:/q; s/^  \([a-z]*\) .*/\1/p'); do
	claim "dusk-$command(1) has the options of $command" same "$command" "$man/dusk-$command.1.scd"
	claim "dusk(1) has the command $command" grep -q "^\*$command\*$" "$man/dusk.1.scd"
	claim "the help of $command fits a screen" fits "$command"
	claim "the build makes dusk-$command(1)" grep -q "'dusk-$command.1'" "$man/meson.build"
done
done_testing
