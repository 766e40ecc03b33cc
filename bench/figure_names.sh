# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How long does it take until functions, inlined ones too, have their names? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

names_patience=300	# seconds for perf

# timed KEY COMMAND...: append "KEY seconds" of wall-clock time; names.time holds them until the end.
timed() {
	local key=$1 begin end
	shift
	begin=$(date +%s.%N)
	"$@" >/dev/null 2>&1 || { echo "$key failed" >>names.failed; return 0; }
	end=$(date +%s.%N)
	echo "$key $(calc "$end - $begin")" >>names.data
}

# The profile $1 as if nobody had looked up its names yet.
forget_names() {
	sqlite3 "$1" "update frame set function=null, function_offset=null, address=null; delete from function;
		delete from image; delete from setting where key='symbolized'; drop table if exists line; drop table if exists source"
}

# One size: name, frequency, seconds, how perf walks
names_of() {
	local name=$1 hz=$2 seconds=$3 walk=$4 load=(timeout "$3" bash -c ". $here/loads.sh; load_python3")
	"$dusk" record -q -e cpu -F "$hz" -o n.dusk -- "${load[@]}" || true
	forget_names n.dusk
	echo "$name-samples $(dusk_samples n.dusk)" >>names.data
	for _ in $(seq $rounds); do
		rm -rf n.cache
		timed "$name-cold" env XDG_CACHE_HOME="$PWD/n.cache" "$dusk" report -i n.dusk
		timed "$name-cached" env XDG_CACHE_HOME="$PWD/n.cache" "$dusk" report -i n.dusk
		rm -rf n.cache
		timed "$name-plain" env XDG_CACHE_HOME="$PWD/n.cache" "$dusk" report -i n.dusk --no-inline
	done
	perf_works || return 0
	perf record -q -F "$hz" --call-graph "$walk" -o n.data -- "${load[@]}" >/dev/null 2>&1 || true
	echo "$name-perf-samples $(perf_samples n.data)" >>names.data
	for _ in $(seq $rounds); do
		timed "$name-perf-plain" timeout $names_patience perf report -i n.data --stdio --no-inline
		timed "$name-perf" timeout $names_patience perf report -i n.data --stdio
	done
	rm -f n.data
}

names_cell() {
	if grep -q "^$1 " names.failed; then echo "over $names_patience"; else of "$1" names.data | spread 2; fi
}

figure_names() {
	local name key
	have sqlite3 || return 0
	make_data
	: >names.data
	: >names.failed
	names_of small 99 6 dwarf
	names_of large 9999 10 fp
	echo "### Names"
	echo
	echo "Seconds of \`report\` on a profile without names, of python3, with debug symbols of it and of libc where" \
		"they are installed. perf walks the first one by dwarf, the second one by frame pointers."
	echo
	echo "| samples | dusk, cold | cached | \`--no-inline\`, cold | samples of perf | perf | perf \`--no-inline\` |"
	echo "|---|---|---|---|---|---|---|"
	for name in small large; do
		printf '| %s ' "$(of $name-samples names.data | spread 0)"
		for key in cold cached plain; do printf '| %s ' "$(names_cell $name-$key)"; done
		printf '| %s ' "$(of $name-perf-samples names.data | spread 0)"
		printf '| %s | %s |\n' "$(names_cell $name-perf)" "$(names_cell $name-perf-plain)"
	done
	echo
	rm -rf n.dusk n.cache
}
