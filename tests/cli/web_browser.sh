#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the page of dusk web work in a browser? usage: web_browser.sh DUSK MAKE_PROFILE
#
# Chromium is driven as a user would. Skipped (77) where it, or the server, is not there. With WEB_SCREENSHOTS=FOLDER the pages are
# also photographed.
here=$(dirname "$0")
. "$here/../tools/tap.sh"
. "$here/webdriver.sh"
. "$here/web_store.sh"
. "$here/web_page.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
missing=$(driver_missing | tr '\n' ' ')
command -v sqlite3 >/dev/null || missing="$missing sqlite3"
[ -x "$(dirname "$dusk")/dusk-web" ] || missing="$missing dusk-web"
if [ -n "$missing" ]; then
	echo "not installed: $missing" >&2
	exit 77
fi
trap 'driver_stop; web_stop_server; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS

mkdir "$tmp/st"
web_at 4000 "$tmp/st/a.dusk" cart
web_at 1200 "$tmp/st/b.dusk" shop
web_at 600 "$tmp/st/c.dusk" "<b>&amp;"
web_start_server
driver_start || {
	tail "$tmp/driver" >&2
	echo "Chromium does not start" >&2
	exit 1
}

go "$(cat "$tmp/address")"
ok "the last hour is shown" "$(samples 40)"
ok "the address has no token any more" "!location.href.includes('token')"
ok "nor has a script" "document.cookie === ''"
ok "the button of the last hour is pressed" "$(chosen 'button[data-ago="-1h"]')"
ok "the lists have the services of that time" "$(list service) === ',<b>&amp;,shop'"
ok "... and the versions" "$(list version) === ',<b>&amp;-build,shop-build'"
ok "... each with its share of the time" "document.querySelector('#by-service option[value=shop]').textContent === 'shop · 50.0 %'"
ok "time on CPU is shown first" "state.kind === 'cpu'"
ok "the strip has the time" "heat_strip.rows.length >= 2"
photograph web
press 'button[data-ago="-6h"]'
ok "six hours have more" "$(samples 60)"
ok "... which is in the address" "location.search === '?from=-6h'"
choose by-service shop
ok "a service has its own" "$(samples 20)"
ok "... which is in the address" "location.search === '?from=-6h&service=shop'"
choose by-service '<b>&amp;'
ok "the other lists are of what is chosen" "[...document.querySelectorAll('#by-version option')].map(o => o.value).join() === ',<b>&amp;-build'"
ok "a name that looks like markup is a name" "$(samples 20) && document.querySelector('#by-service').value === '<b>&amp;' && !document.querySelector('#server b')"
js 'history.back()' >/dev/null
ok "Back goes back" "location.search === '?from=-6h&service=shop' && document.querySelector('#by-service').value === 'shop'"
go "$base/?from=-25m&to=-15m#search=match"
ok "an address is opened" "$(samples 20) && state.search === 'match'"
choose compare previous
ok "it is compared with the time before" "$failure.includes('Nothing was recorded in this time') && $failure.includes('or in what it is compared with')"
ok "... of which there is nothing, and the view stays, as one that is old" "$(samples 20) && document.body.classList.contains('stale')"
press '#failure button'
ok "... and the view without it is offered" "$(samples 20) && !document.body.classList.contains('stale') && !$(value compare)"
go "$base/?from=-15m&before_from=-25m&before_to=-15m"
ok "two times are compared" "$(samples 40) && document.body.classList.contains('two')"
ok "... and shown" "$(value ask-before_from) === '-25m' && $(value compare) === 'times'"
ok "... each by the clock" "profile.profiles.every(p => p.begin_ms > Date.now() - 1600e3) && moment(0, 0) < moment(1, 0)"
photograph web-compare
choose compare ''
ok "... and no longer" "$(samples 20) && !document.body.classList.contains('two') && document.querySelector('#before').hidden"

# Two versions of one time, of which the second one has most samples in another function.
web_at 18000 "$tmp/st/old.dusk" shop
web_at 17900 "$tmp/st/new.dusk" shop
sqlite3 "$tmp/st/new.dusk" "update title set version = 'next-build'; update sample set node = 11 where node in (7, 12)"
go "$base/?from=-6h&to=-4h&service=shop"
ok "there are versions to compare with" "$(samples 40) && document.querySelector('#compare option[value=\"version=shop-build\"]')"
choose compare version=shop-build
ok "a version is compared with another one" "$(samples 40) && profile.profiles.length === 2 && $(value by-version) === 'next-build'"
ok "... as the address says" "location.search.includes('before=version%3Dshop-build')"
same_marks() { # the stars beside functions are those of dusk diff; code without a name is called otherwise there
	"$dusk" diff --json --cpu --before version=shop-build --version next-build "$tmp/st@-6h..-4h" "$tmp/st@-6h..-4h" |
		jq -r 'select(.function and .dso != "" and (.function | test("0x") | not)) | "\(.function) \(.mark)"' | sort >"$tmp/marks"
	js "functions.rows.filter(r => (r.self[0] || r.self[1]) && !profile.names[r.label].startsWith('[')).map(r => profile.names[r.label] + ' ' + mark_change(r.self)).join('\n')" |
		jq -r . | sort >"$tmp/stars"
	diff "$tmp/marks" "$tmp/stars" && grep -q '\*' "$tmp/marks" && grep -q ' $' "$tmp/marks"
}
claim "... with the stars of dusk diff" same_marks
ok "... which are shown" "[...document.querySelectorAll('#functions .mark')].some(e => e.textContent.includes('*'))"
photograph web-versions
rm "$tmp/st/old.dusk" "$tmp/st/new.dusk"
go "$base/?from=-6h&comm=xz&focus=match"
ok "what no list has is shown, too" "[...document.querySelectorAll('#more li span')].map(e => e.textContent).join() === 'comm xz,focus match'"
press '#more button'
ok "... and taken away" "location.search === '?from=-6h&focus=match'"

# The time is typed, and moved.
go "$base/?from=-25m&to=-15m"
ok "a time is shown" "$(samples 20)"
js "document.querySelector('#ask-to').select()" >/dev/null
keys now
ok "what is typed is no command" "$(value ask-to) === 'now'"
js "document.querySelector('#ask-to').onchange()" >/dev/null
ok "... but the time" "location.search === '?from=-25m&to=now' && $(samples 40)"
js "document.querySelector('#canvas').focus()" >/dev/null
keys z
ok "a key shows twice as much time" "(ms => ms[1] - ms[0] > 2990e3 && ms[1] - ms[0] < 3010e3)(shown_ms())"
press '#earlier'
ok "... and what was before" "(ms => Date.now() - ms[1] > 2980e3)(shown_ms())"

go "$base/?from=-2h&to=-90m"
ok "an empty time says so" "document.body.classList.contains('failed') && $failure.startsWith('Nothing was recorded in this time')"
photograph web-empty
press 'button[data-ago="-1h"]'
ok "... and another one is shown then" "$(samples 40) && !document.body.classList.contains('failed')"

# Time off CPU comes when it is looked at.
web_at 5400 "$tmp/st/waits.dusk" waits 0 off
web_at 5000 "$tmp/st/sleeps.dusk" sleeps 0 off
sqlite3 "$tmp/st/sleeps.dusk" "delete from sample; delete from counter where name = 'samples'"
go "$base/?from=-2h&service=waits"
ok "time on CPU comes first" "state.kind === 'cpu' && $(samples 20)"
ok "... and the other kinds can be chosen" "document.querySelector('#kinds').textContent === 'On CPUOff CPUWall'"
press '#kinds button[data-value="off-cpu"]'
ok "... which come then" "state.kind === 'off-cpu' && $(samples 64)"
ok "... as the address says" "location.hash === '#kind=off-cpu'"
press '#kinds button[data-value="cpu"]'
ok "... and stay" "state.kind === 'cpu' && $(samples 64)"
go "$base/?from=-2h&service=waits#tracks=yes"
ok "tracks of threads have both" "$(samples 64)"
go "$base/?from=-2h&service=sleeps"
ok "of what was never on a CPU the time off CPU is shown" "state.kind === 'off-cpu' && $(samples 44) && document.querySelector('#kinds').hidden"
rm "$tmp/st/waits.dusk" "$tmp/st/sleeps.dusk"
go "$base/?from=-1h"
ok "all services are shown again" "$(samples 40)"

# The last hour is the right half of the strip, or less; its samples are 1,200 and 600 s ago.
js "heat_strip.to - heat_strip.from" >"$tmp/span"
part() { awk -v ago="$1" -v span="$(cat "$tmp/span")" 'BEGIN { printf "%.4f", 1 - ago * 1000 / span }'; }
pointer "$(at '#heat' "$(part 1500)" 0.5)" down "$(at '#heat' "$(part 1100)" 0.5)" "$(at '#heat' "$(part 900)" 0.5)" up
ok "dragging over the strip chooses a time" "/^\\?from=\\d{4}-\\d\\d-\\d\\dT[\\d%3A]+Z&to=/.test(location.search)"
ok "... whose samples are shown" "$(samples 20)"
press '#link'
ok "an address is copied" "$said.startsWith('Copied')"

# What is recorded later is there at the next look.
go "$base/?from=-1h#merge=callees"
ok "a frame" "$(samples 40)"
js "go({zoom: layers[0].tree.label.findIndex((l, i) => i && profile.names[l] === 'match')})" >/dev/null
ok "... is zoomed to" "document.querySelector('#path').textContent.endsWith('match')"
web_at 10 "$tmp/st/d.dusk" late
js "load()" >/dev/null
ok "what was recorded since is shown" "$(samples 60)"
ok "... and the zoom stays" "document.querySelector('#path').textContent.endsWith('match')"
press '#live'
ok "live shows the last minute" "$(samples 20) && $(chosen '#live') && location.search === '?from=-60s&live=yes'"
web_at 5 "$tmp/st/e.dusk" later
js "load()" >/dev/null
ok "... and what comes" "$(samples 40) && server.timer"
press '#live'
ok "... until that is over" "!server.timer"
go "$base/?from=-60s&live=yes"
ok "an address may be live" "$(chosen '#live') && server.timer"
press '#live'
ok "... until that is over" "!server.timer"
silent "it complains of nothing"
web_stop_server
js "load()" >/dev/null
ok "a server that is gone is missed" "$failure.startsWith('The server does not answer')"
ok "... and the view stays" "$(samples 40)"
done_testing
