#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is what was taken stored or named as lost, and nothing twice, whatever goes wrong between stores and a server? And are faults seen?
# usage: test_faults.sh DUSK MAKE_PROFILE
#
# Real servers, and profiles whose samples are known; kills of sender and server are in test_clickhouse.sh.
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")")
. "$here/clickhouse_server.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS PAGER DUSK_CLICKHOUSE_PASSWORD

for command in clickhouse-server curl python3 sqlite3; do
	needs "$command" "faults lose nothing unnamed" || { done_testing; exit; }
done
server=
proxy=
trap 'kill -9 $server $proxy 2>/dev/null; rm -rf "$tmp"' EXIT
configure
claim "the server starts" serve
# at FOLDER SECOND [HOST [BOOT [WINDOW]]]: twenty samples, which were counted, in windows of a second; from that second of 2026-11-24T02:00:00Z on
at() {
	mkdir -p "$1"
	began=$(($(date -ud 2026-11-24T02:00:00Z +%s) + $2))
	file=$1/$(date -ud "@$began" +%Y%m%dT%H%M%SZ).dusk
	"$make_profile" one.dusk ${off_cpu:+0 off} || exit 1
	sqlite3 one.dusk "insert or replace into setting values('boot_id','${4:-boot}'),('hostname','${3:-web-1}'),
		('start_monotonic_ns','${2}000000000'),('start_realtime_ns','${began}000000000')"
	"$dusk" merge -q --window "${5:-1s}" -o "$file" one.dusk
	sqlite3 "$file" "delete from counter where name like 'lost-%'; insert or replace into counter values('samples',20,'samples taken'); insert into counted values(1,'samples'); insert into window_count(start,counted,value) values(0,1,20)"
}
# long FOLDER SECOND [BOOT]: a profile of twenty seconds, a sample in each
long() {
	at "$1" "$2" web-1 "${3:-boot}" 10ms
	sqlite3 "$file" "update window set start = start * 100; delete from window_count;
		insert into window_count(start,counted,value) select start,1,1 from window order by id"
}
asked_of() { # asked_of DATABASE SQL: with @ for the database
	asked "$(echo "$2" | sed "s/@/$1/g")"
}
# holds DATABASE N [HOST]: of that host N samples were taken, and are stored, all of them
holds() {
	"$dusk" store check "$(url "$1")" >checked || { cat checked; return 1; }
	cat checked
	tr -s ' ' <checked | grep -qx "${3:-web-1} samples $2 $2 0 0"
}
send() { # send FOLDER DATABASE
	"$dusk" store send "$1" "$(url "$2")"
}
new() { # new DATABASE: which has nothing
	"$dusk" store init "$(url "$1")"
}

for i in 0 30 60 90; do at st $i; done
new true
claim "a store is sent" send st true
claim "... and what was taken is stored" holds true 80
claim "... so it does in the folder" sh -c "'$dusk' store check st | tr -s ' ' | grep -c ' samples 20 20 0 0' | grep -qx 4"

# A position that is lost: nothing is known here of what was sent.
forgot() { # forgot DATABASE N [FOLDER]
	rm -f "${3:-st}"/.sent-*
	send "${3:-st}" "$1" && holds "$1" "$2"
}
claim "a store whose position is lost is not sent twice" forgot true 80
damaged() {
	for file in st/.sent-*; do echo "profile ../x" >"$file"; done
	exits 0 "$dusk" store send st "$(url true)" && says "is damaged: there it is asked what has arrived" && holds true 80
}
claim "... nor one whose position is damaged" damaged
# first FILE N: the file as it was when it had so many windows
first() {
	sqlite3 "$1" "delete from window where id > $2; delete from window_count where id > $2"
}
new grown
grown() {
	long all 0
	mkdir grown
	for nr in 5 6 13 20; do
		cp "$file" grown/
		first "grown/${file#*/}" $nr
		forgot grown $nr grown || return 1
	done
	forgot grown 20 grown
}
claim "... nor one of which more was sent each time" grown
forgot_killed() {
	new amnesia
	for i in $(seq 30); do
		rm -f st/.sent-*
		timeout -s KILL "0.$(printf %03d $((i * 7 % 97 + 3)))" "$dusk" store send st "$(url amnesia)"
	done >/dev/null 2>&1
	forgot amnesia 80
}
claim "... nor one whose sender was killed, and then its position lost" forgot_killed
mkdir compacted
"$dusk" merge -q --window 1m -o compacted/20261124T020000Z.dusk st/*.dusk
claim "... nor one whose profiles were merged since" forgot true 80 compacted
new other
claim "... which goes to a server that has nothing of it" forgot other 80 compacted
claim "... once" forgot other 80 compacted

# What goes wrong in a server is seen.
like() { # like DATABASE CONDITION: what the database true has, but of the samples only those
	new "$1"
	for table in counts stacks frames hosts; do asked_of "$1" "INSERT INTO @.$table SELECT * FROM true.$table"; done
	asked_of "$1" "INSERT INTO @.samples SELECT * FROM true.samples WHERE $2"
}
like dropped "NOT (ts = (SELECT max(ts) FROM true.samples) AND ustack = (SELECT max(ustack) FROM true.samples WHERE ts = (SELECT max(ts) FROM true.samples)))"
claim "a row that is gone is seen" exits 1 "$dusk" store check "$(url dropped)"
claim "... and called so" says "some is neither stored nor named as lost"
claim "... in its minute" sh -c "'$dusk' store check -v '$(url dropped)' | awk 'NR > 1 && \$NF > 0 { n++ } END { exit n != 1 }'"
# Off CPU: what of a batch is stored is compared with what its sender has sent.
off_cpu=1 at waits 0
new waits
send waits waits >/dev/null
claim "off-CPU intervals are stored" [ "$(asked_of waits "SELECT sum(n) FROM @.samples WHERE kind != 'on-cpu'")" -gt 40 ]
claim "... all of them" "$dusk" store check "$(url waits)"
copied() { # copied DATABASE: what waits has but for samples; some of its intervals represent others
	new "$1"
	asked_of "$1" "INSERT INTO @.counts SELECT * FROM waits.counts"
	asked_of "$1" "INSERT INTO @.counts (ts, host, name, value, batch) SELECT ts, host, name, value, toUInt64(5) FROM
		(SELECT ts, host, arrayJoin(['offcpu-intervals', 'offcpu-sampled-out']) AS name, toUInt64(1000) AS value FROM waits.counts LIMIT 1)"
}
copied halved
asked_of halved "INSERT INTO @.samples SELECT * FROM waits.samples WHERE kind = 'on-cpu' OR n > 1"
claim "some that are gone are seen, also where some represent others" exits 1 "$dusk" store check "$(url halved)"
claim "... and called so" says "some is neither stored nor named as lost"
copied doubled
for more in 0 1; do
	asked_of doubled "INSERT INTO @.samples (ts, host, service, version, unit, container, pod, namespace, pid, comm, kind, outcome, ustack, kstack, n, value, runnable, batch)
		SELECT ts, host, service, version, unit, container, pod, namespace, toUInt32(pid + $more), comm, kind, outcome, ustack, kstack, n, value, runnable, batch
		FROM waits.samples WHERE $more = 0 OR kind != 'on-cpu'"
done
claim "... and what is there twice" exits 1 "$dusk" store check "$(url doubled)"
claim "... and called so" says "something was sent twice"
# Two windows that begin in one second.
at short 0 web-1 boot 500ms
sqlite3 "$file" "delete from window_count; insert into window_count(start,counted,value) values(0,1,12),(500000,1,8)"
new short
send short short >/dev/null
claim "windows of half a second are counted each" holds short 20
claim "... in their second" [ "$(asked_of short "SELECT count(), sum(value) FROM @.counts WHERE name = 'samples'" | tr '\t' ' ')" = "1 20" ]
gone_in_folder() {
	cp -r st gone
	sqlite3 gone/20261124T020030Z.dusk "update window_count set value = 21; update counter set value = 21 where name = 'samples'"
	exits 1 "$dusk" store check gone && says "1 of 4 profiles: what was taken is neither stored nor named as lost"
}
claim "in the folder a row that is gone is seen, too" gone_in_folder

# Machines and agents that look alike.
alike() { # alike DATABASE N FOLDER...: all of them are sent, and there
	new "$1"
	database=$1 wanted=$2
	shift 2
	for folder; do send "$folder" "$database" || return 1; done
	holds "$database" "$wanted" || return 1
	for table in samples counts; do asked_of "$database" "OPTIMIZE TABLE @.$table FINAL"; done
	holds "$database" "$wanted"
}
at one 0 web-1 boot-a
at two 0 web-1 boot-b
claim "of two machines of one name, which began at once, nothing is taken for the other's" alike alike 40 one two
long machine-1 0 boot-a
long machine-2 7 boot-b
long machine-1 20 boot-a
claim "two machines of one name are two" alike machines 60 machine-1 machine-2
claim "... which is said" sh -c "'$dusk' store check '$(url machines)' 2>&1 | grep -x 'dusk: web-1 is the name of two machines, or its clock was set back: what it has is of both. Give each a name of its own'"
long agent-1 0
long agent-2 7
long agent-1 20
claim "two agents of one machine are two" alike agents 60 agent-1 agent-2
claim "... which is said" sh -c "'$dusk' store check '$(url agents)' 2>&1 | grep -x 'dusk: web-1 has two agents, or its clock was set back: what it has was recorded twice. End one of them'"
claim "what one agent has recorded is that of one" alike usual 40 agent-1
claim "... of which nothing is said" sh -c "! '$dusk' store check '$(url usual)' 2>&1 | grep dusk:"

# A clock that was set back by an hour: the agent calls what it records then after the newest profile (unit test agent_store).
at back 3600
at later 1800 web-1 boot
new back
send back back >/dev/null
cp later/20261124T023000Z.dusk back/20261124T030000Z_002.dusk
claim "what was recorded after the clock was set back is sent" send back back
claim "... all of it" holds back 40
claim "... and found by its time in the folder" sh -c "'$dusk' report -i back@2026-11-24T02:30..2026-11-24T02:31 | grep -q '^# samples:   20;'"
claim "... and on the server" sh -c "'$dusk' report -i '$(url back)@2026-11-24T02:30..2026-11-24T02:31' | grep -q '^# samples:   20;'"

# A server that is down for an hour, and a network that drops or delays half of what is sent.
new down
send st down >/dev/null
kill -9 $server
wait $server 2>/dev/null
for i in $(seq 120 60 3720); do at st "$i"; done
nr=$((20 * $(ls st/*.dusk | wc -l)))
claim "while the server is down nothing is sent" exits 1 "$dusk" store send st "$(url down)"
claim "... which is said" says "cannot reach the server"
serve
claim "after an hour all of it is" send st down
claim "... once" holds down "$nr"
through() { # through FOLDER DATABASE HOW...: send through a proxy, again and again until all is sent
	folder=$1 database=$2
	shift 2
	rm -f "$folder"/.sent-* port
	new "$database"
	python3 "$here/dropping_proxy.py" "$http_port" "$@" >port &
	proxy=$!
	until [ -s port ]; do sleep 0.1; done
	for i in $(seq 3000); do
		"$dusk" store send "$folder" "clickhouse://dusk:secret@127.0.0.1:$(head -n 1 port)/$database" >/dev/null 2>&1 && break
	done
	kill $proxy
	wait $proxy # what is held back arrives
	echo "$i times, late: $(tail -n 1 port)"
	[ "$i" -gt 3 ] && { [ "$1" = drop ] || [ "$(tail -n 1 port)" -gt 0 ]; } && holds "$database" $((20 * $(ls "$folder"/*.dusk | wc -l)))
}
claim "a network that drops half of the answers loses and doubles nothing" through st lossy drop
# A post arrives though the sender has given it up, and after it was sent again. Merges would hide what is there twice.
asked "SYSTEM STOP MERGES"
for i in $(seq 0 30 210); do at late "$i"; done
export DUSK_CLICKHOUSE_TIMEOUT=0.5
claim "one that delays half of them, longer than a sender waits, loses and doubles nothing" through late slow delay 0.5
for DUSK_CLICKHOUSE_TIMEOUT in 0 1s 1e9; do
	claim "a timeout of $DUSK_CLICKHOUSE_TIMEOUT is a mistake" sh -c "! '$dusk' store send st '$(url slow)' 2>said && grep -q 'DUSK_CLICKHOUSE_TIMEOUT is a number of seconds' said"
done
unset DUSK_CLICKHOUSE_TIMEOUT
asked "SYSTEM START MERGES"

# A server whose disk is full. A part of it may be there then, or all of it.
other=$server other_port=$http_port
configure small
if mount -t tmpfs -o size=100M none "$tmp/small/data" 2>/dev/null; then
	claim "a server with a small disk starts" serve small
	new full
	send one full >/dev/null
	head -c 100M /dev/zero >small/data/filler 2>/dev/null
	claim "while its disk is full it takes nothing" exits 1 "$dusk" store send st "$(url full)"
	claim "... which is said" says "space"
	rm small/data/filler
	claim "when there is space again it gets all" send st full
	claim "... once" holds full $((nr + 20))
	kill -9 $server
	wait $server 2>/dev/null
	umount -l "$tmp/small/data"
else
	claims=$((claims + 1))
	echo "ok $claims - a server whose disk is full loses and doubles nothing # SKIP no file system can be mounted"
fi
server=$other http_port=$other_port

# A server that takes connections and never answers. A sender waits for it for 300 s, for a receiver of OTLP for 60.
cat >silent.py <<END
import socket
s = socket.create_server(("127.0.0.1", 0), backlog=100)
print(s.getsockname()[1], flush=True)
kept = []
while True:
    kept.append(s.accept())
    print("came", flush=True)
END
ends_by() { # ends_by SIGNAL SCHEME COMMAND...: the sender ends by it while it waits
	signal=$1 scheme=$2
	shift 2
	rm -f silent one/.sent-*
	python3 silent.py >silent &
	proxy=$!
	until_true [ -s silent ]
	env --default-signal=INT "$@" "$scheme://127.0.0.1:$(head -n 1 silent)" &
	sender=$!
	until_true grep -q came silent
	kill -"$signal" $sender
	timeout 30 tail --pid=$sender -f /dev/null
	ended=$?
	kill -9 $sender $proxy 2>/dev/null
	wait $proxy 2>/dev/null
	return $ended
}
for signal in INT TERM; do
	claim "a sender that waits for a silent server ends by SIG$signal" ends_by $signal clickhouse "$dusk" store send one
	claim "... and one that follows" ends_by $signal clickhouse "$dusk" store send --follow one
	claim "... and to a silent receiver" ends_by $signal otlp "$dusk" store send one
done

# Another dusk.
new older
asked_of older "ALTER TABLE @.samples DROP COLUMN runnable"
claim "tables that lack a column are a failure" exits 1 send one older
claim "... which names it" says "runnable"
claim "... and nothing is half there" [ "$(asked_of older "SELECT count() FROM @.samples")" = 0 ]
new newer
asked_of newer "ALTER TABLE @.samples ADD COLUMN colour String"
rm -f one/.sent-*
claim "tables that have one more are none" send one newer
claim "... all is there" holds newer 20
at mixed 0
at mixed 30
sqlite3 mixed/20261124T020000Z.dusk "pragma user_version = 99"
new mixed
claim "a profile of a newer dusk is left out" send mixed mixed
claim "... and counted as lost, by its host" [ "$(asked_of mixed "SELECT host, sum(value) FROM @.counts WHERE name = 'lost-profiles' GROUP BY host")" = "web-1	1" ]
claim "... and the others are there" holds mixed 20
done_testing
