#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a server get what is in stores, each row once, and do all commands read it? usage: test_clickhouse.sh DUSK MAKE_PROFILE
#
# Senders, the server, and the sender of an agent are killed $KILLS times each (12; of the agent, 2).
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")")
. "$here/clickhouse_server.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
kills=${KILLS:-12}
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS PAGER DUSK_CLICKHOUSE_PASSWORD

for command in clickhouse-server curl python3 sqlite3; do
	needs "$command" "a server gets what is in stores" || { done_testing; exit; }
done
server=
proxy=
trap 'kill -9 $server $proxy 2>/dev/null; rm -rf "$tmp"' EXIT
configure
claim "the server starts" serve
failed() {
	wanted=$1
	shift
	exits 1 "$dusk" "$@" && says "$wanted"
}
found_nothing() {
	exits 4 "$dusk" "$@" && says "there is nothing of that time"
}
# at FOLDER SECOND [N]: a profile of twenty samples, each 10 ms, that began at that second of 2026-11-24T02:00:00Z
at() {
	file=$1/$(date -ud "@$(($(date -ud 2026-11-24T02:00:00Z +%s) + $2))" +%Y%m%dT%H%M%SZ).dusk
	"$make_profile" one.dusk || exit 1
	sqlite3 one.dusk "insert or replace into setting values('boot_id','boot'),('hostname','web-1'),
		('start_realtime_ns',$(($(date -ud 2026-11-24T02:00:00Z +%s) + $2))||'000000000')"
	"$dusk" merge -q --window 1s -o "$file" one.dusk
}
# A server has one name for what is the same to it: for an address of the kernel, at which each recorder loads other BPF programs; and for the
# same build under several names, with which code is called that has none. So both are left out.
folded() {
	"$dusk" export -f folded "$@" | sed 's/bpf_prog_[0-9a-f]*_[A-Za-z0-9_.]*/bpf_prog/g; s/[^; ]*+0x[0-9a-f]*/?/g; s/ \([0-9]*\)$/\t\1/' |
		awk -F '\t' '{ n[$1] += $2 } END { for (stack in n) printf "%s %.0f\n", stack, n[stack] }' | sort
}
same_stacks() { # same_stacks STORE URL [OPTION...]
	one=$1
	other=$2
	shift 2
	folded -i "$one" "$@" >one
	folded -i "$other" "$@" >two
	diff one two && [ -s one ]
}
samples() { # samples DATABASE: as the server has them
	asked "SELECT sum(n) FROM $1.samples WHERE kind = 'on-cpu'"
}
day=2026-11-24..2026-11-25
# The sums are those of the samples, each once.
summed() { # summed DATABASE
	for table in samples sums; do
		asked "SELECT kind, service, toStartOfMinute(ts) AS m, sum(n), sum(value), sum(runnable) FROM $1.$table FINAL GROUP BY kind, service, m ORDER BY kind, service, m" >$table.sums
	done
	[ -s samples.sums ] && diff samples.sums sums.sums
}

mkdir st
for i in $(seq 0 30 270); do at st "$i"; done
claim "nothing is sent to a server without tables" failed "there is no store of dusk at http://127.0.0.1:$http_port/ one: dusk store init makes one" store send st "$(url one)"
claim "the tables are made" exits 0 "$dusk" store init "$(url one)"
claim "... and stay when they are there" exits 0 "$dusk" store init "$(url one)"
claim "a store is sent" exits 0 "$dusk" store send st "$(url one)"
claim "... all its samples" [ "$(samples one)" = 200 ]
claim "... and nothing when it is sent again" sh -c "'$dusk' store send st '$(url one)' | grep -qx '0 rows'"
claim "... which changes nothing" [ "$(samples one)" = 200 ]
claim "the server's store has the stacks of the folder" same_stacks st "$(url one)@$day"
claim "a part of the time is read" sh -c "'$dusk' report -i '$(url one)@2026-11-24T02:01..2026-11-24T02:02' | grep -q '^# samples:   40;'"
claim "... as a diff" exits 0 "$dusk" diff "$(url one)@2026-11-24T02:00..2026-11-24T02:01" "$(url one)@2026-11-24T02:01..2026-11-24T02:02"
claim "... with labels" sh -c "[ \"\$('$dusk' report -i st --sort service,comm --json | jq -cS 'select(.service) | [.service, .comm, .self]' | sort)\" = \"\$('$dusk' report -i '$(url one)@$day' --sort service,comm --json | jq -cS 'select(.service) | [.service, .comm, .self]' | sort)\" ]"
claim "... and its host" sh -c "'$dusk' info -i '$(url one)@$day' | grep -q 'hostname = web-1'"
claim "... as a label" sh -c "'$dusk' report -i '$(url one)@$day' --host 'web-*' --sort host --json --no-children | jq -es 'map(.host | select(.)) == [\"web-1\"]'"
claim "a time with nothing says so" found_nothing report -i "$(url one)@2020-01-01..2020-01-02"

claim "the server has the sums of all samples" summed one
# A store of an older dusk.
"$dusk" store init "$(url old)"
for table in sums_filled sums_of_samples sums; do asked "DROP TABLE old.$table"; done
mkdir old
cp st/*.dusk old/
"$dusk" store send old "$(url old)" >/dev/null
asked "INSERT INTO old.samples SELECT * FROM old.samples"
reports() { # reports URL
	"$dusk" report -i "$1" --sort service,comm --json
	"$dusk" report -i "$1" --sort service --json
	"$dusk" report -i "$1" --service xz
}
reports "$(url one)@$day" >reports.one
claim "a store without sums is read" sh -c "'$dusk' report -i '$(url old)@$day' --service xz | grep -q '^# samples:   400, [1-9]'"
asked "OPTIMIZE TABLE old.samples FINAL"
reports "$(url old)@$day" >reports.old
claim "... with the same figures" diff reports.one reports.old
asked "INSERT INTO old.samples SELECT * FROM old.samples"
claim "it gets sums" exits 0 "$dusk" store init "$(url old)"
claim "... of each sample once" summed old
claim "... and again" exits 0 "$dusk" store init "$(url old)"
claim "... which changes nothing" [ "$(asked "SELECT sum(n) FROM old.sums")" = "$(asked "SELECT sum(n) FROM one.sums")" ]
asked "OPTIMIZE TABLE old.samples FINAL"
reports "$(url old)@$day" >reports.old
claim "... which the views show" diff reports.one reports.old
claim "... as a server is asked for them" sh -c "'$dusk' report -i '$(url old)@$day' --service xz | grep -q '^# samples:   200, [1-9]'"

claim "a wrong password is a failure" failed "says 401" report -i "clickhouse://dusk:wrong@127.0.0.1:$http_port/one@$day"
claim "... and one from the environment is taken" env DUSK_CLICKHOUSE_PASSWORD=secret "$dusk" report -i "clickhouse://dusk@127.0.0.1:$http_port/one@$day"
claim "a server that is not there is a failure" failed "cannot reach the server" report -i "clickhouse://127.0.0.1:1/one@$day"
claim "what is no server is a failure" failed "is not a server" store send st http://127.0.0.1/
claim "... and a database whose name is none" failed "a store is clickhouse://" store init "clickhouse://127.0.0.1:$http_port/a;b"

# What any host may send: the views of the others stay.
"$dusk" store init "$(url evil)"
for table in counts stacks frames hosts samples; do asked "INSERT INTO evil.$table SELECT * FROM one.$table"; done
report() { # report OPTION...: without what dusk says
	"$dusk" report -i "$(url evil)@$day" "$@" 2>said
}
report --sort host,comm --json --no-children --host web-1 >before.evil
[ -s before.evil ] || echo "the report is empty"
evils=0
evil() { # evil COLUMN VALUE: a row that is like one of web-1 but for that
	evils=$((evils + 1))
	asked "INSERT INTO evil.samples (ts, host, service, version, unit, container, pod, namespace, pid, comm, kind, outcome, ustack, kstack, n, value, runnable, batch)
		SELECT ts, host, service, version, unit, container, pod, namespace, pid, comm, kind, outcome, ustack, kstack, n, value, runnable, batch
		FROM (SELECT ts, $(if [ "$1" = host ]; then echo "$2"; else echo "'evil'"; fi) AS host, version, container, pod, namespace, pid, comm, ustack, kstack, runnable, toUInt64(666 + $evils) AS batch,
		$(for column in service unit kind outcome n value; do
			if [ "$column" = "$1" ]; then echo "$2 AS $column,"; else echo "$column,"; fi
		done) 1 FROM one.samples LIMIT 1)"
}
evil outcome "'of-a-newer-dusk'"
evil kind "'of-a-newer-dusk'"
evil n "toUInt64(0)"
evil value "toUInt64(18446744073709551615)"
evil value "toUInt64(9223372036854775808)"
evil unit "arrayStringConcat(arrayMap(x -> 'u', range(5000)))"
asked "INSERT INTO evil.frames (frame, rev, func, inl.func, inl.file, inl.line) SELECT frame, 0, '', inl, inl, arrayMap(x -> toUInt32(1), inl) FROM (SELECT frame, arrayMap(x -> 'f', range(100)) AS inl FROM one.frames)"
claim "rows that make no sense keep no view from answering" report --sort host,comm --json --no-children
claim "... and are said, by host" sh -c "grep -x 'dusk: [1-9] rows of evil make no sense, and are left out: is its dusk a newer one?' said"
claim "... also by function" report --no-children
claim "... all six" [ "$(sed -n 's/^dusk: \([0-9]*\) rows of evil make no.*/\1/p' said)" = 6 ]
report --sort host,comm --json --no-children --host web-1 >after.evil
claim "... and nothing of the others" diff before.evil after.evil
report --sort comm --json --no-children >with.evil
claim "... nor where hosts are not distinguished" sh -c "[ -s with.evil ] && [ \"\$(jq -s 'map(.self // 0) | add' with.evil)\" = \"\$(jq -s 'map(.self // 0) | add' before.evil)\" ]"
evil host "'e\\nv\\x1b[31mil'"
evil n "toUInt64(0)"
asked "DROP DATABASE evil"

# What comes later, and what is damaged.
at st 300
claim "what has come since is sent" exits 0 "$dusk" store send st "$(url one)"
claim "... and only that" [ "$(samples one)" = 220 ]
: >st/20261124T020530Z.dusk
at st 360
cp st/.sent-* before
claim "a profile that cannot be read is left out" exits 0 "$dusk" store send st "$(url one)"
claim "... which is said" says "20261124T020530Z.dusk was removed, or cannot be read, before all of it was sent"
claim "... and counted" [ "$(asked "SELECT sum(value) FROM one.counts WHERE name = 'lost-profiles'")" = 1 ]
claim "... and those behind it are sent" [ "$(samples one)" = 240 ]
# As after a kill before the position was written: it is not known what has arrived.
sed 's/^asks 0/asks 1/' before >"$(ls st/.sent-*)"
sleep 1
claim "one that may have been counted before is counted again" exits 0 "$dusk" store send st "$(url one)"
claim "... once" [ "$(asked "SELECT sum(value) FROM one.counts FINAL WHERE name = 'lost-profiles'")" = 1 ]
counted_once() { # though the server has not merged yet what came twice
	asked "INSERT INTO one.counts SELECT * FROM one.counts" >/dev/null
	[ "$("$dusk" info --json -i "$(url one)@$day" | jq '.counters["lost-profiles"].value')" = 1 ]
}
claim "... in what is read, too" counted_once
claim "... in the minute that it began" [ "$(asked "SELECT ts FROM one.counts FINAL WHERE name = 'lost-profiles'")" = "2026-11-24 02:05:30" ]
claim "... and the others are there once" [ "$(samples one)" = 240 ]
rm st/20261124T020530Z.dusk
# A server that was killed between samples and sums, by a sender that does not know what has arrived.
asked "TRUNCATE TABLE one.sums"
claim "sums that are missing are found" failed "of some samples there are no sums" store check "$(url one)"
sed -i 's/^done .*/done 0/; s/^from .*/from 0 0 0 0/' st/.sent-*
claim "what may have arrived is asked for" sh -c "'$dusk' store send st '$(url one)' | grep -qx '0 rows'"
claim "... and its sums are made" [ "$(asked "SELECT sum(n) FROM one.sums")" = "$(asked "SELECT sum(n) FROM one.samples WHERE ts >= toDateTime('2026-11-24 02:06:00')")" ]
claim "the others are made when tables are" exits 0 "$dusk" store init "$(url one)"
claim "... all of them" summed one
echo "profile ../x" >"$(ls st/.sent-*)"
claim "with a damaged position the server is asked" exits 0 "$dusk" store send st "$(url one)"
claim "... which is said" says "is damaged: there it is asked what has arrived"
claim "... and nothing is sent twice" [ "$(samples one)" = 240 ]

claim "something came of late" exits 0 "$dusk" store alive "$(url one)"
asked "ALTER TABLE one.hosts DELETE WHERE 1"
claim "nothing came of late" until_true sh -c "! '$dusk' store alive '$(url one)' 2>said && grep -q 'nothing came for three minutes' said"
# How much stays.
claim "the hosts and the tables are shown" exits 1 "$dusk" store status "$(url one)"
claim "... with what is there" sh -c "tr -s ' ' <said | grep -qE '^samples [0-9]+ [0-9]+$'"
claim "... and that nothing came of late" says "nothing came for three minutes"
"$dusk" store init "$(url days)"
mkdir days
for i in 0 86400 172800; do at days "$i"; done
"$dusk" store send days "$(url days)" >/dev/null
claim "days before a day are removed" exits 0 "$dusk" store drop-before 2026-11-25 "$(url days)"
claim "... which are shown" says "2026-11-24"
claim "... and no other" [ "$(samples days)" = 40 ]
claim "... and none twice" sh -c "[ -z \"\$('$dusk' store drop-before 2026-11-25 '$(url days)')\" ]"
claim "what is no day is a failure" failed "is not a day, such as" store drop-before "2026-11-25'; x" "$(url days)"

# Exactly once: whatever is killed, or lost on the way.
mkdir big
cp st/*.dusk big/
for i in $(seq 600 10 1200); do at big "$i"; done
nr=$(($(ls big/*.dusk | wc -l) * 20))
once() { # once DATABASE: the server has each sample of big once
	[ "$(samples "$1")" = "$nr" ] || { echo "$(samples "$1") samples, not $nr"; return 1; }
	same_stacks big "$(url "$1")@$day" && summed "$1"
}
copy() { # copy DATABASE: a new database, to which nothing of big was sent
	rm -f big/.sent-*
	"$dusk" store init "$(url "$1")"
}
# kill_often NAME KILL: KILL DATABASE N kills something while big is sent, $kills times in all; it succeeds if all was sent nevertheless
kill_often() {
	kill=0 databases=0
	while [ "$kill" -lt "$kills" ]; do
		databases=$((databases + 1))
		copy "$1$databases"
		while [ "$kill" -lt "$kills" ]; do
			kill=$((kill + 1))
			"$2" "$1$databases" "$kill" >/dev/null 2>&1 && break
		done
		"$dusk" store send big "$(url "$1$databases")" && once "$1$databases" || return 1
		asked "DROP DATABASE $1$databases"
	done
	echo "$kill kills, $databases times all was sent" >>kills
}
kill_sender() {
	timeout -s KILL "0.$(printf %03d $(($2 * 37 % 397 + 3)))" "$dusk" store send big "$(url "$1")"
}
claim "a sender that is killed sends each row once" kill_often killed kill_sender
kill_server() {
	"$dusk" store send big "$(url "$1")" &
	sender=$!
	sleep "0.$(printf %03d $(($2 * 171 % 700)))"
	kill -9 $server
	wait $server
	serve
	wait $sender
}
claim "a server that is killed has each row once" kill_often crashed kill_server
sed 's/^/# /' kills
through_proxy() { # of fewer profiles, as each question is asked several times
	ls big/*.dusk | tail -n +26 | xargs rm
	nr=$((25 * 20))
	copy dropped
	python3 "$here/dropping_proxy.py" "$http_port" >port &
	proxy=$!
	until [ -s port ]; do sleep 0.1; done
	for i in $(seq 5000); do
		"$dusk" store send big "clickhouse://dusk:secret@127.0.0.1:$(cat port)/dropped" >/dev/null 2>&1 && break
	done
	kill $proxy
	echo "$i times"
	[ "$i" -gt 5 ] && once dropped
}
claim "a network that drops half of the answers loses and doubles nothing" through_proxy

can_record "an agent sends what it records" || { done_testing; exit; }
"$dusk" store init "$(url live)"
sh -c 'while :; do :; done' &
busy=$!
"$dusk" agent --config /dev/null --store live -F 49 --window 1s --rotate 10s --to "$(url live)" >agent.said 2>&1 &
agent=$!
claim "an agent sends what it records" until_true sh -c "[ \"\$(curl -s 'http://dusk:secret@127.0.0.1:$http_port/' --data-binary 'SELECT sum(n) FROM live.samples')\" -gt 100 ]"
sender_killed() { # and the agent starts another one
	for kill in $(seq "${KILLS:-2}"); do
		until_true pgrep -P $agent dusk-clickhouse || return 1
		sleep "0.$(printf %03d $((kill * 137 % 1000)))"
		pkill -9 -P $agent dusk-clickhouse
		until_true sh -c "[ \$(grep -c 'sending to clickhouse has ended' agent.said) -ge $kill ]" || return 1
	done
}
claim "... also when its sender is killed, again and again" sender_killed
claim "... from more than one profile" until_true sh -c "[ \"\$(ls live/*Z.dusk | wc -l)\" -ge 2 ]"
claim "the server has heard of the host" until_true "$dusk" store status "$(url live)"
kill -TERM $agent
wait $agent
kill $busy
claim "the agent says what it does, and each sender that has ended, and no more" sh -c "sort agent.said | uniq -c; [ \"\$(sort -u agent.said)\" = 'dusk: recording into live
dusk: sending to clickhouse has ended, and begins anew in 10 s' ]"
# On a busy machine recorders leave names to views, which do not look up those of a store: here they do.
"$dusk" merge -q -o live.dusk live
"$dusk" merge -q -o served.dusk "$(url live)@-1h"
claim "... all of it, at its end" same_stacks live.dusk served.dusk
same_times() { # off CPU; the server's are rounded to microseconds
	for store in live served; do
		folded -i "$store.dusk" --off-cpu | sed 's/ [0-9]*$//' >"stacks.$store"
	done
	[ -s stacks.live ] && diff stacks.live stacks.served
}
claim "... off CPU too" same_times
claim "... as the check says" exits 0 "$dusk" store check "$(url live)"
all_there() {
	"$dusk" store check live
	"$dusk" store check "$(url live)" | tee /dev/stderr | awk '/samples/ { n++; if ($NF != 0) exit 1 } END { exit n != 1 }' 2>&1
}
claim "... nothing is missing" all_there
# The page is that of a folder.
if [ -e "$(dirname "$dusk")/dusk-web" ]; then
	"$dusk" web --listen 127.0.0.1:0 --open "$(url live)" >address 2>web.said &
	web=$!
	until_true grep -q http address
	answers() { # answers ADDRESS: with a page that has CPU time
		curl -sf --compressed "$(cat address)$1" | head -n 1 >answer
		jq -e ".profiles[0].samples > 0" answer
	}
	claim "the server of pages answers from it" answers "api/v1/flame?from=-1h"
	claim "... it is well, as something has come of late" sh -c "curl -sf \"\$(cat address)healthz\" | grep -q ok"
	claim "... and has counters of its own" sh -c "curl -sf \"\$(cat address)metrics\" | grep -q dusk_web_answers_total"
	kill $web
fi
asked "INSERT INTO live.samples SELECT ts, host, service, version, unit, container, pod, namespace, pid, comm, kind, outcome, ustack, kstack, n, value, runnable, batch + 1 FROM live.samples" >/dev/null
claim "what is there twice is found" failed "something was sent twice" store check "$(url live)"
done_testing
