#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does a binary that was made to harm who looks up its names do so? usage: test_bombs.sh DUSK MAKE_LOCATED
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_located=$(realpath "$2")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS
export LC_ALL=C XDG_CACHE_HOME="$tmp/cache"
for tool in cc strip objcopy python3 xz; do
	needs $tool "a hostile program" || { done_testing; exit; }
done

cat >prog.c <<'-'
static __attribute__((noinline)) int hidden(int x) { return x * 7 + 1; }
int main(int argc, char **argv) { (void)argv; return hidden(argc); }
-
# make NAME [OBJCOPY-OPTION...]: a stripped program that objcopy has changed, and NAME.dusk with samples in its function "hidden"
make() {
	name=$1
	shift
	cc -O2 -Wl,--build-id=sha1 -o "$name" -x c prog.c || return 1
	start=$(nm "$name" | awk '/ t hidden$/ { print $1 }')
	id=$(readelf -n "$name" | sed -n 's/.*Build ID: //p')
	strip "$name" && objcopy "$@" "$name" || return 1
	"$make_located" "$name.dusk" "$tmp/$name" "$id" "0x$start" 5
}
# report NAME: the report, and after it, in a line, the most memory that it or a process of its own had, in MiB
report() {
	python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print("MiB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(status)' "$dusk" report -i "$1.dusk" --csv
}
is_bounded() {
	awk '/^MiB/ { seen = $2 } END { exit !(seen && seen < 700) }' "$tmp/said"
}

if ldd "$dusk" | grep -q libasan; then
	claims=$((claims + 1))
	echo "ok $claims - a bomb # SKIP this dusk is built with a sanitizer, and has no limits of memory"
else
	dd if=/dev/zero bs=1M count=1500 2>/dev/null | xz -0 >bomb.xz
	claim "a program with small debug data that has 1.5 GB" make bomb --add-section .gnu_debugdata=bomb.xz
	claim "... is looked up" exits 0 report bomb
	claim "... by what else there is" says ",bomb+0x"
	claim "... in less than 700 MiB" is_bounded
fi

mkfifo fifo.debug
claim "a program whose debug file is said to be a FIFO" make fifo --add-gnu-debuglink=/dev/null
printf 'fifo.debug\0\0\1\2\3\4' >link
claim "... beside it" objcopy --update-section .gnu_debuglink=link fifo
claim "... is looked up without a wait" exits 0 timeout 20 "$dusk" report -i fifo.dusk --csv
claim "... by what else there is" says ",fifo+0x"

claim "a program that is cut short" make short
truncate -s 5000 short
claim "... is looked up" exits 0 "$dusk" report -i short.dusk --csv
done_testing
