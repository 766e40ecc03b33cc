# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claims about the page of dusk web in a browser; to be sourced after tap.sh, webdriver.sh and web_store.sh.
# shellcheck shell=sh disable=SC2154,SC2034

go() { in_session POST /url "$(jq -n --arg url "$1" '{url: $url}')" >/dev/null; }
photograph() { [ -z "${WEB_SCREENSHOTS:-}" ] || in_session GET /screenshot | jq -r . | base64 -d >"$WEB_SCREENSHOTS/$1.png"; }
# ok TEXT EXPRESSION: it becomes true; if not, what the page shows instead is said
ok() {
	claim "$1" sh -c 'exit "$1"' - "$(holds "$2" && echo 0 || echo 1)"
	holds "$2" || js "[location.href, {...document.body.dataset}, document.body.className, document.querySelector('#said').textContent,
		document.querySelector('#failure').textContent]" | sed 's/^/# /'
}
# silent TEXT: the page has complained of nothing but of empty answers
silent() { claim "$1" sh -c '[ -z "$1" ] || { echo "$1"; exit 1; }' - "$(complaints | grep -v "responded with a status of 404")"; }
# choose LIST VALUE: an item of a list
choose() { js "(() => { const l = document.querySelector('#$1'); l.value = '$2'; l.onchange(); return 1; })()" >/dev/null; }

# Expressions:
samples() { echo "profile?.series.reduce((sum, s) => sum + s.nr_samples, 0) === $1"; }
chosen() { echo "document.querySelector('$1').getAttribute('aria-pressed') === 'true'"; }
list() { echo "[...document.querySelectorAll('#by-$1 option')].map(o => o.value).sort().join()"; }
value() { echo "document.querySelector('#$1').value"; }
said="document.querySelector('#said').textContent"
failure="document.querySelector('#failure').textContent"
