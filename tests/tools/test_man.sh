#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is what libdusk(3) shows what is built and run, and does it name all functions that the headers have?
. "$(dirname "$0")/tap.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)

# shows NAME: the literal text behind "_NAME_:" is that file of the skeleton
shows() {
	awk -v name="_$1_:" '
		index($0, name) { wanted = 1 }
		/^```/ { if (inside) exit; inside = wanted; next }
		inside { print }' "$tree/man/libdusk.3.scd" | diff - "$tree/examples/skeleton/$1"
}
for name in skeleton.bpf.c skeleton.c Makefile; do
	claim "libdusk(3) shows the skeleton's $name" shows "$name"
done

# names HEADER PAGE: each function that the header declares is in the page
names() {
	nr=0
	for function in $(grep -o '^[a-z].*(' "$tree/include/dusk/$1" | grep -o 'dusk_[a-z_]*($' | tr -d '('); do
		nr=$((nr + 1))
		grep -q "$function" "$tree/man/$2" || echo "$2 does not name $function()"
	done >"$tmp/missing"
	cat "$tmp/missing"
	[ $nr -gt 5 ] && [ ! -s "$tmp/missing" ]
}
claim "dusk_unwind_request(3) names what <dusk/dusk.bpf.h> has" names dusk.bpf.h dusk_unwind_request.3.scd
claim "libdusk(3) names what <dusk/unwind.h> has" names unwind.h libdusk.3.scd
done_testing
