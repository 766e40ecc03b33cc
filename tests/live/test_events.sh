#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are events of tracefs recorded, each with its fields and its stacks? usage: test_events.sh DUSK VICTIMS
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ "${alone-}" ] || alone=yes exec unshare -m --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1") victims=$(realpath "$2")
cd "$tmp" && mount -t bpf bpf /sys/fs/bpf || exit 1
export LC_ALL=C
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot unwind, see dusk doctor"
	exit 0
}
tracefs=/sys/kernel/tracing
[ -e $tracefs/events ] || mount -t tracefs tracefs $tracefs || {
	echo "1..0 # SKIP this kernel has no tracefs"
	exit 0
}
leave() {
	kill -9 $(jobs -p) 2>/dev/null
	echo "-:duskevents$$/" >>$tracefs/uprobe_events
	umount -l /sys/fs/bpf
	rm -rf "$tmp"
} 2>/dev/null
trap leave EXIT
trap 'exit 130' INT TERM

# asks PROFILE SQL: what dusk query answers, a row a line, | between columns.
asks() {
	"$dusk" query -i "$1" --csv "$2" 2>&1 | tail -n +2 | tr , '|'
}
# answers PROFILE SQL ANSWER
answers() {
	got=$(asks "$1" "$2")
	echo "$2: $got, not $3"
	[ "$got" = "$3" ]
}
# true_of PROFILE CONDITION: of all that is in it, in SQL.
true_of() {
	answers "$1" "select $2" 1
}
counter() {
	echo "(select value from counter where name='$1')"
}
# Nothing is unaccounted for: src/abi/counter.h.
adds_up() {
	true_of "$1" "$(counter samples)+$(counter offcpu-intervals)-$(counter offcpu-sampled-out)+$(counter wakers)+$(counter events)=$(counter no-user)+$(counter requests)" &&
		true_of "$1" "$(counter events)=(select count(*) from occurrence)+$(counter lost-events)"
}
# each FILE EVENT NUMBER STACK: the stacks of all its occurrences in this script, which are so many, or with 0, some, have these
# functions in a row, the innermost first.
each() {
	awk -v event=" $2: " -v number="$3" -v stack=" $4 " '
		function check() {
			if (!open) return
			nr++
			if (!index(names, stack)) { print "not expected: " names; bad = 1 }
			open = 0
		}
		/^\t/ { sub(/\+0x.*/, "", $2); names = names $2 " "; next }
		{ check(); names = " " }
		index($0, event) { open = 1 }
		END { check(); print nr + 0 " of " event; exit bad || !nr || (number && nr != number) }' "$1"
}
down='descend descend descend descend descend measure work main'

# A command, with system calls whose stacks are known.
claim "a command is recorded" sh -c "echo | $dusk record -o dozes.dusk -e syscalls:sys_enter_poll,syscalls:sys_enter_clock_nanosleep,sched:sched_switch \
	-- $victims/dozes >dozes.said 2>dozes.err"
claim "... it ran" grep -q '^await ' dozes.said
claim "... how often these occurred is said" grep -q '^dusk: [0-9]* occurrences of 3 events of tracefs in ' dozes.err
claim "each poll() is an occurrence" answers dozes.dusk "select count(*) from events where event='syscalls:sys_enter_poll'" 25
claim "... with its fields" answers dozes.dusk \
	"select distinct replace(substr(fields,instr(fields,'nfds')),',',' and') from events where event='syscalls:sys_enter_poll'" \
	"nfds: 0x00000000 and timeout_msecs: 0x00000014"
claim "... the time, 20 ms apart at least" true_of dozes.dusk \
	"min(d)>=0.0199 from (select time_s-lag(time_s) over (order by time_s) d from events where event='syscalls:sys_enter_poll')"
claim "... and all user stacks whole" true_of dozes.dusk \
	"count(*)=25 from events e join outcome o on o.name=e.outcome where event='syscalls:sys_enter_poll' and o.class='complete'"
claim "they are written as a script" sh -c "$dusk script -i dozes.dusk >dozes.script"
claim "each poll() has the user stack that it has" each dozes.script syscalls:sys_enter_poll 25 "$down"
claim "... below the kernel's, which was in a system call" each dozes.script syscalls:sys_enter_poll 25 "do_syscall_64 entry_SYSCALL_64_after_hwframe"
claim "each sleep has its own" each dozes.script syscalls:sys_enter_clock_nanosleep 25 "nanosleep rest $down"
claim "a thread that leaves the CPU stands in schedule()" each dozes.script sched:sched_switch 0 __schedule
claim "... and is the one that the fields name" true_of dozes.dusk \
	"count(*)>0 and sum(fields like 'prev_comm='||comm||' prev_pid='||tid||' %==> next_comm=%')=count(*) from events where event='sched:sched_switch'"
claim "the script is in the order of time" sh -c "grep -o '^[^\t].*\] *[0-9]*\.[0-9]*:' dozes.script | grep -o '[0-9.]*:\$' | sort -c -n"
claim "events of others are not there" true_of dozes.dusk "count(*)=0 from events where comm not in ('dozes','dusk')"
claim "the sums are true" adds_up dozes.dusk

# Views.
claim "a report of several events counts each" exits 0 "$dusk" report -i dozes.dusk
claim "... all of them" sh -c "grep -q '^ *25  syscalls:sys_enter_poll\$' said && grep -q '^ *[0-9]*  sched:sched_switch\$' said"
claim "... and says how one is chosen" says "a view is of one of them: --event NAME"
claim "of a flame graph one must be chosen" exits 1 "$dusk" flame -i dozes.dusk
claim "... they are listed" says "choose one with --event: "
claim "an event that was not recorded is refused" exits 1 "$dusk" report -i dozes.dusk --event sched:sched_wakeup
claim "... by its name" says "dozes.dusk has no event sched:sched_wakeup"
claim "a report counts one" exits 0 "$dusk" report -i dozes.dusk --event syscalls:sys_enter_poll
claim "... all that it called" sh -c "grep -q ' 100.00%  *0  await ' said && grep -q '^# occurred:  25; 100.00 % of the user stacks complete' said"
claim "a call tree of it" exits 0 "$dusk" report --callers -i dozes.dusk --event syscalls:sys_enter_poll
claim "its stacks are folded" sh -c "$dusk export -f folded -i dozes.dusk --event syscalls:sys_enter_poll >folded"
claim "... and counted" grep -q '^dozes;.*;work;measure;descend;descend;descend;descend;descend;await;[a-z_]*poll;entry_SYSCALL.* 25$' folded
claim "a flame graph is made" exits 0 "$dusk" flame -i dozes.dusk --event syscalls:sys_enter_poll -o dozes.html
claim "... of the event" sh -c "sed '1,/id=\"profile\"/d; /<\\/script>/,\$d' dozes.html | base64 -d | gunzip | head -n 1 | grep -q '\"title\":\"syscalls:sys_enter_poll\",\"unit_ns\":1,\"rows\":[0-9]*,\"samples\":25,\"weight\":25'"
claim "a script of it has no other" [ "$("$dusk" script -i dozes.dusk --event syscalls:sys_enter_poll | grep -c "^dozes .*: ")" = 25 ]
claim "time off CPU and an event exclude each other" exits 2 "$dusk" report --off-cpu --event x:y
claim "a format without a place for events refuses them" exits 2 "$dusk" export -f pprof -o p.pb.gz -i dozes.dusk --event syscalls:sys_enter_poll
claim "... with what has one" says "--event is for folded stacks and for script"
claim "info counts them" exits 0 "$dusk" info -i dozes.dusk
claim "... by event" sh -c "grep -q '^ *25   100.00  syscalls:sys_enter_poll' said && grep -q '^events  *[0-9]* occurrences of 3 events' said"
claim "... as JSON, too" sh -c "$dusk info --json -i dozes.dusk | grep -A1 '\"syscalls:sys_enter_poll\"' | grep -q '\"occurrences\": 25'"
claim "remembered stacks are what is walked" sh -c "echo | $dusk record -q --verify -o verify.dusk -e syscalls:sys_enter_poll -- $victims/dozes >/dev/null"
claim "... each of them" true_of verify.dusk "$(counter verified-same)>0 and $(counter verified-different)=0"

# All system calls, by two programs. A program of i386 has other numbers: its write() is stat() elsewhere.
# What is written: 50 times 1000 bytes, and once more than a file descriptor allows, which fails.
claim "calls that say how much are recorded" exits 0 "$dusk" record -q -o writes.dusk -e 'syscalls:sys_*_write,kmem:kmalloc' -- \
	sh -c 'dd if=/dev/zero of=/dev/null bs=1000 count=50 status=none; echo no >/dev/full; :' 2>err
sum_of() {
	"$dusk" report -i writes.dusk --csv --fields self,comm "$@" 2>said | awk -F, -v comm=dd '$2 == comm {n += $1} END {print n + 0}'
}
claim "weight__sums_what_calls_have_written" [ "$(sum_of --event syscalls:sys_exit_write --weight ret)" = 50000 ]
claim "weight__sums_what_calls_were_given" [ "$(sum_of --event syscalls:sys_enter_write --weight count)" = 50000 ]
claim "weight__of_folded_stacks_is_the_same" [ "$("$dusk" export -f folded -i writes.dusk --event syscalls:sys_exit_write --weight ret |
	awk '/^dd;/ {n += $NF} END {print n}')" = 50000 ]
claim "weight__of_kernel_memory_is_that_of_its_fields" sh -c "
	[ \"\$('$dusk' report -i writes.dusk --event kmem:kmalloc --weight bytes_req --csv --fields self,comm | awk -F, '{n += \$1} END {print n}')\" = \
	  \"\$('$dusk' query -i writes.dusk --csv \"select sum(substr(fields, instr(fields, 'bytes_req=') + 10) + 0) from events where event = 'kmem:kmalloc'\" | tail -n 1)\" ]"
claim "weight__by_no_field_is_refused_with_those_there" exits 1 "$dusk" report -i writes.dusk --event kmem:kmalloc --weight bytes
claim "... such as" says "no occurrence of kmem:kmalloc has a number in 'bytes'; fields of one: call_site="
claim "weight__of_time_on_a_cpu_is_refused" exits 2 "$dusk" report -i writes.dusk --cpu --weight bytes_req

claim "all events of system calls are recorded at once" exits 0 "$dusk" record -q -o calls.dusk -e 'syscalls:*' -- uname
claim "... each under its own name" answers calls.dusk "select count(*) from events where event='syscalls:sys_enter_newuname' and comm='uname'" 1
claim "... what a call wrote" answers calls.dusk \
	"select replace(fields,',',';') from events where event='syscalls:sys_enter_write' and comm='uname' and fields like 'fd: 0x00000001%'" \
	"$(asks calls.dusk "select replace(fields,',',';') from events where event='syscalls:sys_enter_write' and fields like '%count: 0x00000006'")"
claim "... and that it did" answers calls.dusk "select fields from events where event='syscalls:sys_exit_write' and comm='uname'" 0x6
claim "... each call has its end" true_of calls.dusk \
	"sum(event='syscalls:sys_enter_mmap')=sum(event='syscalls:sys_exit_mmap') and sum(event='syscalls:sys_exit_mmap')>0 from events"
claim "... kernel stacks begin where the event is" true_of calls.dusk "count(*)=0 from events where function like 'bpf_%' or function like '__bpf_%'"
claim "... the sums are true" adds_up calls.dusk
if [ -e "$victims/compat" ]; then
	"$dusk" record -q -o compat.dusk -e 'syscalls:*,raw_syscalls:sys_enter' -- timeout 1 "$victims/recurse_32_static" >/dev/null </dev/null
	claim "calls of i386 are not taken for others" true_of compat.dusk \
		"sum(event='raw_syscalls:sys_enter')>5 and sum(event like 'syscalls:%')=0 from events where comm like 'recurse%'"
fi

# Strings.
hostile=$(printf 'hostile\n\033[31m\377')
mkdir -p "$hostile" long
cp /bin/true "$hostile/run"
cp /bin/true long/run
# Longer than what is taken of a record: a path of 1300 bytes.
deep=$(for i in 1 2 3 4 5 6; do printf "%0200d/" $i; done)
mkdir -p "long/$deep" && cp /bin/true "long/${deep}run"
cat >execs <<-'END'
	for i in 1 2 3 4 5 6 7 8 9 10; do long/run; done
	hostile*/run
	long/0*/0*/0*/0*/0*/0*/run
END
claim "commands of commands are recorded" exits 0 "$dusk" record -q -o exec.dusk -e sched:sched_process_exec -- sh execs
claim "each exec has its file's name" answers exec.dusk "select count(*) from events where fields='filename=long/run pid='||pid||' old_pid='||tid" 10
claim "... no other is there" answers exec.dusk "select count(*) from events" 13
claim "... and that of its caller" answers exec.dusk "select count(*) from events where fields like 'filename=%bin/sh pid=%'" 1
claim "what is no text is escaped" answers exec.dusk \
	"select count(*) from events where fields like 'filename=hostile\\x0a\\x1b[31m\\xff/run pid=%'" 1
claim "what is too long is cut" answers exec.dusk "select count(*) from events where fields like 'filename=long/000%/00000% pid=% ...'" 1
claim "... and counted" true_of exec.dusk "$(counter lost-fields)=1"
claim "where there is but one event it need not be named" exits 0 "$dusk" report -i exec.dusk
claim "... all are counted" grep -q '^# occurred:  13' said

# Processes that run already, beside samples and off-CPU intervals.
mkfifo orders
"$victims/dozes" <orders >late.said &
victim=$!
exec 9>orders
echo >others; "$victims/dozes" <others >/dev/null 9>&- &
"$dusk" record -p $victim -e 'syscalls:sys_*_poll,cpu,offcpu' -o late.dusk 2>late.err 9>&- &
recorder=$!
for _ in $(seq 300); do
	[ -e late.dusk.recording/profile ] && break
	sleep 0.1
done
sleep 1
echo >&9
for _ in $(seq 300); do
	grep -q done late.said && break
	sleep 0.1
done
exec 9>&-
wait $victim
claim "it ends with the process" wait $recorder
claim "a pattern means all that it matches" answers late.dusk \
	"select event.name, count(*) from event left join occurrence on event=event.id group by 1" "syscalls:sys_enter_poll|25
syscalls:sys_exit_poll|25"
claim "... only of the process" true_of late.dusk "count(distinct pid)=1 and min(pid)=$victim from events"
claim "a system call's end has its result" answers late.dusk "select distinct fields from events where event='syscalls:sys_exit_poll'" "0x0"
claim "off-CPU intervals are there, too" true_of late.dusk "count(*)>=50 from offcpu"
claim "... and the sums are true" adds_up late.dusk
claim "a report is of samples, if there may be any" sh -c "$dusk report -i late.dusk | grep -q '^# intervals:\\|^# samples:'"
claim "... which were what they are" sh -c "! $dusk report --wall -i late.dusk | grep -q sys_enter_poll"

# The whole machine: threads of the kernel, and the idle task.
"$victims/dozes" < <(for _ in 1 2 3; do echo; sleep 1; done) >/dev/null &
"$dusk" record -q -a -d 2s -o all.dusk -e 'sched:sched_switch,sched:sched_w*' &
recorder=$!
claim "the whole machine is recorded" wait $recorder
claim "kernel threads have a kernel stack" true_of all.dusk \
	"count(*)>0 and sum(node>0)=count(*) from occurrence join outcome o on o.id=outcome where o.name='kernel-thread'"
claim "... and no user's" true_of all.dusk "count(*)=0 from (with recursive up(node) as (select node from occurrence
	join outcome o on o.id=outcome where o.name='kernel-thread' union select parent from up join node on node.id=up.node where parent>0)
	select * from up join node on node.id=up.node join frame f on f.id=node.frame join module m on m.id=f.module where m.kind!=4)"
# On a machine that is never idle it has none.
claim "so has the idle task" true_of all.dusk "coalesce(sum(function is null),0)=0 from events where tid=0"
claim "the recorder is not there" true_of all.dusk "count(*)=0 from events where pid=$recorder"
claim "... the sums are true" adds_up all.dusk

# More than the ring buffer takes, as nobody reads it.
"$dusk" record -o lost.dusk -e syscalls:sys_enter_write -- dd if=/dev/zero of=/dev/null bs=1 count=1000000 2>lost.err &
recorder=$!
for _ in $(seq 300); do
	[ -e lost.dusk.recording/profile ] && pgrep -P $recorder dd >/dev/null && break
	sleep 0.05
done
kill -STOP $recorder
sleep 2
kill -CONT $recorder
claim "a recording ends for which events were lost" wait $recorder
claim "... they are counted" true_of lost.dusk "$(counter lost-events)>0"
claim "... each one" true_of lost.dusk "$(counter events)=(select count(*) from occurrence)+$(counter lost-events) and $(counter events)>=1000000"
claim "... and that is said" grep -q '^dusk:  *[0-9]*  lost-events: ' lost.err
claim "what is there is whole" true_of lost.dusk "count(*)>1000 and sum(fields like 'fd: 0x00000001, buf: 0x%, count: 0x00000001')>1000 from events"

# Events that were made.
place=$(printf '0x%x' "$((0x$(nm "$victims/dozes" | awk '$3 == "await" { print $1 }')))")
if echo "p:duskevents$$/await $victims/dozes:$place" >>$tracefs/uprobe_events 2>made; then
	claim "an event that uprobe_events made is recorded" sh -c "echo | $dusk record -q -o made.dusk -e 'duskevents$$:*' -- $victims/dozes >/dev/null"
	"$dusk" script -i made.dusk >made.script
	claim "... with the stack at its first instruction" each made.script "duskevents$$:await" 25 "await $down"
	claim "... where it is at hand, not later" true_of made.dusk "$(counter scheduled)<10"
	echo "p:duskevents$$/args $victims/dozes:$place sp=\$stack word=\$stack0 c=\$comm n=\\7:u8 left=%ip:b4@0/32" >>$tracefs/uprobe_events
	echo "r:duskevents$$/back $victims/dozes:$place v=\$retval:s32 c=\$comm:string" >>$tracefs/uprobe_events
	echo "p:duskevents$$/sp $victims/dozes:$place c=\$comm text=+0(\$stack):u64 n=\\7:u8 bad=+0(\\16):string" >>$tracefs/uprobe_events
	claim "events with arguments are recorded" sh -c "echo | $dusk record -q --verify -o fields.dusk -e 'duskevents$$:*' -- $victims/dozes >/dev/null"
	claim "... with the fields that the kernel would print" true_of fields.dusk \
		"count(*)=25 from events where event='duskevents$$:sp' and fields like '(%) c=\"dozes\" text=% n=7 bad=\"(fault)\"'"
	claim "... where it returns, and to where" true_of fields.dusk \
		"count(*)=25 from events where event='duskevents$$:back' and fields like '(% <- %) v=% c=\"dozes\"'"
	claim "... what cannot be fetched is said to be missing" true_of fields.dusk \
		"count(*)=25 from events where event='duskevents$$:args' and trim(fields)='...'"
	claim "... and counted" true_of fields.dusk "$(counter lost-fields)=25"
	claim "... stacks are those of a walk" true_of fields.dusk "$(counter verified-same)>0 and $(counter verified-different)=0"
else
	claims=$((claims + 1))
	echo "ok $claims - an event that uprobe_events made is recorded # SKIP $(head -1 made)"
fi

# Probes that are made for the recording.
probes_left() {
	! grep -q ":dusk_" $tracefs/uprobe_events
}
if [ -e $tracefs/uprobe_events ]; then
	claim "probes are made" sh -c "$dusk record -q --verify -o probes.dusk \
		-e 'uprobe:$victims/marked:hit(n=arg1:s32,str(arg2)),uretprobe:$victims/marked:hit(retval),usdt:$victims/marked:dusk:mark' \
		-- $victims/marked >marked.said"
	claim "... and removed" probes_left
	claim "... each hit is there, called as it was asked for" answers probes.dusk \
		"select event.name, count(*) from event left join occurrence on event=event.id group by 1" "uprobe:$victims/marked:hit|20
uretprobe:$victims/marked:hit|20
usdt:$victims/marked:dusk:mark|20"
	claim "... with its arguments" true_of probes.dusk \
		"count(*)=1 from events where event like 'uprobe:%' and fields like '(%) n=-7 arg2=\"a text\"'"
	claim "... with its result" true_of probes.dusk "count(*)=1 from events where event like 'uretprobe:%' and fields like '(% <- %) retval=-14'"
	claim "a semaphore says that somebody looks" grep -q '^passed 20$' marked.said
	claim "... the arguments are those of the note" true_of probes.dusk \
		"count(*)=1 from events where event like 'usdt:%' and fields like '(%) arg1=-7 arg2=%'"
	"$dusk" script -i probes.dusk >probes.script
	claim "... stacks begin in the function" each probes.script "uprobe:$victims/marked:hit" 20 "hit work main"
	claim "... and behind it" each probes.script "uretprobe:$victims/marked:hit" 20 "work main"
	claim "... they are those of a walk" true_of probes.dusk "$(counter verified-same)>0 and $(counter verified-different)=0"
	claim "a filter is by the fields of a probe" sh -c \
		"$dusk record -q -o few.dusk -e 'uprobe:$victims/marked:hit(n=arg1:s32,s=str(arg2))' --filter 'n == -3 || (n > -2 && s == \"a text\")' -- $victims/marked >/dev/null"
	claim "... with signs and texts" answers few.dusk "select count(*), sum(fields like '% n=-3 %'), sum(fields like '% n=-1 %'), sum(fields like '% n=0 %') from events" "3|1|1|1"
	claim "... the sums are true" adds_up few.dusk
	claim "a pattern is all functions that match, once each" sh -c "$dusk record -q -o some.dusk -e 'uprobe:$victims/marked:[hw]*(arg1)' -- $victims/marked >/dev/null"
	claim "... under their names" answers some.dusk "select event.name, count(*) from event left join occurrence on event=event.id group by 1" \
		"uprobe:$victims/marked:hit|20
uprobe:$victims/marked:work|1"
	"$dusk" record -q -o killed.dusk -e "uprobe:$victims/marked:hit" -d 60s &
	recorder=$!
	for _ in $(seq 300); do
		[ -e killed.dusk.recording/profile ] && grep -q ":dusk_${recorder}_" $tracefs/uprobe_events && break
		sleep 0.1
	done
	kill -9 $recorder
	wait $recorder 2>/dev/null
	claim "what is killed leaves its probes" grep -q ":dusk_${recorder}_.*marked" $tracefs/uprobe_events
	claim "... the next removes them" sh -c "$dusk record -q -o next.dusk -e cpu -- true"
	claim "... all" probes_left
	claim "no other function is taken" exits 1 "$dusk" record -q -o none.dusk -e "uprobe:$victims/marked:hitt" -d 1ms
	claim "... the nearest are named" says "has no function hitt; near it are hit"
	claim "no place between instructions is probed" [ "$(uname -m)" != x86_64 -o "$("$dusk" record -q -o none.dusk -e "uprobe:$victims/marked:main+1" -d 1ms 2>&1 |
		grep -c 'no instruction begins there\|bytes only')" = 1 -o "$("$dusk" record -q -o none.dusk -e "uprobe:$victims/marked:main+2" -d 1ms 2>&1 | grep -c 'no instruction begins there')" = 1 ]
	if [ -e "$victims/recurse_32_static" ]; then
		claim "arguments of 32-bit functions are not taken from registers" exits 3 "$dusk" record -q -o none.dusk -e "uprobe:$victims/recurse_32_static:main(arg1)" -d 1ms
		claim "... that is said" says "is of 32 bits, whose arguments are on the stack"
	fi
	claim "a text is no program" exits 1 "$dusk" record -q -o none.dusk -e uprobe:/etc/passwd:f -d 1ms
	claim "... that is said" says "no program or library (ELF)"
	claim "words are split by commas outside of parentheses" exits 1 "$dusk" record -q -o none.dusk -e "cpu,uprobe:$victims/marked:hit(arg1,arg0)" -d 1ms
	claim "... and what is wrong in them is shown" says "arg1 is the first one, at 'arg0'"
fi
if [ -e $tracefs/kprobe_events ]; then
	claim "functions of the kernel are probed" sh -c "$dusk record -q -o kernel.dusk -e 'kprobe:vfs_write(n=arg3)' -- $victims/marked >/dev/null"
	claim "... with their stacks" true_of kernel.dusk "count(*)>0 from events where event='kprobe:vfs_write' and fields like '(%) n=%' and comm='marked'"
else
	claim "where there are no kprobes they are refused" exits 3 "$dusk" record -q -o none.dusk -e kprobe:vfs_write -d 1ms
	claim "... with what is missing" says "this kernel has no kprobes (it was built without CONFIG_KPROBES)"
fi

# Filters.
claim "occurrences are filtered by their fields" sh -c \
	"$dusk record -q -o filter.dusk -e sched:sched_process_exec --filter 'filename ~ \"long/*\" && !(pid == 1)' -- sh execs"
claim "... of varying length" answers filter.dusk "select count(*), sum(fields like 'filename=long/run %') from events" "11|10"
claim "... of system calls, too" sh -c \
	"echo | $dusk record -q -o fewer.dusk -e syscalls:sys_enter_poll --filter 'timeout_msecs == 20 && nfds < 1' -- $victims/dozes >/dev/null"
claim "... all of them" answers fewer.dusk "select count(*) from events" 25
claim "... none" sh -c "echo | $dusk record -q -o none.dusk -e syscalls:sys_enter_poll --filter 'timeout_msecs != 20 && comm_ != 1' -- true 2>said; [ \$? = 1 ]"
claim "... a field that is none is named" says "syscalls:sys_enter_poll has no field comm_; 'dusk list syscalls:sys_enter_poll' shows its fields"
claim "a filter that is none" exits 2 "$dusk" record -q -o none.dusk -e syscalls:sys_enter_poll --filter 'nfds = 1' -- true
claim "... is shown with where" sh -c "grep -q '^  nfds = 1\$' said && grep -q '^       ^\$' said"
claim "a text is compared with a text" exits 1 "$dusk" record -q -o none.dusk -e sched:sched_switch --filter 'prev_comm == 1' -- true
claim "... that is said" says "is a text, which is compared with one in quotation marks"

claim "an event that is none" exits 1 "$dusk" record -e sched:nothing -d 1s
claim "... is named, and where they are listed" says "there is no event sched:nothing; $tracefs/available_events lists them"
claim "a name that is none" exits 2 "$dusk" record -e sched_switch -d 1s
claim "... is named with what there is" says "-e takes cpu, offcpu, and events of tracefs as sched:sched_switch"
claim "no profile is left of them" [ ! -e profile.dusk ]
claim "views of a profile without events say what records some" sh -c "$dusk record -q -e cpu -o cpu.dusk -- true; ! $dusk report -i cpu.dusk --event a:b 2>said"
claim "... in a sentence" grep -q '^dusk: cpu.dusk has no occurrences of events; dusk record -e ' said
claim "nothing stays" [ ! -e /sys/fs/bpf/dusk ]
done_testing
