#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the tools that exports are for read them, and do all 20 samples arrive? usage: test_export_readers.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
proto=$(realpath "$(dirname "$0")")/proto
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp"
"$make_profile" profile.dusk || exit 1
names="folded script perf pprof otlp perfetto firefox speedscope nested-set jsonl"
for format in $names; do
	"$dusk" export -f $format -o x.$format 2>said.$format || exit 1
done

# The same 20, and 4 off-CPU intervals with a sum of 40 more.
"$make_profile" both.dusk 0 off || exit 1
for format in $names; do
	"$dusk" export -i both.dusk -f $format -o both.$format 2>>said.both || exit 1
done

# is WANTED COMMAND...: it prints that, and nothing else.
is() {
	wanted=$1
	shift
	got=$("$@")
	echo "$got"
	[ "$got" = "$wanted" ]
}
refused() {
	wanted=$1
	shift
	exits 2 "$dusk" export "$@" && says "$wanted"
}

# The command itself.
claim "--list names every format" sh -c "$dusk export --list | cut -d ' ' -f 1 | tr '\n' ' ' | grep -qx '$names '"
claim "the suffix tells the format" sh -c "$dusk export -o y.pb.gz 2>/dev/null && cmp y.pb.gz x.pprof &&
	$dusk export -o perf.data 2>/dev/null && cmp perf.data x.perf && $dusk export -o y.jsonl 2>/dev/null && cmp y.jsonl x.jsonl"
claim "--format is believed before the suffix" sh -c "$dusk export -f folded -o z.jsonl && cmp z.jsonl x.folded"
claim "a suffix that tells nothing: the formats" refused "speedscope, nested-set, jsonl" -o x.json
claim "an unknown format: the formats" refused "perfetto, firefox" -f pdf
claim "data that has no place in the format is named, once" is "dusk: pprof has no place for times and CPUs" cat said.pprof
claim "a format with a place for all prints no message" is "" cat said.jsonl said.perfetto said.folded
claim "data of off-CPU intervals that has no place is named" grep -q "of off-CPU intervals perfetto has no place for sums" said.both
claim "a folder that does not exist" exits 1 "$dusk" export -o none/x.jsonl
claim "it is named, and why" says "cannot write none/x.jsonl: No such file or directory"
needs script "a terminal is spared" && claim "a terminal is spared" sh -c "
	script -qec '$dusk export -f pprof' /dev/null | grep -q 'not for terminals'"
for format in $names; do
	claim "$format: a full disk is an error" exits 1 sh -c "$dusk export -f $format >/dev/full"
done

# Lines that a reader does not expect would show here.
claim "folded: 20 samples" is 20 awk '{ nr += $NF } END { print nr }' x.folded
claim "reversed: the same stacks, from the inside" sh -c "
	$dusk export --reverse | awk '{ n = \$NF; sub(/ [0-9]*\$/, \"\"); k = split(\$0, part, \";\"); line = part[k]
		for (i = k - 1; i; i--) line = line \";\" part[i]; print line, n }' | cmp - x.folded"
claim "script: 20 samples" is 20 grep -c 'cpu-clock:' x.script
claim "folded: off-CPU intervals are no samples" cmp x.folded both.folded
claim "folded --off-cpu: nanoseconds" is 164000000 sh -c "$dusk export -i both.dusk --off-cpu |
	awk '{ ns += \$NF } END { print ns }'"
claim "folded --wall: all time, and what is off CPU says so" is "364000000 164000000" \
	sh -c "$dusk export -i both.dusk --wall | awk '{ ns += \$NF } /\\[(sleeping|preempted|uninterruptible)\\] [0-9]*\$/ { off += \$NF }
		END { print ns, off }'"
claim "script: each off-CPU interval, each sum" is "20 5" \
	sh -c "grep -c 'cpu-clock:' both.script | tr '\n' ' '; grep -c '[0-9] off-cpu: ' both.script"
claim "script: a sum says of how many" grep -qx '# preempted 4.000000 ms, runnable 4.000000 ms, the sum of 40' both.script

flamegraph=$(command -v flamegraph.pl || echo /usr/share/perl5/Devel/NYTProf/flamegraph.pl)	# as Debian has it
if needs "$flamegraph" "flamegraph.pl reads folded"; then
	claim "flamegraph.pl draws 20 samples" sh -c "$dusk export -f folded | perl $flamegraph | grep '<title>all (20 samples, 100%)'"
	claim "... functions with all that they called" sh -c "$dusk export -f folded | perl $flamegraph | grep '<title>main (9 samples, 45.00%)'"
	claim "... reversed, the innermost at the bottom" sh -c "$dusk export --reverse | perl $flamegraph --inverted | grep '<title>memcpy (2 samples'"
	claim "... and time off the CPU" sh -c "$dusk export -i both.dusk --off-cpu | perl $flamegraph --countname=ns | grep '<title>all (164,000,000 ns'"
	if needs stackcollapse-perf.pl "stackcollapse-perf.pl reads script"; then
		claim "stackcollapse-perf.pl finds 20 samples, by their time" is 200000000 sh -c "stackcollapse-perf.pl --all x.script | awk '{ n += \$NF } END { print n }'"
	fi
fi

if needs perf "perf report and perf script read perf"; then
	claim "perf script reads 20 samples" is 20 sh -c "perf script -i x.perf --symfs . -F comm 2>/dev/null | grep -c ."
	claim "perf script knows tasks, times, CPUs and weights" is "my app 200/201 [000] 0.100000: 10000000" \
		sh -c "perf script -i x.perf --symfs . -F comm,pid,tid,time,cpu,period --tid 201 2>/dev/null |
			head -n 1 | sed 's/  */ /g; s/^ //; s/ \$//'"
	# Those of newer versions, which have "dsoff", print addresses first.
	claim "perf script knows files by their offsets" is "2fff (/usr/bin/xz) 1fff (/usr/bin/xz)" \
		sh -c "{ perf script -i x.perf --symfs . -F ip,dso,sym,dsoff || perf script -i x.perf --symfs . -F ip,dso,sym; } 2>/dev/null |
			awk 'NF == 3 { n = split(\$3, at, /[+)]/); print (n > 2 ? substr(at[2], 3) : \$1), at[1] \")\" }' | head -n 2 | xargs"
	claim "perf report adds them up" is "kworker/0:1 5 my app 5 xz 10" \
		sh -c "perf report -i x.perf --symfs . --stdio -n --no-children -g none -s comm 2>/dev/null |
			awk '/^ *[0-9.]+%/ { n = \$2; \$1 = \$2 = \"\"; sub(/^ */, \"\"); print \$0, n }' | sort | xargs"
	claim "perf script reads off-CPU intervals" is "off-cpu 100 20000000 off-cpu 100 30000000 off-cpu 100 10000000 off-cpu 201 100000000 off-cpu 100 4000000" \
		sh -c "perf script -i both.perf --symfs . -F event,tid,period 2>/dev/null |
			awk '/offcpu-time/ { print \"off-cpu\", \$1, \$2 }' | xargs"
	claim "perf report keeps both apart" is "200000000 164000000" \
		sh -c "perf report -i both.perf --symfs . --stdio --no-children -g none -s comm 2>/dev/null |
			sed -n 's/^# Event count (approx.): //p' | xargs"
	claim "perf knows the build id" sh -c "
		perf buildid-list -i x.perf 2>/dev/null | grep '^0123456789abcdef0123456789abcdef01234567 */usr/bin/xz'"
fi

# reads_deferred TEXT: is there a perf that knows records of deferred user stacks? If not, the claim is skipped, by name.
reads_deferred() {
	needs perf "$1" || return
	perf --version | awk '{ split($3, v, "."); exit !(v[1] * 1000 + v[2] >= 6019) }' && return
	claims=$((claims + 1))
	echo "ok $claims - $1 # SKIP $(perf --version) is older than 6.19"
	return 1
}
claim "--deferred is for perf" refused "--deferred is for the format perf" --deferred -f jsonl
for name in profile both; do
	"$dusk" export -i $name.dusk -f perf -o $name.data 2>/dev/null
	"$dusk" export -i $name.dusk -f perf --deferred -o $name.deferred 2>/dev/null
	claim "deferred user stacks are another file" sh -c "[ -s $name.deferred ] && ! cmp -s $name.data $name.deferred"
	if reads_deferred "perf script joins deferred user stacks with their samples, $name"; then
		claim "perf script joins deferred user stacks with their samples, $name" sh -c "
			for file in $name.data $name.deferred; do
				perf script -i \$file --symfs . -F comm,tid,time,event,period,ip,sym,dso 2>/dev/null |
					awk 'BEGIN { RS = \"\" } { gsub(/\\n/, \"|\"); print }' | sort >\$file.text
			done
			[ -s $name.data.text ] && cmp $name.data.text $name.deferred.text"
	fi
done

if needs go "go tool pprof reads pprof"; then
	claim "go tool pprof adds up the samples" is "20 of 20" sh -c "go tool pprof -sample_index=samples -top x.pprof 2>/dev/null |
		sed -n 's/.*accounting for \([0-9]*\), 100% of \([0-9]*\) total/\1 of \2/p'"
	claim "and their time" sh -c "go tool pprof -top x.pprof 2>/dev/null | grep '100% of 200ms total'"
	claim "functions, and their callers" sh -c "go tool pprof -sample_index=samples -traces x.pprof 2>/dev/null |
		awk '/vfs_read/ { getline; if (/run/) { getline; if (/start/) ok = 1 } } END { exit !ok }'"
	claim "tasks are labels" sh -c "go tool pprof -sample_index=samples -tags x.pprof 2>/dev/null | grep '10.0 .50.00%.: xz'"
	claim "off-CPU intervals are values of their own" sh -c "go tool pprof -sample_index=off-cpu -top both.pprof 2>/dev/null | grep '100% of 164ms total' &&
		go tool pprof -sample_index=intervals -top both.pprof 2>/dev/null | grep '100% of 44 total' &&
		go tool pprof -sample_index=cpu -top both.pprof 2>/dev/null | grep '100% of 200ms total'"
	claim "samples are what is shown unless off-CPU intervals are asked for" sh -c "
		go tool pprof -top both.pprof 2>/dev/null | grep '^Type: cpu'"
	if needs sqlite3 "the program is what has main, not the kernel"; then
		cp profile.dusk turned.dusk	# where the kernel is the first module, as in what is recorded
		sqlite3 turned.dusk "update module set id = 99 where id = 1; update module set id = 1 where kind = 4;
			update module set id = 4 where id = 99;
			update frame set module = case module when 1 then 4 when 4 then 1 else module end"
		claim "the program is what has main, not the kernel" sh -c "$dusk export -i turned.dusk -f pprof 2>/dev/null >turned.pprof &&
			go tool pprof -top turned.pprof 2>/dev/null | grep '^File: xz'"
	fi
	claim "mappings have a build id" sh -c "go tool pprof -raw x.pprof 2>/dev/null |
		grep '/usr/bin/xz 0123456789abcdef0123456789abcdef01234567'"
fi

if needs protoc "protoc reads pprof, otlp and perfetto"; then
	decode() {
		protoc -I "$proto" --decode="$2" "$proto/$1.proto"
	}
	otlp=opentelemetry/proto/profiles/v1development
	decode_otlp() {
		decode "$otlp/profiles" opentelemetry.proto.profiles.v1development.ProfilesData
	}
	gzip -dc x.pprof | decode pprof Profile >pprof.text
	decode_otlp <x.otlp >otlp.text
	decode perfetto Trace <x.perfetto >perfetto.text
	gzip -dc both.pprof | decode pprof Profile >both.pprof.text
	decode_otlp <both.otlp >both.otlp.text
	decode perfetto Trace <both.perfetto >both.perfetto.text
	for format in pprof otlp perfetto both.pprof both.otlp both.perfetto; do
		claim "$format has no field of another number" sh -c "
			[ -s $format.text ] && ! grep -E '^ *[0-9]+( \{|:)' $format.text"
	done
	# $PROTOS: a folder with the published ones, as their projects have it, to compare with. Of perfetto's, ours has what is written.
	published() {
		protoc -I "$PROTOS" --decode="$2" "$PROTOS/$3" <both.$1 >published.$1
		claim "$1: the published proto says the same" sh -c "[ -s published.$1 ] && ! grep -E '^ *[0-9]+( \{|:)' published.$1 &&
			sed 's/: [A-Z_]*\$/: X/; s/: [0-9]*\$/: X/' published.$1 >a && sed 's/: [A-Z_]*\$/: X/; s/: [0-9]*\$/: X/' both.$1.text | cmp - a"
	}
	[ ! -d "${PROTOS:-}/opentelemetry" ] || published otlp opentelemetry.proto.profiles.v1development.ProfilesData "$otlp/profiles.proto"
	[ ! -d "${PROTOS:-}/protos" ] || published perfetto perfetto.protos.Trace protos/perfetto/trace/perfetto_trace.proto
	claim "pprof: off-CPU intervals are values of their own" is "20 200000000 44 164000000" awk '
		/^  value:/ { v[n++ % 4] += $2 } END { print v[0], v[1], v[2], v[3] }' both.pprof.text
	claim "otlp: nanoseconds and numbers of each are profiles of their own" is "200000000 164000000 44" \
		awk 'NR == FNR { if (/string_table:/) name[n++] = $2; next } /sample_type/ { getline; type = name[$2] }
			/^ *values:/ { sum[type] += $2 } END { print sum["\"cpu\""], sum["\"off_cpu\""], sum["\"intervals\""] }' both.otlp.text both.otlp.text
	claim "otlp: they have their state" grep -q 'string_value: "uninterruptible"' both.otlp.text
	claim "perfetto: a slice for each off-CPU interval that has a time, and no sample" is "4 4 20" \
		sh -c "grep -c TYPE_SLICE_BEGIN both.perfetto.text | tr '\n' ' '; grep -c TYPE_SLICE_END both.perfetto.text | tr '\n' ' '
			grep -c '  perf_sample {' both.perfetto.text"
	claim "perfetto: slices last as long as off-CPU intervals" is "20 30 10 100" \
		sh -c "awk '/timestamp:/ { at = \$2 } /SLICE_BEGIN/ { from = at } /SLICE_END/ { print (at - from) / 1e6 }' both.perfetto.text | xargs"
	claim "pprof: 20 samples" is 20 awk '/^  value:/ { if (++n % 2) nr += $2 } END { print nr }' pprof.text
	claim "otlp: 20 samples" is 20 grep -c timestamps_unix_nano otlp.text
	claim "otlp: a resource for each process" is 3 grep -c '^resource_profiles' otlp.text
	claim "otlp: build ids" grep -q 'string_value: "0123456789abcdef0123456789abcdef01234567"' otlp.text
	claim "perfetto: 20 samples" is 20 grep -c '  perf_sample {' perfetto.text
	claim "perfetto: threads have names" grep -q 'name: "kworker/0:1"' perfetto.text
fi

if needs jq "jq reads speedscope, firefox and jsonl"; then
	claim "speedscope: 20 samples" is 200000000 jq '[.profiles[].weights[]] | add' x.speedscope
	claim "speedscope: off-CPU intervals are profiles of their own" is "200000000 164000000" \
		sh -c "jq '[.profiles[] | select(.name | endswith(\", cpu\")).weights[]] | add' both.speedscope | tr '\n' ' '
			jq '[.profiles[] | select(.name | endswith(\", off-cpu\")).weights[]] | add' both.speedscope"
	claim "speedscope: frames are there" jq -e '(.shared.frames | length) as $n |
		[.profiles[].samples[][]] | all(. >= 0 and . < $n)' x.speedscope
	claim "firefox: 20 samples" is 20 jq '[.threads[].samples | .length, (.stack | length)] | add / 2' x.firefox
	claim "firefox: off-CPU intervals are threads of their own" is "20 164" sh -c "
		jq '[.threads[] | select(.name | endswith(\"(off-cpu)\") | not).samples.length] | add' both.firefox | tr '\n' ' '
		jq '[.threads[] | select(.name | endswith(\"(off-cpu)\")).samples.weight[]] | add' both.firefox"
	claim "firefox: and markers" is "uninterruptible 20 sleeping 30 sleeping 10 sleeping 100" \
		sh -c "jq -r '.shared.stringArray as \$s | .threads[].markers | range(.length) as \$i |
			\"\(\$s[.name[\$i]]) \(.endTime[\$i] - .startTime[\$i])\"' both.firefox | xargs"
	for file in x both; do
		claim "firefox, $file: columns are as long as they say" jq -e '[.shared[] | objects |
			(.length as $n | del(.length)[] | length == $n)] + [.threads[].samples |
			.length as $n | .stack, .time, .threadCPUDelta, (.weight // .time) | length == $n] + [.threads[].markers |
			.length as $n | del(.length)[] | length == $n] | all' $file.firefox
		claim "firefox, $file: indices are in their tables" jq -e '.shared as $s | [
			([.threads[].samples.stack[]] | max < $s.stackTable.length),
			($s.stackTable.frame | max < $s.frameTable.length), ($s.frameTable.func | max < $s.funcTable.length),
			($s.funcTable.name | max < ($s.stringArray | length)),
			($s.funcTable.resource | max < $s.resourceTable.length)] | all' $file.firefox
	done
	claim "jsonl: 20 samples, and it says so" is "20 20" \
		sh -c "jq -s '[.[] | select(.type == \"sample\")] | length' x.jsonl | tr '\n' ' '; jq '.samples // empty' x.jsonl"
	claim "jsonl: members are those of the schema" sh -c "$dusk export --schema >schema && jq -e -n --slurpfile s schema '
		(\$s[0].oneOf | map({(.properties.type.const): (.required | sort)}) | add) as \$lines |
		[inputs | keys == \$lines[.type]] | all' x.jsonl both.jsonl"
	claim "jsonl: off-CPU intervals and lives" is "5 164000000 2" jq -rs '[.[] | select(.type == "offcpu")] as $a |
		"\($a | length) \([$a[].value_ns] | add) \([.[] | select(.type == "thread_times")] | length)"' both.jsonl
fi

if needs jsonschema "a validator reads jsonl"; then
	claim "jsonl: every line is as its schema says" sh -c "
		$dusk export --schema | sed '1s/{/{\"type\":\"array\",\"items\":{/; \$s/}/}}/' >lines.schema
		{ echo '['; sed '\$!s/\$/,/' x.jsonl; echo ']'; } >lines && jsonschema -i lines lines.schema"
fi
done_testing
