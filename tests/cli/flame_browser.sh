#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the page of the flame graph work in a browser? usage: flame_browser.sh FLAME_PAGE
# Skipped (77) without Chromium.
set -u
page=$1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "no chromium" >&2
	exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
number=0

for kind in small hostile large; do
	"$page" $kind >"$tmp/$kind.html" || exit 1
done

# open PAGE HASH: the document after its script ran to $tmp/dom, and what it complained of to $tmp/console
open() {
	"$browser" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$tmp/user" \
		--window-size=1400,900 --virtual-time-budget=3000 --enable-logging=stderr --dump-dom \
		"file://$tmp/$1.html#$2" >"$tmp/dom" 2>"$tmp/log"
	grep -E 'CONSOLE|Uncaught|Content Security' "$tmp/log" >"$tmp/console"
}

# ok TEXT COMMAND...: the fact holds if the command succeeds
ok() {
	text=$1
	shift
	number=$((number + 1))
	if "$@" >/dev/null; then
		echo "ok $number - $text"
	else
		echo "not ok $number - $text"
		sed 's/^/# /' "$tmp/console"
		grep -o '<body[^>]*>' "$tmp/dom" | sed 's/^/# /'
		failed=1
	fi
}

# The facts, for ok().
# shellcheck disable=SC2317
body() { grep -o '<body[^>]*>' "$tmp/dom" | grep -qE "data-$1=\"$2\""; }
# shellcheck disable=SC2317
silent() { test ! -s "$tmp/console"; }
# shellcheck disable=SC2317
no_match() { ! grep -qE "$1" "$tmp/dom"; }
# element ID TEXT: the element's text begins with it
# shellcheck disable=SC2317
element() { grep -qE "id=\"$1\"[^>]*>$2" "$tmp/dom"; }

open small ''
ok "the page draws frames" body drawn '[1-9][0-9]+'
ok "it has every sample" body samples 1707
ok "it complains of nothing" silent
ok "the title is the page's" grep -q '<title>profile.dusk</title>' "$tmp/dom"
ok "the legend says what ran" grep -q 'runtime library<b>2.28 %</b>.*JIT<b>11.8 %</b>.*no whole stack<b>0.18 %</b>' "$tmp/dom"

open small 'search=lzma_code'
ok "a search in the URL is done, each sample counted once" body matched 652
ok "and says its share" element found "38\.2 % in 1 frame"

open small 'search=%2F%5Elzma_mf_%2F'
ok "a regular expression finds" body matched 400

open small 'search=%2F%28%2F'
ok "one that is none is said to be none" element found 'not a regular expression'
ok "and breaks nothing" body drawn '[1-9][0-9]+'

open small 'search=%22evaltree%22'
ok "recursion is counted once" body matched 11

open small 'merge=callers&search=%22clear_page_erms%22'
ok "callers have the same samples" body matched 46
ok "and no complaint" silent

open small 'zoom=3&order=icicle&panel=functions'
ok "a zoom in the URL is done" no_match 'id="reset"[^>]* disabled'
ok "its path is shown" grep -qE '<ol id="path">(<li>.*){4}</ol>' "$tmp/dom"
ok "the table of functions has rows" grep -q '<tr data-label' "$tmp/dom"
ok "and no complaint" silent

open small 'zoom=99999999&order=nonsense&theme=%3Cscript%3E&panel=__proto__'
ok "nonsense in the URL is passed over" body drawn '[1-9][0-9]+'
ok "and no complaint" silent

open hostile 'panel=functions&search=script'
ok "hostile names are drawn" body drawn '[1-9][0-9]*'
ok "and stay names" no_match '<body[^>]*data-owned|<img'
ok "and no complaint" silent

sed "s,<header>,<script>document.body.dataset.owned=1</script><header>," "$tmp/small.html" >"$tmp/injected.html"
open injected ""
ok "a script that is not the page's own does not run" no_match "<body[^>]*data-owned"
ok "and the page's own does" body drawn "[1-9][0-9]+"

open large 'search=some_function_77'
ok "a large profile is drawn" body drawn '[1-9][0-9]+'
ok "with all its samples" body samples 999995
ok "and no complaint" silent

open large 'merge=callers'
ok "as its callers" body drawn '[1-9][0-9]+'
ok "and no complaint" silent

echo "1..$number"
exit $failed
