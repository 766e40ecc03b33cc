#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Can the stackmap be read and reset while recordings fill it, and is nothing lost? usage: test_stackmap.sh DUSK VICTIMS
#
# In a mount namespace with a bpffs of its own, so that the stackmap is this test's alone.
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
	echo "1..0 # SKIP this machine cannot record, see dusk doctor"
	exit 0
}
trap 'kill -9 $(jobs -p) 2>/dev/null; umount -l /sys/fs/bpf; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

stat() {
	"$dusk" stackmap stat | sed -n "s/^$1: \([0-9]*\).*/\1/p"
}
# reaches NAME NUMBER: until stat says that
reaches() {
	for _ in $(seq 300); do
		value=$(stat "$1" 2>/dev/null)
		[ "${value:-0}" -ge "$2" ] && return
		sleep 0.1
	done
	echo "$1 stays $value"
	"$dusk" stackmap stat
	return 1
}
# Each stack of the victim is a path: up to 16 calls of even and odd in walk in main, which are 16 if it is not just on its
# way. Says how many.
paths() {
	awk 'function close_stack() {
			if (!calls) return
			n++; whole += calls == 16
			if (calls > 16 || order !~ /^(c+)wm/) bad++
		}
		/^stack_id/ { close_stack(); calls = 0; order = "" }
		$2 ~ /^(even|odd)\+/ { calls++; order = order "c" }
		$2 ~ /^walk\+/ { order = order "w" }
		$2 ~ /^main\+/ { order = order "m" }
		END { close_stack(); print n; exit bad || whole < n / 2 }'
}
# again SECONDS COMMAND...: until it succeeds
again() {
	for _ in $(seq $(($1 * 5))); do
		"${@:2}" 2>/dev/null && return
		sleep 0.2
	done
	return 1
}
counter() {
	"$dusk" info -i "$1" | awk -v name="$2" '$2 == name { n = $1 } END { print n + 0 }'
}

claim "without a recording there is no stackmap" exits 1 "$dusk" stackmap show
claim "... which is said" says "a profile is named by -i"

# References to kernel stacks, while a recording of a process that is stopped keeps the stackmap.
sleep 1000 &
stopped=$!
kill -STOP $stopped
"$dusk" record -q -e cpu -p $stopped -o keeps.dusk 2>errors &
other=$!
kernel_refs() {
	"$dusk" stackmap show --kernel --no-symbols | sed -n 's/^stack_id.*\[ref \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}
claim "a stackmap that is kept" reaches bits 14
claim "off-CPU intervals" exits 0 "$dusk" record -q -e offcpu -o naps.dusk -- "$victims/paths" naps 6000 1
refs=$(kernel_refs)
claim "... whose kernel stacks were walked and cached" \
	[ "$(counter naps.dusk kernel-walks)" -gt 0 -a "$(counter naps.dusk kernel-cached)" -gt 3000 -a "$(counter naps.dusk kernel-checked)" -gt 0 ]
claim "... are as many references" [ "$refs $(counter naps.dusk no-user)" = "$(counter naps.dusk offcpu-intervals) 0" ]
claim "samples in the kernel" exits 0 "$dusk" record -q -e cpu -F 4999 -o reads.dusk -- dd if=/dev/zero of=/dev/null bs=1M count=40000
in_kernel=$("$dusk" query -i reads.dusk --csv "select count(*) from sample s join node n on n.id = s.node join frame f on f.id = n.frame
	join module m on m.id = f.module where m.path = '[kernel]'" | sed 1d)
claim "... there are some" [ "$in_kernel" -gt 500 ]
claim "... are as many more" [ "$(($(kernel_refs) - refs)) 0" = "$in_kernel $(counter reads.dusk lost-samples)" ]
kill -INT $other
wait $other
kill -KILL $stopped

cp "$victims/paths" there
./there >ready &
victim=$!
claim "a size out of range" exits 2 "$dusk" record --stackmap-bits 21
claim "... the range is named" says "from 10 to 20"
claim "... on its other side" exits 2 "$dusk" record --stackmap-bits 9
claim "... it is named, too" says "from 10 to 20"
claim "a memory out of range" exits 2 "$dusk" record --stackmap-mem 1M1
claim "... the range is named" says "from 512K to 512M"
claim "both" exits 2 "$dusk" record --stackmap-bits 12 --stackmap-mem 1M

"$dusk" record -q -e cpu -p $victim -F 4999 --stackmap-mem 2M -o first.dusk 2>errors &
recording=$!
claim "a recording fills it" reaches entries 200
claim "... in the size that was asked for" [ "$(stat bits)" = 12 ]
claim "... each request has an id" sh -c "$dusk stackmap stat | grep -q '^success_rate: 100.00%'"
"$dusk" stackmap show >shown
claim "it is shown" [ "$(paths <shown)" -gt 100 ]
claim "... each stack as it was" sh -c "$(declare -f paths); paths <shown"
"$dusk" stackmap show --user --no-symbols >numbers
claim "... as numbers" grep -q '^  \[0\] 0x' numbers

# dumps: whatever is inserted meanwhile, each is whole. Names take longer than a recording that is stopped has room for.
dumps() {
	for _ in $(seq 20); do
		"$dusk" stackmap dump --no-symbols -o a.fsmb && "$dusk" stackmap read a.fsmb >read || return
		[ "$(sort read | grep stack_id | awk '{ print $2 }' | uniq -d)" ] && return 1
	done
	[ -s read ]
}
claim "it is dumped, again and again, while it is filled" dumps
claim "strict reset is refused while something records" exits 1 "$dusk" stackmap reset --when-stopped
claim "... which is said" says "something records"
before=$(stat epoch)
claim "reset" exits 0 "$dusk" stackmap reset
claim "... begins an epoch" [ "$(stat epoch)" -gt "$before" ]
claim "... in which it is empty" sh -c "$dusk stackmap reset && $dusk stackmap stat | awk '/^entries/ { exit \$2 > 300 }'"
kill -INT $recording
wait $recording
claim "the recording is whole" exits 0 "$dusk" stackmap show -i first.dusk
claim "... all its stacks are as they were" sh -c "$(declare -f paths); paths <said"
claim "... none was sent whole" [ "$(counter first.dusk stacks-inline)" = 0 ]
claim "... nothing was lost" [ "$(counter first.dusk lost-samples)$(counter first.dusk lost-stacks)" = 00 ]
claim "... complete are" sh -c "$dusk info -i first.dusk | awk '/^complete/ { exit \$2 < 99 }'"
claim "nothing stays" [ ! -e /sys/fs/bpf/dusk ]

"$dusk" record -q -e cpu -p $victim -F 9999 --stackmap-bits 10 -o small.dusk 2>errors &
recording=$!
claim "a small one is filled again and again" reaches epoch 4
claim "... and what is full is given back" again 20 sh -c '[ $(ls /sys/fs/bpf/dusk/*/stacks-? | wc -l) = 1 ]'
kill -INT $recording
wait $recording
claim "... the recording has more stacks than it has room for" [ "$("$dusk" stackmap show -i small.dusk | paths)" -gt 3000 ]
claim "... as they were" sh -c "$(declare -f paths); $dusk stackmap show -i small.dusk | paths"
claim "... nothing was lost" [ "$(counter small.dusk lost-samples)$(counter small.dusk lost-stacks)" = 00 ]
claim "... samples are stacks or have a reason" sh -c "$dusk info -i small.dusk | awk '/^complete/ { exit \$2 < 99 }'"

# A recording that is stopped holds tables up, and no reader; in the end it is whole: the ring has room for a minute of it.
"$dusk" record -q -e cpu -p $victim -F 997 --stackmap-bits 10 -o stopped.dusk 2>errors &
recording=$!
claim "a recording fills it" reaches entries 200
kill -STOP $recording
claim "while it is stopped, the stackmap is shown" exits 0 "$dusk" stackmap show
claim "... as it was" sh -c "$(declare -f paths); paths <said"
claim "... and dumped" dumps
claim "... and has its numbers" [ "$(stat entries)" -ge 200 ]
refused() {
	for _ in 1 2 3 4 5; do
		"$dusk" stackmap reset 2>refusal || return 0
	done
	return 1
}
claim "... it is reset as often as there are places" refused
claim "... and then the message names what holds it up" grep -q 'a tool has not taken in yet .*; it may be stopped' refusal
claim "... strict reset says what it waits for" exits 1 "$dusk" stackmap reset --when-stopped
claim "... that it is recorded" says "something records"
kill -CONT $recording
claim "when it goes on, it can be reset again" again 20 "$dusk" stackmap reset
kill -INT $recording
wait $recording
claim "... and all its stacks are as they were" sh -c "$(declare -f paths); $dusk stackmap show -i stopped.dusk | paths"
claim "... none was lost" [ "$(counter stopped.dusk lost-samples)$(counter stopped.dusk lost-stacks)" = 00 ]
claim "... its numbers are those of all tables" sh -c "$dusk stackmap stat -i stopped.dusk | awk '/^epochs/ { exit \$2 < 4 }'"

"$dusk" record -q -e cpu --private -d 1s -o private.dusk &
sleep 0.5
claim "a private one is nobody's" exits 1 "$dusk" stackmap stat
wait %%
done_testing
