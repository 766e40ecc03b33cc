# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How large does a page of dusk flame get, and how soon is it drawn? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

flame_seconds=60	# of recording: a million samples of two busy CPUs

# paint_time FILE: milliseconds from the beginning of the visit until the graph is on the screen
paint_time() {
	visit "$PWD/$1" ''
	holds "performance.getEntriesByName('painted').length" &&
		js "performance.getEntriesByName('painted')[0].startTime"
}

# One row: its text, the key of its figures, the page
flame_row() {
	local text=$1 key=$2 page=$3
	for _ in $(seq $rounds); do
		echo "$key-paint $(paint_time "$page")" >>flame.data
	done
	printf '| %s | %s | %s ' "$text" "$(page_json "$page" | jq '[.profiles[].samples] | add')" "$4"
	printf '| %s ' "$(page_json "$page" | jq '.names | length')" \
		"$(page_json "$page" | jq -r '.columns[] | select(.[0] == "node.depth")[2]')" \
		"$(page_json "$page" | jq -r '.columns[] | select(.[0] == "0.node")[2]')" \
		"$(of "$key-write" flame.data | spread 1)" "$(calc "$(stat -c %s "$page") / 1e6" | spread 1)"
	printf '| %s |\n' "$(of "$key-paint" flame.data | spread 0)"
}

figure_flame() {
	local tmp=$PWD begin
	# shellcheck source=tests/cli/webdriver.sh
	. "$tree/tests/cli/webdriver.sh"
	. "$tree/tests/cli/page.sh"
	if [ -n "$(driver_missing)" ]; then
		echo "The figure flame needs $(driver_missing | tr '\n' ' ')"
		return
	fi
	ninja -C "$build" tests/cli/flame_page >/dev/null
	: >flame.data
	make_data
	start_load mixed
	"$dusk" record -q -e cpu -a -F 9999 -d ${flame_seconds}s -o f.file
	stop_load
	for _ in $(seq $rounds); do
		begin=$(date +%s.%N)
		"$dusk" flame -i f.file -o f.html 2>/dev/null
		echo "real-write $(calc "$(date +%s.%N) - $begin")" >>flame.data
		begin=$(date +%s.%N)
		"$build/tests/cli/flame_page" large >g.html
		echo "made-write $(calc "$(date +%s.%N) - $begin")" >>flame.data
	done
	driver_start
	echo "### The page of a flame graph"
	echo
	echo "| profile | samples | distinct stacks | functions | nodes | rows | s to write it | MB | ms until it is drawn |"
	echo "|---|---|---|---|---|---|---|---|---|"
	flame_row "$flame_seconds s of a mixed load, the whole machine at 9,999 Hz" real f.html \
		"$("$dusk" query -i f.file --csv 'select count(distinct node) from sample' | tail -n 1)"
	flame_row "made: 30,000 stacks of random functions, 200 threads" made g.html 30000
	echo
	driver_stop
	rm -f f.file f.html g.html
}
