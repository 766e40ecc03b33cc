#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# in_guest.sh, with kernel/ built as a module for the kernel of that suite, if its headers have been fetched.
#
#	with_module.sh OUT VM SUITE COMMAND... [-- option of VM]...	the module is OUT/dusk_unwind.ko
set -u
here=$(dirname "$0")
if "$2-kernel" --cached "$3" >/dev/null; then
	"$here/build_module.sh" "$1" "$2" "$3" || exit
fi
shift
exec "$here/in_guest.sh" "$@"
