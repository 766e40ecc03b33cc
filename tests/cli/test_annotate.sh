#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do samples stand beside the lines and instructions at which they were taken?
# usage: test_annotate.sh DUSK MAKE_PROFILE MAKE_LOCATED
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
make_located=$(realpath "$3")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS
export LC_ALL=C

cat >inlined.h <<'-'
static inline unsigned mix(unsigned x)
{
	return (x ^ x >> 7) * 2654435761u;
}
-
cat >prog.c <<'-'
#include <stdlib.h>
#include "inlined.h"

__attribute__((noinline)) unsigned spin(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += mix(i);
	return sum;
}

int main(int argc, char **argv)
{
	return spin(atoi(argv[1])) == 0;
}
-

# make COMPILER OPTIONS...: prog, and profile.dusk with 6 samples at the multiplication in spin and 2 at its first byte
make() {
	"$@" -O1 -Wl,--build-id=sha1 -o prog prog.c || return 1
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	start=0x$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T spin$/\1/p')
	# The text segment may lie elsewhere in memory than in the file.
	text_offset=$(readelf -lW prog | awk '$1 == "LOAD" && / R E / { print $2 }')
	text_address=$(readelf -lW prog | awk '$1 == "LOAD" && / R E / { print $3 }')
	multiply=0x$(objdump -d --no-show-raw-insn prog | sed -n '/<spin>:/,/^$/s/^ *\([0-9a-f]*\):.*imul.*/\1/p' | head -n 1)
	"$make_located" profile.dusk "$tmp/prog" "$id" $((multiply - text_address + text_offset)) 6 \
		$((start - text_address + text_offset)) 2
}
# sum FILE LINE: the samples of that line in the output "csv"
sum() {
	awk -F, -v file="$1" -v line="$2" '$3 ~ file "$" && $4 == line { n += $2 } END { print n + 0 }' csv
}

for compiler in cc clang-19; do
	needs $compiler "what $compiler made is annotated" || continue
	claim "$compiler: a program with line tables" make $compiler -g
	claim "$compiler: its lines" exits 0 "$dusk" annotate spin
	claim "$compiler: ... in the source, with what is around them" says "sum += mix(i);"
	"$dusk" annotate --csv spin >csv
	claim "$compiler: samples of inlined code stand at its line" [ "$(sum inlined.h 3)" = 6 ]
	claim "$compiler: all samples are there" [ "$(awk -F, 'NR > 1 { n += $2 } END { print n }' csv)" = 8 ]
	claim "$compiler: its instructions" exits 0 "$dusk" annotate --disassembly spin
	claim "$compiler: ... with their lines" says "inlined.h:3"
	claim "$compiler: the samples stand at the instruction" sh -c "grep 'imul' said | grep -q '75.00%  *6  '"
done

claim "a program without line tables is made" make cc -g0
claim "... its instructions are shown" exits 0 "$dusk" annotate spin
claim "... with their samples" sh -c "grep 'imul' said | grep -q '75.00%  *6  ' && ! grep -q prog.c said"
claim "... and its lines are refused" exits 1 "$dusk" annotate --source spin
claim "... with the remedy" says "has no line tables here; install its debug information"
claim "the instructions as csv" sh -c "
	$dusk annotate --csv spin | awk -F, '{ n += \$2 } /imul/ { i = \$1 } END { exit !(n == 8 && i == \"75.0000\") }'"
if needs jq "the instructions as json"; then
	claim "the instructions as json" sh -c "$dusk annotate --json spin | jq -es '[.[1:][].self] | add == 8'"
fi
claim "a function that is hidden takes its samples along" exits 4 "$dusk" annotate spin --hide spin
claim "... which is said" says "nothing in profile.dusk matches: dusk annotate spin --hide spin"
# Under strace, whose -f has all calls of a process in one order.
is_nobody() {
	strace -f -qq -e trace=setresuid,execve -o trace "$dusk" annotate --disassembly spin >"$tmp/said" 2>&1
	awk '/setresuid\(65534, 65534, 65534\) += 0/ { nobody[$1] = 1 }
		/execve\("[^"]*\/objdump".* = 0/ { seen = 1; if (!($1 in nobody)) exit bad = 1 }
		END { exit bad || !seen }' trace
}
if [ "$(id -u)" = 0 ] && needs strace "objdump is nobody"; then
	claim "objdump is nobody" is_nobody
fi
claim "without objdump" exits 1 env PATH=/nonexistent "$dusk" annotate spin
claim "... the package is named" says "objdump is not installed (Debian's package: binutils)"

make cc -g
cp prog whole
# broken: whichever 40th part of the file is lost, it is refused or shown
broken() {
	size=$(stat -c %s whole)
	for part in $(seq 1 39); do
		cp whole prog
		tr '\0' '\377' </dev/zero | dd of=prog bs=1 seek=$((part * size / 40)) count=$((size / 40)) conv=notrunc status=none
		for view in --source --disassembly; do
			"$dusk" annotate $view spin >said 2>&1
			[ $? -le 1 ] || { echo "part $part: $?"; cat said; return 1; }
		done
	done
}
claim "a broken program is no crash" broken
printf 'spin\033[2J' >name
claim "what is said has no control characters" exits 1 "$dusk" annotate "$(cat name)"
claim "... but says what they were" says 'spin\x1b[2J'

cp whole prog
strip prog
claim "a stripped program has names by place" sh -c "$dusk report --csv --fields function >names && grep -q '^prog+0x' names"
claim "... which can be annotated" exits 0 "$dusk" annotate "$(tail -n 1 names)"
claim "... by its FDE" sh -c "grep 'imul' said | grep -q '75.00%  *6  ' && grep -q 'ret' said"

"$make_profile" known.dusk || exit 1
claim "an unknown function" exits 1 "$dusk" annotate -i known.dusk match_it
claim "... the nearest is suggested" says "did you mean 'match'?"
claim "a function near to none" exits 1 "$dusk" annotate -i known.dusk zebra
claim "... says where they are" says "'dusk report' lists them"
claim "a function in another module" exits 1 "$dusk" annotate -i known.dusk match --dso libc.so.6
claim "the kernel's code is in no file" exits 1 "$dusk" annotate vfs_read -i known.dusk
claim "... which is said" says "cannot annotate vfs_read: the code of [kernel] is in no file"
claim "a program that is not here" exits 1 "$dusk" annotate -i known.dusk '(anonymous namespace)::run(int)' --hide vfs_read
claim "... is named" says "/opt/my app is not here"
claim "another build of a program is refused" exits 1 "$dusk" annotate -i known.dusk match
claim "... by name" sh -c "grep -q '/usr/bin/xz is not' said"
done_testing
