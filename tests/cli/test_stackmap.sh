#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are stacks shown, written and read? usage: test_stackmap.sh DUSK MAKE_PROFILE MAKE_LOCATED
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
make_located=$(realpath "$3")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS
export LC_ALL=C

# le32 NUMBER...: as the file has them; le64: addresses of the kernel, by their lower half
le32() {
	for n in "$@"; do
		printf "\\$(printf %03o $((n & 255)))\\$(printf %03o $((n >> 8 & 255)))"
		printf "\\$(printf %03o $((n >> 16 & 255)))\\$(printf %03o $((n >> 24 & 255)))"
	done
}
le64() {
	for low in "$@"; do
		le32 $low 0xffffffff
	done
}

# What the ftrace stackmap of a kernel shows: addresses of the kernel only, and one stack twice, as a race leaves it.
{
	le32 0x464d5342 2 4 0
	le32 42 3 1337 0
	le64 0x81000110 0x81000200 0xc0000008
	le32 77 1 9 0
	le64 0x81000300
	le32 78 1 1 0
	le64 0x81000300
	le32 2 2 700 0
	le64 0x81000120 0x90000000
} >little
cat >kallsyms <<'-'
ffffffff81000100 T schedule
ffffffff81000200 T after_schedule
ffffffff81000280 t idle
ffffffffc0000000 t ext4_sync_file	[ext4]
-

claim "a file of the kernel's" exits 0 "$dusk" stackmap read little --kallsyms kallsyms
claim "... is shown as the kernel shows it" says "stack_id 42 [ref 1337, depth 3]"
claim "... functions with offset and size" says "  [0] schedule+0x10/0x100"
claim "... a return address behind the end of a function is that function's" says "  [1] schedule+0x100/0x100"
claim "... functions of modules" says "  [2] ext4_sync_file+0x8 [ext4]"
claim "... unknown addresses as they are" says "  [1] 0xffffffff90000000"
claim "... equal stacks as one" says "stack_id 77 [ref 10, depth 1]"
claim "... which is said" says "dusk: little: 1 entries hold a stack that another one has; they were added to that"
claim "without symbols" exits 0 "$dusk" stackmap read little
claim "... addresses are shown" says "  [0] 0xffffffff81000110"
claim "the most frequent" sh -c "[ \"\$($dusk stackmap read little --limit 2 2>/dev/null | grep -c stack_id)\" = 2 ]"
claim "... come first" sh -c "$dusk stackmap read little --limit 2 2>/dev/null | head -1 | grep -q 'ref 1337'"
claim "the deepest come first" sh -c "$dusk stackmap read little --sort depth | sed -n '1p;6p' | tr -d '\n' | grep -q 'depth 3.*depth 2'"
if needs jq "the stacks as JSON"; then
	claim "the stacks as JSON" sh -c "$dusk stackmap read little --json --kallsyms kallsyms 2>/dev/null | jq -e '
		length == 3 and .[0].stack_id == 42 and .[0].ref_count == 1337 and .[1].ref_count == 10 and
		.[0].ips[2] == \"0xffffffffc0000008\" and .[0].symbols[0] == \"schedule+0x10/0x100\" and
		.[0].symbols[2] == \"ext4_sync_file+0x8 [ext4]\"'"
	claim "... where no function is known its address" sh -c "$dusk stackmap read little --json --kallsyms kallsyms 2>/dev/null | jq -e '
		.[2].symbols == [\"schedule+0x20/0x100\", \"0xffffffff90000000\"]'"
	claim "... without names no symbols" sh -c "$dusk stackmap read little --json 2>/dev/null | jq -e '
		all(has(\"symbols\") | not) and (.[0] | keys_unsorted) == [\"stack_id\", \"ref_count\", \"ips\"]'"
	claim "... at most so many" sh -c "$dusk stackmap read little --json --limit 1 2>/dev/null | jq -e 'length == 1 and .[0].stack_id == 42'"
	claim "... none" sh -c "$dusk stackmap read little --user --json 2>/dev/null | jq -e '. == []'"
fi
if needs python3 "the JSON in the form of Python's"; then
	"$dusk" stackmap read little --json --kallsyms kallsyms >json 2>/dev/null
	claim "the JSON in the form of Python's" sh -c "python3 -c 'import json, sys
print(json.dumps(json.load(sys.stdin), indent=2))' <json | cmp - json"
fi

head -c 78 little >cut
claim "a file that is cut short" exits 1 "$dusk" stackmap read cut
claim "... shows what is whole" says "stack_id 42 [ref 1337, depth 3]"
claim "... and says where it ends" says "dusk: cut: byte 56: stack 2 of 4 has 1 frames, and the file ends at byte 78"
claim "a file of another kind" exits 1 "$dusk" stackmap read kallsyms
claim "... is named" says "kallsyms is no file of stacks (FSMB)"
claim "no file" exits 1 "$dusk" stackmap read none
claim "... is named" says "cannot read none: No such file or directory"
sed 's/^[0-9a-f]*/0000000000000000/' kallsyms >hidden
claim "symbols without addresses" exits 1 "$dusk" stackmap read little --kallsyms hidden
claim "... the remedy is named" says "kernel.kptr_restrict=0"
claim "an image that is none" exits 1 "$dusk" stackmap read little --vmlinux kallsyms
claim "... is named" says "kallsyms is no ELF file"

cat >kernel.s <<'-'
	.text
	.globl schedule
	.type schedule, @function
schedule:
	.skip 0x100
	.size schedule, . - schedule
-
if as kernel.s -o kernel.o && ld -e schedule -Ttext=0xffffffff81000100 kernel.o -o vmlinux 2>link; then
	claim "names from an image" exits 0 "$dusk" stackmap read little --vmlinux vmlinux
	claim "... with sizes" says "  [0] schedule+0x10/0x100"
fi

"$make_profile" known.dusk || exit 1
claim "the stacks of a profile" exits 0 "$dusk" stackmap show -i known.dusk --limit 1
claim "... with names" says "(xz)"
claim "... as a file" exits 0 "$dusk" stackmap dump -i known.dusk -o known.fsmb
"$dusk" stackmap show -i known.dusk --no-symbols >shown
claim "... which reads as it was shown" sh -c "$dusk stackmap read known.fsmb --no-symbols | cmp - shown"
claim "those that end in the kernel" sh -c "$dusk stackmap show -i known.dusk --kernel --no-symbols | grep '\[0\]' |
	awk '!/ 0xffffffff8/ { bad = 1 } END { exit bad || !NR }'"
claim "those that do not" sh -c "! $dusk stackmap show -i known.dusk --user --no-symbols | grep '\[0\]' | grep 0xffffffff8"

# Names go with the stacks: what is read here is of files that are not, and the profile is gone.
"$dusk" stackmap show -i known.dusk >named
cp known.dusk away.dusk && "$dusk" stackmap dump -i away.dusk -o away.fsmb && rm away.dusk
claim "a file with names" exits 0 "$dusk" stackmap read away.fsmb
claim "... is read as it was shown" cmp said named
claim "... functions" says "] match+0x0 (xz)"
claim "... of the kernel, too" says "] vfs_read+0x0"
claim "... a place whose file is known" says "] 0x1234 (libc.so.6)"
claim "... with the names of a kernel's list" sh -c "echo 'ffffffff80fffff0 T listed' >one &&
	$dusk stackmap read away.fsmb --kallsyms one | grep -F '] listed+0x10' && $dusk stackmap read away.fsmb --kallsyms one | grep 'match+0x0 (xz)'"
claim "... the files" exits 0 "$dusk" stackmap read away.fsmb --modules
claim "... by build id" says "    1  0123456789abcdef0123456789abcdef01234567  /usr/bin/xz"
claim "... without one" says "    2  -                                         /usr/lib/libc.so.6"
if needs jq "names as JSON"; then
	claim "names as JSON" sh -c "$dusk stackmap read away.fsmb --json --limit 1 | jq -e '.[0].symbols[0] == \"match+0x0 (xz)\"'"
	claim "... none" sh -c "$dusk stackmap read away.fsmb --json --no-symbols | jq -e 'all(has(\"symbols\") | not)'"
	claim "... the files" sh -c "$dusk stackmap read away.fsmb --modules --json | jq -e '
		.[0] == {module: 1, build_id: \"0123456789abcdef0123456789abcdef01234567\", path: \"/usr/bin/xz\"}'"
fi
"$dusk" stackmap dump -i known.dusk -o bare.fsmb --no-symbols
claim "without names" sh -c "$dusk stackmap read bare.fsmb | cmp - shown"
claim "... there is no more than the stacks" [ "$(wc -c <bare.fsmb)" = "$(awk '/^stack_id/ { n += 16 + 8 * $6 } END { print n + 16 }' shown)" ]
# Another machine: the program that was looked up for the dump is not there.
if needs cc "a program that is on another machine"; then
	echo 'int spin_here(int n) { return n * 7; } int main(int argc, char **argv) { return spin_here(argc) == 0; }' >prog.c
	cc -Wl,--build-id=sha1 -o prog prog.c || exit 1
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	"$make_located" located.dusk "$tmp/prog" "$id" $((0x$(nm prog | awk '/ T spin_here$/ { print $1 }') + 4)) 5
	claim "a program that was here when it was dumped" exits 0 "$dusk" stackmap dump -i located.dusk -o located.fsmb
	mv prog gone && rm located.dusk
	claim "... and is gone now" exits 0 env -i "$dusk" stackmap read located.fsmb
	claim "... has its functions" says "] spin_here+0x4 (prog)"
	claim "... and where it was" sh -c "$dusk stackmap read located.fsmb --modules | grep -F '    1  $id  $tmp/prog'"
fi

claim "the numbers of a profile" exits 0 "$dusk" stackmap stat -i known.dusk
claim "... how many stacks" says "entries: $(grep -c stack_id shown)"
claim "... that end in the kernel" sh -c "grep -q '^kernel: '$("$dusk" stackmap show -i known.dusk --kernel | grep -c stack_id)' entries' said"
claim "... requests" says "successes: 192"
claim "... drops by reason" says "drops: 8 (full 7, contended 1)"
claim "... how many had an id" says "success_rate: 96.00%"
claim "... the slots looked at" says "probes: 1: 90 (46.88%) 2: 6 (3.12%) 3: 3 (1.56%) 4: 1 (0.52%) 25-32: 92 (47.92%)"
claim "... what they would take in a table" says "bytes: $(awk '/^stack_id/ { n += 24 + 8 * $6 } END { print n }' shown), "
claim "... of all epochs" says "epochs: 3"
if needs jq "the numbers as JSON"; then
	claim "the numbers as JSON" sh -c "$dusk stackmap stat -i known.dusk --json | jq -e '
		.successes == 192 and .drops_full == 7 and .probes[\"25-32\"] == 92 and .epochs == 3 and (has(\"table_size\") | not)'"
fi
if needs sqlite3 "a recording that was killed"; then
	sqlite3 known.dusk "delete from setting where key like 'stackmap_%'"
	claim "a recording that was killed" exits 0 "$dusk" stackmap stat -i known.dusk
	claim "... what is not known is said" says "successes, drops, probes: not known, as the recording did not end in order"
fi
claim "a profile or a stackmap" exits 2 "$dusk" stackmap stat -i known.dusk --pin /sys/fs/bpf/dusk

# Text of ftrace, by the stacks of a file.
id=$("$dusk" stackmap read away.fsmb | awk '/^stack_id/ { print $2; exit }')
"$dusk" stackmap read away.fsmb | awk 'NR == 1 { next } !NF { exit } { print "      " $0 }' >expected
printf '# tracer: nop\n  sh-7 [001] ..... 12.345678: <stack_id %s>\nno more\n' "$id" >text
claim "text is decoded" exits 0 "$dusk" stackmap decode -i away.fsmb text
cp said decoded
claim "... its lines are as they were" sh -c "grep -v '^        ' decoded | cmp - text"
claim "... with the stack below" sh -c "grep '^        ' decoded | cmp - expected"
claim "... also from standard input" sh -c "$dusk stackmap decode -i away.fsmb <text | cmp - decoded"
claim "... as numbers" sh -c "$dusk stackmap decode -i away.fsmb --no-symbols text | grep -q '^        .0. 0x'"
echo 'sh-7 [001] ..... 12.3: bpf_trace_printk: a:b <stack_id 1> <user 2> <map 77>' >foreign
claim "of another stackmap nothing is shown" exits 0 "$dusk" stackmap decode -i away.fsmb foreign
claim "... which is said" says "1 of 1 lines are of another stackmap (77)"
claim "text without stacks" exits 0 "$dusk" stackmap decode -i away.fsmb expected
claim "... is said to have none" says "names no stacks"
claim "text that is not there" exits 1 "$dusk" stackmap decode -i away.fsmb ./nothing
claim "... is named" says "cannot open ./nothing"
claim "stacks that are not there" exits 1 "$dusk" stackmap decode -i ./nothing text
claim "two sources of names" exits 2 "$dusk" stackmap decode -i away.fsmb --kallsyms a --vmlinux b text
claim "names for what goes on" exits 2 "$dusk" stackmap decode --kallsyms a text

claim "a dump needs a place" exits 2 "$dusk" stackmap dump -i known.dusk
claim "what means nothing is refused" exits 2 "$dusk" stackmap dump -i known.dusk -o x --limit 3
claim "... by name" says "--limit means nothing to dump"
claim "an unknown word" exits 2 "$dusk" stackmap shwo
claim "... the nearest is suggested" says "did you mean 'show'?"
claim "no word" exits 2 "$dusk" stackmap
claim "names and none" exits 2 "$dusk" stackmap read little --no-symbols --kallsyms a
claim "two sources of names" exits 2 "$dusk" stackmap read little --kallsyms a --vmlinux b
claim "no full disk goes unnoticed" sh -c "! $dusk stackmap dump -i known.dusk -o /dev/full"
done_testing
