# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What do frames of Python cost the program? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

cat_python() {
	cat <<'END'
import resource, sys


def down(n, loops):
    if n > 1:
        return down(n - 1, loops)
    x = 0
    for _ in range(loops):
        for i in range(1000):
            x += i


down(int(sys.argv[1]), int(sys.argv[2]))
used = resource.getrusage(resource.RUSAGE_SELF)
print("%d %d" % (used.ru_utime * 1e6, used.ru_stime * 1e6))
END
}

# in_python NAME DEPTH COMMAND...: "NAME-total US" and "NAME-kernel US" to languages.data.
in_python() {
	local name=$1 depth=$2
	shift 2
	"$@" "$python" down.py "$depth" "$loops" 2>/dev/null |
		awk -v name="$name" 'NF == 2 { print name "-total", $1 + $2; print name "-kernel", $2 }' >>languages.data
}

figure_languages() {
	local depth hz tool row
	python=${PYTHON-python3}
	command -v "$python" >/dev/null || return 0
	cat_python >down.py
	loops=40000
	: >languages.data
	for _ in $(seq "$rounds"); do
		for depth in 5 30 400; do
			in_python "$depth-alone" "$depth" env
			for hz in 99 999; do
				in_python "$depth-native-$hz" "$depth" "$dusk" record -q -e cpu -F "$hz" --no-lang -o l.dusk --
				in_python "$depth-dusk-$hz" "$depth" "$dusk" record -q -e cpu -F "$hz" -o l.dusk --
				! perf_works || in_python "$depth-perf-$hz" "$depth" perf record -q -F "$hz" -g -o l.perf --
				! command -v py-spy >/dev/null ||
					in_python "$depth-pyspy-$hz" "$depth" py-spy record -n -r "$hz" -f raw -o l.raw --
			done
			rm -f l.dusk* l.perf* l.raw
		done
	done
	echo "### Frames of Python ($("$python" -V 2>&1))"
	echo
	echo "CPU time of a Python program, user and system, over its time alone, and its system time, ms; the program alone is recorded."
	echo
	echo "| Python frames | tool | 99 Hz | system, ms | 999 Hz | system, ms |"
	echo "|---|---|---|---|---|---|"
	awk '/-alone-total/ { base[$1 + 0] = $2; next } /-total/ { split($1, p, "-"); print "r-" $1, $2 / base[p[1]] } /-kernel/ { print "k-" $1, $2 / 1e3 }' \
		languages.data >languages.of
	for depth in 5 30 400; do
		for tool in native dusk perf pyspy; do
			grep -q "^r-$depth-$tool" languages.of || continue
			row="| $depth | $tool"
			for hz in 99 999; do
				row="$row | $(of "r-$depth-$tool-$hz-total" languages.of | spread 3) | $(of "k-$depth-$tool-$hz-kernel" languages.of | spread 0)"
			done
			echo "$row |"
		done
	done
	echo
}
