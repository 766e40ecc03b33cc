#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the page of the flame graph work in a browser? usage: flame_browser.sh FLAME_PAGE
#
# Chromium is driven as a user would. Skipped (77) where it, or what it takes to drive it, is not installed. With
# FLAME_SCREENSHOTS=FOLDER the pages are also photographed, to be looked at.
set -u
here=$(dirname "$0")
page=$1
tmp=$(mktemp -d)
. "$here/webdriver.sh"
trap 'driver_stop; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
missing=$(driver_missing | tr '\n' ' ')
if [ -n "$missing" ]; then
	echo "not installed: $missing" >&2
	exit 77
fi

failed=0
number=0
for kind in small kinds diff hostile empty large; do
	"$page" $kind >"$tmp/$kind.html" || exit 1
done
driver_start || {
	tail "$tmp/driver" >&2
	echo "Chromium does not start" >&2
	exit 1
}

# ok TEXT EXPRESSION: a fact about the page, in JavaScript, that comes true
ok() {
	number=$((number + 1))
	if holds "$2"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "# not true: $2"
		js "[location.hash, {...document.body.dataset}, document.querySelector('#found').textContent,
			document.querySelector('#path').textContent, document.querySelector('#status').textContent]" | sed 's/^/# /'
		failed=1
	fi
}

# silent TEXT: the page has not complained
silent() {
	number=$((number + 1))
	said=$(complaints)
	if [ -z "$said" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$said" | sed 's/^/# /'
		failed=1
	fi
}

# go PAGE FRAGMENT, until it is drawn
go() {
	visit "$tmp/$1.html" "$2"
	holds "document.body.dataset.samples"
}

photograph() {
	[ -z "${FLAME_SCREENSHOTS:-}" ] || in_session GET /screenshot | jq -r . | base64 -d >"$FLAME_SCREENSHOTS/$1.png"
}

# Short for expressions.
text() { echo "document.querySelector('$1').textContent"; }
found=$(text '#found')
path=$(text '#path')
chips=$(text '#chips')
tip=$(text '#tooltip')
matched=document.body.dataset.matched
ctrl=$(printf '\356\200\211')	# U+E009, WebDriver's name of the key
escape=$(printf '\356\200\214')
enter=$(printf '\356\200\207')
row="document.querySelector('#functions .row')"

# ---- One profile ----

go small ''
photograph small
ok "the page draws frames" "document.body.dataset.drawn > 50"
ok "it has every sample" "document.body.dataset.samples == 1707"
ok "the title is the page's" "document.title === 'profile.dusk'"
ok "it says what was lost" "$(text '#facts').includes('lost samples2')"
ok "the legend says what ran" "/runtime library2.28 %.*JIT11.8 %.*no whole stack0.18 %/.test($(text '#legend'))"
ok "the function that took most comes first" "/18\.2 %.*lzma_mf_bt4_find/.test($row.textContent)"
silent "it complains of nothing"

keys '/lzma_code'
ok "a search is typed, each sample counted once" "$matched == 652"
ok "and says its share" "$found === '38.2 % in 1 frame'"
ok "and is in the address" "location.hash === '#search=lzma_code'"
keys "$enter"
ok "Enter selects what was found" "$(text '#status').startsWith('lzma_code, 38.2 %')"
ok "a tooltip says where it is" "$tip.includes('liblzma.so.5 · program')"
keys "$escape"
ok "Escape takes it back" "$found === '' && location.hash === ''"
keys '/^lzma_mf_'
press '#regex'
ok "a regular expression, by its button" "$matched == 400 && $found === '23.4 % in 2 frames'"
keys "$escape/(/"
keys "$escape"
go small 'search=%2F%28%2F'
ok "one that is none is said to be none" "$found === 'not a regular expression'"
ok "and breaks nothing" "document.body.dataset.drawn > 50"
go small 'search=%22evaltree%22'
ok "recursion is counted once" "$matched == 11"

go small ''
# xz is the last of the threads in the order of names, and has 39 % of the samples; its row is the second one.
pointer "$(at '#scroller' 0.8 0.999)" "$(at '#scroller' 0.8 0.95)"
ok "the pointer gets a tooltip" "$tip.startsWith('xz')"
pointer down up
ok "a click zooms" "$path === 'allxz' && location.hash.startsWith('#zoom=')"
js 'history.back()' >/dev/null
ok "Back takes it back" "$path === 'all' && document.querySelector('#reset').disabled"
js 'history.forward()' >/dev/null
ok "Forward does it again" "$path === 'allxz'"
press '#path li:first-child button'
ok "the path leads back" "$path === 'all'"
pointer "$(at '#scroller' 0.8 0.95)" right
ok "a menu at a frame" "$(text '#menu').includes('Only threads of this name')"
press '#menu button:last-child'
ok "shows threads of that name only" "$chips.startsWith('xz') && $(text '#legend').startsWith('program94.0 %')"
press '#chips button'
ok "and all again" "$chips === ''"

# xz ran in the first 6.77 of 17.24 seconds, and nothing else did.
pointer "$(at '.strip canvas' 0.001 0.3)" down "$(at '.strip canvas' 0.2 0.3)" "$(at '.strip canvas' 0.3 0.3)" up
ok "dragging over the strip chooses a time" "/^0.00 – 5\.\d\d s/.test($chips) && /time=0.00-5/.test(location.hash)"
ok "the functions are those of that time" "/^60\.\d %.*lzma_mf_bt4_find/.test($row.textContent)"
photograph brush
keys '/"xz"'
ok "and so is the share of a search" "$found === '100 % in 1 frame'"
keys "$escape"
keys ']'
ok "a key moves it" "/^0\.\d[1-9] – 5\.\d\d s/.test($chips)"
pointer "$(at '.strip canvas' 0.9 0.3)" down up
ok "a click takes it back" "$chips === ''"
go small 'time=7-8&search=xz'
ok "an address with a time in which it did not run" "$found === 'not found' && $chips.startsWith('7.00 – 8.00 s')"

go small 'panel=threads'
press '#threads .row:nth-child(2) input'
ok "a thread is chosen from the list" "$chips.startsWith('cc1') && location.hash.includes('tasks=name%3Acc1')"
ok "and the graph is its own" "document.querySelector('#legend').textContent.includes('kernel')"
press '[data-key=group][data-value=pid]'
ok "by process" "/cc1.*\d+/.test($(text '#threads .list'))"

go small 'merge=callers&search=%22clear_page_erms%22'
ok "callers have the same samples" "$matched == 46 && $found.startsWith('2.69 %')"
go small 'search=%22handle_mm_fault%22&merge=sandwich'
photograph sandwich
ok "a sandwich has one function in its middle" "$path === 'lzma_mf_bt4_find'"
go small ''
pointer "$(at '#functions .row:nth-child(2)' 0.6 0.5)" down up down up
ok "a double click on a function makes one" "$path === 'lzma_lzma_optimum_normal'"
go small 'zoom=3&order=icicle'
ok "a zoom in the address is done" "document.querySelectorAll('#path li').length === 4"
go small 'zoom=999999999&order=nonsense&theme=%3Cscript%3E&panel=__proto__&of=77777777&time=9-1&tasks=%0A'
ok "nonsense in the address is passed over" "document.body.dataset.drawn >= 0"
silent "without a complaint"

go small 'search=lzma_mf_bt4_find'
keys 'n'
press '#scroller'
keys 'n'
ok "a tooltip names file and line" "$tip.includes('src/liblzma/lz/lz_encoder_mf.c:412')"
go small ''
keys 'C'
ok "what is shown is copied" "$(text '#status').startsWith('Copied')"
keys '/'
chord "$ctrl" v
ok "as text" "/^profile.dusk: 17.2 s on CPU.*100 %  all.*39.3 %.*xz.*lzma_mf_bt4_find  \(liblzma.so.5\)/.test(
	document.querySelector('#search').value)"
go small 'theme=dark'
photograph dark
ok "the dark theme" "document.documentElement.dataset.theme === 'dark'"
press '#theme'
ok "and the light one" "document.documentElement.dataset.theme === 'light' && location.hash === '#theme=light'"
go small 'theme=dark'
in_session POST /print '{"orientation": "landscape", "background": true}' | jq -r . | base64 -d >"$tmp/pdf"
number=$((number + 1))
if head -c 5 "$tmp/pdf" | grep -q '^%PDF-'; then echo "ok $number - it prints"; else echo "not ok $number - it prints"; failed=1; fi
ok "and is as before" "document.documentElement.dataset.theme === 'dark' && !document.body.classList.contains('printing')"
press '#help-button'
ok "there is help" "document.querySelector('#help').open"
silent "in all of that no complaint"

# ---- Kinds of samples ----

go kinds ''
ok "kinds of samples can be chosen" "$(text '#kinds') === 'On CPUOff CPUWall'"
ok "the first one is shown" "/^21\.9 %.*lzma_mf_bt4_find/.test($row.textContent)"
keys 'k'
ok "the other one" "/^\d.*_PyEval_EvalFrameDefault/.test($row.textContent) && location.hash.includes('kind=off-cpu')"
keys 'k'
ok "both" "/^18\.2 %.*lzma_mf_bt4_find/.test($row.textContent)"

# ---- Two profiles ----

go diff ''
photograph diff
ok "two profiles have their samples" "document.body.dataset.samples == 1707 + 1831"
ok "both are named" "$(text '#facts').includes('beforeprofile.dusk') && $(text '#facts').includes('afterafter.dusk')"
ok "each has its strip" "document.querySelectorAll('.strip').length === 2"
ok "changes are in the table" "/ira_color.*/.test($(text '#functions .list')) && /\+6\.08/.test($(text '#functions .list'))"
go diff 'search=%22node%22'
ok "what is gone is not there after" "$found === 'not found'"
keys "$escape"
press '[data-key=basis][data-value=before]'
press '#search'
keys '"node"'
ok "but before" "$found.startsWith('16.9 %')"
keys "$enter"
ok "and its tooltip tells both" "/before.*289.*after.*−16.9/.test($tip)"
go diff 'scale=time&search=%22cc1%22'
ok "times can be compared" "/\+1\.2 s/.test($(text '#functions .list'))"
go diff 'time2=0-3'
ok "a time of one of them" "$chips.startsWith('after 0.00 – 3.00 s')"
silent "without a complaint"

# ---- Names that mean harm ----

go hostile 'panel=functions&search=script'
photograph hostile
ok "hostile names are drawn" "document.body.dataset.drawn > 10"
ok "and stay names" "!document.body.dataset.owned && !document.querySelector('main img')"
ok "control characters are visible" "$(text '#functions .list').includes('\ufffdreversed\ufffdline')"
ok "what is endless is cut" "Math.max(...[...document.querySelectorAll('#functions .name')].map(e => e.textContent.length)) === 1001"
silent "without a complaint"
sed "s,<header>,<script>document.body.dataset.owned=1</script><header>," "$tmp/small.html" >"$tmp/injected.html"
go injected ''
ok "a script that is not the page's own does not run" "!document.body.dataset.owned && document.body.dataset.drawn > 50"
complaints >/dev/null

# ---- Very few, and very many samples ----

go empty ''
ok "a page of nothing says so" "document.body.dataset.drawn == 0 && $(text '#facts').includes('duration')"
pointer "$(at '.strip canvas' 0.2 0.3)" down "$(at '.strip canvas' 0.4 0.3)" up
press '[data-key=merge][data-value=sandwich]'
press '[data-key=panel][data-value=threads]'
silent "without a complaint"

go large 'search=function_77'
photograph large
ok "a large profile is drawn" "document.body.dataset.drawn > 500"
ok "with all its samples" "document.body.dataset.samples == 1000000 && $matched > 0"
go large 'merge=callers&search=function_77'
ok "as its callers" "document.body.dataset.drawn > 1 && $matched > 0"
go large 'time=10-20'
ok "and a time of it" "$chips.startsWith('10.00 – 20.00 s')"
silent "without a complaint"

echo "1..$number"
exit $failed
