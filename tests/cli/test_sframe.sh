#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does dusk sframe say what readelf says? usage: test_sframe.sh DUSK
#
# Each binutils writes one version of SFrame and reads hardly another. The installed one is asked, and those in the folders
# of $DUSK_BINUTILS (FOLDER:FOLDER..., each with as, ld and readelf).
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1

cat >program.c <<'C'
#define FN __attribute__((noipa))
FN int leaf(const char *p) { return p[3]; }
FN int saves(int a, int b) { return leaf("abcd") + a * leaf("efgh") + b; }
FN int varies(int n) { char room[n + 4]; room[3] = n; return leaf(room); }
FN int realigned(int a, int b, int c, int d, int e, int f, int n)
{
	char room[n + 64], more[128] __attribute__((aligned(64)));

	room[3] = more[3] = n;
	return leaf(room) + leaf(more) + a + b + c + d + e + f;
}
int main(int argc, char **argv) { return saves(argc, 2) + varies(argc) + realigned(1, 2, 3, 4, 5, 6, argc); }
C
cat >marks.s <<'S'
	.globl	_start
_start:	.cfi_startproc
	.cfi_undefined rip
	call	f
	.cfi_endproc
f:	.cfi_startproc
	.cfi_signal_frame
	sub	$0x12345, %rsp
	.cfi_adjust_cfa_offset 0x12345
	.fill	70000, 1, 0x90
	add	$0x12345, %rsp
	.cfi_adjust_cfa_offset -0x12345
	ret
	.cfi_endproc
g:	.cfi_startproc
	pop	%rdi
	.cfi_register rip, rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rdi
	.cfi_endproc
S

# readelf of version 1 does not yet know that the return address has a fixed place.
as_readelf() {
	if grep -q SFRAME_VERSION_1 dusk.txt; then
		sed '/CFA fixed RA/d; s/ f *$/ u/'
	else
		cat
	fi | sed 's/ *$//'
}
agrees() {
	"$dusk" sframe "$1" >dusk.txt || return 1
	as_readelf <dusk.txt >ours
	"$2readelf" --sframe "$1" | sed 's/ *$//' >theirs
	cat dusk.txt
	grep -q 'func idx \[1\]' ours && diff theirs ours
}

compare() {
	version=$("$1readelf" --version | sed -n '1s/.* //p')
	if ! gcc ${1:+"-B$1"} -O2 -fomit-frame-pointer -Wa,--gsframe program.c -o program 2>err ||
	   ! "$1as" --gsframe marks.s -o marks.o 2>err || ! "$1ld" marks.o -o marks 2>err; then
		echo "# $(head -n 1 err)"
		claims=$((claims + 1))
		echo "ok $claims - as readelf $version does # SKIP its assembler does not know --gsframe"
		return
	fi
	claim "a program, as readelf $version does" agrees program "$1"
	claim "marks and large offsets, as readelf $version does" agrees marks "$1"
}

exits 2 "$dusk" sframe >/dev/null
claim "a file is needed" says "which file?"
claim "one file at a time" exits 2 "$dusk" sframe a b
claim "the other is named" says "'b'"
claim "a file that is not there" exits 1 "$dusk" sframe nowhere
claim "is named with the reason" says "cannot open nowhere: No such file"
claim "what is no ELF file" exits 1 "$dusk" sframe program.c
claim "is called so" says "program.c is not an ELF file"
gcc -c program.c -o program.o
claim "an object file" exits 1 "$dusk" sframe program.o
claim "has to be linked first" says "not linked"
gcc program.c -o bare && objcopy -R .sframe bare
claim "a file without the section" exits 1 "$dusk" sframe bare
claim "... is named with the way to have one" says "--gsframe"

compare ""
if [ -s program ] && "$dusk" sframe program >whole; then
	objcopy --dump-section .sframe=section program
	head -c "$(($(wc -c <section) - 1))" section >cut
	objcopy --update-section .sframe=cut program damaged 2>err
	claim "a section that is cut off" exits 1 "$dusk" sframe damaged
	claim "is malformed" says "malformed"
	cp program headless
	# Without section headers: e_shoff, e_shnum, e_shstrndx.
	printf '\0\0\0\0\0\0\0\0' | dd of=headless bs=1 seek=40 conv=notrunc 2>err
	printf '\0\0\0\0' | dd of=headless bs=1 seek=60 conv=notrunc 2>err
	"$dusk" sframe headless >segment 2>&1
	claim "without section headers it is found by its segment" diff whole segment
fi

if [ -z "${DUSK_BINUTILS:-}" ]; then
	claims=$((claims + 1))
	echo "ok $claims - as newer ones do # SKIP no other binutils in \$DUSK_BINUTILS"
else
	while [ -n "$DUSK_BINUTILS" ]; do
		folder=${DUSK_BINUTILS%%:*}
		compare "$folder/"
		DUSK_BINUTILS=${DUSK_BINUTILS#"$folder"}
		DUSK_BINUTILS=${DUSK_BINUTILS#:}
	done
fi
done_testing
