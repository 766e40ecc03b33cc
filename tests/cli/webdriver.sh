# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A browser without a window, driven as a user would: pointer, keys and addresses, by WebDriver. To be sourced; $tmp is a
# folder. In the end somebody calls driver_stop.
# shellcheck shell=sh disable=SC2154

# The names of what is missing, or nothing.
driver_missing() {
	for command in chromedriver curl jq; do
		command -v "$command" >/dev/null || echo "$command"
	done
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || echo chromium
}

# call METHOD PATH [JSON]: the value of the answer
call() {
	curl -s -X "$1" -d "${3:-}" "http://127.0.0.1:$driver_port$2" | jq -c .value
}

in_session() {
	call "$1" "/session/$session$2" "${3:-}"
}

# The sandbox of Chromium needs what containers and root have not; what it shows here is our own.
driver_start() {
	browser=$(command -v chromium || command -v google-chrome)
	mkdir -p "$tmp/home"
	HOME="$tmp/home" TMPDIR="$tmp/home" chromedriver --port=0 >"$tmp/driver" 2>&1 &
	driver=$!
	driver_port=
	for _ in $(seq 100); do
		driver_port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$tmp/driver")
		[ -z "$driver_port" ] || break
		sleep 0.1
	done
	session=$(call POST /session "$(jq -n --arg browser "$browser" '{capabilities: {alwaysMatch: {
		"goog:chromeOptions": {binary: $browser, args: ["--headless=new", "--no-sandbox", "--disable-gpu",
			"--no-first-run", "--hide-scrollbars", "--force-device-scale-factor=1", "--window-size=1440,987"]},
		"goog:loggingPrefs": {browser: "ALL"}}}}')" | jq -r '.sessionId // empty')
	[ -n "$session" ]
}

driver_stop() {
	[ -z "${session:-}" ] || in_session DELETE "" >/dev/null
	session=
	[ -z "${driver:-}" ] || { kill "$driver" && wait "$driver"; } 2>/dev/null || :
	driver=
}

# visit FILE FRAGMENT: a new document, whatever was there before
visit() {
	in_session POST /url "$(jq -n --arg url "file://$1?$(date +%s%N)#$2" '{url: $url}')" >/dev/null
}

# js EXPRESSION: its value, as JSON
js() {
	in_session POST /execute/sync "$(jq -n --arg script "return ($1)" '{script: $script, args: []}')"
}

# keys TEXT: type it, a character after the other
keys() {
	in_session POST /actions "$(jq -n --arg text "$1" '{actions: [{type: "key", id: "keys",
		actions: [$text | split("")[] | {type: "keyDown", value: .}, {type: "keyUp", value: .}]}]}')" >/dev/null
}

# chord MODIFIER KEY
chord() {
	in_session POST /actions "$(jq -n --arg held "$1" --arg key "$2" '{actions: [{type: "key", id: "keys", actions: [
		{type: "keyDown", value: $held}, {type: "keyDown", value: $key},
		{type: "keyUp", value: $key}, {type: "keyUp", value: $held}]}]}')" >/dev/null
}

# pointer STEP...: move:X,Y in pixels of the window; down; up; right (both, with the right button)
pointer() {
	in_session POST /actions "$(jq -n '{actions: [{type: "pointer", id: "mouse", actions: ($ARGS.positional | map(
		if startswith("move:") then ltrimstr("move:") | split(",") |
			{type: "pointerMove", duration: 30, x: (.[0] | tonumber | floor), y: (.[1] | tonumber | floor)}
		elif . == "down" then {type: "pointerDown", button: 0}
		elif . == "up" then {type: "pointerUp", button: 0}
		else {type: "pointerDown", button: 2}, {type: "pointerUp", button: 2} end))}]}' --args "$@")" >/dev/null
}

# at ELEMENT X Y: where that part of an element is in the window, as pointer() takes it; X and Y from 0 to 1
at() {
	js "(() => { const box = document.querySelector('$1').getBoundingClientRect();
		return 'move:' + Math.floor(box.left + $2 * box.width) + ',' + Math.floor(box.top + $3 * box.height); })()" |
		jq -r .
}

# press ELEMENT: click into its middle
press() {
	pointer "$(at "$1" 0.5 0.5)" down up
}

# holds EXPRESSION: it is true, now or within a while
holds() {
	for _ in $(seq 60); do
		[ "$(js "Boolean($1)")" != true ] || return 0
		sleep 0.1
	done
	return 1
}

# What the page has complained of since it was asked last.
complaints() {
	in_session POST /se/log '{"type": "browser"}' | jq -r '.[] | select(.level == "SEVERE") | .message'
}
