#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is what perf recorded the same in a profile of dusk's? usage: test_import.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
. "$here/folded.sh"
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp"
unset DEBUGINFOD_URLS SUDO_UID SUDO_GID PAGER

skip() {
	claims=$((claims + 1))
	echo "ok $claims - $1 # SKIP $2"
}
# same FILE1 FILE2 QUERY: both profiles answer it alike, and with something
same() {
	"$dusk" query -i "$1" --csv "$3" >one && "$dusk" query -i "$2" --csv "$3" >two && [ "$(wc -l <one)" -gt 1 ] && cmp one two
}

# stacks FILE N: of each sample its stack; return addresses less N
stacks() {
	"$dusk" query -i "$1" --csv "select time, tid, (with recursive up(node, text) as (select s.node, '' union all
		select parent, m.kind || m.path || (offset - $2 * is_return) || ' ' || text from up join node n on n.id = up.node
		join frame f on f.id = n.frame join module m on m.id = f.module) select text from up where node = 0) stack
		from sample s join thread t on t.id = s.thread order by 1, 2"
}
# Of a return address perf has what is before it.
same_stacks() {
	stacks made.dusk 1 >one && stacks back.dusk 0 >two && [ "$(wc -l <one)" -gt 100 ] && cmp one two
}

# There and back, of a profile whose files are nowhere: stacks, tasks, times and weights.
"$make_profile" made.dusk 40 off || exit 1
for how in "" --deferred; do
	"$dusk" export -i made.dusk -f perf $how -o perf.data 2>/dev/null || exit 1
	claim "a file of dusk's own is taken in, $how" exits 0 "$dusk" import -o back.dusk perf.data
	claim "... that is said" says "180 samples of cpu-clock, 5 off-CPU intervals"
	claim "... and nothing else but that the kernel is another one" sh -c "[ \$(grep -vc 'KiB\$\|next: dusk report\|kernel functions have no names' '$tmp/said') = 0 ]"
	claim "samples are those of the same tasks, times and CPUs" same made.dusk back.dusk \
		"select time, pid, tid, comm, cpu from sample s join thread t on t.id = s.thread order by 1, 3"
	claim "their stacks are the same places" same_stacks
	claim "off-CPU intervals are as long" same made.dusk back.dusk "select time, tid, value from offcpu a join thread t on t.id = a.thread order by 1, 2"
	claim "the machine is the same" same made.dusk back.dusk "select value from setting where key in ('hostname', 'event')"
done
claim "where it comes from is in the profile" sh -c "'$dusk' info -i back.dusk | grep -q 'imported_from = perf.data'"
claim "quiet is quiet" sh -c "[ -z \"\$('$dusk' import -q -o quiet.dusk 2>&1 | grep -v 'kernel functions')\" ] && [ -s quiet.dusk ]"
claim "the profile is its owner's alone" sh -c '[ "$(stat -c %a back.dusk)" = 600 ]'
claim "perf.data and profile.dusk are the usual names" exits 0 "$dusk" import
claim "... and an older profile is kept" sh -c "'$dusk' import -q 2>/dev/null; [ -s profile.dusk.old ]"
if [ "$(id -u)" = 0 ]; then
	claim "under sudo it is the caller's" sh -c "SUDO_UID=12345 SUDO_GID=23456 '$dusk' import -q -o his.dusk 2>/dev/null; [ \"\$(stat -c %u:%g his.dusk)\" = 12345:23456 ]"
fi

# What is no perf.data, or not one that is read.
refused() {
	rm -f none.dusk
	exits 1 "$dusk" import -o none.dusk "$2" && says "$1" && [ ! -e none.dusk ] && [ ! -e none.dusk.recording ]
}
head -c 3000 perf.data >cut.data
mkdir folder
mkfifo fifo
claim "a profile is none" refused "is no perf.data" made.dusk
claim "of one that is cut short, what is whole is taken in" exits 0 "$dusk" import -o cut.dusk cut.data
claim "... which is said" says "cut-bytes: bytes at the end of the file"
head -c 300 perf.data >head.data
claim "one without a whole record is refused" refused "is cut short" head.data
mkdir kcore
cp perf.data kcore/data
claim "a folder of perf's is what its file is" exits 0 "$dusk" import -o kcore.dusk kcore
for with in gzip xz zstd; do
	if needs $with "what was compressed by $with is taken in"; then
		$with -c perf.data >packed.data
		claim "what was compressed by $with is taken in" exits 0 "$dusk" import -o packed.dusk packed.data
		claim "... and is the same" says "180 samples of cpu-clock, 5 off-CPU intervals"
	fi
done
claim "a folder is none" refused "cannot read folder" folder
claim "a FIFO is refused at once" refused "it is not a file" fifo
claim "one that is not there" refused "No such file" nothing.data
claim "an event that it does not have" exits 1 "$dusk" import -e cycles -o none.dusk
claim "... is named" says "no event cycles"
claim "a profile cannot go to standard output" exits 2 "$dusk" import -o -
claim "one file at a time" exits 2 "$dusk" import perf.data perf.data

# A real recording of dusk's: the same functions, as often. But those of the recorder's own BPF programs, which are gone by then.
gone='\[bpf\]|\[kernel\]\+0x'
by_function() {
	"$dusk" report -i "$1" --csv --no-inline --percent-limit 0 --hide "$gone" $3 2>/dev/null | cut -d, -f 3- | sort >"$2"
	[ "$(wc -l <"$2")" -gt 3 ]
}
there_and_back() {
	by_function true.dusk one $1 && by_function true-back.dusk two $1 && grep -q spin_long one && diff one two
}
folded_of() {
	"$dusk" export -i "$1" --no-inline --cpu --hide "$gone" | sed 's/\[no stack: [a-z-]*\]/none/' | sort
}
in_stacks() {
	folded_of true.dusk >one && folded_of true-back.dusk >two && grep -q 'main;outer;spin_short' one && diff one two
}
# shown_by_perf FILE: perf script has the stacks of true.dusk's samples that dusk script has
shown_by_perf() {
	perf script -i "$1" --no-inline -F comm,tid,time,event,ip,sym 2>/dev/null |
		awk 'BEGIN { RS = ""; ORS = "\n\n" } !/offcpu-time:/' | folded >one
	"$dusk" script -i true.dusk --no-inline --cpu | folded >two
	cat one two
	grep -q 'main;outer;spin_short' one && diff one two
}
# Does perf know records of deferred user stacks?
perf_defers() {
	perf --version | awk '{ split($3, v, "."); exit !(v[1] * 1000 + v[2] >= 6019) }'
}
built=no
needs cc "programs with frame pointers" && cc -g -O0 -Wl,--build-id=sha1 -o busy "$here/busy.c" && built=yes
"$dusk" doctor >doctor 2>&1
if [ $? = 3 ] || [ $built = no ]; then
	skip "a recording there and back" "this machine cannot record, see dusk doctor, or has no cc"
else
	"$dusk" record -q -F 499 -o true.dusk -- ./busy 2>/dev/null
	for how in "" --deferred; do
		"$dusk" export -i true.dusk -f perf $how -o true.data 2>/dev/null
		"$dusk" import -q -o true-back.dusk true.data
		claim "a recording there and back has the same functions, as often, $how" there_and_back --cpu
		claim "... in the same stacks" in_stacks
		if needs perf "perf script shows the stacks that dusk script shows, $how"; then
			if [ "$how" ] && ! perf_defers; then
				skip "perf script shows the stacks that dusk script shows, $how" "$(perf --version) is older than 6.19"
			else
				claim "perf script shows the stacks that dusk script shows, $how" shown_by_perf true.data
			fi
		fi
	done
fi

# perf's own.
# The time of a sample is printed where it is not the period.
as_much_time() {
	of_perf=$(perf script -i perfs.data -F period 2>/dev/null | awk '{ n += $1 } END { print n }')
	ours=$("$dusk" export -i perfs.dusk -f jsonl | sed -n 's/.*"type":"sample".*"value_ns":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')
	echo "$of_perf $ours"
	[ "$of_perf" = "$ours" ]
}
recorded() {
	needs perf "$1" || return
	[ $built = yes ] || { skip "$1" "there is no cc"; return 1; }
	perf record -q -e cpu-clock -F 499 -g -o perfs.data ./busy >perf.said 2>&1 && return
	skip "$1" "perf cannot record here"
	return 1
}
if recorded "what perf recorded is taken in"; then
	claim "what perf recorded is taken in" exits 0 "$dusk" import -o perfs.dusk perfs.data
	perf script -i perfs.data --no-inline -F comm,tid,time,event,ip,sym 2>/dev/null | folded >one
	"$dusk" script -i perfs.dusk --no-inline | folded >two
	claim "... with the stacks that perf shows" sh -c "cat one two; grep -q 'main;outer;spin_short' one && diff one two"
	claim "... as many samples" sh -c "[ \$(perf script -i perfs.data -F comm 2>/dev/null | grep -c .) = \$('$dusk' query -i perfs.dusk --csv 'select count(*) from sample' | tail -n 1) ]"
	claim "... and as much time" as_much_time
	deferred="what perf recorded with deferred user stacks is taken in, with the stacks that perf shows"
	if ! perf_defers; then
		skip "$deferred" "$(perf --version) is older than 6.19"
	elif ! perf record -q -e cpu-clock -F 499 --call-graph fp,defer -o deferred.data ./busy >perf.said 2>&1 ||
	     ! perf script -D --no-inline -i deferred.data 2>/dev/null | grep -q PERF_RECORD_CALLCHAIN_DEFERRED; then
		skip "$deferred" "linux $(uname -r) writes no deferred user stacks, or this perf does not ask for them"
	else
		"$dusk" import -o perfs.dusk deferred.data 2>/dev/null
		perf script -i deferred.data --no-inline -F comm,tid,time,event,ip,sym 2>/dev/null | folded >one
		"$dusk" script -i perfs.dusk --no-inline | folded >two
		claim "$deferred" sh -c "cat one two; grep -q 'main;outer;spin_short' one && diff one two"
	fi
	two="of two events the first is taken, and the other is counted"
	if perf record -q -e cpu-clock,page-faults -g -o two.data ./busy >perf.said 2>&1; then
		claim "$two" exits 0 "$dusk" import -o two.dusk two.data
		claim "... which is said" says "other-events: samples of other events"
		claim "or the one that is asked for" exits 0 "$dusk" import -e page-faults -o two.dusk two.data
		claim "... of which it says that it is no time" says "samples of page-faults"
	else
		skip "$two" "perf cannot record both here: $(head -n 1 perf.said)"
	fi
	# as_perf_shows FILE: it is taken in, with the stacks and times that perf shows
	as_perf_shows() {
		"$dusk" import -o perfs.dusk "$1" || return
		perf script -i "$1" --no-inline -F comm,tid,time,event,ip,sym 2>/dev/null | folded >one
		"$dusk" script -i perfs.dusk --no-inline | folded >two
		cat one two
		grep -q 'main;outer;spin_short' one && diff one two
	}
	# Stacks that perf would unwind later: of code without frame pointers, each is complete.
	dwarf="a copied stack is walked, with the frames that perf shows"
	if cc -g -O1 -fomit-frame-pointer -Wl,--build-id=sha1 -o omitted "$here/busy.c" &&
	   perf record -q -e cpu-clock -F 499 --call-graph dwarf -o dwarf.data ./omitted >perf.said 2>&1; then
		claim "$dwarf" as_perf_shows dwarf.data
		claim "... and all are complete but those of tasks that had none" sh -c "[ \$('$dusk' query -i perfs.dusk --csv \"select count(*) from sample
			join outcome o on o.id = outcome where o.name not in ('outermost', 'entry-point', 'exec-new', 'exited')\" | tail -n 1) = 0 ]"
		sed 's/spin_long/spin_lung/g' "$here/busy.c" >another.c
		cc -g -O1 -fomit-frame-pointer -Wl,--build-id=sha1 -o omitted another.c
		XDG_CACHE_HOME="$tmp/empty" "$dusk" import -q -o perfs.dusk dwarf.data 2>/dev/null
		claim "with another program in its place, it ends there" sh -c "'$dusk' info -i perfs.dusk | grep -q no-file"
		claim "... and has no names of that" sh -c "! '$dusk' report -i perfs.dusk | grep -w 'spin_long\\|spin_short'"
	else
		skip "$dwarf" "perf copies no stacks here: $(head -n 1 perf.said)"
	fi
	# Files are known by their build ids, or as the same machine runs still.
	for ids in --buildid-mmap ""; do
		perf record -q $ids -e cpu-clock -F 499 -g -o - ./busy >pipe.data 2>/dev/null
		claim "what went to a pipe is taken in, $ids" as_perf_shows pipe.data
		if perf record -q -z $ids -e cpu-clock -F 499 -g -o packed.data ./busy >/dev/null 2>&1; then
			claim "what is compressed is taken in, $ids" as_perf_shows packed.data
		else
			skip "what is compressed is taken in, $ids" "this perf has no zstd"
		fi
	done
	head -c -37 pipe.data >half.data
	claim "and of a pipe that was cut what came through" as_perf_shows half.data
	if perf record -q --threads -e cpu-clock -F 499 -g -o threads.data ./busy >/dev/null 2>&1; then
		claim "the records of several files are taken in" as_perf_shows threads.data
	else
		skip "the records of several files are taken in" "this perf writes one file only"
	fi
fi
done_testing
