#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What do recordings leave behind, and with which exit status? usage: test_record.sh DUSK
# Skipped where dusk cannot record.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot record, see dusk doctor"
	exit 0
}
busy='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'

has() {
	wanted=$1
	shift
	exits 0 "$@" && says "$wanted"
}
# stopped SIGNALS: a recording of the whole machine that gets them leaves a whole file, and status 0
stopped() {
	rm -rf profile.dusk*
	"$dusk" record -q 2>errors &
	pid=$!
	for _ in $(seq 120); do
		[ -e profile.dusk.recording ] && break
		sleep 0.5
	done
	sleep 1
	for signal in "$@"; do
		kill -s "$signal" $pid
	done
	(sleep 30; kill -9 $pid) 2>/dev/null &
	guard=$!
	wait $pid
	status=$?
	kill $guard
	cat errors
	echo "status $status"
	[ $status = 0 ] && "$dusk" info >info && grep -q '^recording *finished' info
}

claim "the exit status is the command's" exits 7 "$dusk" record -q -- sh -c 'exit 7'
claim "a command that a signal ends: 128 and the signal" exits 137 "$dusk" record -q -- sh -c 'kill -9 $$'
claim "only the owner may read the profile" sh -c '[ "$(stat -c %a profile.dusk)" = 600 ]'
claim "the profile is one file" sh -c '[ "$(ls profile.dusk*)" = "profile.dusk
profile.dusk.old" ]'
rm -f profile.dusk*
claim "a command that is not there: 127" exits 127 "$dusk" record -q -- no-such-command
claim "and it is said" says "cannot run no-such-command"
claim "a command that cannot be executed: 126" exits 126 "$dusk" record -q -- /etc/passwd
claim "neither leaves a profile" sh -c '[ -z "$(ls profile.dusk* 2>/dev/null)" ]'
echo older >profile.dusk
claim "a failure leaves the older file alone" sh -c "
	$dusk record -q -- no-such-command 2>/dev/null; [ \"\$(cat profile.dusk)\" = older ] && [ ! -e profile.dusk.old ]"
claim "a success keeps it as FILE.old" sh -c "$dusk record -q -- true && [ \"\$(cat profile.dusk.old)\" = older ]"
claim "an output that cannot be written is refused before the command runs" exits 1 \
	"$dusk" record -o /no/such/folder/x.dusk -- touch ran
claim "and the command did not run" [ ! -e ran ]
claim "a process that does not exist" exits 1 "$dusk" record -q -p 4194304 -d 1s

# stopped_early LOOK OPTIONS: a recording that gets SIGINT when LOOK has its number: status 130, and no file
stopped_early() {
	look=$1
	shift
	rm -rf early* && echo older >early.dusk
	"$dusk" record -o early.dusk "$@" 2>said &
	recorder=$!
	until $look $recorder || ! kill -0 $recorder; do sleep 0.05; done
	kill -INT $recorder
	wait $recorder
	status=$?
	cat said
	ls -d early*
	echo "status $status"
	[ $status = 130 ] && [ "$(cat early.dusk)" = older ] && [ "$(ls -d early*)" = early.dusk ]
}
catches_int() { # and is no shell any more
	grep -q '^Name:.dusk$' /proc/$1/status && grep -q '^SigCgt:.*[2367abef]$' /proc/$1/status
}
samples_now() {
	ls -l /proc/$1/fd | grep -q perf_event && sleep 1
}
claim "ended while it loads: no file, the older one stays, 130" stopped_early catches_int -a
sleep 1000 & idle=$!
claim "ended before the first sample: the same" stopped_early samples_now -e cpu -p $idle
claim "... and it is said" grep -q 'before anything was recorded; no file is written' said
kill $idle
# The command is killed while it waits for us to have loaded.
killed_early() {
	rm -f early.dusk
	"$dusk" record -q -o early.dusk -- sleep 60 2>said &
	pid=$!
	until child=$(cat /proc/$pid/task/$pid/children) && [ "$child" ]; do :; done
	kill -KILL $child
	wait $pid
	status=$?
	cat said
	[ $status = 126 ] && grep -q '^dusk: cannot run sleep: it was killed before it could start' said
}
claim "a command that is killed while dusk loads" killed_early

# The parent only waits; its child, which runs before the recording, works.
sh -c "trap : USR1; (while :; do :; done) & wait" & tree=$!
until child=$(cat /proc/$tree/task/$tree/children) && [ "$child" ]; do sleep 0.1; done
pids_of() {
	rm -f tree.dusk
	"$dusk" record -q -F 999 -d 1s -o tree.dusk "$@" &&
		"$dusk" query -i tree.dusk --csv 'select distinct pid from sample s join thread t on t.id = s.thread' | sed 1d
}
is_of() {
	wanted=$1
	shift
	pids=$(pids_of "$@")
	echo "samples of processes: $pids"
	[ "$pids" = "$wanted" ]
}
claim "a process is recorded with its children that run already" is_of "$(echo $child)" -p $tree -e cpu
claim "... or alone" is_of "" -p $tree -e cpu --no-children
if [ "$(id -u)" = 0 ]; then
	nobody_else=$((1000000 + $$)) # no other test runs as this user
	setpriv --reuid $nobody_else --clear-groups sh -c 'while :; do :; done' & theirs=$!
	claim "-u records the tasks of one user" is_of $theirs -u $nobody_else -e cpu
	kill $theirs
fi
claim "a user who does not exist is refused" exits 1 "$dusk" record -u no-such-user -d 1s
kill $child $tree
claim "-F max samples, and says how often" has " Hz here" "$dusk" record -F max -- true
claim "-g is accepted" exits 0 "$dusk" record -q -g -- true
claim "--call-graph is accepted, and it is said how stacks are walked" has "makes no difference: stacks are always recorded" \
	"$dusk" record --call-graph dwarf,8192 -- true
claim "but not with a way that nobody knows" exits 2 "$dusk" record --call-graph guess -- true
mkfifo begun
announced() { # the newline is there before COMMAND runs, which has no such descriptor
	"$dusk" record -q -o announced.dusk --notify-fd 7 -- sh -c 'ls /proc/self/fd >fds; sleep 1; echo over >>order' 7>begun &
	read -r line <begun && echo begun >order
	wait $! && [ "$(cat order)" = "begun
over" ] && ! grep -qx 7 fds
}
claim "--notify-fd says when the recording has begun, and is not COMMAND's" announced
claim "... which goes on if that is gone" sh -c "'$dusk' record -q -d 100ms -o announced.dusk --notify-fd 7 7>&1 | true; '$dusk' info -i announced.dusk"
claim "... and is refused if it is none" exits 2 "$dusk" record --notify-fd 77 -d 100ms
claim "-c, a period in events, is refused with what there is instead" exits 2 "$dusk" record -c 10000 -- true
claim "... which is said" says "-F HZ sets the rate"
if command -v python3 >threads; then
	python3 -c 'import threading, time; threading.Thread(target=time.sleep, args=(1000,)).start()' & pid=$!
	until tid=$(ls /proc/$pid/task | sed 1d) && [ "$tid" ]; do sleep 0.1; done
	claim "-p with the number of a thread is refused, and says which process it is of" exits 1 "$dusk" record -p $tid -d 1s
	claim "... and how to record either" says "it is a thread of process $pid; -p $pid records that, and -t $tid the thread"
	kill $pid
fi

# On a terminal, whose lines are parted by carriage returns.
on_terminal() {
	script -qec "stty cols 200; exec $dusk record $1" /dev/null </dev/null | tr '\r' '\n' >typed
	cat typed
}
told_early() {
	on_terminal '-d 1s -o live.dusk'
	[ "$(grep -o 'dusk: loading\|dusk: recording' typed)" = "dusk: loading
dusk: recording" ]
}
shares() {
	on_terminal "-F 49 -o live.dusk -- sh -c '$busy; for j in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.1; done'"
	line=$(grep -E ' samples \([0-9.]+ % complete\)  [0-9]+ off CPU \([0-9.]+ % complete\)' typed | tail -n 1)
	n=$(echo "$line" | sed 's/.* s  \([0-9]*\) samples.*/\1/')
	[ "$n" ] && [ "$n" -le "$(samples live.dusk)" ]
}
samples() {
	"$dusk" query -i "$1" --csv 'select count(*) from sample' | tail -n 1
}
if command -v script >/dev/null; then
	claim "a terminal shows that dusk loads, and then that it records" told_early
	claim "... and samples and off-CPU intervals each with their own share" shares
fi
told_apart() {
	exits 0 "$dusk" record -F 999 -- sh -c "$busy; sleep 0.1" &&
		grep -q ' samples: [0-9.]* % of [0-9]* user stacks complete' "$tmp/said" &&
		grep -q ' off-CPU intervals: [0-9.]* % of [0-9]* user stacks complete' "$tmp/said"
}
claim "the summary says of which stacks each share is" told_apart

claim "a busy command is recorded" has "next: dusk report" "$dusk" record -F 499 -- sh -c "$busy"
claim "only it was" sh -c "[ \"\$($dusk report --csv --sort comm | sed 1d | cut -d, -f3)\" = sh ]"
claim "its command stands in the profile" has "sh -c i=0" "$dusk" info
is_quiet() {
	"$dusk" record -q -- true >"$tmp/said" 2>&1
	cat "$tmp/said"
	[ ! -s "$tmp/said" ]
}
claim "quiet is quiet" is_quiet
claim "no control characters without a terminal" sh -c "! $dusk record -- true 2>&1 | grep -q '[[:cntrl:]]'"
claim "a duration ends a recording" exits 0 "$dusk" record -q -d 500ms
claim "a command outlives a duration, and its status counts" exits 3 "$dusk" record -q -d 200ms -- sh -c 'sleep 1; exit 3'
claim "SIGINT leaves a whole file" stopped INT
claim "SIGTERM leaves a whole file" stopped TERM
dd if=/dev/zero of=/dev/null bs=64k & load=$!
claim "two signals leave a whole file" stopped INT TERM
kill $load
claim "... with the names of the kernel, which cannot be looked up later" sh -c "[ \"\$($dusk query --csv 'select count(*) > 0 from
	frame f join module m on m.id = f.module join function n on n.id = f.function where m.kind = 4' | tail -n 1)\" = 1 ]"
claim "... and which kernel it was, and where" sh -c "[ \"\$($dusk query --csv 'select length(build_id) >= 16, value like \"0xf%\"
	from module, setting where kind = 4 and key = \"kernel_text\"' | tail -n 1)\" = 1,1 ]"
claim "SIGTERM is passed on to the command" sh -c "
	$dusk record -q -- sh -c 'touch runs; exec sleep 100' & pid=\$!
	until [ -e runs ] || ! kill -0 \$pid; do sleep 0.1; done; kill \$pid; wait \$pid; [ \$? = 143 ]"
claim "a command that a signal ends has its status" exits 137 "$dusk" record -- sh -c 'kill -9 $$'
claim "... and that is said" says "dusk: sh was ended by signal 9 (Killed): by somebody, or by the kernel for lack of memory"
claim "what is still recorded has not ended" sh -c "
	$dusk record -q -a -o goes-on.dusk & pid=\$!
	until $dusk report -i goes-on.dusk >goes-on 2>/dev/null || ! kill -0 \$pid; do sleep 0.2; done; kill -INT \$pid; wait \$pid
	grep -q '^# duration:  *[0-9.]* s so far; the recording goes on\$' goes-on && $dusk report -i goes-on.dusk | grep -q '^# duration:  *[0-9.]* s\$'"
claim "a time within a window finds nothing" sh -c "$dusk record -q -a -e cpu --window 1s -d 2s -o windows.dusk
	$dusk report -i windows.dusk --time 200ms-400ms >said 2>&1; [ \$? = 4 ]"
claim "... for a reason" says "samples are summed over windows of 1 s, and have the time at which theirs begins"
claim "two recordings at once" sh -c "
	$dusk record -q -d 1s -o a.dusk & first=\$!
	$dusk record -q -d 1s -o b.dusk && wait \$first && $dusk info -i a.dusk && $dusk info -i b.dusk"
claim "a recording ends with the process it was for" sh -c "
	sleep 1000 & pid=\$!
	$dusk record -q -p \$pid & recorder=\$!
	until ls -l /proc/\$recorder/fd | grep -q perf_event || ! kill -0 \$recorder; do sleep 0.1; done
	kill \$pid; wait \$recorder && [ -e profile.dusk ]"
# killed FILE: a recording to it that kill -9 ended after two seconds at least, and some samples
killed() {
	"$dusk" record -q -F 999 -a -o "$1" -- sh -c 'while :; do :; done' &
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sleep 1
		[ "$(samples "$1.recording")" -gt 100 ] && break
	done 2>/dev/null
	pkill -9 -P $pid
	kill -9 $pid
	wait $pid
	[ -d "$1.recording" ]
}
rm -rf profile.dusk*
claim "a recording that is killed" killed profile.dusk
n=$(samples profile.dusk)
# Its children, which have the recording open, take a moment to end.
claim "... is found by its profile's name" until_true sh -c "$dusk info | grep -q 'killed: its last second may be missing'"
claim "... is whole but for the last second" [ "${n:-0}" -gt 100 ]
claim "... becomes that profile" exits 0 "$dusk" recover
claim "... which has all of it" sh -c "[ \"\$($dusk query --csv 'select count(*) from sample' | tail -n 1)\" = $n ]"
claim "... and is alone" sh -c '[ "$(ls -d profile.dusk*)" = profile.dusk ]'
claim "one more that is killed" killed profile.dusk
n=$(samples profile.dusk.recording)
claim "... does not hide: a command that reads the older one names it" has "profile.dusk.recording is newer than profile.dusk" "$dusk" info
claim "... the next recording" exits 0 "$dusk" record -q -d 200ms
claim "... has nothing to say of it" [ ! -s "$tmp/said" ]
claim "... keeps it" sh -c "[ \"\$($dusk query -i profile.dusk.old --csv 'select count(*) from sample' | tail -n 1)\" = $n ]"
rm -rf profile.dusk*

second_is_refused() {
	"$dusk" record -q -a -o one.dusk -- sleep 120 &
	first=$!
	for _ in $(seq 120); do
		[ -e one.dusk.recording/profile ] && break
		sleep 0.5
	done
	before=$(ls -ldi one.dusk* one.dusk.recording/* | awk '{ print $1, $NF }')
	exits 1 "$dusk" record -o one.dusk -- touch second-ran && says "another recording is writing it" || return
	[ "$(ls -ldi one.dusk* one.dusk.recording/* | awk '{ print $1, $NF }')" = "$before" ] || return
	[ ! -e second-ran ] && kill $first || return
	wait $first
	"$dusk" info -i one.dusk >info && grep '^recording *finished' info && grep 'command = sleep 120' info
}
claim "of two recordings to one file the second is refused, and the first one does not notice" second_is_refused

dd if=/dev/zero of=/dev/null bs=64k & load=$!
by_size() {
	rm -rf small && mkdir small
	(ulimit -f 1000; exec "$dusk" record -e cpu -F 4999 -p $load -o small/x.dusk) >said 2>&1 &
	pid=$!
	ended_by 'File too large'
}
# ended_by REASON: process $pid, which is said once, and truly
ended_by() {
	for _ in $(seq 120); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.5
	done
	kill -9 $pid 2>/dev/null
	wait $pid
	status=$?
	cat said
	[ $status = 1 ] && grep -q "$1; what was recorded" said && ! grep -q 'wrote ' said &&
		[ "$(grep -c 'cannot write' said)" = 1 ]
}
claim "under a limit of the size of files a recording ends, and says so once" by_size
claim "... and what was recorded is readable" sh -c "[ \$($dusk query -i small/x.dusk --csv 'select count(*) from sample' | tail -n 1) -gt 0 ]"
claim "... and says why it ended" has "ended early: File too large" "$dusk" info -i small/x.dusk
if [ "$(id -u)" = 0 ]; then
	by_disk() {
		mkdir disk
		unshare -m sh -c "mount -t tmpfs -o size=600k none disk &&
			$dusk record -e cpu -F 4999 -p $load -o disk/x.dusk >said 2>&1
			status=\$?; $dusk info -i disk/x.dusk >info; exit \$status" &
		pid=$!
		ended_by 'No space left on device' && grep -q '^samples *[1-9]' info &&
			grep '^recording *ended early: No space left on device' info
	}
	claim "on a full disk a recording ends, says so once, what was recorded is readable, and info says why it ended" by_disk
	kill $load
	# A stranger who may create files beside the profile, and one whose name has SQLite's suffix.
	stranger() {
		chmod 711 . && rm -rf open && mkdir -m 777 open && echo precious >open/data-journal && echo precious >open/data-wal
		"$dusk" record -q -F 999 -d 3s -a -o open/data &
		pid=$!
		for _ in $(seq 120); do
			[ -e open/data.recording ] && break
			sleep 0.5
		done
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all sh -c '
			cat open/data.recording/profile-wal && exit 1
			echo x >open/data.recording/profile-journal && exit 1
			echo x >open/data-shm' 2>/dev/null || return
		wait $pid && "$dusk" info -i open/data >info && grep -q '^recording *finished' info &&
			[ "$(cat open/data-journal open/data-wal)" = "precious
precious" ]
	}
	claim "a user who may create files beside a recording can neither read it nor put anything into it" stranger
	claim "under sudo the profile belongs to the caller" sh -c "
		rm -f profile.dusk; SUDO_UID=12345 SUDO_GID=23456 $dusk record -q -d 100ms &&
		[ \"\$(stat -c %u:%g profile.dusk)\" = 12345:23456 ]"
fi
done_testing
