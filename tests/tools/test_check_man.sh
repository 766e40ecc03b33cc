#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/check-man find what is missing in a man page, and what is too much?
. "$(dirname "$0")/tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
header=include/dusk/dusk.h page=man/dusk_code_read.3.scd

fresh() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/src/lib" "$tmp/tree/include" && cp -r "$top/man" "$tmp/tree" && cp -r "$top/include/dusk" "$tmp/tree/include" &&
		cp "$top/src/lib/libdusk.map" "$tmp/tree/src/lib" || exit 1
}

# refused TEXT FILE EXPRESSION: after sed of FILE, it complains of TEXT
refused() {
	fresh
	cp "$tmp/tree/$2" "$tmp/before"
	sed -i "$3" "$tmp/tree/$2"
	cmp -s "$tmp/before" "$tmp/tree/$2" && echo "nothing to break in $2" && return 1
	exits 1 "$top/tools/check-man" "$tmp/tree" && says "$1"
}

fresh
claim "this tree passes" exits 0 "$top/tools/check-man" "$tmp/tree"
claim "a function of a header has no page" refused "dusk_fresh()" $header '/^int dusk_code_read/i int dusk_fresh(void);'
claim "a function of the BPF header has no page" refused "dusk_fresh()" include/dusk/dusk.bpf.h '$a __u32 dusk_fresh(void);'
claim "an exported function has no page" refused "dusk_fresh()" src/lib/libdusk.map '/dusk_version/i \	dusk_fresh;'
claim "a function is taken from the NAME" refused "dusk_code_free() is in the NAME of 0 pages" $page 's/^dusk_code_read, dusk_code_free/dusk_code_read/'
claim "a page lacks RETURN VALUE" refused "there is no RETURN VALUE" $page '/^# RETURN VALUE/d'
claim "a page lacks ERRORS" refused "there is no ERRORS" $page '/^# ERRORS/d'
claim "a page lacks an error of the header" refused "dusk_code_read() also returns -ENODATA" $page '/^\*-ENODATA/d'
claim "a header gives another error" refused "dusk_code_free() also returns -EIO" $header 's/^.* Free @c, .*/\/* Returns 0 or -EIO. *\//'
claim "a prototype differs" refused "void dusk_code_free(struct dusk_code *code)" $page 's/^void dusk_code_free(struct dusk_code \*c)/void dusk_code_free(struct dusk_code *code)/'
claim "a page names a function that does not exist" refused "no function dusk_code_write():" $page 's/^\*dusk_code_free\*()/*dusk_code_write*()/'
claim "a page in SEE ALSO does not exist" refused "no function dusk_code_write():" $page 's/\*dusk_profile_symbolize\*(3), \*libdusk/*dusk_code_write*(3), *libdusk/'
claim "a page of a command names a function that does not exist" refused "no function dusk_code_write():" man/dusk-link.1.scd '$a *dusk_code_write*(3)'
claim "the build does not make a page" refused "does not make it" man/meson.build "/dusk_code_read/d"
done_testing
