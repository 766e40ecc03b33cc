#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the page of dusk web show a store of many hosts, on a server? usage: web_fleet.sh DUSK MAKE_PROFILE
#
# A real server and a real browser; skipped (77) where one of them is not there. With WEB_SCREENSHOTS=FOLDER the pages are also photographed.
here=$(realpath "$(dirname "$0")")
. "$here/../tools/tap.sh"
. "$here/webdriver.sh"
. "$here/web_store.sh"
. "$here/web_page.sh"
. "$here/clickhouse_server.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
missing=$(driver_missing | tr '\n' ' ')
for command in clickhouse-server python3 sqlite3; do
	command -v $command >/dev/null || missing="$missing $command"
done
for program in dusk-web dusk-clickhouse; do
	[ -x "$(dirname "$dusk")/$program" ] || missing="$missing $program"
done
if [ -n "$missing" ]; then
	echo "not installed: $missing" >&2
	exit 77
fi
server=
trap 'driver_stop; web_stop_server; [ -z "$server" ] || kill -9 $server; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS DUSK_CLICKHOUSE_PASSWORD

configure
claim "the server starts" serve
url="clickhouse://dusk:secret@127.0.0.1:$http_port/fleet"
"$dusk" store init "$url"
# on HOST SECONDS SERVICE: twenty samples, so many seconds ago
on() {
	mkdir -p "on/$1"
	web_at "$2" one.dusk "$3"
	sqlite3 one.dusk "insert or replace into setting values('hostname', '$1')"
	"$dusk" merge -q --window 1s -o "on/$1/$(date -ud "@$web_start" +%Y%m%dT%H%M%SZ).dusk" one.dusk
}
on web-1 1200 shop
on web-2 900 shop
on db-1 600 mysql
for host in on/*; do
	"$dusk" store send "$host" "$url"
done >/dev/null
web_start_server "$url"
driver_start || {
	tail "$tmp/driver" >&2
	echo "Chromium does not start" >&2
	exit 1
}

go "$(cat "$tmp/address")"
ok "all hosts are shown" "$(samples 60)"
ok "... and are in a list" "$(list host) === ',db-1,web-1,web-2'"
ok "the strip has the time" "heat_strip.rows.length >= 2"
photograph fleet
choose by-host web-1
ok "a host has its own" "$(samples 20) && location.search === '?host=web-1'"
ok "... and its own services" "$(list service) === ',shop'"
ok "... which the heading says" "document.querySelector('#title').textContent === 'web-1, last 1 h'"
choose compare host=web-2
ok "a host is compared with another one" "$(samples 40) && profile.profiles.length === 2 && location.search.includes('before=host%3Dweb-2')"
go "$base/?service=mysql"
ok "a service is shown" "$(samples 20) && $(list host) === ',db-1'"
go "$base/?from=-10d&to=-9d"
ok "a time without anything says so" "$failure.startsWith('Nothing was recorded in this time')"
silent "it complains of nothing"
kill -9 "$server"
wait "$server" 2>/dev/null
server=
press '#failure button'
ok "a server that is gone is named" "$failure.includes('cannot reach the server')"
done_testing
