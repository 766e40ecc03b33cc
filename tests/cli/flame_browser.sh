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
for kind in small kinds waits idle diff waitdiff hostile empty large; do
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
status=$(text '#status')
scope=$(text '#scope')

# item TEXT: choose it from the menu
item() {
	press "#menu button:nth-child($(js "[...document.querySelectorAll('#menu button')].findIndex(e => e.textContent === '$1') + 1"))"
}

# ---- One profile ----

go small ''
photograph small
ok "the page draws frames" "document.body.dataset.drawn > 50"
ok "it has every sample" "document.body.dataset.samples == 1707"
ok "the title is the page's" "document.title === 'profile.dusk'"
ok "it says what was lost" "$(text '#facts').includes('lost samples2')"
ok "the legend says what ran" "/runtime library2.28 %.*JIT11.8 %.*incomplete stack0.18 %/.test($(text '#legend'))"
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
ok "... which is said in one line" "document.querySelector('#chips li').offsetHeight < 30"
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

# ---- Waits ----

go waits ''
photograph waits
ok "the page opens on what is larger, here off CPU" "state.kind === 'off-cpu' && location.hash === ''"
ok "off-CPU intervals are no samples" "/samples198off-CPU intervals8,894/.test($(text '#facts'))"
ok "off CPU the table has seconds, count and longest" "$(text '#functions .heads') === 'SelfTotalCountLongestFunction' &&
	$row.textContent.startsWith('90.1 s90.1 s8,8931.2 sschedule')"
ok "the state has no self time besides that of the function" "[...document.querySelectorAll('#functions .row')]
	.some(e => /^0 s.*\[sleeping\]/.test(e.textContent))"
keys '/WaitIO'
ok "the table follows the search" "document.querySelectorAll('#functions .row').length === 1 && $scope === '1 function found'"
pointer "$(at '#functions .row' 0.7 0.5)" right
item 'Keep only stacks with it'
keys "$escape"
ok "only stacks with a function are kept" "$chips.startsWith('only stacks with WaitIO') && $row.textContent.startsWith('1.2 s1.2 s11.2 sschedule')"
ok "in the strip, too" "strips[0].ns.reduce((a, b) => a + b) === 1.2e9"
press '#chips button'
ok "and all again" "$row.textContent.startsWith('90.1 s')"
keys '/"WaitIO"'
keys "$enter"
ok "the status line says what is selected" "$status.startsWith('WaitIO, 1.33 %')"
keys 'k'
ok "and what it weighs now" "$status.startsWith('WaitIO, 1.30 %')"
keys 'kk'
keys "$enter"
ok "the table follows the zoom" "$scope === 'within WaitIO' && $row.textContent.startsWith('1.2 s1.2 s11.2 sschedule')"
pointer "$(at '#scroller' 0.5 0.999)" "$(at '#scroller' 0.5 0.97)" down up
ok "the status line does not speak of what is no longer selected" "$status === '' && $scope === 'within postgres'"
keys "$escape$escape"
pointer "$(at '#functions .row:nth-child(2)' 0.7 0.5)" right
item 'Drop stacks with it'
ok "stacks with a function are dropped" "$chips.startsWith('no stacks with ProcArrayLock') && !$(text '#functions .list').includes('preempted')"
go waits 'kind=cpu'
ok "recursion is drawn as it is" "/walk.*visit.*walk.*visit.*hash_search/s.test(tree_as_text(base.tree, 0).join())"
pointer "$(at '#functions .row' 0.7 0.5)" right
item 'Hide this function'
ok "a function is hidden, its samples are its caller's" "/^100 %100 %visit/.test($row.textContent) && $chips.startsWith('hash_search hidden')"
pointer "$(at '#functions .row' 0.7 0.5)" right
item 'Fold recursion'
ok "recursion is folded" "!/walk.*walk/s.test(tree_as_text(base.tree, 0).join()) && /walk.*visit/s.test(tree_as_text(base.tree, 0).join())"
keys 'b'
ok "in callers, too" "layers[0].tree.depth.length === layers[0].tree.size && /^100 %100 %visit/.test($row.textContent) && $path === 'all'"
js 'history.back()' >/dev/null
ok "Back unfolds it" "$chips.includes('hidden') && !$chips.includes('folded')"
go waits 'edits=hide:99999,keep:3,drop:x'
ok "nonsense in the list of edits is passed over" "$chips === ''"
silent "without a complaint"

go waits ''
press '[data-key=tracks]'
ok "each thread has a track" "document.querySelectorAll('#tracks .row').length === 10"
press '[data-key=sort][data-value=longest]'
ok "the one that waited longest is first" "document.querySelector('#tracks .row').dataset.tid === '207'"
pointer "$(at '#tracks .row canvas' 0.45 0.5)"
ok "a track says what the thread did" "/postgres: user7 bench .local. SELECT 207.*uninterruptible.*1\.2 s/.test($tip)"
photograph tracks
pointer down up
ok "a click shows the stack" "/filemap_read.*io_schedule.*uninterruptible/.test($path) && $status === 'postgres: user7 bench [local] SELECT 207: off CPU for 1.2 s, until 5.20 s'"
go waits 'panel=threads&group=pid'
ok "processes of one name are distinguished by their titles" "/…user7 bench .local. SELECT207/.test($(text '#threads .list')) &&
	document.querySelectorAll('#threads .row').length === 10"
keys 'l'
ok "also on their tracks" "/…user7.*SELECT 207/.test($(text '#tracks .list')) && /postgres 200/.test($(text '#tracks .list'))"
go waits 'tracks=yes&time=0-1&kind=cpu'
pointer "$(at '#tracks .row:nth-child(8) canvas' 0.45 0.5)" down up
ok "whatever was chosen before" "/filemap_read/.test($path) && $chips === ''"
keys 'l'
ok "a key closes the tracks" "document.querySelector('#tracks').hidden"
ok "template arguments are cut first, then parameters, then the middle" "
	shorten_name('a::walk(std::map<int, std::vector<int>>&)', 24) === 'a::walk(std::map<…>&)' &&
	shorten_name('a::walk(std::map<int, std::vector<int>>&)', 14) === 'a::walk(…)' &&
	shorten_name('operator<<<std::char_traits<char>>', 24) === 'operator<<<…>' &&
	shorten_name('entry_SYSCALL_64_after_hwframe', 15) === 'entry_S…hwframe' && shorten_name('short', 5) === 'short'"
silent "without a complaint"

in_session POST /window/rect '{"width": 500, "height": 900}' >/dev/null
go waits ''
photograph phone
ok "on a phone the graph has most of the room" "document.querySelector('#scroller').clientHeight > 0.7 * innerHeight"
ok "and the page is not wider than the window" "document.documentElement.scrollWidth <= innerWidth"
ok "... and the kinds of samples are to be seen beside the search" "document.querySelector('#kinds').getBoundingClientRect().right < innerWidth"
go diff ''
photograph phone_diff
ok "... and all that colours of two profiles mean" "document.querySelector('#legend').scrollWidth <= document.querySelector('#legend').clientWidth"
in_session POST /window/rect '{"width": 500, "height": 300}' >/dev/null
holds "innerHeight < 300"
in_session POST /window/rect '{"width": 500, "height": 500}' >/dev/null
ok "a window that grows still shows where stacks begin" "innerHeight > 300 && scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop <= 1"
in_session POST /window/rect '{"width": 1440, "height": 987}' >/dev/null

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

go waitdiff ''
ok "two profiles are compared by their time on CPU first, as in dusk diff" "state.kind === 'cpu' && location.hash === ''"

# ---- Idle threads ----

go waits ''
ok "where no thread is idle, there is no button for them" "document.querySelector('#idle').hidden"
go idle 'kind=off-cpu'
ok "waits of idle threads are there, and say so" "/20\.0 s.*\[waiting for work\]/.test($(text '#functions .list'))"
press '#idle'
ok "... and are left out" "location.hash.includes('idle=hidden') && !$(text '#functions .list').includes('take_job') &&
	$(text '#functions .list').includes('secure_read')"
keys 'w'
ok "... and come back" "!location.hash.includes('idle') && $(text '#functions .list').includes('take_job')"
photograph idle

# ---- Names that mean harm ----

go waitdiff 'kind=off-cpu'
ok "the header counts samples and off-CPU intervals" "$(text '#facts').includes('profile.dusk: 198 samples, 8,894 off-CPU intervals')"
ok "very small shares stay on their line" "$(text '#functions .list').includes('< 0.01 %') &&
	[...document.querySelectorAll('#functions .list .figure')].every(e => e.clientHeight <= 24)"

go hostile 'panel=functions&search=script'
ok "the table follows a search for names that mean harm" "document.querySelectorAll('#functions .row').length === 2"
go hostile 'panel=functions&edits=hide:3,drop:5,fold&tracks=yes'
ok "such names and titles stay text in chips and tracks" "document.querySelectorAll('#tracks .row').length > 3 && $chips.length > 10 && !document.body.dataset.owned"
go hostile 'panel=functions'
photograph hostile
ok "hostile names are drawn" "document.body.dataset.drawn > 10"
ok "and stay names" "!document.body.dataset.owned && !document.querySelector('main img')"
ok "control characters are visible" "$(text '#functions .list').includes('\ufffdreversed\ufffdline')"
ok "what is endless is cut" "Math.max(...[...document.querySelectorAll('#functions .name')].map(e => e.textContent.length)) < 400 &&
	Math.max(...[...document.querySelectorAll('#functions .row')].map(e => e.title.indexOf('\n'))) === 1001"
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
go large 'edits=fold&tracks=yes&search=function_77'
ok "and its recursion folded, with all samples" "$matched > 0 && model.sums[0].samples.reduce((a, b) => a + b) === 1000000"
silent "without a complaint"

echo "1..$number"
exit $failed
