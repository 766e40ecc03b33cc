#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Move a program's debug information to a file of its own, which debuggers find beside the program.
#
#	strip.sh OBJCOPY PROGRAM STRIPPED DEBUG
set -eu
objcopy=$1
"$objcopy" --only-keep-debug "$2" "$4"
rm -f "$3"
"$objcopy" --strip-all --add-gnu-debuglink="$4" "$2" "$3"
