#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make one static library of several. It exports only dusk_*, as the shared one: names like map_find() would collide.
#
#	archive.sh OUTPUT LD OBJCOPY AR LIBRARY... [--no-whole-archive LIBRARY...]
set -eu
output=$1 ld=$2 objcopy=$3 ar=$4
shift 4
rm -f "$output"
"$ld" -r -z noexecstack -o "$output.o" --whole-archive "$@"
"$objcopy" --wildcard --keep-global-symbol='dusk_*' "$output.o"
"$ar" rcs "$output" "$output.o"
rm "$output.o"
