# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How long does it take until functions, inlined ones too, have their names? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

names_seconds=${names_seconds:-60}	# of recording: a million samples of two busy CPUs
names_patience=${names_patience:-60}	# seconds for each run

# The profile $1 without the names that were looked up.
forget_names() {
	sqlite3 "$1" "update frame set function=null, function_offset=null, address=null; delete from function;
		delete from image; delete from setting where key='symbolized'; drop table if exists line; drop table if exists source"
}

# cost KEY COMMAND...: its seconds and megabytes to names.data; not once more if it is too slow.
cost() {
	grep -qx "$1" names.slow && return
	"$tools/cost" names.data "$1" "$names_patience" "${@:2}"
	case $? in
	0) ;;
	3) echo "$1" >>names.slow ;;
	*) echo "$1 failed" >&2 ;;
	esac
}

names_row() {
	if grep -qx "$2" names.slow; then
		echo "| $1 | over $names_patience | | |"
	else
		echo "| $1 | $(of "$2" names.data | spread 2) | $(of "$2-cpu" names.data | spread 2) | $(of "$2-mb" names.data | spread 0) |"
	fi
}

cost_dusk() {
	local XDG_CACHE_HOME=$PWD/n.cache
	export XDG_CACHE_HOME
	for _ in $(seq $rounds); do
		rm -rf n.cache
		cost cold "$dusk" report -i n.dusk
		cost cached "$dusk" report -i n.dusk
		rm -rf n.cache
		cost cold-no-inline "$dusk" report -i n.dusk --no-inline
	done
}

cost_perf() {
	local key
	for _ in $(seq $rounds); do
		for key in inline no-inline; do
			cost "perf-report-$key" perf report -i n.data --stdio --$key
			cost "perf-script-$key" perf script -i n.data --$key
		done
	done
}

figure_names() {
	local samples stacks functions lines peer=
	have sqlite3 || return 0
	make_data
	: >names.data
	: >names.slow
	start_load compile
	"$dusk" record -q -a -F 9999 -e cpu -d ${names_seconds}s -o n.dusk
	perf_works && peer=yes && record_perf -a -g -F 9999 -o n.data -- sleep "$names_seconds"
	stop_load
	samples=$(dusk_samples n.dusk)
	stacks=$(sqlite3 n.dusk 'select count(distinct node) from sample')
	functions=$(sqlite3 n.dusk 'select count(*) from function')
	lines=$(sqlite3 n.dusk 'select count(*) from line')
	forget_names n.dusk
	cost_dusk
	echo "### Names"
	echo
	echo "A compile job: gcc, and python3 that compiles its library, for $names_seconds s at 9,999 Hz, the whole machine." \
		"$samples samples, $stacks distinct stacks, $functions functions, $lines lines."
	[ -z "$peer" ] || { cost_perf && echo "perf, by frame pointers: $(perf_samples n.data) samples."; }
	echo
	echo "| | seconds | of CPU time | MB |"
	echo "|---|---|---|---|"
	names_row "\`dusk report\`, nothing cached" cold
	names_row "again" cached
	names_row "\`dusk report --no-inline\`, nothing cached" cold-no-inline
	if [ -n "$peer" ]; then
		names_row "\`perf report\`" perf-report-inline
		names_row "\`perf report --no-inline\`" perf-report-no-inline
		names_row "\`perf script\`" perf-script-inline
		names_row "\`perf script --no-inline\`" perf-script-no-inline
	fi
	echo
	rm -rf n.dusk n.data n.cache
}
