#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does an agent lose nothing, and store nothing twice, while the clock is set an hour ahead and back? usage: test_clock.sh DUSK
#
# The clock is that of libfaketime: CLOCK_REALTIME of the agent and its recorders is moved by what a file says, and no other clock.
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")")
. "$here/clickhouse_server.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS NOTIFY_SOCKET PAGER DUSK_CLICKHOUSE_PASSWORD

text="an agent records while the clock is set"
needs faketime "$text" || { done_testing; exit; }
can_record "$text" || { done_testing; exit; }
library=$(LD_PRELOAD='' faketime -f +0 env | sed -n 's/^LD_PRELOAD=//p')
clock() { # clock OFFSET: of now, in seconds
	echo "$1" >offset.new && mv offset.new offset
}
begin() { # begin [OPTION...]
	: >agent.said # what the one before it said is not to be read
	env LD_PRELOAD="$library" FAKETIME_TIMESTAMP_FILE="$tmp/offset" FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1 \
		"$dusk" agent --config /dev/null --store st -F 49 --window 1s --rotate 4s --compact 0 "$@" 2>>agent.said &
	agent=$!
	until_true grep -q "recording into" agent.said
}
end() {
	kill -TERM $agent && wait $agent
}
profiles() { # profiles N: so many more than there were
	[ "$(ls st/*.dusk 2>/dev/null | wc -l)" -ge $((there + $1)) ]
}
more() { # more N: profiles, from now on
	there=$(ls st/*.dusk 2>/dev/null | wc -l)
	until_true profiles "$1"
}
sh -c 'while :; do :; done' &
busy=$!
server=
trap 'kill $busy; kill -9 $server $agent 2>/dev/null; rm -rf "$tmp"' EXIT

clock +0
mkdir -m 700 st
began=$(date +%s)
claim "an agent begins" begin --keep 30m
claim "... and records" more 2
first=$(ls st/*.dusk | head -n 1)
clock +3600
claim "after the clock was set an hour ahead, twice what is kept, it records" more 3
claim "... which is said" grep -q "the clock has jumped by +3[56][0-9][0-9] s: for a day nothing is removed for its age" agent.said
claim "... and nothing is removed" [ -e "$first" ]
claim "an agent ends" end
begin --keep 30m
claim "the next one does not remove anything either" more 2
claim "... not what was recorded before the jump" [ -e "$first" ]
clock +0
claim "after the clock was set back it records" more 3
claim "... which is said" grep -q "the clock has jumped by -3[56][0-9][0-9] s" agent.said
claim "an agent ends in the end" end
took=$(($(date +%s) - began))
claim "all of the profiles are there, under names in their order" sh -c "ls st/*.dusk >names; cat names; grep -q _ names && [ \$(wc -l <names) -ge 10 ]"
claim "all that was taken is stored, or named as lost" exits 0 "$dusk" store check st
sums() { # taken, stored and missing samples
	awk '/ samples +[0-9]/ { taken += $(NF - 3); stored += $(NF - 2); missing += $NF } END { print taken, stored, missing }' said
}
of_folder=$(sums)
seconds() {
	for f in st/*.dusk; do
		"$dusk" query -i "$f" --csv "select value / 1e9 from setting where key = 'duration_ns'" | tail -n 1
	done | awk '{ s += $1 } END { printf "%d\n", s }'
}
claim "... of no more time than has passed" sh -c "echo $(seconds) of $took; [ $(seconds) -gt 0 ] && [ $(seconds) -le $took ]"

if [ -x "$(dirname "$dusk")/dusk-clickhouse" ] && needs clickhouse-server "a server has the same"; then
	configure
	serve
	"$dusk" store init "$(url one)"
	claim "a server gets it" exits 0 "$dusk" store send st "$(url one)"
	"$dusk" store check "$(url one)" >said 2>&1
	claim "... each sample, once" sh -c "cat said; [ '$(sums)' = '$of_folder' ]"
fi

# In another boot, or after a month in which nothing was recorded, ages are what the clock says.
cp "$first" st/20200101T000000Z.dusk
rm st/.clock
begin --keep 1d
claim "a clock that has not jumped is believed" until_true [ ! -e st/20200101T000000Z.dusk ]
end
done_testing
