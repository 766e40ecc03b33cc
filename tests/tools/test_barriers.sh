#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does BPF for an architecture that reorders loads and stores have the barriers of core/seqcount.h?
#
#	test_barriers.sh CLANG
. "$(dirname "$0")/tap.sh"
clang=$1
source=$(cd "$(dirname "$0")/../../src" && pwd)

cat >"$tmp/entry.c" <<'END'
#include "core/seqcount.h"

struct entry {
	u32 count, word;
};

int reads(struct entry *e);
int reads(struct entry *e)
{
	u32 seen = seqcount_read(&e->count), word = e->word;

	return !seqcount_is_odd(seen) && seqcount_unchanged(&e->count, seen) ? word : -1;
}

void writes(struct entry *e);
void writes(struct entry *e)
{
	u32 seen;

	if (!seqcount_write(&e->count, &seen))
		return;
	e->word = 1;
	seqcount_written(&e->count, seen);
}
END

# The accesses to memory of function $2, for architecture $1, in their order: barrier, cmpxchg, load, store.
accesses() {
	"$clang" -target bpf -mcpu=v4 -O2 -I"$source" -D__TARGET_ARCH_"$1" -S "$tmp/entry.c" -o "$tmp/entry.s" || return
	sed -n "/^$2:/,/exit/p" "$tmp/entry.s" | sed -n '
		s/.* = cmpxchg.*/cmpxchg/p
		s/.* = xchg.*r10.*/barrier/p
		s/.* = \*(u32 \*)(r1 .*/load/p
		s/.*\*(u32 \*)(r1 .*) = .*/store/p' | xargs
}
has() {
	seen=$(accesses "$1" "$2")
	[ "$seen" = "$3" ] || { echo "# $seen"; return 1; }
}

claim "on arm64 a reader's loads stay between its looks at the count" has arm64 reads "load barrier load barrier load"
claim "on arm64 a writer's stores stay between its changes of the count" \
	has arm64 writes "load cmpxchg barrier store barrier store"
claim "x86 needs no barriers to read" has x86 reads "load load load"
claim "x86 needs no barriers to write" has x86 writes "load cmpxchg store store"
done_testing
