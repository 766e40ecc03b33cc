# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How large is the file? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

figure_size() {
	local peers="dusk copied" tool hz n
	perf_works && peers="dusk copied perf-fp perf-dwarf"
	make_data
	: >size.data
	start_load mixed
	for _ in $(seq $rounds); do
		for hz in 99 999; do
			for tool in $peers; do
				case $tool in
				dusk)
					"$dusk" record -q -e cpu -a -F $hz -d 10s -o s.file
					n=$(dusk_samples s.file)
					echo "frames-$hz $(calc "$(counter s.file frames) / $(counter s.file walks)")" >>size.data
					have sqlite3 && sqlite3 -separator ' ' s.file \
						'select name, sum(pgsize) from dbstat group by 1' 2>/dev/null |
						awk -v hz=$hz -v n="$n" '{ print "table-" hz "-" $1, $2 / n }' >>size.data
					;;
				copied)
					"$dusk" record -q --mode copied -e cpu -a -F $hz -d 10s -o s.file
					n=$(dusk_samples s.file)
					;;
				*)
					record_perf -a -F $hz --call-graph "${tool#perf-}" -o s.file -- sleep 10 || continue
					n=$(perf_samples s.file)
					;;
				esac
				[ "$n" -gt 0 ] && echo "$tool-$hz $(calc "$(stat -c %s s.file) / $n")" >>size.data
				echo "$tool-$hz-samples $n" >>size.data
				rm -f s.file s.file.old
			done
		done
	done
	stop_load
	echo "### Bytes a sample"
	echo
	echo "Size of the file over its samples; 10 s of a mixed load (xz, sort, python3, perl, gcc, 2 ms processes), the whole" \
		"machine. dusk's file has its functions' names in it, perf's has not."
	echo
	echo "| | 99 Hz | samples | 999 Hz | samples |"
	echo "|---|---|---|---|---|"
	for tool in $peers; do
		echo "| $tool | $(of "$tool-99" size.data | spread 0) | $(of "$tool-99-samples" size.data | spread 0) |" \
			"$(of "$tool-999" size.data | spread 0) | $(of "$tool-999-samples" size.data | spread 0) |"
	done
	echo
	echo "User frames a stack: $(of frames-99 size.data | spread 1) at 99 Hz, $(of frames-999 size.data | spread 1) at 999 Hz."
	if grep -q ^table- size.data; then
		echo
		echo "| table | bytes a sample at 99 Hz | at 999 Hz |"
		echo "|---|---|---|"
		for table in $(sed -n 's/^table-99-\([^ ]*\) .*/\1/p' size.data | sort -u); do
			echo "| $table | $(of "table-99-$table" size.data | spread 1) | $(of "table-999-$table" size.data | spread 1) |"
		done
	fi
	echo
}
