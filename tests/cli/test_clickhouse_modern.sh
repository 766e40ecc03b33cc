#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a newer ClickHouse take each statement of dusk, and what only newer ones have? usage: test_clickhouse_modern.sh DUSK MAKE_PROFILE
#
# The engine is that of npm's chdb: `npm install -g @chdb/lib-linux-x64-gnu@26.7.3-stable.1`, or $CHDB is the package's folder.
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")")
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
fetch=$(dirname "$dusk")/dusk-clickhouse
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC TMPDIR="$tmp"
unset DEBUGINFOD_URLS PAGER DUSK_CLICKHOUSE_PASSWORD
package=${CHDB:-$(npm root -g 2>/dev/null)/@chdb/lib-linux-x64-gnu}
[ -e "$package/libchdb.so" ] || {
	echo "1..0 # SKIP not installed: npm install -g @chdb/lib-linux-x64-gnu@26.7.3-stable.1"
	exit
}
for command in curl python3 sqlite3 jq; do
	needs "$command" "a newer server takes what dusk says" || { done_testing; exit; }
done
trap 'kill -9 $server 2>/dev/null; rm -rf "$tmp"' EXIT
mkdir chdb st
"$here/chdb_server.py" "$package/libchdb.so" "$tmp/chdb" >port 2>server.said &
server=$!
starts() {
	for i in $(seq 300); do
		[ -s port ] && curl -sf "http://127.0.0.1:$(cat port)/" && return
		kill -0 $server || break
		sleep 0.1
	done
	cat server.said
	return 1
}
claim "the engine starts" starts
url=clickhouse://127.0.0.1:$(cat port)/modern
asked() {
	curl -s "http://127.0.0.1:$(cat port)/" --data-binary "$1"
}
folded() {
	"$dusk" export -f folded "$@" | sort
}
now=$(($(date +%s) / 60 * 60 - 3600))
# at SECONDS HOST: a profile of twenty samples that began so long after an hour ago
at() {
	"$make_profile" one.dusk || exit 1
	sqlite3 one.dusk "insert or replace into setting values('boot_id','boot'),('hostname','$2'),('start_realtime_ns',$((now + $1))||'000000000')"
	"$dusk" merge -q --window 1s -o "st/$(date -ud "@$((now + $1))" +%Y%m%dT%H%M%SZ).dusk" one.dusk
}
at 0 web-1
at 60 web-2
echo "# version $(asked 'SELECT version()')"
claim "it is newer" [ "$(asked 'SELECT version()' | cut -d . -f 1)" -ge 22 ]
claim "the tables are made, and days go by themselves" exits 0 "$dusk" store init --keep 30 "$url"
claim "... and again" exits 0 "$dusk" store init --keep 30 "$url"
claim "... which the server knows" sh -c "curl -s 'http://127.0.0.1:$(cat port)/' --data-binary \"SELECT create_table_query FROM system.tables WHERE database = 'modern' AND name = 'samples'\" | grep -q 'TTL ts + toIntervalDay(30)'"
claim "... with codecs" sh -c "curl -s 'http://127.0.0.1:$(cat port)/' --data-binary \"SELECT create_table_query FROM system.tables WHERE database = 'modern' AND name = 'samples'\" | grep -q 'LowCardinality(String).*CODEC(T64, ZSTD(1))'"
claim "a store is sent" exits 0 "$dusk" store send st "$url"
claim "... all its samples" [ "$(asked 'SELECT sum(n) FROM modern.samples')" = 40 ]
same_stacks() {
	folded -i st "$@" >one
	folded -i "$url@-2h" "$@" >two
	[ -s one ] && diff one two
}
claim "the stacks are those of the folder" same_stacks
claim "a service is chosen" same_stacks --service xz
claim "a name of threads is" same_stacks --comm xz
claim "a report says what is left out" sh -c "'$dusk' report -i '$url@-2h' --host web-2 | grep -q '^# samples:   40, 20 of them selected'"
claim "... without functions" sh -c "'$dusk' report -i '$url@-2h' --sort host,service --json --no-children | jq -es 'map(select(.host)) | length == 6'"
claim "a page is made" exits 0 "$dusk" flame -i "$url@-2h" --by host -o page.html
claim "two hosts are compared" exits 0 "$dusk" diff "$url@-2h" "$url@-2h" --before host=web-1 --host web-2
claim "what is more than may come is one" exits 0 "$fetch" fetch "$url" "$now" "$((now + 3600))" few.dusk rows=2 by=comm
claim "... and is there" [ "$("$dusk" export -f folded -i few.dusk | awk '{ n += $NF } END { print n }')" = 40 ]
claim "a PID is chosen" exits 0 "$fetch" fetch "$url" "$now" "$((now + 3600))" pid.dusk host=web-1 pid=100
claim "the check runs" exits 0 "$dusk" store check "$url"
claim "... the status does" sh -c "'$dusk' store status '$url' | tr -s ' ' | grep -qE '^samples 14 '"
claim "what was sent is not sent again" sh -c "'$dusk' store send st '$url' | grep -qx '0 rows'"
summed() {
	asked "SELECT count() > 3, sum(n) FROM modern.sums" | tr '\t' ' ' | grep -qx "1 40"
}
claim "the server has made sums" summed
asked "TRUNCATE TABLE modern.sums"
claim "... and makes those that are missing" exits 0 "$dusk" store init --keep 30 "$url"
claim "... all of them" summed
claim "days are removed" exits 0 "$dusk" store drop-before "$(date -ud tomorrow +%Y-%m-%d)" "$url"
claim "... all that there were" [ "$(asked 'SELECT count() FROM modern.samples')" = 0 ]
done_testing
