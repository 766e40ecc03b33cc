#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the agent record without an end, whatever is killed? usage: test_agent.sh DUSK
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
service=$(realpath "$(dirname "$0")/../../service")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS NOTIFY_SOCKET PAGER

# What can be said without recording.
cat >agent.conf <<-END
	# a comment
	store = $tmp/st
	freq = 49
	window = 1s	; a comment behind it
	rotate = 3s
	keep-bytes = 2G
	quiet = no
END
claim "the file is checked" exits 0 "$dusk" agent --config agent.conf --check-config
claim "... and what it means is said" sh -c "grep -qx 'freq = 49' said && grep -qx 'window = 1s' said && grep -qx 'keep = 604800s' said"
claim "... for files of more than 4 GiB, too" sh -c "'$dusk' agent --keep-bytes 100G --check-config | grep -qx 'keep-bytes = 104857600K'"
claim "what it prints is such a file" sh -c "'$dusk' agent --config agent.conf --check-config >one && '$dusk' agent --config one --check-config | cmp one -"
claim "the command line goes before" sh -c "'$dusk' agent --config agent.conf -F 7 --check-config | grep -qx 'freq = 7'"
claim "... a limit before a budget, too" sh -c "echo 'budget = 3' >budget.conf; '$dusk' agent --config budget.conf --max-cpu 2 --check-config | grep -qx 'max-cpu = 2'"
claim "the file that comes with dusk has the defaults" sh -c "
	sed -n 's/^#\([a-z-]* = \)/\1/p' '$service/agent.conf' >uncommented
	'$dusk' agent --config uncommented --check-config >one && '$dusk' agent --config /dev/null --check-config | cmp one -"
wrong() {
	printf '%s\n' "$2" >wrong.conf
	exits 1 "$dusk" agent --config wrong.conf --check-config && says "$1"
}
claim "a name that is none" wrong "wrong.conf, line 1: unknown option '--frq'; did you mean --freq?" "frq = 3"
claim "a value out of range" wrong "line 2: --freq takes a number from 1 to 1000" "
freq = 1001"
claim "a flag takes yes or no" wrong "quiet takes yes or no" "quiet = 1"
claim "a line that is none" wrong "line 1: not a line such as" "freq 3"
claim "a section" wrong "line 2: [recorder]: this file has no sections" "[recorder]
freq = 3"
claim "a store that depends on where the agent starts" wrong "store takes a path that begins with /" "store = st"
claim "sizes that are no multiples of K are the same when they are read again" sh -c "
	'$dusk' agent --config /dev/null --max-memory 1 --compact-size 1 --check-config | grep -Ex '(max-memory|compact-size) = 1' | wc -l | grep -qx 2"
cannot() { # cannot STATUS TEXT LINE: what the file says could not be done
	printf '%s\n' "$3" >wrong.conf
	exits "$1" "$dusk" agent --config wrong.conf --check-config && says "$2"
}
claim "seven seconds where seven days are meant" cannot 2 "--keep of 7 s would remove each profile of 3600 s" "keep = 7"
claim "an event that is none" cannot 2 "-e takes cpu, offcpu" "event = cpu,nosuch"
claim "an address that is none" cannot 1 "--to takes an address such as clickhouse://HOST/dusk or otlp://HOST, not 'http://x'" "to = http://x"
if [ -x "$(dirname "$dusk")/dusk-clickhouse" ]; then
	claim "a database with a name that is none" cannot 1 "a store is clickhouse://" "to = clickhouse://x/db-name"
	claim "an address without a host" cannot 1 "otlp://" "to = otlp://"
	claim "addresses that are some" sh -c "echo 'to = clickhouse://a@x.example:1/db,otlp://x.example' >right.conf; '$dusk' agent --config right.conf --check-config | grep -qx 'to = clickhouse://a@x.example:1/db,otlp://x.example'"
fi
if [ -r /sys/kernel/tracing/events/sched ]; then
	claim "an event of tracefs that is not there" cannot 1 "there is no event sched:nosuch" "event = sched:nosuch"
	claim "... and one that is" sh -c "echo 'event = sched:sched_switch' >right.conf; '$dusk' agent --config right.conf --check-config | grep -qx 'event = sched:sched_switch'"
fi
claim "metrics for other machines" cannot 2 "--metrics takes an address of this machine" "metrics = 192.0.2.1:7418"
claim "... for this one" sh -c "echo 'metrics = /run/dusk/agent' >right.conf; '$dusk' agent --config right.conf --check-config | grep -qx 'metrics = /run/dusk/agent'"
claim "a line that is too long" wrong "wrong.conf, line 2: longer than 198 bytes" "
to = clickhouse://$(seq -s x 100)"
claim "a file in the file" wrong "config cannot be set in a file" "config = x"
claim "a file that is not there" exits 1 "$dusk" agent --config nowhere
claim "a size beyond all" exits 2 "$dusk" agent --keep-bytes 1125899906842624G
claim "a profile shorter than its window" exits 2 "$dusk" agent --config /dev/null --rotate 5s
claim "a store that cannot be made" exits 1 "$dusk" agent --config /dev/null --store nowhere/st
claim "... is named" says "cannot make the store nowhere/st: No such file"

claim "what cannot be recorded ends it" exits 2 timeout 60 "$dusk" agent --config /dev/null --store refused -e nonsense
claim "... with the recorder's reason" says "-e takes cpu, offcpu"

can_record "the agent records" || { done_testing; exit; }

profiles() {
	[ "$(ls st 2>/dev/null | grep -c 'Z\.dusk$')" -ge "$1" ]
}
begin() {
	: >agent.said # before it starts: what the one before it said is not to be read
	"$dusk" agent --config agent.conf "$@" 2>>agent.said &
	agent=$!
}
recorder() {
	pgrep -P $agent -f "record .*$tmp/st/" --oldest # its children may have begun in the same tick of the clock
}
nothing_runs() {
	! pgrep -f "record .*$tmp/st/"
}
# Ends of profiles and beginnings of the next are the same, but for a part of a second. (Two of the same second are ...Z.dusk and ...Z_002.dusk.)
without_gaps() {
	for f in st/*.dusk; do
		"$dusk" query -i "$f" --csv "select (select value from setting where key = 'start_realtime_ns') / 1000000,
			(select value from setting where key = 'duration_ns') / 1000000" | tail -n 1
	done >times
	cat times
	awk -F, 'NR > 1 && ($1 - end > 900 || end - $1 > 900) { exit 1 } { end = $1 + $2 }' times
}

sh -c 'while :; do :; done' &
busy=$!
begin --metrics "$tmp/metrics" --max-memory 0 --max-cpu 100 # a busy machine may reach limits, which is said
claim "profiles follow each other" until_true profiles 3
if [ -x "$(dirname "$dusk")/dusk-web" ] && command -v curl >/dev/null; then
	claim "the agent answers how it is" until_true sh -c "curl -sf --unix-socket '$tmp/metrics' http://localhost/healthz | grep -q ok"
	claim "... with what the recorder has counted" until_true sh -c "curl -sf --unix-socket '$tmp/metrics' http://localhost/metrics | tee said | grep -q '^dusk_recorder_count_total{name=\"samples\"} [1-9]'"
fi
claim "... without gaps" without_gaps
claim "the agent says what it does, and no more" sh -c "cat agent.said; [ \"\$(cat agent.said)\" = 'dusk: recording into $tmp/st' ]"
claim "the store is its owner's alone" [ "$(stat -c %a st)" = 700 ]
claim "there are sums in it, of both kinds" sh -c "'$dusk' query -i \"\$(ls st/*Z.dusk | head -n 1)\" --csv 'select count(*) from window' | tail -n 1 | grep -q '[1-9]'"
claim "a store that is being written is read, names and all" sh -c "'$dusk' report -i st | grep -q '\[kernel\]\|libc\|dash\|busybox'"
claim "what a recorder has counted so far is there while it records" until_true sh -c "'$dusk' query -i \"\$(ls -d st/*.dusk.recording | head -n 1)\" --csv \"select sum(value) from counts where name = 'samples'\" | grep -q '^[1-9]'"
group() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 3
}
has_own_group() { # what a terminal sends to the agent's does not reach the recorder twice, which would give up names
	pid=$(recorder) && [ "$(group "$pid")" = "$pid" ]
}
claim "a recorder is in a process group of its own" has_own_group
claim "a second agent is refused" exits 1 "$dusk" agent --config agent.conf
claim "... with what to do" says "another agent records into $tmp/st: give this one a store of its own"

nr=$(ls st | grep -c 'Z\.dusk$')
kill -9 "$(recorder)"
claim "a recorder that is killed while the next one is prepared is not replaced" until_true profiles $((nr + 3))
claim "... which is said" grep -q "was killed by signal 9" agent.said
claim "... and no other begins" sh -c "! grep 'next recorder' agent.said"
pid=$(recorder)
kill -STOP "$pid"
waits_for() { # waits_for PID: a signal SIGTERM waits for it
	[ $((0x$(sed -n 's/^ShdPnd:\s*//p' "/proc/$1/status") >> 14 & 1)) = 1 ]
}
claim "a recorder that is not done when the one after the next begins is asked to end" until_true waits_for "$pid"
: >agent.said
kill -CONT "$pid"
claim "... and does" until_true sh -c "! kill -0 $pid"
claim "... of which nothing is said" [ ! -s agent.said ]
hung_up() { # it is as it was before: a recorder goes on, or another one begins
	kill -HUP $agent && until_true recorder && kill -0 $agent && grep -q '^SigIgn:.*[13579bdf]$' /proc/$agent/status
}
claim "SIGHUP, by which services are asked to read their configuration anew, does not end it" hung_up
kill -TERM $agent
wait $agent
begin --rotate 1d --max-memory 0 # profiles end at multiples of it, and a recorder that is over could be meant below
running() { # it has begun, and takes samples
	recorder && "$dusk" query -i "$(ls -d st/*.dusk.recording | tail -n 1)" --csv "select sum(value) from counts where name = 'samples'" | grep -q '^[1-9]'
}
replaced() {
	until_true grep -q "next recorder begins in [12] s" agent.said && return
	cat agent.said
	return 1
}
for how in "-9 killed by signal 9" "-TERM ended"; do
	until_true running
	kill "${how%% *}" "$(recorder)"
	claim "a recorder is replaced that was ${how#* }" replaced
	claim "... which is said" grep -q "was ${how#* }" agent.said
	: >agent.said
	sleep 2
	claim "... and another records" until_true running
done
claim "nothing is replaced by a profile of the same name" sh -c "! ls st | grep -q 'Z\.dusk\.old'"

kill -9 $agent
wait $agent 2>/dev/null
claim "when the agent is killed its recorders end" until_true nothing_runs
claim "... in order: nothing is left of a recording" sh -c "! ls st | grep recording"
begin
nr=$(ls st | grep -c 'Z\.dusk$')
until_true profiles $((nr + 1)) >/dev/null
pids=$(pgrep -f "record .*$tmp/st/")
kill -9 $agent $pids
wait $agent 2>/dev/null
sleep 0.5
left=$(ls st | sed -n 's/\.recording$//p')
kept() { # one that was killed before it had begun leaves nothing
	for f in $left; do
		[ ! -e "st/$f.recording" ] && [ ! -e "st/$f" ] || grep -q "$f was not ended: it lacks its last window" agent.said || return
	done
}
begin
claim "when all are killed the next agent records" until_true grep -q "recording into" agent.said
claim "... makes profiles of what was left, and says what they lack" kept
claim "... of one at least" grep -q "was not ended" agent.said
kill -TERM $agent
wait $agent
claim "SIGTERM ends it, with status 0" [ $? = 0 ]
claim "... and its recorders" nothing_runs
claim "... and nothing is left of a recording" sh -c "! ls st | grep recording"
claim "all that was taken is stored, or named as lost" exits 0 "$dusk" store check st
claim "... in each minute" sh -c "'$dusk' store check -v st | grep -q '^  20.*Z *samples'"
claim "... and the window that the kill has cost is counted" sh -c "'$dusk' store check st | grep -q 'lost-windows: windows lost: the recorder was killed'"
claim "all of it is one profile" sh -c "'$dusk' info -i st | grep -q '^recording'"

# A recorder that takes too much memory makes way for the next one.
rm -rf st
begin --rotate 1d --max-memory 8M
claim "a recorder above the limit of memory makes way for the next one" until_true profiles 2
claim "... which is said" grep -q "the recorder of .* takes [1-9][0-9]* MiB: the next one begins" agent.said
claim "... without gaps" without_gaps
claim "... and counted" sh -c "'$dusk' query -i \"\$(ls st/*Z.dusk | head -n 1)\" --csv \"select sum(value) from counts where name = 'memory-limit'\" | tail -n 1 | grep -qx 1"
claim "... and the profile says why it ended" sh -c "'$dusk' info -i \"\$(ls st/*Z.dusk | head -n 1)\" | grep -q 'the limit of memory'"
claim "all its processes together are looked at" grep -q "all processes take [1-9][0-9]* MiB, more than --max-memory of 8 MiB" agent.said
claim "... which is said once a recorder" [ "$(grep -c "all processes take" agent.said)" -le "$(ls -d st/*Z.dusk st/*Z.dusk.recording | wc -l)" ]
kill -TERM $agent
wait $agent

# One that takes more CPU time than it may, whatever it records, leaves out what is no sample.
rm -rf st
begin -e cpu --rotate 1d --max-cpu 0.01
sh -c 'while :; do sh -c "i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done"; done' &
begins=$!
counted() { # counted NAME: in the profile that is being recorded
	"$dusk" query -i "$(ls -d st/*.dusk.recording | head -n 1)" --csv "select sum(value) from counts where name = '$1'" | grep -q '^[1-9]'
}
claim "a recorder above its limit of CPU time leaves titles of processes out, which is counted" until_true counted lost-titles
claim "... not samples" counted samples
claim "... and the agent says that it is above it" until_true grep -q "took .* % of all CPUs in .* s, more than --max-cpu of 0.01 %" agent.said
claim "... once" [ "$(grep -c "of all CPUs" agent.said)" = 1 ]
kill $begins
kill -TERM $agent
wait $agent
claim "... and samples and stacks are whole" exits 0 "$dusk" store check st
rm -rf st
begin --rotate 1d --max-memory 0
until_true grep -q "recording into" agent.said >/dev/null
ln -s "$(command -v sleep)" doze # others sleep, too
sh -c 'for i in 1 2 3 4 5 6; do ./doze 1.3; echo; done' | while read -r line; do :; done
claim "without a limit it goes on" sh -c "! ls st | grep -q 'Z\.dusk$'"
kill -TERM $agent
wait $agent
claim "slow intervals have the stack that ended them" sh -c "'$dusk' query -i \"\$(ls st/*Z.dusk | head -n 1)\" --csv \"select count(*) from waker w join offcpu o on o.id = w.offcpu join thread t on t.id = o.thread join thread b on b.id = w.thread where t.comm = 'test_agent.sh' and b.comm = 'sh' and o.value > 1e9 and w.node > 0\" | tail -n 1 | grep -q '[1-9]'"
claim "lives of threads are there, with beginning and end" sh -c "'$dusk' query -i \"\$(ls st/*Z.dusk | head -n 1)\" --csv \"select count(*) from lives where comm = 'doze' and start_s > 0 and end_s - start_s > 1.2\" | tail -n 1 | grep -qx '[4-6]'"

# Old profiles go, what is not a profile of the agent's stays.
first=$(ls st/*Z.dusk | head -n 1)
cp "$first" st/20200101T000000Z.dusk
cp "$first" st/mine.dusk
begin --keep 1d
claim "profiles that are too old are removed" until_true [ ! -e st/20200101T000000Z.dusk ]
claim "... and nothing else is" sh -c "[ -e st/mine.dusk ] && [ -e '$first' ]"
kill -TERM $agent
wait $agent
truncate -s 60M st/20200101T000000Z.dusk
begin --keep 9999d --keep-bytes 50M
claim "the oldest are removed when all are too large" until_true [ ! -e st/20200101T000000Z.dusk ]
kill -TERM $agent
wait $agent
claim "... but no more than that" [ -e "$first" ]

# The profiles of an old day become one.
old() { # old NAME: a profile of that time
	cp "$first" "st/$1.dusk"
}
sums() { # sums PROFILE...: samples in all
	for f; do
		"$dusk" query -i "$f" --csv "select sum(nr) from sums" | tail -n 1
	done | awk '{ nr += $1 } END { print nr }'
}
rm -f st/2020*
one=$(sums "$first")
old 20191231T010000Z && old 20191231T020000Z && echo "no profile" >st/20191231T020000Z.dusk # which keeps no later day from it
old 20200101T010000Z && old 20200101T020000Z && old 20200101T230000Z && old 20200102T010000Z
echo "profile 20181231T000000Z.dusk" >st/.sent-0123456789abcdef # of a server that nothing was sent to since 1990
touch -d 1990-01-01 st/.sent-0123456789abcdef
begin --keep 9999d --compact 1d --store st
claim "the profiles of an old day become one, in a store that is named from here" until_true [ ! -e st/20200101T230000Z.dusk ]
until_true [ ! -e st/20200101T010000Z-20200101T230000Z.merging ]
claim "... of the first one's name, with the samples of all" [ "$(sums st/20200101T010000Z.dusk)" = $((3 * one)) ]
claim "... and that of another day stays" [ "$(sums st/20200102T010000Z.dusk)" = "$one" ]
kill -TERM $agent
wait $agent
claim "... in longer windows" [ "$("$dusk" query -i st/20200101T010000Z.dusk --csv "select value from setting where key = 'window_ns'" | tail -n 1)" = 60000000000 ]

rm st/2019* st/.sent-* st/2020*

# ... which takes no more than it may; and when the store is half full, before that day is old enough.
setting() { # setting PROFILE KEY
	"$dusk" query -i "$1" --csv "select value from setting where key = '$2'" | tail -n 1
}
old 20200106T010000Z && old 20200106T020000Z && old 20200107T010000Z
truncate -s 5M st/20200108T010000Z.dusk # no profile, and the only one of its day
begin --keep 9999d --keep-bytes 8M --compact 9999d --compact-size 1
claim "when the store is half full, profiles become one before they are old enough" until_true [ ! -e st/20200106T020000Z.dusk ]
until_true [ ! -e st/20200106T010000Z-20200106T020000Z.merging ]
on_cpu() { # on_cpu PROFILE: samples; intervals that were kept one by one are sums afterwards
	"$dusk" query -i "$1" --csv "select sum(nr) from sums where state = 'on-cpu'" | tail -n 1
}
claim "... with the samples of all" [ "$(on_cpu st/20200106T010000Z.dusk)" = $((2 * $(on_cpu "$first"))) ]
claim "... and nothing of their time is lost" sh -c "[ \"\$('$dusk' query -i st/20200106T010000Z.dusk --csv 'select cast(sum(ms) as int) from sums' | tail -n 1)\" -ge \"\$('$dusk' query -i '$first' --csv 'select 2 * cast(sum(ms) as int) from sums' | tail -n 1)\" ]"
claim "... in hours, as it may take so little" [ "$(setting st/20200106T010000Z.dusk window_ns)" = 3600000000000 ]
claim "... from which callers are left out" sh -c "'$dusk' report -i st/20200106T010000Z.dusk --wall | grep -F -q '[...]'"
claim "... which is said" sh -c "'$dusk' report -i st/20200106T010000Z.dusk | grep -q 'stacks-shortened: '"
kill -TERM $agent
wait $agent
claim "... and what is alone stays" [ -e st/20200107T010000Z.dusk ]
rm st/2020*

# What was complete when all was killed is put in place, what was not goes.
old 20200103T010000Z && old 20200103T020000Z && old 20200103T030000Z
"$dusk" merge -q -o st/20200103T010000Z-20200103T020000Z.merging st/20200103T010000Z.dusk st/20200103T020000Z.dusk
rm st/20200103T010000Z.dusk
mkdir st/20200104T010000Z-20200104T020000Z.merging.recording
: >st/20200104T010000Z-20200104T020000Z.merging.recording/profile
begin --keep 9999d --compact 0
claim "a compaction that was killed is completed" until_true [ ! -e st/20200103T020000Z.dusk ]
claim "... with what its parts had" [ "$(sums st/20200103T010000Z.dusk)" = $((2 * one)) ]
claim "... and no more than its parts is replaced" [ "$(sums st/20200103T030000Z.dusk)" = "$one" ]
claim "... and nothing is left of one that was not complete" sh -c "! ls st | grep merging"
kill -TERM $agent
wait $agent
: >st/20200105T010000Z.dusk
old 20200105T020000Z && old 20200105T030000Z
begin --keep 9999d
claim "agent: a damaged profile of an old day is set aside" until_true [ -e st/20200105T010000Z.dusk.bad ]
claim "agent: the others of that day become one" until_true sh -c "[ ! -e st/20200105T030000Z.dusk ]"
until_true sh -c "! ls st | grep -q merging"
claim "agent: nothing of the others is lost" [ "$(sums st/20200105*.dusk)" = $((2 * one)) ]
kill -TERM $agent
wait $agent

# The store goes away under way.
rm -rf st
begin --rotate 1d
until_true grep -q "recording into" agent.said >/dev/null
rm -rf st
claim "a store that was removed is made anew" until_true running
claim "... which is said, with what is lost" grep -q "the store $tmp/st was removed or moved (1 so far): it is made anew" agent.said
until_true sh -c "'$dusk' query -i \"\$(ls -d st/*.dusk.recording | head -n 1)\" --csv \"select sum(value) from counts where name = 'samples'\" | grep -q '^[1-9]'" >/dev/null
mv st elsewhere
claim "one that was moved, too" until_true running
claim "... which is counted" grep -q "removed or moved (2 so far)" agent.said
claim "... and keeps what was recorded" until_true sh -c "ls elsewhere | grep -q 'Z\.dusk$'"
claim "... nothing else is left of it" sh -c "! ls elsewhere | grep recording"
mv st elsewhere/st && : >st
wait $agent
claim "where none can be made the agent ends, with status 1" [ $? = 1 ]
claim "... and says why" grep -q "cannot open the store $tmp/st: Not a directory" agent.said
claim "... and nothing of it runs" nothing_runs
rm -rf st elsewhere

if needs python3 "the service manager hears when it records, and that it lives"; then
	cat >listen.py <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1])
		s.settimeout(30)
		print("bound", flush=True)
		seen = set()
		while "STOPPING=1" not in seen: seen.add(s.recv(4096).decode()); print(*sorted(seen), flush=True)
	END
	python3 listen.py notify >heard &
	listener=$!
	until_true grep -q bound heard
	NOTIFY_SOCKET=$tmp/notify
	export NOTIFY_SOCKET
	begin
	claim "the service manager hears when it records, and that it lives" until_true grep -q "READY=1 WATCHDOG=1" heard
	kill -TERM $agent
	wait $agent
	claim "... and when it ends" until_true grep -q STOPPING heard
	unset NOTIFY_SOCKET
	kill $listener 2>/dev/null
fi
if needs capsh "with the capabilities of the service it records"; then
	keep=$(sed -n 's/^CapabilityBoundingSet=//p' "$service/dusk-agent.service.in")
	drop=$(capsh --decode=000001ffffffffff | sed 's/.*=//' | tr , '\n' | grep -v -i -x -F "$(printf '%s\n' $keep)" | grep cap_ | paste -sd,)
	rm -rf st
	mkdir -m 700 st
	capsh --drop="$drop" -- -c "exec '$dusk' agent --config agent.conf --mode full" 2>agent.said &
	agent=$!
	claim "with the capabilities of the service it records" until_true profiles 1
	kill -TERM $agent
	wait $agent
fi
kill $busy
done_testing
