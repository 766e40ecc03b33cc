# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What do frames of languages cost the program? Sourced by run; README.md explains the table.
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

figure_python() {
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

# The same program in other languages: a loop of some seconds, 30 calls deep.
cat_others() {
	cat >cpu.py <<'END'
import resource, subprocess, sys

subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%d %d" % (used.ru_utime * 1e6, used.ru_stime * 1e6))
END
	cat >down.js <<'END'
function down(n, loops) {
	if (n > 1)
		return down(n - 1, loops) + 1;
	let x = 0;
	for (let k = 0; k < loops; k++)
		for (let i = 0; i < 1000; i++)
			x = (x * 31 + i) | 0;
	return x;
}
console.log(down(30, 1500000));
END
	cat >Down.java <<'END'
public class Down {
	static int down(int n, int loops)
	{
		if (n > 1)
			return down(n - 1, loops) + 1;
		int x = 0;
		for (int k = 0; k < loops; k++)
			for (int i = 0; i < 1000; i++)
				x = x * 31 + i;
		return x;
	}

	public static void main(String[] args) { System.out.println(down(30, 1500000)); }
}
END
	cat >down.php <<'END'
<?php
function down($n, $loops)
{
	if ($n > 1)
		return down($n - 1, $loops) + 1;
	for ($x = $k = 0; $k < $loops; $k++)
		for ($i = 0; $i < 1000; $i++)
			$x = ($x * 31 + $i) & 65535;
	return $x;
}
echo down(30, 100000);
END
	cat >down.pl <<'END'
sub down {
	my ($n, $loops) = @_;
	return down($n - 1, $loops) + 1 if $n > 1;
	my $x = 0;
	for (1 .. $loops) { $x = ($x * 31 + $_) & 65535 for 0 .. 999 }
	return $x;
}
print down(30, 25000);
END
	cat >down.rb <<'END'
def down(n, loops)
  return down(n - 1, loops) + 1 if n > 1
  x = 0
  loops.times { 1000.times { |i| x = (x * 31 + i) & 65535 } }
  x
end
puts down(30, 30000)
END
}

# of_others NAME RECORDER... of the program in each language: "LANGUAGE-NAME-total US" and "LANGUAGE-NAME-kernel US" to others.data.
of_others() {
	local name=$1 language
	shift
	for language in $languages; do
		# shellcheck disable=SC2046
		"$@" python3 cpu.py $(command_of "$language") 2>/dev/null |
			awk -v name="$language-$name" 'NF == 2 { print name "-total", $1 + $2; print name "-kernel", $2 }' >>others.data
	done
}

command_of() {
	case $1 in
	java) echo java -cp . Down ;;
	node) echo node down.js ;;
	perl) echo perl down.pl ;;
	php) echo php down.php ;;
	ruby) echo ruby down.rb ;;
	esac
}

figure_others() {
	local hz language tool row
	cat_others
	languages=
	for language in java node perl php ruby; do
		! command -v "$language" >/dev/null || languages="$languages $language"
	done
	javac Down.java 2>/dev/null || languages=${languages/java/}
	: >others.data
	for _ in $(seq "$rounds"); do
		of_others alone env
		for hz in 99 999; do
			of_others "native-$hz" "$dusk" record -q -e cpu -F "$hz" --no-lang -o l.dusk --
			of_others "dusk-$hz" "$dusk" record -q -e cpu -F "$hz" -o l.dusk --
			! perf_works || of_others "perf-$hz" perf record -q -F "$hz" -g -o l.perf --
		done
		rm -f l.dusk* l.perf*
	done
	echo "### Frames of other languages"
	echo
	echo "CPU time of a program that loops 30 calls deep, user and system, over its time alone, and its system time, ms; the program alone is recorded."
	echo
	echo "| language | tool | 99 Hz | system, ms | 999 Hz | system, ms |"
	echo "|---|---|---|---|---|---|"
	awk '/-alone-total/ { split($1, p, "-"); base[p[1]] = $2; next } /-total/ { split($1, p, "-"); print "r-" $1, $2 / base[p[1]] }
		/-kernel/ { print "k-" $1, $2 / 1e3 }' others.data >others.of
	for language in $languages; do
		for tool in native dusk perf; do
			grep -q "^r-$language-$tool" others.of || continue
			row="| $language | $tool"
			for hz in 99 999; do
				row="$row | $(of "r-$language-$tool-$hz-total" others.of | spread 3) | $(of "k-$language-$tool-$hz-kernel" others.of | spread 0)"
			done
			echo "$row |"
		done
	done
	echo
}

figure_languages() {
	figure_python
	figure_others
}
