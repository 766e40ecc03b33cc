#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/check-layers see what it is there for? A small tree, one sin at a time.
. "$(dirname "$0")/tap.sh"
check=$(dirname "$0")/../../tools/check-layers

tree="$tmp/a tree"
put() {
	mkdir -p "$tree/$(dirname "$1")"
	printf '%s\n' "$2" >"$tree/$1"
}
fresh() {
	rm -rf "$tree"
	put include/dusk/dusk.h '#include <stdint.h>'
	put src/abi/types.h ''
	put src/core/env.h '#include "../abi/types.h"'
	put src/core/env_host.h '#include <assert.h>'
	put src/core/walk/walk.h '#include "core/env.h"'
	put src/base/map.h '#include <stddef.h>'
	put kernel/pool.h '#include <linux/sched.h>'
	put src/lib/unwinder/ring.h '#include <bpf/libbpf.h>'
	put src/lib/ring.h ''
	put src/lib/profile/write/rows.h ''
	put src/lib/profile/combine/merge.c '#include "lib/profile/write/rows.h"'
	put src/lib/record/ring.c '#include "core/env.h"
#include "base/map.h"
#include "lib/unwinder/ring.h"
#include "lib/profile/write/rows.h"
#include <dusk/dusk.h>
#include <sqlite3.h>'
	put src/report/model/tree.c '#include <dusk/dusk.h>
#include "base/map.h"
#include "generated.css.h"'
	put src/cli/main.c '#include "cli/commands/commands.h"'
	put src/cli/commands/commands.h '#include "report/model/tree.h"'
	put src/report/model/tree.h ''
}
refused() {
	fresh
	put "$1" "$2"
	exits 1 "$check" "$tree" && says "$3"
}

fresh
claim "a tree that keeps to the layers passes" exits 0 "$check" "$tree"
claim "base must not know lib" refused src/base/map.c '#include "../lib/ring.h"' "src/base/map.c:1: includes ../lib/ring.h"
claim "core must not know base" refused src/core/tables/cfi.c '
#include "../../base/map.h"' "src/core/tables/cfi.c:2:"
claim "core must not include system headers" refused src/core/tables/cfi.c '#include <string.h>' "belongs to system"
claim "report must not see inner headers of lib" refused src/report/model/tree.c '#include "../../lib/ring.h"' \
	"which belongs to lib: what a view says, from <dusk/dusk.h>"
claim "nor by way of the include path" refused src/report/model/tree.c '#include "lib/ring.h"' "belongs to lib"
claim "nor by a detour" refused src/report/model/tree.c '#include "./../../base/../lib/ring.h"' "belongs to lib"
claim "nor with blanks in the directive" refused src/report/model/tree.c '  #  include  "../../lib/ring.h" /* why not */' \
	"belongs to lib"
claim "report must not see libbpf" refused src/report/model/tree.c '#include <bpf/libbpf.h>' "belongs to libbpf"
claim "export must not see the database" refused src/export/x.c '#include <sqlite3.h>' "belongs to libraries"
claim "report must not see zlib, which export may" refused src/report/model/tree.c '#include <zlib.h>' "belongs to zlib"
claim "commands must not see inner headers of lib" refused src/cli/commands/report.c '#include "../../lib/ring.h"' "belongs to lib"
claim "commands must not see the border" refused src/cli/commands/report.c '#include "abi/types.h"' "belongs to abi"
claim "the public header must not lean on inner ones" refused include/dusk/dusk.h '#include "../../src/abi/types.h"' \
	"belongs to abi"
claim "the kernel module is of the core" refused kernel/pool.c '#include "../src/lib/ring.h"' "belongs to lib"
claim "nothing needs the kernel module" refused src/lib/ring.c '#include "../../kernel/pool.h"' "belongs to kernel"
claim "a folder's files are not its neighbour's that stands above it" refused src/core/tables/cfi.c '#include "core/walk/walk.h"' \
	"which belongs to core/walk: tables fill rows"
claim "what all stand on stands on none of them" refused src/core/env.h '#include "core/walk/walk.h"' "belongs to core/walk"
claim "a room in a folder is not its neighbour's that stands below it" refused src/lib/profile/read/x.c '#include "lib/profile/write/rows.h"' \
	"belongs to lib/profile/write: a profile is read without being written"
claim "a new folder must say what it may see" refused src/novel/x.c '#include <stdio.h>' "no layer"
done_testing
