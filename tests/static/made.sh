# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of what tools/static makes: source it after tap.sh, with the tree in $tree.

# Nothing is installed here.
missing=$("$tree/tools/setup" --list build static | awk '$2 != "installed" { print $1 }')
[ ! "$missing" ] || {
	echo "1..0 # SKIP needs $(echo $missing): tools/setup static installs it"
	exit 0
}

# Why nothing can be recorded here, or nothing.
cannot_record() {
	if [ "$(id -u)" != 0 ]; then
		echo "needs root"
	elif ! "$dusk" doctor >"$tmp/doctor" 2>&1; then
		echo "this machine cannot record, see dusk doctor"
	fi
}

# skipped REASON TEXT...: the claims cannot be made.
skipped() {
	reason=$1
	shift
	for text; do
		claims=$((claims + 1))
		echo "ok $claims - $text # SKIP $reason"
	done
}

# complete FILE: of what are folded stacks of the victim, each goes back to _start and, if it has got there, through main,
# and most are ten deep in recurse.
complete() {
	cat "$1"
	awk '
		BEGIN {
			deep_in = ";compare;"
			for (i = 0; i < 10; i++)
				deep_in = deep_in "recurse;"
		}
		{ all += $NF }
		/;(compare|recurse|burn)[; ]/ && !/^victim;_start;.*;main;.*qsort.*;compare/ { bad = 1 }
		index($0, deep_in "burn") { deep += $NF }
		END { exit bad || !all || deep < 0.9 * all }' "$1"
}
