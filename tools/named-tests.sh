# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the tests exist that a page names? To be sourced, at the root of the tree.
#
#	named_tests PAGE	reads "test LINE FILE FUNCTION", below tests/ without its suffix, of which the function has to be in
#				the list of those that it runs (no function is "-"); or "complain TEXT", which goes behind the page's
#				name. Fails if there is something to complain of.
named_tests() {
	page=$1 bad=0
	complain() {
		echo "$page$1"
		bad=1
	}
	while read -r kind line file function; do
		if [ "$kind" = complain ]; then
			complain "$line $file $function"
		elif [ -e "tests/$file.c" ]; then
			[ "$function" = - ] || grep -Eq "(_test[a-z_]*|with_[a-z]+)\($function[,)]" "tests/$file.c" ||
				complain ":$line: tests/$file.c does not run $function"
		elif [ ! -e "tests/$file.sh" ]; then
			complain ":$line: there is no test $file"
		elif [ "$function" != - ]; then
			complain ":$line: tests/$file.sh has no functions to name"
		fi
	done
	return $bad
}
