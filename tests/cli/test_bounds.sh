#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# No content of a profile makes a command work for longer than its size warrants. usage: test_bounds.sh DUSK MAKE_PROFILE
#
# What is searched for again and again would take many minutes of these files; what is looked up takes seconds. The limit of CPU time
# lies between.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp"
needs sqlite3 "commands end in time" || { done_testing; exit; }

# dated FILE SQL: a profile with a beginning, and what the SQL adds
dated() {
	"$make_profile" "$1" && sqlite3 "$1" "insert or replace into setting values('start_realtime_ns','1795575600000000000'); $2"
}
rows="with n(i) as (select 0 union all select i + 1 from n where i <"
bounded() {
	(ulimit -t 100 && exits 0 "$dusk" "$@")
}
mkdir events counters
dated events/a.dusk "create table event(id integer primary key, name text); $rows 1000000) insert into event select i, 'event' || i from n"
cp events/a.dusk events/b.dusk
claim "a million kinds of events are merged" bounded merge -q -o merged.dusk events
dated counters/a.dusk "create table counted(id integer primary key, name text);
	$rows 100000) insert into counter select 'counter' || i, 0, '' from n; $rows 1000000) insert into counted select i + 1, 'counter' || (i % 100000) from n"
claim "a million counted ones of a hundred thousand counters are read" bounded info -i counters/a.dusk
cp counters/a.dusk counters/b.dusk
claim "... and merged" bounded merge -q -o merged.dusk counters
dated far.dusk "create table counted(id integer primary key, name text); create table window_count(id integer primary key, start int, counted int, value int);
	insert into counter values('samples',40,'') on conflict(name) do update set value = 40; insert into counted values(1,'samples'); insert into window_count values(1,0,1,20),(2,9000000000000000,1,20)"
few_lines() {
	bounded store check -v far.dusk >/dev/null
	"$dusk" store check -v far.dusk | head -n 1000 >lines
	cat lines
	[ "$(wc -l <lines)" -lt 20 ]
}
claim "minutes of which there is nothing are not listed, however many there are" few_lines
done_testing
