#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do stacks of fibers, goroutines and tasks reach their first function, and have names that read as they were written?
# usage: test_coroutines.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

# runs NAME LEAF CALLERS: each sample in LEAF has these callers, and a stack that is complete.
runs() {
	"$dusk" record -q -F 299 -e cpu -o p.dusk -- "./$1" 700 || return
	"$dusk" export -f folded -i p.dusk >folded 2>/dev/null
	grep -F "$2" folded >of_leaf
	[ "$(awk '{ n += $NF } END { print n + 0 }' of_leaf)" -gt 20 ] || { cat folded; return 1; }
	grep -vF "$3" of_leaf >others
	cat others
	[ ! -s others ] && complete "$2"
}
complete() {
	cut=$("$dusk" query -i p.dusk --csv "select o.name, count(*) from sample s join outcome o on o.id = s.outcome join stacks k on k.id = s.node
		where o.class <> 'complete' and instr(k.folded, '$1') group by 1" | sed 1d)
	echo "$cut"
	[ -z "$cut" ]
}

cc -O1 -o coroutine "$victims/coroutine.c" || exit 1
claim "a stack that was begun without a return address" runs coroutine spin 'coroutine;first;middle;spin'
for d in ldc2 gdc; do
	needs $d "a fiber of $d's" || continue
	if [ $d = gdc ]; then gdc -O1 -o fibers "$victims/fibers.d"; else ldc2 -O1 -of=fibers "$victims/fibers.d" >/dev/null; fi || continue
	claim "a fiber of $d's" runs fibers 'fibers.spin(ulong)' \
		'fiber_entryPoint;fibers.sell();fibers.Shop.order(ulong);fibers.Worker!(int).Worker.run(ulong);fibers.spin(ulong)'
done
for go in gccgo gccgo-12 gccgo-14; do
	command -v $go >/dev/null && $go -O1 -fno-inline -o goroutines "$victims/goroutines.go" || continue
	claim "a goroutine of $go's" runs goroutines main.spin_here \
		'runtime.kickoff;main.go.thunk0;main.work;main.outer;main.outer.func1;main.Worker.Run;main.spin_here'
done
if needs gnatmake "a task of Ada's" && gnatmake -q -O1 -fno-inline "$victims/tasks.adb"; then
	claim "a task of Ada's" runs tasks tasks.shop.spin 'start_thread;'
	claim "... and its names" sh -c "! grep -vF 'tasks.worker;tasks.our_orders.order;tasks.shop.\"+\";tasks.shop.spin' of_leaf"
fi
done_testing
