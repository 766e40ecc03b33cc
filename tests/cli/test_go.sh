#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Has a stripped Go program the inlined functions, files and lines that debug information gives one that is not stripped?
# usage: test_go.sh DUSK MAKE_LOCATED
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_located=$(realpath "$2")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS GOROOT GOFLAGS
export LC_ALL=C HOME="$tmp" GO111MODULE=off GOTOOLCHAIN=local
needs go "what a stripped Go program has of its functions" || { done_testing; exit; }

cat >deep.go <<'-'
package main

func deep(x uint64) uint64 {
	return x ^ x>>7
}

func middle(x uint64) uint64 {
	return deep(x+1) * 2654435761
}
-
cat >prog.go <<'-'
package main

var sink uint64

//go:noinline
func spin(n uint64) uint64 {
	sum := uint64(0)
	for i := uint64(0); i < n; i++ {
		sum += middle(i)
		sum ^= deep(sum)
	}
	return sum
}

func main() {
	sink = spin(1000)
}
-

# make NAME LINKER_OPTIONS OPTIONS...: a program
make() {
	name=$1
	flags=$2
	shift 2
	go build -o "$name" -ldflags "$flags -B 0x$(printf %s "$name" | sha1sum | cut -c-40)" "$@" prog.go deep.go
}
# locate NAME: NAME.dusk, with a sample at each byte of main.spin, which is where the program "whole" has it
locate() {
	id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p')
	"$make_located" "$1.dusk" "$tmp/$1" "$id" $(for at in $(seq $((start)) $((start + size - 1))); do
		echo $((at - text_address + text_offset)) 1
	done)
}
# find_spin: where the code is, in the file and in memory
find_spin() {
	start=0x$(readelf -sW "$1" | awk '$8 == "main.spin" { print $2 }')
	size=$(readelf -sW "$1" | awk '$8 == "main.spin" { print $3 }')
	text_offset=$(readelf -lW "$1" | awk '$1 == "LOAD" && / R E / { print $2 }')
	text_address=$(readelf -lW "$1" | awk '$1 == "LOAD" && / R E / { print $3 }')
	[ "$size" -gt 20 ]
}
same() {
	for name in whole stripped; do
		"$dusk" "$@" -i $name.dusk 2>errors | sed "s/$name/prog/g" >$name.out || return 1
	done
	grep -v '^ *#' stripped.out
	diff whole.out stripped.out
}

for mode in exe pie; do
	claim "$mode: a program" make whole "" -buildmode=$mode
	claim "$mode: ... and without symbols and debug information" make stripped "-s -w" -buildmode=$mode
	claim "$mode: it has a function" find_spin whole
	locate whole
	locate stripped
	claim "$mode: its inlined functions are those of debug information" same export -f folded
	claim "$mode: ... there are some" grep -q 'main.spin;main.middle;main.deep ' stripped.out
	claim "$mode: files and lines are those of debug information" same report --csv --no-children --sort line,function
	claim "$mode: ... there are some" grep -q 'deep.go:4,main.deep$' stripped.out
	claim "$mode: so are they beside the source" same annotate --csv main.spin
	claim "$mode: ... there are some" grep -q 'prog.go,9,' stripped.out
	claim "$mode: and beside the instructions" exits 0 "$dusk" annotate --disassembly main.spin -i stripped.dusk
	claim "$mode: ... there are some" says 'deep.go:4'
	rm -rf "$XDG_CACHE_HOME"
done
done_testing
