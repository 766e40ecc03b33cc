#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does dusk web answer over HTTP, and to whom? usage: test_web.sh DUSK MAKE_PROFILE
here=$(dirname "$0")
. "$here/../tools/tap.sh"
. "$here/web_store.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS PAGER
for command in sqlite3 curl jq; do
	needs "$command" "dusk web answers over HTTP" || { done_testing; exit; }
done

mkdir st
web_at 1200 st/a.dusk cart
web_at 600 st/b.dusk shop

claim "a folder that is not there is named" sh -c "! '$dusk' web nowhere 2>said && grep -q 'cannot read the store nowhere' said"
if [ ! -x "$(dirname "$dusk")/dusk-web" ]; then
	claim "without a server that is said" sh -c "! '$dusk' web st 2>said && grep -q 'libmicrohttpd' said"
	done_testing
	exit
fi
claim "two ways to choose who may ask" exits 2 "$dusk" web --open --user-header X st
claim "an address that is none" sh -c "'$dusk' web --listen here:80 st 2>said; [ \$? = 2 ] && grep -q 'is no address and port' said"
claim "a token that is none" sh -c "(umask 77; echo short >t); ! '$dusk' web --token-file t st 2>said && grep -q 'has no token' said"

trap 'web_stop_server; rm -rf "$tmp"' EXIT
web_start_server
claim "it prints its address, with a token" grep -qE '^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$' address

# get STATUS PATH [CURL OPTION...]: the answer is in body and head
get() {
	wanted=$1
	path=$2
	shift 2
	status=$(curl -s -o body -D head -w '%{http_code}' -H "Authorization: Bearer $token" "$@" "$base$path")
	cat head
	head -c 300 body
	[ "$status" = "$wanted" ]
}
# says_error TEXT: the last answer is an error with that text
says_error() {
	cat body
	jq -r .error body | grep -qF -e "$1"
}
anonymous() {
	wanted=$1
	path=$2
	shift 2
	status=$(curl -s -o body -D head -w '%{http_code}' "$@" "$base$path")
	cat head body
	[ "$status" = "$wanted" ]
}

claim "nobody asks without the token" anonymous 401 /
claim "... nor for data" anonymous 401 /api/v1/functions
claim "... nor for what the recorder counts" anonymous 401 /metrics
claim "the address that was printed sets a cookie, and hides the token" sh -c "
	curl -s -o body -D head -c cookies \"\$(cat address)\"
	cat head
	grep -q '^HTTP/1.1 303' head && grep -q '^Location: /.\$' head && grep -qi '^Set-Cookie: dusk-[0-9]*=$token; Path=/; HttpOnly; SameSite=Lax' head"
claim "... and keeps what else it has" sh -c "
	curl -s -o body -D head \"\$(cat address)&from=-2h&focus=a%20b\" && grep -q '^Location: /?from=-2h&focus=a%20b.\$' head"
claim "a program may have the token in its address" anonymous 200 "/api/v1/labels?token=$token"
claim "... or as a password" anonymous 200 /api/v1/labels -u "x:$token"
claim "... but not another one" anonymous 401 /api/v1/labels -u "x:$token+"
claim "... with which the page is shown" sh -c "[ \"\$(curl -s -o body -w '%{http_code}' -b cookies '$base/')\" = 200 ] && grep -q '<title>dusk</title>' body"
claim "the page may ask its server, and nobody else" sh -c "grep -q \"connect-src 'self'\" body && grep -q \"default-src 'none'\" body"
claim "... and no other page may frame it" get 200 / && claim "... as its header says" grep -qi "^Content-Security-Policy: frame-ancestors 'none'" head
etag=$(sed -n 's/^ETag: \(.*\)\r/\1/p' head)
claim "a browser that has the page is not sent it again" get 304 / -H "If-None-Match: $etag"
claim "a name that may point anywhere is refused" get 421 / -H 'Host: evil.example'
claim "nothing can be changed" get 405 /api/v1/functions -X POST -d x=y
claim "... which is said with what can be done" grep -qi '^Allow: GET, HEAD' head

claim "functions" get 200 /api/v1/functions
claim "... of both profiles" sh -c "[ \"\$(jq -s 'map(.self // 0) | add' body)\" = 40 ]"
claim "... as a line of JSON each" grep -qi '^Content-Type: application/x-ndjson' head
claim "... are those that dusk report shows" sh -c "'$dusk' report --json --sort function,dso st@-1h.. | cmp - body"
claim "of a service" get 200 '/api/v1/functions?service=shop'
claim "... are its own" sh -c "[ \"\$(jq -s 'map(.self // 0) | add' body)\" = 20 ]"
claim "of a part of the time" get 200 '/api/v1/functions?from=-15m'
claim "... are of that time" sh -c "[ \"\$(jq -s 'map(.self // 0) | add' body)\" = 20 ]"
claim "threads" get 200 '/api/v1/threads?limit=1'
claim "... as many as asked for" sh -c "[ \"\$(wc -l <body)\" = 2 ]"
claim "labels" get 200 /api/v1/labels
claim "... with their time" sh -c "[ \"\$(jq -r 'select(.service) | .service' body | sort -u | tr '\n' ' ')\" = 'cart shop ' ]"
claim "the line of time" get 200 '/api/v1/timeline?kind=cpu'
claim "... is in the order of time" sh -c "jq -r 'select(.time) | .time' body | sort -c && [ \"\$(jq -s 'map(.self // 0) | add' body)\" = 40 ]"
claim "a comparison" get 200 '/api/v1/diff?before_from=-25m&before_to=-15m&from=-15m'
claim "... of two versions of one time" get 200 '/api/v1/diff?before=version%3Dcart-build&version=shop-build&from=-1h'
claim "... whose samples are those of each" sh -c "[ \"\$(jq -s '[(map(.before // 0) | add), (map(.after // 0) | add)] | @csv' body)\" = '\"20,20\"' ]"
claim "... of which one is wrong" get 400 '/api/v1/diff?before=colour%3Dred'
claim "... and again" get 200 '/api/v1/diff?before_from=-25m&before_to=-15m&from=-15m'
claim "... has both sides" sh -c "grep -q before body && jq -s length body >/dev/null"
claim "stacks for other tools" get 200 '/api/v1/export?format=folded'
claim "... are those that dusk export writes" sh -c "'$dusk' export -f folded st@-1h.. | cmp - body"
claim "how it was recorded" get 200 /api/v1/recording
claim "... as JSON" jq -e .outcomes body
claim "the data of the page" get 200 /api/v1/flame
claim "... are compressed, and say so" sh -c "grep -qi '^Content-Encoding: gzip' head && [ \"\$(gzip -dc body | head -n 1 | jq .profiles[0].samples)\" = 40 ]"
claim "... of two times" sh -c "curl -s -o body -H 'Authorization: Bearer $token' '$base/api/v1/flame?before_from=-25m&before_to=-15m&from=-15m' && [ \"\$(gzip -dc body | head -n 1 | jq -c '[.profiles[].samples]')\" = '[20,20]' ]"
claim "the last seconds, for go tool pprof" get 200 '/debug/pprof/profile?seconds=1500'
if command -v go >/dev/null && pprof=$(go tool -n pprof 2>/dev/null); then
	claim "... which logs in by itself" sh -c "'$pprof' -top -sample_index=samples 'http://x:$token@${base#http://}/debug/pprof/profile?seconds=1500' 2>&1 | tee out | grep -q 'of 40 total'"
	claim "... which reads them" sh -c "'$pprof' -top -sample_index=samples body 2>&1 | tee out | grep -q 'of 40 total'"
fi

claim "an address that is not there" get 404 /api/v1/nothing
claim "a parameter that is not there" get 400 '/api/v1/functions?servce=shop'
claim "... is named" says_error "takes no parameter 'servce'"
claim "a comparison with nothing" get 400 /api/v1/diff
claim "... says what it needs" says_error "needs before_from"
claim "a time that is none" get 400 '/api/v1/functions?from=soon'
claim "... is explained" says_error "a time is -2h, now"
claim "a time of which there is nothing" get 404 '/api/v1/functions?from=-2d&to=-1d'
claim "... is said to be empty" says_error "there is nothing in"
claim "a service of which there is nothing" get 404 '/api/v1/functions?service=nobody'
claim "off-CPU time that was not recorded" get 404 '/api/v1/functions?kind=off-cpu'
claim "an end before its beginning" get 400 '/api/v1/functions?from=-1h&to=-2h'
claim "a format that is none" get 400 '/api/v1/export?format=none'
claim "an expression that is none" get 400 '/api/v1/functions?focus=%28'
claim "a value that looks like an option is a value" get 404 '/api/v1/functions?service=--output%3D/tmp/x'
claim "a path does not lead out" get 404 '/../../etc/passwd' --path-as-is

claim "a document describes it all" get 200 /api/v1/openapi.json
described() {
	jq -r '.paths | keys[]' body >paths
	while read -r path; do
		status=$(curl -s -o answer -w '%{http_code} %{content_type}' -H "Authorization: Bearer $token" "$base$path")
		type=$(jq -r --arg path "$path" '.paths[$path].get.responses["200"].content | keys[0]' body)
		echo "$path: $status, described as $type"
		case $path in
		*diff) ;;  # needs two times
		*pprof*) ;; # the last seconds are empty
		*) case $status in "200 $type"*) ;; *) return 1 ;; esac ;;
		esac
	done <paths
	[ "$(wc -l <paths)" -ge 12 ] && jq -e '.openapi == "3.0.3" and (.info.title | length > 0)' body
}
claim "... and each address in it answers with the type that it names" described
claim "it is alive" anonymous 200 /healthz
touch -d '1 hour ago' st/*.dusk
claim "when nothing was recorded for a while it is not" anonymous 503 /healthz
claim "... and says why" says_error "nothing was recorded for 36"
claim "what Prometheus asks for" get 200 /metrics
claim "... is in its format" sh -c "! grep -vE '^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+=\"[a-z0-9-]+\"\})? [0-9.e+-]+)\$' body"
claim "... has the store" grep -qx 'dusk_store_profiles 2' body
claim "... and what the recorder has counted" grep -qE '^dusk_recorder_count_total\{name="samples"\} [0-9]+$' body

mkdir st/c.dusk.recording && touch st/c.dusk.recording/data
claim "what is being recorded has no counters yet" get 200 /metrics
claim "... and does not hide those of what was recorded" grep -qx 'dusk_recorder_count_total{name="samples"} 20' body
rm -r st/c.dusk.recording

# Each answer is of a process of its own: those of readers that leave are ended, and not more than two run at once.
leave() {
	for _ in 1 2 3 4 5 6 7 8; do
		curl -s -m 0.01 -o answer -H "Authorization: Bearer $token" "$base/api/v1/flame"
	done
	for _ in $(seq 40); do
		[ -n "$(pgrep -P "$web")" ] || return 0
		sleep 0.1
	done
	return 1
}
claim "readers that leave leave nothing behind" leave
many() {
	for i in 1 2 3 4 5 6 7 8; do
		curl -s -o "answer.$i" -w '%{http_code}\n' -H "Authorization: Bearer $token" "$base/api/v1/functions" &
	done >codes
	wait_for=20
	while [ "$(wc -l <codes)" -lt 8 ] && [ $wait_for -gt 0 ]; do
		sleep 0.5
		wait_for=$((wait_for - 1))
	done
	cat codes
	[ "$(grep -c 200 codes)" = 8 ]
}
claim "eight that ask at once are all answered" many
# Idle connections of strangers: a hundred stay open, as far as the server lets them.
idle() {
	perl -MIO::Socket::INET -e '
		my ($host) = $ARGV[0] =~ m,//(.*),;
		my @idle = map { IO::Socket::INET->new($host) or die } 1 .. 100;
		open(my $ready, ">", "idle.ready"); close $ready;
		sleep 60;' "$base" &
	idlers=$!
	for _ in $(seq 100); do
		[ ! -e idle.ready ] || break
		sleep 0.1
	done
}
owner_is_answered() {
	idle
	answered=0
	for _ in 1 2 3 4 5; do
		status=$(curl -s -m 3 -o body -w '%{http_code}' -H "Authorization: Bearer $token" "$base/")
		[ "$status" != 200 ] || answered=$((answered + 1))
	done
	echo "$answered of 5 were answered"
	[ $answered = 5 ]
}
strangers_are_gone() {
	for _ in $(seq 30); do
		[ "$(ls "/proc/$web/task" | wc -l)" -gt 4 ] || return 0
		sleep 0.5
	done
	ls "/proc/$web/task"
	return 1
}
claim "the owner is answered beside a hundred idle connections" owner_is_answered
claim "... and are closed by themselves" strangers_are_gone
kill "$idlers"

kill "$web"
wait "$web"
claim "SIGTERM ends it in order" [ $? = 0 ]

echo abcdefghijklmnopqrstuvwxyz >token
chmod 644 token
claim "a token that others may read" sh -c "! '$dusk' web --token-file token st 2>said && grep -q 'other users may read the token in token: chmod o= token' said"
chmod 600 token
web_start_server --token-file token
claim "with a token of a file the address has none" sh -c "! grep -q token address"
token=abcdefghijklmnopqrstuvwxyz
claim "... and it is asked for" get 200 /api/v1/labels
web_stop_server
web_start_server --user-header X-Remote-User
claim "behind a proxy its header is asked for" anonymous 401 /
claim "... which says who asks" anonymous 200 / -H 'X-Remote-User: ann'
claim "... a page that made its own name point here may not say so" anonymous 421 / -H 'X-Remote-User: eve' -H 'Host: evil.example'
web_stop_server
web_start_server --user-header X-Remote-User --host profiles.example,dusk.example
claim "... with a name that was allowed" anonymous 200 / -H 'X-Remote-User: ann' -H 'Host: dusk.example'
claim "... and no other" anonymous 421 / -H 'X-Remote-User: eve' -H 'Host: evil.example'
web_stop_server
# What an agent says of itself, at a socket.
"$(dirname "$dusk")/dusk-web" "$dusk" "$tmp/st" "$tmp/socket" "" metrics >metrics.said 2>&1 &
metrics=$!
at_socket() { # at_socket STATUS PATH [CURL OPTION...]
	wanted=$1
	path=$2
	shift 2
	for _ in $(seq 100); do
		[ ! -S socket ] || break
		sleep 0.05
	done
	status=$(curl -s -o body -w '%{http_code}' --unix-socket socket "$@" "http://localhost$path")
	cat metrics.said
	head -n 3 body
	[ "$status" = "$wanted" ]
}
claim "at a socket metrics are answered without a token" at_socket 200 /metrics
claim "... those of the store" grep -qx 'dusk_store_profiles 2' body
claim "... and how it is" at_socket 503 /healthz
claim "... but nothing of what was recorded" at_socket 404 /api/v1/functions
claim "... nor the page" at_socket 404 /
claim "... and for no other name" at_socket 421 /metrics -H 'Host: evil.example'
kill -9 "$metrics"
wait "$metrics" 2>/dev/null
claim "what a killed one has left is there" [ -S socket ]
"$(dirname "$dusk")/dusk-web" "$dusk" "$tmp/st" "$tmp/socket" "" metrics >metrics.said 2>&1 &
metrics=$!
sleep 1
claim "... and replaced" at_socket 200 /metrics
claim "... but not while one answers" sh -c "! '$(dirname "$dusk")/dusk-web' '$dusk' '$tmp/st' '$tmp/socket' '' metrics 2>said && grep -q 'Address already in use' said"
kill "$metrics"
wait "$metrics"
claim "SIGTERM removes it" [ ! -e socket ]
echo precious >socket
claim "a file in its place stays" sh -c "! '$(dirname "$dusk")/dusk-web' '$dusk' '$tmp/st' '$tmp/socket' '' metrics 2>said && grep -qx precious socket"
web_start_server --open
claim "without any question" anonymous 200 /
claim "... an address must be asked for all the same" anonymous 421 / -H 'Host: evil.example'
web_stop_server
done_testing
