#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the views show inlined functions, and what has no name? usage: test_inline.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/page.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
proto=$(realpath "$(dirname "$0")/proto")
cd "$tmp" || exit 1
"$make_profile" profile.dusk || exit 1
unset PAGER NO_COLOR
export LC_ALL=C

shows() {
	wanted=$1
	shift
	"$@" >got 2>errors && [ ! -s errors ] && grep -q -e "$wanted" got || {
		cat got errors
		return 1
	}
}
hides() {
	wanted=$1
	shift
	"$@" >got 2>errors && ! grep -q -e "$wanted" got
}

claim "the report ends with what has no name, by samples" shows '^#  *2  libc.so.6: ' "$dusk" report
claim "... of the threads that it shows" shows '^#  *2  libc.so.6: ' "$dusk" report --comm xz
claim "... and of no other" hides '^#  *[0-9]*  libc.so.6: ' "$dusk" report --comm 'my app'
claim "and says nothing of that where functions are not shown" hides 'libc.so.6' "$dusk" report --sort comm

if command -v sqlite3 >/dev/null; then
	# match, which recursed, had find_len inlined, and that get_byte.
	sqlite3 profile.dusk "
		create table source(id integer primary key, path text);
		create table line(id integer primary key, frame int, function int, source int, line int);
		insert into source values(1, 'src/match.c'), (2, 'src/byte.h');
		insert into function values(9, 'get_byte', 'get_byte', 1), (10, 'find_len', 'find_len', 1);
		insert into line select 1, id, 9, 2, 7 from frame where offset = 12288;
		insert into line select 2, id, 10, 1, 40 from frame where offset = 12288;
		insert into line select 3, id, 3, 1, 99 from frame where offset = 12288;" || exit 1
	claim "folded: inlined functions are called by the functions that they are in" shows \
		'^xz;main;code;match;find_len;get_byte;code;match;find_len;get_byte 6$' "$dusk" export --format folded
	claim "--no-inline leaves them out" shows '^xz;main;code;match;code;match 6$' "$dusk" export --format folded --no-inline
	claim "the last one of both options counts" shows 'get_byte' "$dusk" export --format folded --no-inline --inline
	claim "report: the innermost one has the samples" shows '^30.0000,30.0000,6,6,get_byte,xz$' "$dusk" report --csv
	claim "report --no-inline: the function has them" shows '^30.0000,30.0000,6,6,match,xz$' "$dusk" report --csv --no-inline
	claim "lines can be what rows are about" shows '^30.0000,6,src/byte.h:7,get_byte$' "$dusk" report --csv --no-children --sort line,function
	claim "code without a line says so" shows ',.no line.,vfs_read$' "$dusk" report --csv --no-children --sort line,function
	claim "trees do not go by line" exits 2 "$dusk" report --tree --sort line
	claim "script marks them as perf does" shows ' get_byte (inlined)$' "$dusk" script
	claim "script --no-inline" hides 'inlined' "$dusk" script --no-inline
	claim "flame" shows 'get_byte' flame_json
	claim "flame has files" shows 'src/byte.h' flame_json
	claim "flame --no-inline" hides 'get_byte' flame_json --no-inline
	"$dusk" export --format pprof -o lines.pprof 2>/dev/null
	if needs go "go tool pprof shows inlined functions"; then
		claim "go tool pprof: inlined functions call each other" sh -c "HOME=$tmp go tool pprof -sample_index=samples \
			-traces lines.pprof 2>/dev/null | awk '/ get_byte\$/ { getline; if (/find_len/) { getline; if (/match/) ok = 1 } } END { exit !ok }'"
		claim "go tool pprof: ... at their lines" sh -c "HOME=$tmp go tool pprof -sample_index=samples -lines -top \
			lines.pprof 2>/dev/null | grep 'get_byte .*byte.h:7\$'"
	fi
	if command -v protoc >/dev/null; then
		"$dusk" export --format pprof 2>/dev/null | gzip -dc | protoc -I "$proto" --decode=Profile "$proto/pprof.proto" >pprof
		claim "pprof has files" sh -c 'grep -q "\"src/byte.h\"" pprof && grep -q "filename: [1-9]" pprof'
		claim "pprof has lines" grep -q 'line: 99$' pprof
		"$dusk" export --format otlp 2>/dev/null | protoc -I "$proto" --decode=opentelemetry.proto.profiles.v1development.ProfilesData "$proto/opentelemetry/proto/profiles/v1development/profiles.proto" >otlp
		claim "OpenTelemetry has files and lines" sh -c 'grep -q "filename_strindex: [1-9]" otlp && grep -q "line: 40$" otlp'
	fi
	sqlite3 profile.dusk "update line set frame = 1 where id = 2"
	claim "lines that do not come together are damage" exits 1 "$dusk" report
	claim "that is said" says "a wrong value in table line"
fi
done_testing
