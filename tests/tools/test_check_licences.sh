#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/check-licences see a missing or a wrong SPDX line?
. "$(dirname "$0")/tap.sh"
check=$(dirname "$0")/../../tools/check-licences

both='GPL-2.0-only OR BSD-2-Clause'
tag=SPDX-License-Identifier:
tree="$tmp/a tree"
with() {
	rm -rf "$tree"
	mkdir -p "$tree/$(dirname "$1")"
	printf '%s\n' "$2" >"$tree/$1"
}
passes() {
	with "$@"
	exits 0 "$check" "$tree"
}
refused() {
	with "$@"
	exits 1 "$check" "$tree" && says "$1"
}

claim "both licences" passes src/core/tables/cfi.c "/* $tag $both */"
claim "the line after #! in a script" passes tools/do "#!/bin/sh
# $tag $both"
claim "the line after the doctype in a page" passes src/report/x.html "<!DOCTYPE html>
<!-- $tag $both -->"
claim "what is no source needs none" passes tests/fuzz/corpus/cfi/x.c "bytes"
claim "no line" refused src/cli/main.c "int main(void);"
claim "a line too late" refused src/cli/main.c "
/* $tag $both */"
claim "a script without" refused tools/do "#!/bin/sh
true"
claim "one of the two licences alone" refused src/core/tables/cfi.c "/* $tag GPL-2.0-only */"
claim "another licence" refused include/dusk/dusk.h "/* $tag MIT */"
done_testing
