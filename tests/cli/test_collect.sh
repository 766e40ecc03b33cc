#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does what many agents send through a collector arrive once, whatever is killed? usage: test_collect.sh DUSK MAKE_PROFILE
#
# Collector, servers and senders are killed $KILLS times each (5).
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")")
. "$here/clickhouse_server.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
kills=${KILLS:-5}
top=$tmp
cd "$top" || exit 1
export LC_ALL=C HOME="$top" TZ=UTC
unset DEBUGINFOD_URLS PAGER DUSK_CLICKHOUSE_PASSWORD DUSK_COLLECT_PASSWORD

for command in clickhouse-server curl python3 sqlite3 jq; do
	needs "$command" "a collector takes what agents send" || { done_testing; exit; }
done
if [ ! -x "$(dirname "$dusk")/dusk-collect" ]; then
	claim "without a collector that is said" sh -c "! '$dusk' collect clickhouse://127.0.0.1 2>said && grep -q 'libmicrohttpd' said"
	done_testing
	exit
fi
pids=
collector=
trap 'kill -9 $server_1 $server_2 $collector $pids 2>/dev/null; umount -l "$top/spool.disk" 2>/dev/null; rm -rf "$top"' EXIT

# ---- Two servers, which are two shards, each with its folder ----

# on N COMMAND...: with the variables of server N
on() {
	tmp=$top/shard$1
	eval "http_port=\${port_$1:-} server=\${server_$1:-}"
	mkdir -p "$tmp"
	cd "$tmp" || exit 1
	on_n=$1
	shift
	"$@"
	on_status=$?
	eval "port_$on_n=$http_port server_$on_n=$server"
	cd "$top" || exit 1
	tmp=$top
	return $on_status
}
start_servers() {
	for n in 1 2; do
		on $n configure
		# Its own blocks are small.
		sed -i 's,<profiles><default>,&<max_insert_block_size>50</max_insert_block_size><min_insert_block_size_rows>0</min_insert_block_size_rows><min_insert_block_size_bytes>0</min_insert_block_size_bytes>,' "shard$n/server/users.xml"
		on $n serve || return 1
	done
}
shard() { # shard N DATABASE
	eval "echo clickhouse://dusk:secret@127.0.0.1:\$port_$1/$2"
}
kill_server() { # kill_server N: and start it again
	eval "kill -9 \$server_$1; wait \$server_$1" 2>/dev/null
	on "$1" serve
}

# ---- A collector ----

# collect DATABASE [OPTION...]: start it over both servers; it is at $address
collect() {
	database=$1
	shift
	rm -f address
	"$dusk" collect --listen "127.0.0.1:${collector_port:-0}" --spool "spool.$database" --wait 300ms "$@" \
		"$(shard 1 "$database")" "$(shard 2 "$database")" >address 2>>collector.said &
	collector=$!
	for _ in $(seq 200); do
		[ ! -s address ] || break
		kill -0 $collector 2>/dev/null || break
		sleep 0.05
	done
	address=$(cat address)
	collector_port=$(sed 's,.*:\([0-9]*\)/.*,\1,' address)
	[ "$address" ] || { cat collector.said; return 1; }
}
end_collector() { # end_collector [SIGNAL]
	[ -z "$collector" ] || { kill -"${1:-TERM}" $collector && wait $collector; } 2>/dev/null
	collector=
}
metric() { # metric NAME: its value; of several lines, their sum
	curl -s "http://127.0.0.1:$collector_port/metrics" | awk -v name="$1" '$1 == name || index($1, name "{") == 1 { sum += $2 } END { printf "%d\n", sum }'
}
drained() { # everything is with the shards
	for _ in $(seq 1200); do
		[ "$(metric dusk_collect_spool_posts)" = 0 ] && return
		sleep 0.1
	done
	echo "the spool still has $(metric dusk_collect_spool_posts) posts after two minutes"
	tail -5 collector.said
	return 1
}
tables() { # tables DATABASE: on both servers, for a collector of its own
	end_collector
	collector_port=
	"$dusk" store init "$(shard 1 "$1")" && "$dusk" store init "$(shard 2 "$1")"
}

# ---- Stores of several hosts ----

day=2026-11-24..2026-11-25
start=$(date -ud 2026-11-24T02:00:00Z +%s)
# at FOLDER HOST SECOND: a profile of twenty samples, each 10 ms, that began at that second
at() {
	file=$1/$(date -ud "@$((start + $3))" +%Y%m%dT%H%M%SZ).dusk
	"$make_profile" one.dusk || exit 1
	sqlite3 one.dusk "insert or replace into setting values('boot_id','$2'),('hostname','$2'),
		('start_realtime_ns','$((start + $3))000000000')"
	"$dusk" merge -q --window 1s -o "$file" one.dusk
	sqlite3 "$file" "insert or replace into counter values('samples', 20, 'samples taken'); insert into counted(name) values('samples');
		insert into window_count(start, counted, value) select 0, id, 20 from counted where name = 'samples'"
}
hosts="web-1 web-2 web-3 db-1 db-2"
nr_profiles=8
for host in $hosts; do
	mkdir "$host"
	at "$host" "$host" 0
done
for host in $hosts; do
	for i in $(seq 1 $((nr_profiles - 1))); do
		at "$host" "$host" $((i * 30))
	done
done
nr_samples=$((5 * nr_profiles * 20))
anew() { # anew DATABASE: nothing was sent
	rm -f ./*/.sent-*
	tables "$1"
}
send_all() { # send_all URL: each host's sender, at once
	senders=
	for sending in $hosts; do
		"$dusk" store send "$sending" "$1" >/dev/null 2>&1 &
		senders="$senders $!"
	done
	sent=0
	for sender in $senders; do
		wait "$sender" || sent=1
	done 2>/dev/null
	return $sent
}
send_until_done() { # however often it takes
	for _ in $(seq 300); do
		send_all "$1" && return
		sleep 0.1
	done
	return 1
}
asked_both() { # asked_both SQL: the numbers that the servers answer, together
	echo $(($(on 1 asked "$1") + $(on 2 asked "$1")))
}
folded() {
	"$dusk" export -f folded "$@" | sed 's/ \([0-9]*\)$/\t\1/'
}
# all_there DATABASE: the servers together have each sample of each host once, with its stack
all_there() {
	drained || return 1
	[ "$(asked_both "SELECT sum(n) FROM $1.samples")" = "$nr_samples" ] || {
		echo "$(asked_both "SELECT sum(n) FROM $1.samples") samples, not $nr_samples"
		return 1
	}
	[ "$(asked_both "SELECT count() FROM $1.samples")" = "$(asked_both "SELECT uniqExact(ts, host, pid, comm, ustack, kstack, kind, batch) FROM $1.samples")" ] || return 1
	for host in $hosts; do folded -i "$host"; done | awk -F '\t' '{ n[$1] += $2 } END { for (s in n) print s, n[s] }' | sort >wanted
	for n in 1 2; do
		[ "$(on $n asked "SELECT count() FROM $1.samples")" = 0 ] || folded -i "$(shard $n "$1")@$day"
	done | awk -F '\t' '{ n[$1] += $2 } END { for (s in n) print s, n[s] }' | sort >there
	[ -s wanted ] && diff wanted there && balanced "$1"
}
balanced() { # balanced DATABASE: what was taken is stored
	for n in 1 2; do
		[ "$(on $n asked "SELECT count() FROM $1.samples")" = 0 ] || "$dusk" store check "$(shard $n "$1")" || return 1
	done >checked
	cat checked
	[ "$(awk '$2 == "samples" { taken += $3; missing += $6 } END { print taken, missing }' checked)" = "$nr_samples 0" ]
}

claim "two servers start" start_servers
anew usual
claim "a collector starts" collect usual
claim "... and says that it is well" sh -c "curl -sf http://127.0.0.1:$collector_port/healthz | grep -qx ok"
claim "senders send to it as to a server" send_all "$address"
claim "... each row once" all_there usual
claim "... those of a host to one shard" [ "$(asked_both "SELECT uniqExact(host) FROM usual.samples")" = 5 ]
claim "... and to each shard some" sh -c "[ '$(on 1 asked "SELECT count() > 0 FROM usual.samples")$(on 2 asked "SELECT count() > 0 FROM usual.samples")' = 11 ]"
claim "... the names to each" [ "$(on 1 asked "SELECT count() FROM usual.frames")" = "$(on 2 asked "SELECT count() FROM usual.frames")" ]

rm -f ./*/.sent-*
claim "senders that do not know any more what they have sent" send_until_done "$address"
claim "... send nothing twice" all_there usual
anew forgot
end_collector
collect forgot --wait 5s
forgot() { # a part is with the shards, a part on its way
	send_all "$address" || return 1
	rm -f ./*/.sent-*
	send_all "$address" && return 1
	send_until_done "$address" && all_there forgot
}
claim "... nor what is on its way" forgot
end_collector
collect usual

# What a collector does not take.
posted() { # posted FILE STATEMENT [OPTION...]: the status of a post
	file=$1
	statement=$(echo "$2" | jq -sRr @uri)
	shift 2
	curl -s -o said -w '%{http_code}\n' --data-binary "@$file" "$@" "http://127.0.0.1:$collector_port/?query=${statement%\%0A}"
}
says_status() { # says_status STATUS TEXT FILE STATEMENT [OPTION...]
	wanted_status=$1
	wanted_text=$2
	shift 2
	got=$(posted "$@")
	echo "$got: $(cat said)"
	[ "$got" = "$wanted_status" ] && case $(cat said) in *"$wanted_text"*) ;; *) false ;; esac
}
counts="INSERT INTO usual.counts(ts,host,name,value,batch) FORMAT RowBinary"
gzip="Content-Encoding: gzip"
row() { # row HOST DAY BATCH: of counts
	python3 -c 'import struct, sys; h, d, b = sys.argv[1:]; sys.stdout.buffer.write(struct.pack("<IB", int(d) * 86400, len(h)) +
		h.encode() + b"\7samples" + struct.pack("<QQ", 1, int(b)))' "$@"
}
row a 1 7 | gzip >good
(row a 1 7; printf x) | gzip >longer
(row a 1 7; row a 1 8) | gzip >batches
(row a 1 7; row a 2 7) | gzip >days
(row a 1 7 | gzip; row a 1 7 | gzip) >streams
row a 1 7 >plain
claim "a post of one row is taken" says_status 200 "" good "$counts" -H "$gzip"
claim "... and once" sh -c "[ '$(posted good "$counts" -H "$gzip")' = 200 ]"
claim "half a row is refused" says_status 400 "the rows are not what the table has" longer "$counts" -H "$gzip"
claim "... and rows of two batches" says_status 400 "the rows are not" batches "$counts" -H "$gzip"
claim "... and of two days" says_status 400 "the rows are not" days "$counts" -H "$gzip"
claim "... and more than one stream" says_status 400 "the rows are not" streams "$counts" -H "$gzip"
claim "... and what is not packed" says_status 415 "packed by gzip" plain "$counts"
claim "... and other columns" says_status 400 "a collector takes what agents of its own version send" good "INSERT INTO usual.counts(ts,host) FORMAT RowBinary" -H "$gzip"
claim "... and another database" says_status 400 "to its database" good "INSERT INTO other.counts(ts,host,name,value,batch) FORMAT RowBinary" -H "$gzip"
claim "... and questions, which shards answer" says_status 400 "ask one of its shards" /dev/null "SELECT count() FROM usual.samples"
claim "each is counted" sh -c "[ '$(metric dusk_collect_refused_total)' = 8 ]"
newer="INSERT INTO usual.counts(ts,host,colour,name,value,batch) FORMAT RowBinary"
coloured() { # as row, with a column that nobody here knows
	python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<I", 86400) + b"\1a" + b"\4blue" + b"\7samples" + struct.pack("<QQ", 1, 17))'
}
coloured | gzip >coloured
claim "a column of a newer agent is left out" says_status 200 "" coloured "$newer" -H "$gzip" -H "X-Dusk-Types: 4lt[8[8"
claim "... unless its type is not known" says_status 400 "the types of their columns" coloured "$newer" -H "$gzip"
# Another address holds what it can: posts of 31 MiB that do not come to an end, as many as fit, and then smaller ones.
hold() {
	python3 -c '
import socket, sys, time, urllib.parse
held = []
def begin(n):
	s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), source_address=("127.0.0.2", 0))
	s.sendall(f"POST /?query={urllib.parse.quote(sys.argv[2])} HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 33554432\r\n\r\n".encode())
	s.sendall(bytes(n))
	held.append(s)
for size in 31 << 20, 31 << 20, 31 << 20, 31 << 20, 1 << 20, 1 << 16:
	for _ in range(1 if size > 1 << 20 else 32):
		begin(size)
time.sleep(0.5)
open("held", "w").close()
time.sleep(60)' "$collector_port" "$counts" &
	holder=$!
	for _ in $(seq 200); do
		[ ! -e held ] || return 0
		sleep 0.1
	done
	return 1
}
row b 1 9 | gzip >beside
python3 -c 'import os, sys; sys.stdout.buffer.write(os.urandom(31 << 20))' >large
claim "an address that holds all the posts that it may" hold
claim "... was refused some of them" [ "$(metric 'dusk_collect_refused_total{why="memory"}')" -gt 0 ]
claim "... leaves room for others" says_status 200 "" beside "$counts" -H "$gzip"
claim "... for a post of any size, which is read" says_status 400 "the rows are not" large "$counts" -H "$gzip"
kill $holder
claim "what was taken arrives" drained
claim "... the rest of a newer row, too" [ "$(asked_both "SELECT count() FROM usual.counts WHERE batch = 17 AND host = 'a' AND name = 'samples' AND value = 1")" = 1 ]
claim "... once" [ "$(asked_both "SELECT count() FROM usual.counts WHERE batch = 7")" = 1 ]
claim "a second collector with the same spool is a failure" sh -c "! '$dusk' collect --listen 127.0.0.1:0 --spool spool.usual '$(shard 1 usual)' 2>said && grep -q 'another collector has the spool' said"
end_collector
claim "everybody's address is a mistake without a password" exits 2 "$dusk" collect --listen 0.0.0.0:0 --spool spool.usual "$(shard 1 usual)"
claim "... which says how to have one" says 'put a password into $DUSK_COLLECT_PASSWORD'
export DUSK_COLLECT_PASSWORD=letmein
claim "a collector with a password starts" collect usual
unset DUSK_COLLECT_PASSWORD
claim "... and refuses others" says_status 401 "the collector has another password" good "$counts" -H "$gzip"
claim "... half of it, too" says_status 401 "another password" good "$counts" -H "$gzip" -H "X-ClickHouse-Key: letme"
claim "... and takes what has it" says_status 200 "" good "$counts" -H "$gzip" -H "X-ClickHouse-Key: letmein"
end_collector
long_password=$(printf %400s | tr ' ' p)
export DUSK_COLLECT_PASSWORD="$long_password"
claim "a collector with a long password starts" collect usual
unset DUSK_COLLECT_PASSWORD
claim "... which a sender says whole" env DUSK_CLICKHOUSE_PASSWORD="$long_password" "$dusk" store send web-1 "clickhouse://dusk@${address#clickhouse://}"
end_collector

# A batch that is refused, as its samples stand for a hundred years each, does not hold up the others.
tables refused
anew refused
cp -r web-1 strange
odd=$(ls strange/*.dusk | sed -n 3p)
"$make_profile" one.dusk
sqlite3 one.dusk "insert or replace into setting values('hostname','web-1'),('boot_id','web-1'),
	('start_realtime_ns','$((start + 60))000000000'),('period_ns','3153600000000000000')"
mv one.dusk "$odd"
collect refused
claim "what a collector refuses for good is set aside" sh -c "'$dusk' store send strange '$address' 2>said"
claim "... which is said" says "rows of samples stay in the store only: the server at http://127.0.0.1"
claim "... and counted" sh -c "'$dusk' store status strange | grep refused -A 1 | awk '{ print; n = \$4 } END { exit !(n > 0) }'"
claim "... and the others arrive" drained
claim "... all of them" [ "$(asked_both "SELECT sum(n) FROM refused.samples WHERE kind = 'on-cpu'")" = $(((nr_profiles - 1) * 20)) ]
claim "... and it is in the counts of the server" [ "$(asked_both "SELECT sum(value) FROM refused.counts WHERE name = 'refused-samples'")" -gt 0 ]
end_collector

# Many agents: few INSERTs.
agents() { # agents URL DATABASE AGENTS BATCHES ROWS [INTERVAL_S]
	base=http://dusk:secret@127.0.0.1:$(echo "$1" | sed 's,.*:\([0-9]*\)/.*,\1,')
	shift
	python3 "$here/agents.py" "$here/../../src/fleet/clickhouse/rows.h" "$base" "$@"
}
event() { # event NAME: how often it was with both servers
	asked_both "SELECT sum(value) FROM system.events WHERE event = '$1'"
}
tables many
blocks=$(event MergeTreeDataWriterBlocks)
inserts=$(event InsertQuery)
claim "a collector for many starts" collect many --wait 2s
claim "a hundred agents send to it" agents "$address" many 100 5 100
claim "... all of it arrives" drained
claim "... each row" [ "$(asked_both "SELECT sum(n) FROM many.samples")" = 50000 ]
claim "... in few INSERTs" sh -c "[ $(metric 'dusk_collect_inserts_total{table="samples"}') -le 10 ]"
# A block of samples is one of sums, too.
claim "... each of one block, of which a server stores all or nothing" [ "$(($(event MergeTreeDataWriterBlocks) - blocks))" = \
	"$(($(event InsertQuery) - inserts + $(metric 'dusk_collect_inserts_total{table="samples"}')))" ]
claim "... few transactions" sh -c "[ $(metric dusk_collect_commits_total) -lt 600 ]"
claim "... names of all once for each shard, or nearly" [ "$(asked_both "SELECT uniqExact(frame) FROM many.frames")" = 200 ]

# Whatever is killed, while something is being sent: when all was, the next kill meets senders and shards that have nothing.
# kill_often NAME KILL: KILL DATABASE N kills something while all send, $kills times in all; it succeeds if all was sent nevertheless
kill_often() {
	kill=0 nr=0
	while [ "$kill" -lt "$kills" ]; do
		nr=$((nr + 1))
		anew "$1$nr" && collect "$1$nr" || return 1
		while [ "$kill" -lt "$kills" ]; do
			kill=$((kill + 1))
			"$2" "$1$nr" "$kill" && break
		done 2>/dev/null
		send_until_done "$address" && all_there "$1$nr" || return 1
		for n in 1 2; do on $n asked "DROP DATABASE $1$nr"; done
	done
	echo "$kill kills, $nr times all was sent" >>kills
}
kill_collector() {
	send_all "$address" &
	sending_pid=$!
	sleep "0.$(printf %03d $(($2 * 137 % 700)))"
	end_collector KILL
	collect "$1"
	wait $sending_pid
}
claim "a collector that is killed loses and doubles nothing" kill_often killed kill_collector
kill_shard() {
	send_all "$address" &
	sending_pid=$!
	sleep "0.$(printf %03d $(($2 * 171 % 700)))"
	kill_server $(($2 % 2 + 1))
	wait $sending_pid
}
claim "servers that are killed behind it have each row once" kill_often crashed kill_shard
kill_senders() {
	senders=
	for sending in $hosts; do
		timeout -s KILL "0.$(printf %03d $(($2 * 37 % 397 + 3)))" "$dusk" store send "$sending" "$address" >/dev/null 2>&1 &
		senders="$senders $!"
	done
	all=0
	for sender in $senders; do
		wait "$sender" || all=1
	done
	return $all
}
claim "senders that are killed before it send each row once" kill_often cut kill_senders
sed 's/^/# /' kills

# A network that drops or delays half of what is sent, on both sides.
proxy() { # proxy PORT HOW...: of that kind; $proxy_port: its own
	to=$1
	shift
	python3 "$here/dropping_proxy.py" "$to" "$@" >"port.$to" &
	proxy=$!
	pids="$pids $proxy"
	until [ -s "port.$to" ]; do sleep 0.1; done
	proxy_port=$(cat "port.$to")
}
# through DATABASE BEHIND BEFORE: with proxies of that kind, "drop" or "delay SECONDS", behind the collector and before it; "": none
through() {
	database=$1 proxies=
	anew "$database"
	real_1=$port_1 real_2=$port_2
	if [ "$2" ]; then
		proxy "$real_1" $2 && port_1=$proxy_port proxies=$proxy
		proxy "$real_2" $2 && port_2=$proxy_port proxies="$proxies $proxy"
	fi
	collect "$database"
	port_1=$real_1 port_2=$real_2
	proxy_port=$collector_port proxy=
	[ -z "$3" ] || proxy "$collector_port" $3
	for i in $(seq 1000); do
		send_all "clickhouse://127.0.0.1:$proxy_port/$database" && break
	done
	[ -z "$proxy" ] || { kill $proxy && wait $proxy; }
	drained || return 1
	[ -z "$proxies" ] || { kill $proxies && wait $proxies; }
	echo "$i times; $(metric dusk_collect_failures_total) failures, $(metric dusk_collect_found_total) had arrived, $(metric dusk_collect_sent_again_total) had not, $(metric dusk_collect_again_total) posts came again"
	[ -z "$2" ] || [ "$(metric dusk_collect_failures_total)" -gt 2 ] || return 1
	[ -z "$3" ] || [ "$i" -gt 2 ] || return 1
	all_there "$database"
}
claim "a network that drops half of the answers on both sides loses and doubles nothing" through dropped drop drop
# One that delays half of the posts of two profiles each, longer than they are waited for. Merges would hide what is there twice.
all=$nr_samples nr_samples=$((5 * 2 * 20))
for host in $hosts; do
	mkdir "$host/later" && mv $(ls "$host"/2*.dusk | tail -n +3) "$host/later"
done
for n in 1 2; do on $n asked "SYSTEM STOP MERGES"; done
export DUSK_CLICKHOUSE_TIMEOUT=1
late() { # late FILE...: what came after it was sent again
	tail -qn 1 "$@" | awk '{ n += $1 } END { print n, "late"; exit !n }'
}
claim "one that delays half of the posts before the collector does so, too" through before "" "delay 1"
claim "... some until after they were sent again" late "port.$collector_port"
unset DUSK_CLICKHOUSE_TIMEOUT
for n in 1 2; do on $n asked "SYSTEM START MERGES"; done
for host in $hosts; do
	mv "$host/later"/* "$host" && rmdir "$host/later"
done
nr_samples=$all

# An outage, and its end.
anew outage
sent_before() { # who has sent before, and knows it, needs not ask all shards what has arrived
	for host in $hosts; do
		mkdir "$host/later" && mv $(ls "$host"/2*.dusk | tail -n +2) "$host/later"
	done
	collect outage && send_until_done "$address" && drained || return 1
	end_collector
	rm -r spool.outage
	for host in $hosts; do
		sed -i 's/^asks 1/asks 0/' "$host"/.sent-* && mv "$host"/later/* "$host" && rmdir "$host/later"
	done
}
claim "senders send something before an outage" sent_before
outage() {
	real_1=$port_1
	port_1=1
	collect outage
	port_1=$real_1
	send_until_done "$address" || return 1
	[ "$(metric dusk_collect_spool_posts)" -gt 0 ] || return 1
	until_true sh -c "curl -s http://127.0.0.1:$collector_port/healthz | grep -q 'cannot reach the server'"
}
claim "what is for a server that is not there waits, which is said" outage
end_collector
claim "a shard that is given up is a failure while posts wait for it" sh -c "! timeout 5 '$dusk' collect --listen 127.0.0.1:0 --spool spool.outage '$(shard 2 outage)' 2>said && grep -q 'posts for the shard http://127.0.0.1:1/ outage' said"
sqlite3 spool.outage/spool.db "update shard set place = 'http://127.0.0.1:$port_1/ outage' where place like '%:1/%'"
claim "... and arrives when it is there" collect outage
claim "... each row once" all_there outage
end_collector

# Two would not know each other's batches.
anew one
collect one
claim "an address is that of one collector" sh -c "! timeout 5 '$dusk' collect --listen '127.0.0.1:$collector_port' --spool spool.two '$(shard 1 one)' 2>said && grep -q 'ddress already in use' said"
end_collector

# Disks: one that is too small, and one that others fill.
if ! unshare -m true 2>/dev/null; then
	claims=$((claims + 1))
	echo "ok $claims - a disk that others fill loses nothing # SKIP no file system can be mounted"
	done_testing
	exit
fi
mkdir small spool.disk
small_disk() {
	unshare -m sh -c "mount -t tmpfs -o size=10M none small && ! '$dusk' collect --listen 127.0.0.1:0 --spool small/s '$(shard 1 disk)' 2>said" &&
		grep -q "cannot open the spool small/s/spool.db: No space left on device" said
}
claim "a spool takes its space on the disk at once" small_disk
anew disk
full_disk() {
	mount -t tmpfs -o size=66M none spool.disk || return 1
	collect disk
	head -c 100M /dev/zero >spool.disk/filler 2>/dev/null
	for _ in 1 2 3; do send_all "$address"; done
	echo "$(metric 'dusk_collect_refused_total{why="spool-disk"}') refused, $(metric dusk_collect_posts_total) taken"
	[ "$(metric 'dusk_collect_refused_total{why="spool-disk"}')" -gt 0 ] || return 1
	rm spool.disk/filler
	send_until_done "$address" && all_there disk
}
claim "a disk that others fill refuses posts, and loses nothing" full_disk
end_collector
umount spool.disk
done_testing
