#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are many servers read as one, and is no more asked of them than a view needs? usage: test_clickhouse_cluster.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")")
. "$here/clickhouse_server.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
fetch=$(dirname "$dusk")/dusk-clickhouse
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC TMPDIR="$tmp"
unset DEBUGINFOD_URLS PAGER DUSK_CLICKHOUSE_PASSWORD

for command in clickhouse-server curl python3 sqlite3 jq; do
	needs "$command" "many servers are read as one" || { done_testing; exit; }
done
first=
second=
zoo=
trap 'kill -9 $first $second $zoo 2>/dev/null; rm -rf "$tmp"' EXIT

# Two shards; each knows the other.
ports="$(free_port) $(free_port)"
shard() { # shard PORT
	echo "<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>$1</port><user>dusk</user><password>secret</password></replica></shard>"
}
cluster="<remote_servers><both>$(for port in $ports; do shard "$port"; done)</both></remote_servers>"
tcp_port_wanted=${ports% *}
configure one "$cluster"
one_port=$http_port
tcp_port_wanted=${ports#* }
configure two "$cluster"
two_port=$http_port
start() {
	serve one && first=$server && serve two && second=$server
}
start_first() {
	serve one && first=$server
}
claim "two servers start" start
one() { # one DATABASE
	echo "clickhouse://dusk:secret@127.0.0.1:$one_port/$1"
}
two() {
	echo "clickhouse://dusk:secret@127.0.0.1:$two_port/$1"
}
failed() {
	wanted=$1
	shift
	exits 1 "$dusk" "$@" && says "$wanted"
}
# at FOLDER SECOND HOST: a profile of twenty samples, each 10 ms, that began at that second of 2026-11-24T02:00:00Z
at() {
	file=$1/$(date -ud "@$(($(date -ud 2026-11-24T02:00:00Z +%s) + $2))" +%Y%m%dT%H%M%SZ).dusk
	"$make_profile" one.dusk || exit 1
	sqlite3 one.dusk "insert or replace into setting values('boot_id','boot'),('hostname','$3'),
		('start_realtime_ns',$(($(date -ud 2026-11-24T02:00:00Z +%s) + $2))||'000000000')"
	"$dusk" merge -q --window 1s -o "$file" one.dusk
}
day=2026-11-24..2026-11-25
folded() {
	"$dusk" export -f folded "$@" | sort
}

mkdir st1 st2 st3
for i in 0 30 60; do at st1 $i web-1; done
for i in 0 30; do at st2 $i web-2; done
at st3 0 db-1
claim "a cluster that no server knows is refused" failed "knows no cluster other" store init --cluster other "$(one f)" "$(two f)"
claim "... and one of which a server is not named" failed "the cluster both has 2 servers, and 1 are named here" store init --cluster both "$(one f)"
claim "... and several servers that are none" failed "several servers are a cluster" store init "$(one f)" "$(two f)"
claim "... and then there is no table on any" [ -z "$(asked "SELECT name FROM system.databases WHERE name = 'f'" "$one_port")" ]
claim "a cluster has tables" exits 0 "$dusk" store init --cluster both "$(one f)" "$(two f)"
claim "... also when they are there already" exits 0 "$dusk" store init --cluster both "$(one f)" "$(two f)"
claim "a host is sent to one shard" exits 0 "$dusk" store send st1 "$(one f)"
claim "... and another to the other" exits 0 "$dusk" store send st2 "$(two f)"
claim "... and a third" exits 0 "$dusk" store send st3 "$(two f)"
claim "each shard has its own" [ "$(asked 'SELECT sum(n) FROM f.samples' "$one_port") $(asked 'SELECT sum(n) FROM f.samples' "$two_port")" = "60 60" ]
reads_all() { # from either
	for from in one two; do
		folded -i "$($from f)@$day" >"$from.folded"
	done
	for i in 1 2 3; do "$dusk" export -f folded -i st$i; done | awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort >all.folded
	[ -s all.folded ] && diff all.folded one.folded && diff all.folded two.folded
}
claim "from either all of them are read" reads_all
claim "... with their hosts" sh -c "'$dusk' report -i '$(two f)@$day' --sort host --json --no-children | jq -es 'map(.host | select(.)) == [\"web-1\",\"web-2\",\"db-1\"]'"
claim "the status is of all" sh -c "'$dusk' store status '$(one f)' | tr -s ' ' | grep -qE '^samples 42 '"
claim "... and the check" sh -c "'$dusk' store check '$(two f)' | grep -c samples | grep -qx 3"

# What a view does not need a server does not send.
same() { # same [OPTION...]: with all, and with what is needed, the same comes out
	words=
	"$fetch" fetch "$(one f)" "$(date -ud 2026-11-24 +%s)" "$(date -ud 2026-11-25 +%s)" all.dusk || return 1
	"$dusk" export -f folded -i all.dusk "$@" | sort >expected
	rm all.dusk
	folded -i "$(one f)@$day" "$@" >got
	[ -s expected ] && diff expected got
}
claim "a host is chosen" same --host web-2
claim "... by a pattern, with labels" same --host 'web-*' --by host,service
claim "... and one that a server cannot ask for" same --host 'web-[12]'
claim "a service is chosen" same --service xz
claim "... two of them" same --service 'xz,my app'
claim "... and a name of threads" same --comm xz
claim "... and a unit that none has" exits 4 "$dusk" report -i "$(one f)@$day" --unit none.service
claim "... which is said" says "matches: dusk"
claim "... all of them, by a star" same --service '*'
claim "... by functions" same --host web-1 --focus match
claim "of what is left out the sum is said" sh -c "'$dusk' report -i '$(one f)@$day' --host web-1 | grep -q '^# samples:   120, 60 of them selected; 86.67 %'"
claim "two hosts are compared" sh -c "'$dusk' diff '$(one f)@$day' '$(two f)@$day' --before host=web-1 --host web-2 | grep -c ': [46]0 samples' | grep -qx 2"
claim "what is asked for is little" sh -c "'$fetch' fetch '$(one f)' $(date -ud 2026-11-24 +%s) $(date -ud 2026-11-25 +%s) little.dusk host=web-2 by=comm && [ \"\$('$dusk' export -f jsonl -i little.dusk | tee jsonl | grep -c '\"sample\"')\" -lt 10 ]"
bounded() { # with three rows at most: the same sums, by process, and in the other stacks what has no row
	rm -f few.dusk
	"$fetch" fetch "$(one f)" "$(date -ud 2026-11-24 +%s)" "$(date -ud 2026-11-25 +%s)" few.dusk by=comm rows=3 2>said || return 1
	"$dusk" export -f folded -i few.dusk | tee few | sed 's/;.* / /' | sort >few.sums
	sed 's/;.* / /' all.folded | sort >all.sums
	cat few
	for f in few all; do awk '{ sum[$1] += $2 } END { for (s in sum) print s, sum[s] }' $f.sums | sort >$f.by; done
	diff all.by few.by && [ "$(grep -c 'other stacks' few)" -gt 0 ] && [ "$(grep -vc 'other stacks' few)" -le 3 ]
}
others() { # the time of the other stacks, of which each sample has 10 ms, in seconds
	awk '/other stacks/ { n += $NF } END { printf "%.1f", n / 100 }' few
}
claim "of more than may come the lightest come without stacks, and none is lost" bounded
claim "... which is said" grep -q "there are more than 3 different stacks, hosts and times: the lightest, $(others) s, are \[other stacks\]" said
claim "a word that is none is refused" exits 1 "$fetch" fetch "$(one f)" 1 2 x.dusk "by=host,ts"
claim "... and a PID that is none" exits 1 "$fetch" fetch "$(one f)" 1 2 x.dusk "pid=1 OR 1"
claim "text is text, whatever it says" exits 0 "$fetch" fetch "$(one f)" "$(date -ud 2026-11-24 +%s)" "$(date -ud 2026-11-25 +%s)" x.dusk "host=x\\' OR '%_*"
killed() { # a fetch that is killed leaves nothing
	for i in 1 2 3 4 5; do
		timeout -s KILL 0.0$i "$dusk" report -i "$(one f)@$day" >/dev/null 2>&1
	done
	sleep 1
	[ -z "$(ls -d dusk-fleet-* 2>/dev/null)" ]
}
claim "a reader that is killed leaves no file" killed

# A cluster of an older dusk: sums are read when all servers have them.
asked "DROP TABLE f.sums_filled" "$one_port"
asked "DROP TABLE f.sums_filled" "$two_port"
"$dusk" report -i "$(one f)@$day" --host web-1 >without
for port in $one_port $two_port; do for table in sums_of_samples sums_all sums; do asked "DROP TABLE f.$table" $port; done; done
claim "a cluster without sums is read" sh -c "'$dusk' report -i '$(one f)@$day' --host web-1 | diff without -"
claim "... and gets them" exits 0 "$dusk" store init --cluster both "$(one f)" "$(two f)"
claim "... of all shards" [ "$(asked 'SELECT sum(n) FROM f.sums_all' "$one_port") $(asked 'SELECT sum(n) FROM f.sums' "$two_port")" = "120 60" ]
claim "... which are the same" sh -c "'$dusk' report -i '$(two f)@$day' --host web-1 | diff without -"

# How much stays.
claim "a day that another shard still has is named" failed "another shard still has 2026-11-24: name each server of the cluster" store drop-before 2026-11-25 "$(one f)"
claim "days are removed from all that are named" exits 0 "$dusk" store drop-before 2026-11-25 "$(one f)" "$(two f)"
claim "... and are gone" [ "$(asked 'SELECT count() FROM f.samples_all' "$one_port") $(asked 'SELECT count() FROM f.sums_all' "$one_port")" = "0 0" ]
claim "an old server does not remove days by itself" failed "is too old to remove days by itself" store init --keep 30 "$(one g)"
kill -9 $second
wait $second 2>/dev/null
second=
claim "without a shard nothing is shown as if it were all" failed "says 500" report -i "$(one f)@$day"
kill -9 $first
wait $first 2>/dev/null
first=

# Replicas of one shard, which ZooKeeper holds together. It has to be there first: this server fails if it comes later.
reason=
command -v java >/dev/null && [ -e /usr/share/java/zookeeper.jar ] || reason="zookeeper is not installed"
if [ "$reason" ]; then
	claims=$((claims + 1))
	echo "ok $claims - replicas have the same # SKIP $reason"
	done_testing
	exit
fi
zoo_port=$(free_port)
mkdir zoo
printf '%s\n' tickTime=500 "dataDir=$tmp/zoo/data" "clientPort=$zoo_port" clientPortAddress=127.0.0.1 admin.enableServer=false \
	4lw.commands.whitelist=ruok >zoo/zoo.cfg
java -Xmx256m -cp '/usr/share/java/*' org.apache.zookeeper.server.ZooKeeperServerMain zoo/zoo.cfg >zoo/said 2>&1 &
zoo=$!
zoo_is_well() {
	for i in $(seq 300); do
		[ "$(python3 -c "
import socket
s = socket.create_connection(('127.0.0.1', $zoo_port), 5)
s.send(b'ruok')
print(s.recv(4).decode())" 2>/dev/null)" = imok ] && return
		kill -0 $zoo || break
		sleep 0.1
	done
	cat zoo/said
	return 1
}
claim "ZooKeeper starts" zoo_is_well
ports="$(free_port) $(free_port)"
pair="<remote_servers><pair><shard><internal_replication>true</internal_replication>
	$(for port in $ports; do echo "<replica><host>127.0.0.1</host><port>$port</port><user>dusk</user><password>secret</password></replica>"; done)
	</shard></pair></remote_servers><zookeeper><node index=\"1\"><host>127.0.0.1</host><port>$zoo_port</port></node><session_timeout_ms>2000</session_timeout_ms></zookeeper>"
tcp_port_wanted=${ports% *}
configure one "$pair<macros><shard>1</shard><replica>one</replica></macros>"
one_port=$http_port
tcp_port_wanted=${ports#* }
configure two "$pair<macros><shard>1</shard><replica>two</replica></macros>"
two_port=$http_port
rm -rf one/data/* two/data/*
claim "two replicas start" start
claim "a cluster with replicas says so" failed "the shards of the cluster pair have replicas: --replicated makes tables for them" store init --cluster pair "$(one r)" "$(two r)"
claim "it has tables" exits 0 "$dusk" store init --cluster pair --replicated "$(one r)" "$(two r)"
samples() { # samples: as both replicas have them
	for port in $one_port $two_port; do
		for table in samples sums counts stacks frames hosts; do asked "SYSTEM SYNC REPLICA r.$table" $port; done
		asked "SELECT (SELECT sum(n) FROM r.samples) AS nr, if((SELECT sum(n) FROM r.sums) = nr, '', 'other sums')" $port | tr -d '\t'
	done | tr '\n' ' '
}
rm -f st?/.sent*
claim "a host is sent to one replica" exits 0 "$dusk" store send st1 "$(one r)"
claim "... and both have it" [ "$(samples)" = "60 60 " ]
rm -f st1/.sent*
claim "what is sent again to the other, as nobody knows that it was" exits 0 "$dusk" store send st1 "$(two r)"
claim "... is there once: replicas know a block" [ "$(samples)" = "60 60 " ]
kill -9 $first
wait $first 2>/dev/null
claim "while a replica is away the other takes what comes" exits 0 "$dusk" store send st2 "$(two r)"
claim "... and is read" sh -c "'$dusk' report -i '$(two r)@$day' | grep -q '^# samples:   100;'"
claim "the replica comes back" start_first
claim "... and has it all" [ "$(samples)" = "100 100 " ]
claim "days are removed from both" exits 0 "$dusk" store drop-before 2026-11-25 "$(one r)" "$(two r)"
claim "... and are gone" [ "$(samples)" = "0 0 " ]
done_testing
