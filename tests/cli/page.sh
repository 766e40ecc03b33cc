# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What is in the page of a flame graph, for shell tests: source it after tap.sh, with $dusk set.
# shellcheck shell=sh disable=SC2154

# page_json FILE: the page's data but for its columns, as one line of JSON
page_json() {
	sed '1,/id="profile"/d; /<\/script>/,$d' "$1" | base64 -d | gzip -dc | head -n 1
}

# flame_json OPTION...: the same of what dusk flame writes
flame_json() {
	"$dusk" flame -o page.html "$@" 2>/dev/null && page_json page.html
}
