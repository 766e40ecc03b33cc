#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is a folder of profiles read as one, and are its profiles merged? usage: test_store.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS PAGER

# at SECOND NAME: a profile of twenty samples, each 10 ms, that began at that second of 2026-11-24T02:00:00Z
at() {
	"$make_profile" "$2" || exit 1
	sqlite3 "$2" "insert or replace into setting values('boot_id','one'); insert or replace into setting values('start_realtime_ns',$(($(date -ud 2026-11-24T02:00:00Z +%s) + $1))||'000000000')"
}
# samples PROFILE N: it has so many
samples() {
	"$dusk" report -i "$1" >out 2>errors
	cat out errors
	grep -q "^# samples:   $2;" out && [ ! -s errors ]
}
folded() {
	"$dusk" export -f folded -i "$1" | sort
}
same_stacks() {
	folded "$1" >one
	folded "$2" >two
	cat one two
	[ -s one ] && cmp one two
}
failed() {
	fails_as 1 "$@"
}
# fails_as STATUS MESSAGE COMMAND...
fails_as() {
	wanted_status=$1
	wanted=$2
	shift 2
	exits "$wanted_status" "$dusk" "$@" && says "$wanted"
}
needs sqlite3 "a folder of profiles is read as one" || { done_testing; exit; }

mkdir st none
at 0 st/20261124T020000Z.dusk
at 60 st/20261124T020100Z.dusk
at 120 st/20261124T020200Z.dusk
claim "a folder of profiles is read as one" samples st 60
claim "... the stacks are those of one, three times" sh -c "[ \"\$('$dusk' export -f folded -i st/20261124T020000Z.dusk | awk '{ \$NF *= 3 } 1' | sort)\" = \"\$('$dusk' export -f folded -i st | sort)\" ]"
claim "... and nothing is there twice" sh -c "'$dusk' merge -q -o all.dusk st && [ \"\$(sqlite3 all.dusk 'select count(*) from frame')\" = \"\$(sqlite3 st/20261124T020000Z.dusk 'select count(*) from frame')\" ]"
claim "from a time on" samples st@2026-11-24T02:01:00Z 40
claim "up to a time" samples st@..2026-11-24T02:01:00Z 20
claim "from a time up to another" samples st@2026-11-24T02:00:00Z..2026-11-24T02:01:00Z 20
claim "a date is its midnight" samples st@2026-11-24..2026-11-25 60
claim "a time without Z is local" env TZ=UTC-1 sh -c "'$dusk' report -i st@2026-11-24T03:02 | grep -q '^# samples:   20;'"
claim "what began an hour ago is in the last two" sh -c "
	sqlite3 st/20261124T020000Z.dusk \"update setting set value=(strftime('%s','now') - 3600)||'000000000' where key='start_realtime_ns'\"
	mkdir recent && cp st/20261124T020000Z.dusk recent/a.dusk && '$dusk' report -i recent@-2h | grep -q '^# samples:   20;'"
claim "... and not in the last half" fails_as 4 "there is nothing in recent of that time" report -i recent@-30m
at 0 st/20261124T020000Z.dusk
rm -f st/*.old
by_time() {
	"$dusk" report --sort time --json st >out || return 1
	cat out
	[ "$(jq -r 'select(.time) | "\(.time) \(.self)"' out | tr '\n' ';')" = "2026-11-24T02:00:00Z 20;2026-11-24T02:01:00Z 20;2026-11-24T02:02:00Z 20;" ]
}
needs jq "rows are of parts of the time, in their order" && claim "rows are of parts of the time, in their order" by_time
claim "... which a tree has not" sh -c "! '$dusk' report --tree --sort time st 2>said && grep -q 'sort time has no meaning' said"
claim "two times are compared" sh -c "'$dusk' diff st@..2026-11-24T02:01:00Z st@2026-11-24T02:01:00Z | grep -q '^# after: .* 40 samples'"
claim "a time that is none" fails_as 2 "a time is -2h, now, 03:12" report -i st@soon
claim "an end before the beginning" fails_as 2 "the end is not after the beginning" report -i st@2026-11-25..2026-11-24
claim "a time of which there is nothing" fails_as 4 "there is nothing in st of that time" report -i st@2026-11-25
claim "a folder without profiles" fails_as 4 "there is no profile in none" report -i none
claim "a folder that is not there" failed "cannot read nowhere@-1h" report -i nowhere@-1h
head -c 3000 st/20261124T020000Z.dusk >st/20261124T015900Z.dusk
damaged() {
	"$dusk" report -i st >out 2>errors
	cat out errors
	grep -q "^# samples:   60;" out && grep -q "20261124T015900Z.dusk" errors
}
claim "a damaged profile is named, and the others are read" damaged
mkdir st/20261124T015900Z.dusk.recording
damaged >/dev/null
claim "... with a recording that is newer" grep -q "20261124T015900Z.dusk.recording is newer than" errors
rm -r st/20261124T015900Z.dusk*
# One part that cannot be read or added, first, in the middle or last, is named and counted, and the others are shown, by every view.
bad() { # bad KIND FILE
	at 30 "$2"
	case $1 in
	damaged) head -c 3000 "$2" >part && mv part "$2" ;;
	undated) sqlite3 "$2" "delete from setting where key like 'start%'" ;;
	new) sqlite3 "$2" "pragma user_version = 99" ;;
	other) sqlite3 "$2" "update outcome set name = 'other-' || name; with n(i) as (select max(id) + 1 from outcome union all select i + 1 from n where i < 255) insert into outcome select i, 'o' || i, 'complete', 's' from n" ;;
	esac
}
# view COMMAND...: it answers, and names what is left out
view() {
	exits 0 "$dusk" "$@" && says "$named" && says "1 of 4 profiles in bad: left out"
}
views() { # views KIND NAME
	rm -rf bad
	cp -r st bad
	bad "$1" "bad/$2"
	named=$2
	view report -i bad && view flame -i bad -o page.html && view query -i bad 'select count(*) from sample' &&
		view export -i bad -f folded -o folded && view info -v -i bad && view merge -o all.dusk bad || return 1
	[ "$(sqlite3 all.dusk 'select count(*) from sample')" = 60 ] &&
		[ "$(sqlite3 all.dusk "select value from counter where name = 'lost-profiles'")" = 1 ]
}
for kind in damaged undated new; do
	for name in 20261124T015930Z.dusk 20261124T020030Z.dusk 20261124T020230Z.dusk; do
		claim "every view leaves out a profile that is $kind, and says so: $name" views $kind $name
	done
done
claim "... or has outcomes for which there is no room" views other 20261124T020230Z.dusk
aside() { # aside KIND
	rm -rf bad
	cp -r st bad
	bad "$1" bad/20261124T020030Z.dusk
	exits 0 "$dusk" merge --set-aside -o all.dusk bad/*.dusk && says "20261124T020030Z.dusk.bad now" &&
		[ -e bad/20261124T020030Z.dusk.bad ] && [ ! -e bad/20261124T020030Z.dusk ] &&
		[ "$(sqlite3 all.dusk "select value from counter where name = 'lost-profiles'")" = 1 ]
}
claim "a day becomes one without what is damaged, which is set aside" aside damaged
claim "... or does not say when it began" aside undated
rm -rf bad
cp -r st bad
bad new bad/20261124T020030Z.dusk
claim "... but what a newer dusk can read stays" exits 1 "$dusk" merge --set-aside -o no.dusk bad/*.dusk
claim "... where it was" [ -e bad/20261124T020030Z.dusk ]
mkdir -m 700 st/20261124T020300Z.dusk.recording
: >st/20261124T020300Z.dusk.recording/profile
: >st/20261124T020300Z.dusk.recording/profile-wal
claim "a recording that has just begun is nothing, of which nothing is missing" samples st 60
rm -r st/20261124T020300Z.dusk.recording
cp st/20261124T020000Z.dusk strange@name.dusk
claim "a file with an @ in its name is that file" samples strange@name.dusk 20

claim "profiles are merged" exits 0 "$dusk" merge -o merged.dusk st/20261124T020200Z.dusk st/20261124T020000Z.dusk st/20261124T020100Z.dusk
claim "... which is said" says "wrote merged.dusk, of 3 profiles"
claim "... to the same stacks" same_stacks st merged.dusk
claim "... in the order of time, whatever theirs" sh -c "[ \"\$(sqlite3 merged.dusk 'select max(time) / 1000000 from sample')\" = 120 ]"
claim "with sums over windows" exits 0 "$dusk" merge -q --window 1m -o sums.dusk st
claim "... of which nothing is said" sh -c "[ ! -s '$tmp/said' ]"
claim "... there are no samples any more" sh -c "[ \"\$(sqlite3 sums.dusk 'select (select count(*) from sample) || (select count(*) from window)')\" = 03 ]"
claim "... but the same stacks" same_stacks st sums.dusk
claim "sums are summed up again" sh -c "'$dusk' merge -q --window 1h -o hour.dusk sums.dusk && [ \"\$(sqlite3 hour.dusk 'select count(*) from window')\" = 1 ]"
claim "... to the same stacks" same_stacks st hour.dusk
asked() {
	"$dusk" query -i "$1" --csv "select state, sum(nr), sum(ms) from sums group by 1" | tail -n 1
}
claim "sums are asked in SQL" [ "$(asked sums.dusk)" = on-cpu,60,600 ]
claim "... of a store, too" sh -c "mkdir sts && cp sums.dusk sts/a.dusk && TMPDIR=\$PWD '$dusk' query -i sts --csv 'select sum(nr) from sums' | tail -n 1 | grep -qx 60"
claim "... of which nothing is left" sh -c "! ls -d dusk-query-*"
claim "samples of a store are asked in SQL" sh -c "[ \"\$('$dusk' query -i st --csv 'select count(*) from sample' | tail -n 1)\" = 60 ]"
claim "a size is kept to" exits 0 "$dusk" merge -q --size 1K -o small.dusk st
claim "... at the cost of callers in the middle of stacks" sh -c "'$dusk' query -i small.dusk --csv 'select value from counter where name = \"stacks-shortened\"' | tail -n 1 | grep -q '[1-9]'"
claim "... and of nothing, if there is room" sh -c "'$dusk' merge -q --size 1G -o large.dusk st && ! '$dusk' query -i large.dusk --csv 'select name from counter' | grep -q shortened"
claim "merging nothing" sh -c "'$dusk' merge 2>&1 | grep -q 'which profiles?'"
claim "a profile that cannot be read is not left out of what is merged" exits 1 "$dusk" merge -o no.dusk st/20261124T020000Z.dusk nowhere.dusk
claim "... and nothing is written" [ ! -e no.dusk ]
# What was taken is stored, or named.
# silent COMMAND...: nothing is on stdout
silent() {
	[ -z "$("$@" 2>/dev/null)" ]
}

checked() { # checked STATUS TEXT FILE...: TEXT is a row, blanks squeezed
	wanted=$1
	row=$2
	shift 2
	exits "$wanted" "$dusk" store check "$@" || return 1
	tr -s ' ' <said | grep -qxF -e "$row"
}
mkdir counts
at 0 counts/a.dusk
set_counters() { # set_counters FILE TAKEN LOST
	sqlite3 "$1" "insert or replace into counter values('samples',$2,'samples taken'),('lost-samples',$3,'lost of them')"
}
set_counters counts/a.dusk 23 3
claim "what was lost is named" checked 0 "a.dusk samples 23 20 3 0" counts
claim "... with the reason" grep -qx "  3 lost-samples: lost of them" said
cp counts/a.dusk counts/b.dusk
set_counters counts/b.dusk 24 3
claim "what is neither stored nor named as lost is a fault" checked 1 "b.dusk samples 24 20 3 1 WRONG" counts
claim "... and is counted" says "1 of 2 profiles: what was taken is neither stored nor named as lost"
set_counters counts/b.dusk 22 3
claim "... and so is what is stored twice" checked 1 "b.dusk samples 22 20 3 -1 WRONG" counts/b.dusk
sqlite3 counts/b.dusk "delete from setting where key = 'finished'"
claim "where the recorder was killed something may be missing" checked 0 "b.dusk samples 22 20 3 -1 (its recorder was killed)" counts/b.dusk
sqlite3 counts/b.dusk "delete from counter where name = 'samples'"
claim "of a profile without counters nothing is said" sh -c "'$dusk' store check counts/b.dusk | grep -c b.dusk | grep -qx 0"
: >counts/c.dusk
claim "a profile that cannot be read is a failure" exits 1 "$dusk" store check counts
claim "... and the others are looked at" sh -c "tr -s ' ' <said | grep -qxF 'a.dusk samples 23 20 3 0'"
mkdir empty
claim "of a store without profiles nothing is said to be well" exits 4 "$dusk" store check empty
claim "... but that there is nothing" says "there is nothing in empty"
claim "one that is not there is a failure" exits 1 "$dusk" store check nowhere
claim "... and nothing else" silent "$dusk" store check nowhere
claim "a store of which nothing was sent" exits 4 "$dusk" store status empty
claim "... is said to be one" says "nothing of empty was sent anywhere"
claim "the positions of one that is not there are a failure" exits 1 "$dusk" store status nowhere
claim "... and not an empty table" silent "$dusk" store status nowhere
claim "store check: options of init are refused" exits 2 "$dusk" store check --cluster x counts/a.dusk
claim "... by name" says "--cluster means nothing to check"
claim "store send: options of check are refused" exits 2 "$dusk" store send -v st clickhouse://localhost/one
claim "nothing is to be done" exits 2 "$dusk" store
claim "... with what" exits 2 "$dusk" store check
claim "... that it cannot do" exits 2 "$dusk" store mend st
done_testing
