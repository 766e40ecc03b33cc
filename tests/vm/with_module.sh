#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# in_guest.sh, with kernel/ built as a module for the kernel of that suite, if its headers have been fetched.
#
#	with_module.sh OUT VM SUITE COMMAND... [-- option of VM]...	the module is OUT/dusk_unwind.ko
set -u
out=$1
vm=$2
suite=$3
shift
if "$vm-kernel" --cached "$suite" >/dev/null; then
	if ! "$vm-kernel" --cached "$suite" headers >/dev/null; then
		echo "needs the headers of the kernel of Debian's $suite: tools/vm-kernel $suite headers fetches them"
		exit 77
	fi
	"$vm-module" "$suite" "$out" kernel src/core src/arch src/abi || exit 1
fi
exec "$(dirname "$0")/in_guest.sh" "$@"
