#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does src/core/code/rules.sh refuse rules that it cannot turn into tables, with their place?
. "$(dirname "$0")/tap.sh"
make=$(realpath "$(dirname "$0")/../../src/core/code/rules.sh")

# refused WORDS LINES: the rule of these lines, behind one that is right, is refused with WORDS.
refused() {
	printf 'ret: gcc: ret\n\tat any | c3 -> cfa=sp+1\n%b\n' "$2" >"$tmp/rules.txt"
	exits 1 "$make" "$tmp/rules.txt" && says "rules.txt:" && says "$1"
}

taken() {
	printf 'ret: gcc: ret\n\tat any | c3 -> cfa=sp+1\nbody: gcc: sub\n\tfunction 9 48 83 | ?? 34/bf -> cfa=sp+3 rbx=c-2 rbp=c-3\n' >"$tmp/rules.txt"
	exits 0 "$make" "$tmp/rules.txt" && says '{{{WORD(0x48, 0x83, 0, 0x34, 0,' && says 'WORD(0xff, 0xff, 0, 0xbf, 0,' &&
		says 'RULE(3, 2, 3, NO_SWITCH, RULE_BODY), 2, 9}'
}

claim "a pattern becomes bytes and masks, its rule numbers" taken
claim "a name is a word" refused "no name" 'Two words: gcc\n\tat any | c3 -> cfa=sp+1'
claim "a name is there once" refused "two rules ret" 'ret: gcc\n\tat any | c3 -> cfa=sp+1'
claim "a rule says where it was seen" refused "where is a from" 'a:\n\tat any | c3 -> cfa=sp+1'
claim "a rule has bytes" refused "no bytes" 'a: gcc'
claim "bytes are hexadecimal" refused '"xy" is no byte' 'a: gcc\n\tat any | xy -> cfa=sp+1'
claim "the PC is marked" refused "no |" 'a: gcc\n\tat any c3 -> cfa=sp+1'
claim "a rule says where the CFA is" refused "where is the CFA" 'a: gcc\n\tat any | c3 -> rbp=c-2'
claim "a rule says nothing else" refused '"rax=c-2" says nothing' 'a: gcc\n\tat any | c3 -> cfa=sp+1 rax=c-2'
claim "no more bytes than are compared" refused "at most 8" 'a: gcc\n\tat any | 01 02 03 04 05 06 07 08 09 -> cfa=sp+1'
claim "places are those of the head of rules.txt" refused '"behind" is no place' 'a: gcc\n\tbehind | c3 -> cfa=sp+1'
claim "only a return address shows that the stack was changed" refused "says nothing" 'a: gcc\n\tat any | c3 -> switch mcall'
done_testing
