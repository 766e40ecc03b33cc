#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Build kernel/ as a module for the kernel of a Debian suite, if its headers have been fetched: OUT/dusk_unwind.ko.
#
#	build_module.sh OUT VM SUITE		VM: tools/vm
set -u
if ! "$2-kernel" --cached "$3" headers >/dev/null; then
	echo "needs the headers of the kernel of Debian's $3: tools/vm-kernel $3 headers fetches them"
	exit 77
fi
exec "$2-module" "$3" "$1" kernel src/core src/arch src/abi
