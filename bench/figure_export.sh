# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How quickly is a profile written in each foreign format, and how large does it get? Sourced by run; README.md explains
# the table.
# shellcheck shell=bash disable=SC2154

figure_export() {
	local formats format n TIMEFORMAT="%U %S"
	formats=$("$dusk" export --list | cut -d ' ' -f 1)
	make_data
	: >export.data
	start_load mixed
	"$dusk" record -q -e cpu -a -F 999 -d 15s -o e.file
	stop_load
	n=$(dusk_samples e.file)
	for _ in $(seq $rounds); do
		for format in $formats; do
			{ time "$dusk" export -i e.file -f "$format" -o e.out 2>/dev/null; } 2>e.time
			awk -v format="$format" -v n="$n" '{ print format, n / ($1 + $2) }' e.time >>export.data
			echo "$format-bytes $(calc "$(stat -c %s e.out) / $n")" >>export.data
		done
	done
	echo "### Exports"
	echo
	echo "By CPU time of the command as a whole, with reading the profile: $n samples of a mixed load, the whole machine at" \
		"999 Hz, in a profile of $(($(stat -c %s e.file) / n)) bytes a sample."
	echo
	echo "| format | samples a second of CPU time | bytes a sample |"
	echo "|---|---|---|"
	for format in $formats; do
		echo "| $format | $(of "$format" export.data | spread 0) | $(of "$format-bytes" export.data | spread 0) |"
	done
	echo
	rm -f e.file e.out e.time
}
