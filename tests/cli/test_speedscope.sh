#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does speedscope itself open what is exported for it, and count the same? usage: test_speedscope.sh DUSK MAKE_PROFILE
#
# In Chromium, from its npm package: `npm install -g speedscope`, or $SPEEDSCOPE is the package's folder.
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/webdriver.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
trap 'driver_stop; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
package=${SPEEDSCOPE:-$(npm root -g 2>/dev/null)/speedscope}
missing=$([ -e "$package/dist/release/index.html" ] || echo "speedscope (npm install -g speedscope)"; driver_missing)
[ -z "$missing" ] || {
	echo "1..0 # SKIP not installed: $(echo "$missing" | xargs)"
	exit 0
}
"$make_profile" profile.dusk 0 off && "$dusk" export -f speedscope -o x.speedscope 2>/dev/null || exit 1

if needs jsonschema "its schema accepts the export"; then
	claim "its schema accepts the export" jsonschema -i x.speedscope "$package/dist/release/file-format-schema.json"
fi
driver_start || {
	cat driver
	exit 1
}
# As its own command opens a file: a script that hands it over.
printf 'speedscope.loadFileFromBase64("x.speedscope", "%s")' "$(base64 -w 0 x.speedscope)" >x.js
visit "$package/dist/release/index.html" "localProfilePath=$tmp/x.js"
# shows TEXT: the page has it
shows() {
	holds "document.body.innerText.includes('$1')" || {
		js "document.body.innerText"
		return 1
	}
}
# counts FUNCTION TIME: the table has it with this time of its own
counts() {
	holds "[...document.querySelectorAll('tr')].some(row => row.innerText.endsWith('$1') && row.children[1].innerText.includes('$2'))" || {
		js "[...document.querySelectorAll('tr')].map(row => row.innerText)"
		return 1
	}
}
claim "it opens" shows "xz 100/100, cpu"
claim "it finds all five profiles" shows "(1/5)"
keys 3
claim "functions have their time" counts match 60.00ms
claim "... those of libraries, too" counts memcpy 20.00ms
keys n
claim "the next profile is that of off-CPU intervals" shows "xz 100/100, off-cpu"
claim "it complains of nothing" [ -z "$(complaints)" ]
done_testing
