# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does a hit of a uprobe cost the thread? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154
probe_depth=10 probe_calls=60000 probe_events=/sys/kernel/tracing/uprobe_events

# The nanoseconds that a call costs under "$@ program", less those without, to row $1 of probe.data.
probe_cost() {
	local row=$1
	shift
	{
		"$tools/probe" $probe_depth 1000000
		"$@" "$tools/probe" $probe_depth $probe_calls 2>probe.err
	} | awk -v row="$row" 'NF == 1 { ns[++n] = $1 } END { if (n == 2) print row, ns[2] - ns[1] }' >>probe.data
}

figure_probe() {
	local place group=duskbench$$
	: >probe.data
	place=$(nm "$tools/probe" | awk '$3 == "probed" { print "0x" $1 }')
	[ -e $probe_events ] && echo "p:$group/probed $tools/probe:$place size=%di:u64" >>$probe_events || return 0
	for _ in $(seq $rounds); do
		probe_cost dusk "$dusk" record -q -e "uprobe:$tools/probe:probed" -o probe.dusk --
		probe_cost fields "$dusk" record -q -e "uprobe:$tools/probe:probed(size=arg1)" -o probe.dusk --
		probe_cost filtered "$dusk" record -q -e "uprobe:$tools/probe:probed(size=arg1)" --filter 'size > 1000000' -o probe.dusk --
		if have perf; then
			probe_cost fp perf record -q -g -e "$group:probed" -o probe.perf --
			probe_cost dwarf perf record -q --call-graph dwarf -e "$group:probed" -o probe.perf --
		fi
		awk '{ last[$1] = $2 } END { if (last["fp"]) { print "ratio", last["dusk"] / last["fp"]
			print "ratio-fields", last["fields"] / last["fp"]; print "ratio-dwarf", last["dwarf"] / last["fp"]
			print "ratio-filtered", last["filtered"] / last["fp"] } }' probe.data >ratio.now
		cat ratio.now >>probe.data
	done
	echo "-:$group/probed" >>$probe_events
	"$dusk" record -q -e "uprobe:$tools/probe:probed" -o probe.dusk -- "$tools/probe" $probe_depth $probe_calls >/dev/null
	echo "### A hit of a uprobe"
	echo
	echo "$probe_calls hits, $((probe_depth + 6)) frames deep, in a process that begins with the probe: CPU time of the thread a call, less that"
	echo "without a probe. Of dusk's stacks $("$dusk" info -i probe.dusk | awk '/^complete/ { c = $2 } END { print c }') % are complete."
	echo
	echo "| recorded by | ns a hit | of perf record -g's |"
	echo "|---|---|---|"
	echo "| perf record -g, frame pointers, one field | $(of fp probe.data | spread 0) | 1 |"
	echo "| perf record --call-graph dwarf, one field | $(of dwarf probe.data | spread 0) | $(of ratio-dwarf probe.data | spread 2) |"
	echo "| dusk | $(of dusk probe.data | spread 0) | $(of ratio probe.data | spread 2) |"
	echo "| dusk, one field | $(of fields probe.data | spread 0) | $(of ratio-fields probe.data | spread 2) |"
	echo "| dusk, hits that a filter drops | $(of filtered probe.data | spread 0) | $(of ratio-filtered probe.data | spread 2) |"
	echo
	rm -f probe.dusk* probe.perf*
}
