#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Turn the viewer into C arrays: viewer_head[] is the page before the profile, viewer_tail[] the page after it.
# usage: embed.sh PAGE.html STYLE.css SCRIPT.js...
#
# Inserts style and scripts into the page, and their SHA-256 into its content security policy, so that a browser runs
# exactly these bytes and nothing else in the file.
set -eu
export LC_ALL=C
page=$1 style=$2
shift 2

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat "$style" >"$tmp/style"
cat "$@" >"$tmp/script"

if grep -iE '</(script|style)|<!--' "$tmp/style" "$tmp/script" >&2; then
	echo "$0: this text would end its own element; write it in another way" >&2
	exit 1
fi

sha256_base64() {
	octal=$(sha256sum <"$1" | awk '{
		for (i = 1; i < 64; i += 2)
			printf "\\%03o", 16 * digit(substr($1, i, 1)) + digit(substr($1, i + 1, 1))
	}
	function digit(c) { return index("0123456789abcdef", c) - 1 }')
	# shellcheck disable=SC2059 # it is nothing but \ooo
	printf "$octal" | base64
}

bytes() {
	echo "static const unsigned char $1[] = {"
	od -An -v -tx1 "$2" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
	echo "};"
}

awk -v tmp="$tmp" -v style_hash="$(sha256_base64 "$tmp/style")" -v script_hash="$(sha256_base64 "$tmp/script")" '
function insert(file, mark,	at, line) {
	at = index($0, mark)
	printf "%s", substr($0, 1, at - 1) >out
	while ((getline line <file) > 0)
		print line >out
	print substr($0, at + length(mark)) >out
}
BEGIN { out = tmp "/head" }
/@STYLE_HASH@/ { sub(/@STYLE_HASH@/, style_hash); sub(/@SCRIPT_HASH@/, script_hash) }
/@STYLE@/ { insert(tmp "/style", "@STYLE@"); next }
/@SCRIPT@/ { insert(tmp "/script", "@SCRIPT@"); next }
/@PROFILE@/ {
	at = index($0, "@PROFILE@")
	printf "%s", substr($0, 1, at - 1) >out
	out = tmp "/tail"
	$0 = substr($0, at + length("@PROFILE@"))
}
{ print >out }' "$page"

echo "/* Made by embed.sh from $(basename "$page") and what belongs to it. */"
bytes viewer_head "$tmp/head"
bytes viewer_tail "$tmp/tail"
