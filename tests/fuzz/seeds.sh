#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make the first inputs of the walker's fuzzers: a program of one segment, its sections, and hand-written programs of the
# two little machines. What each begins with is said in fuzz_NAME.c.
#
#	tests/fuzz/seeds.sh		writes to corpus/{cfi,ehframe,elf,expr,cached_stack,sframe,walk}/
set -eu
cd "$(dirname "$0")/corpus"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p cfi ehframe elf expr cached_stack sframe walk

cat >"$dir/program.c" <<'C'
#define FN __attribute__((noinline, noclone, noipa))
FN int leaf(int x) { volatile char room[40]; room[x] = 1; return room[0]; }
FN int aligned(int x) { char room[64] __attribute__((aligned(64))); room[x] = leaf(x); return leaf(room[x]) + x; }
FN int saves(int a, int b, int c) { return leaf(a) + aligned(b) * leaf(c) + a * b * c; }
void _start(void) { saves(1, 2, 3); }
C
program() {
	gcc -O2 -fno-stack-protector -fno-inline -fomit-frame-pointer -nostdlib -static -Wl,--build-id=md5 -Wl,-z,max-page-size=64,-z,common-page-size=64 \
		"$@" "$dir/program.c" -o "$dir/program"
	strip -R .comment "$dir/program"
}
le16() {
	printf "\\$(printf %03o $(($1 & 255)))\\$(printf %03o $(($1 >> 8 & 255)))"
}
le32() {
	le16 $(($1 & 65535))
	le16 $(($1 >> 16 & 65535))
}
return_addresses() {
	for i in 1 2 3 4 5 6 7 8; do
		for j in 1 2 3 4 5 6 7 8; do
			le32 "$1"
			le32 0
		done
	done
}
words() {
	for i in $(seq "$2"); do
		le32 "$1"
	done
}
section() {
	objcopy -O binary "$@" "$dir/program" "$dir/section"
	cat "$dir/section"
}
address() {
	readelf -SW "$dir/program" | sed 's/^ *\[ *[0-9]*\]//' | awk -v name="$1" '$1 == name { print "0x" $3 }'
}

for form in table scan; do
	case $form in
	table)	program -Wl,--eh-frame-hdr ;;
	scan)	program -Wl,--no-eh-frame-hdr ;;
	esac
	pc=$(($(address .text) - 0x400000 + 20))
	{ le16 $pc; printf '\0'; cat "$dir/program"; } >"elf/$form"
	for off in 0 16 32; do
		# A stack full of one return address: wherever the CFA is, there it goes on.
		{ le16 $((pc + off)); le16 512; printf '\0'; cat "$dir/program"; return_addresses $((0x10000000 + pc + off)); } >"walk/$form-$off"
	done
done

# The same of a 32-bit program.
program -m32 -fno-pie -no-pie -Wl,--eh-frame-hdr -Wl,-Ttext-segment=0x400000
pc=$(($(address .text) - 0x400000 + 20))
{ le16 $pc; printf '\0'; cat "$dir/program"; } >elf/compat
for off in 0 16 32; do
	{ le16 $((pc + off)); le16 512; printf '\0'; cat "$dir/program"; words $((0x10000000 + pc + off)) 128; } >"walk/compat-$off"
done

program -Wl,--eh-frame-hdr
text=$(address .text) hdr=$(address .eh_frame_hdr) frame=$(address .eh_frame)
for off in 0 20 40; do
	{ le32 $((text + off - hdr)); printf '\004\0'; section -j .eh_frame_hdr -j .eh_frame; } >"ehframe/table-$off"
	{ le32 $((text + off - frame)); printf '\0\0'; section -j .eh_frame; } >"ehframe/scan-$off"
done

# CIE: CFA = rsp + 8, RA at CFA - 8; FDE: pushes, remember and restore, every width of advance, expressions.
cie='\014\007\010\220\001'
head='\005\100\000\370\033\000'
printf "$head$cie"'\101\016\020\206\002\103\015\006\012\105\014\007\010\013\102\014\006\020' >cfi/frame-pointer
printf "$head$cie"'\002\001\016\020\003\001\000\016\030\004\001\000\000\000\016\040\001\001\000\000\000\016\050' >cfi/advances
printf "$head$cie"'\017\003\167\010\006\020\003\002\166\170\026\014\002\160\000\056\020\057\003\001' >cfi/expressions
printf "$head$cie"'\005\006\002\006\006\007\003\010\014\011\020\005\021\006\176\022\007\176\023\175\024\006\002\025\006\176\303' >cfi/rules

# No .eh_frame, but .sframe: in version 1, as the assembler of Debian 12 writes it.
program -g -fno-asynchronous-unwind-tables -Wa,--gsframe -Wl,--no-eh-frame-hdr
text=$(address .text) sframe=$(address .sframe)
pc=$((text - 0x400000 + 20))
{ le16 $pc; printf '\0'; cat "$dir/program"; } >elf/sframe
for off in 0 20 40; do
	{ le16 $((pc + off)); le16 512; printf '\0'; cat "$dir/program"; return_addresses $((0x10000000 + pc + off)); } >"walk/sframe-$off"
	{ le32 $((text + off - sframe)); printf '\0'; section -j .sframe; } >"sframe/1-$off"
done

# Versions 2 and 3 by hand: a function of three rows 256 bytes on, a PLT, and in version 3 flexible rules and the outermost frame.
plain='\0\003\010\004\005\020\360\011\004\020\360'
plt='\0\003\010\013\003\020'
header() {
	printf '\342\336'"$1"'\003\0\370\0'
}
{
	le32 265
	printf '\0'
	header '\002\001'
	le32 2; le32 5; le32 17; le32 0; le32 40
	le32 256; le32 16; le32 0; le32 3; le32 0
	le32 272; le32 64; le32 11; le32 2; printf '\020\020\0\0'
	printf "$plain$plt"
} >sframe/2
for pc in 265 272 340 345 400; do
	{
		le32 $pc
		printf '\0'
		header '\003\001'
		le32 4; le32 9; le32 56; le32 0; le32 64
		le32 256; le32 0; le32 16; le32 0
		le32 272; le32 0; le32 64; le32 16
		le32 336; le32 0; le32 16; le32 27
		le32 400; le32 0; le32 16; le32 49
		printf '\003\0\0\0\0'"$plain"
		printf '\002\0\020\0\020'"$plt"
		printf '\003\0\0\001\0\0\004\121\0\004\012\063\370\0\063\0\010\010\071\0\051\0'
		printf '\001\0\0\0\0\0\001'
	} >"sframe/3-$pc"
done

printf '\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\013\167\010\200\000\077\032\073\052\063\044\042' >expr/plt
printf '\377\0\0\0\1\001\014\0\0\0\0\0\0\0\0\004\167\240\001\006\0\0\0\0\0\0\0\0\003\167\050\006' >expr/signal
printf '\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\033\010\001\011\377\012\002\000\013\376\377\014\003\000\000\000\015\374\377\377\377\020\005\021\173\022\024\025\001\026' >expr/constants

# Functions, where the program stands, its stack, and changes of words, of registers and of the key.
plain='\0\001\0\0\0\0\0\0'
calls='\003\0\0\0\0\001\001\0\0\0\001\0\0\002\001\0'
words='\017\002\0\003\017\001\0\003\017\001\0\003\006\003\0\002'
others='\001\0\0\004\0\0\001\005\0\0\001\005\0\0\001\0\0\0\020\0\0\002\0\0\001\003\0\0\002\0\0'
printf '\0\001'"$plain$plain"'\0\0\0\0\0\0\0\004'"$calls$words$others" >cached_stack/calls
framed='\003\0\003\0\003\0\003\0\002\020\0\0\0\0\0\0\003\0\003\0\002\0\002\0\0\0\0\0\0\001\0\0'
printf '\0\0\003\001\0\0\001\0\0\0\0\0\0\0\0\010\0\0\007'"$framed$words$others" >cached_stack/frame-pointer
printf '\007\0\0\0\0\017\0\0\0\0\0\0\0\0\0\0\0\002\003\0\0\0\0\001\0\0'"$words" >cached_stack/units

# Versions of Python, with nothing changed, and with loops, wild pointers, another thread and lengths; deep and cut.
# Versions; changes in metaspace, a blob, the stack; a page that is not safe, few kept frames.
mkdir -p hotspot
for version in 0 1 2; do
	printf "\\$(printf %03o $version)"'\0\7\0' >"hotspot/whole-$version"
	printf "\\$(printf %03o $((32 + version)))"'\0\7\0' >"hotspot/waits-$version"
	printf "\\$(printf %03o $version)"'\012\7\0' >"hotspot/unsafe-$version"
	printf "\\$(printf %03o $version)"'\0\1\0' >"hotspot/cut-$version"
	printf "\\$(printf %03o $((4 + version)))"'\0\7\0\030\0\0\377\0\0\0\0\100\0\1\0\0\0\200\121\0\2\0\0\0' >"hotspot/changed-$version"
done

mkdir -p lang
for version in 0 1 2 3; do
	printf "\\$(printf %03o $((208 + version)))"'\005\0' >"lang/whole-$version"
	printf "\\$(printf %03o $((212 + version)))"'\100\0' >"lang/many-$version"
	printf "\\$(printf %03o $((84 + version)))"'\003\0' >"lang/deep-$version"
	printf "\\$(printf %03o $((120 + version)))"'\010\0' >"lang/cut-$version"
	printf "\\$(printf %03o $((208 + version)))"'\005\0\0\1\4\020\0\100\2\0\0\0\0\0\0\0\0\020\0\200\1\100\4' >"lang/changed-$version"
	printf "\\$(printf %03o $((208 + version)))"'\005\036' >"lang/unsafe-$version"
done
