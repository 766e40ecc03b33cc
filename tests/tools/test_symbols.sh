#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does Debian's package know each function of the shared library? usage: test_symbols.sh LIBDUSK
# dpkg-gensymbols asks the same, but only when packages are built.
. "$(dirname "$0")/tap.sh"
list=$(dirname "$0")/../../debian/libdusk0.symbols
export LC_ALL=C

nm -D --defined-only "$1" | sed -n 's/.* \(dusk_[a-z0-9_]*\)@.*/\1/p' | sort >"$tmp/shown"
sed -n 's/^ \(dusk_[a-z0-9_]*\)@LIBDUSK_0 .*/\1/p' "$list" | sort >"$tmp/listed"
claim "the library shows functions" test -s "$tmp/shown"
claim "each is in debian/libdusk0.symbols, and no other" diff "$tmp/listed" "$tmp/shown"
done_testing
