#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of JavaScript in stacks those that V8 itself sees, in the same order? Are none wrong while the collector moves them?
# NODES has programs; otherwise it is node. usage: test_node.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

# Frames of source files of each getppid(), or sample, in the order of time: occurrence, thread, function, file, line.
frames() {
	echo "with recursive up(o, n, d) as (select id, node, 0 from $1 union all
select o, parent, d + 1 from up join node on node.id = n where parent > 0)
select o, t.tid, iif(m.kind = 5, fn.name, ''), s.path, coalesce(l.line, 0) line from up join $1 c on c.id = o
join thread t on t.id = c.thread join node x on x.id = n join frame f on f.id = x.frame join module m on m.id = f.module
left join function fn on fn.id = f.function left join line l on l.frame = f.id left join source s on s.id = l.source order by o, d"
}

cat >compare.py <<'END'
import sys
from language import compare, read_log, read_rows
# V8's own functions have no file.
log = {tid: [[f for f in stack if f[1]] for stack in stacks] for tid, stacks in read_log(sys.argv[1]).items()}
seen, last = {}, None
for o, tid, name, path, line in read_rows(sys.argv[2]):
    if o != last:
        seen.setdefault(int(tid), []).append([])
    last = o
    if name and path != "[javascript]":
        seen[int(tid)][-1].append((name, path, line))
# A name that the program has computed is in the function's object alone; and this one is made for traces.
without_name = {"computed", "[Symbol.iterator]"}
def known(f):
    name = "<anonymous>" if f[0] in without_name else "Shape" if f[0] == "<static_initializer>" else f[0]
    return (name, f[1], f[2]) if with_lines else (name, f[1])
with_lines = len(sys.argv) > 3
# While V8 gives up code that is on the stack, it leads nowhere.
compare("node", log, seen, lambda a, b: [known(f) for f in a] == [known(f) for f in b], may_be_cut=0.01)
END

# Who calls whom in node_gc.js; functions may be inlined in their callers, and are then not there.
cat >calls.py <<'END'
import csv, sys
depth = {"<anonymous>": 0, "top": 1, "makesFunctions": 2, "fresh": 3, "mapper": 4, "allocates": 5}
lines = {"<anonymous>": range(1, 30), "top": range(21, 27), "makesFunctions": range(15, 21), "fresh": [17], "mapper": [17], "allocates": range(7, 15)}
nr, wrong, unknown, last, o_last = 0, 0, 0, 9, None
for o, tid, name, path, line in csv.reader(open(sys.argv[1]), quoting=csv.QUOTE_MINIMAL):
    if not o.isdigit():
        continue
    if o != o_last:
        last = 9
    o_last = o
    unknown += name == "[unknown code]"
    if not path.endswith("node_gc.js") or name == "[unknown code]":
        continue
    nr += 1
    if depth.get(name, 9) >= last or int(line) not in lines[name]:
        wrong += 1
        if wrong < 4:
            print("wrong:", name, path, line)
    last = depth.get(name, 9)
print(nr, "frames,", wrong, "wrong,", unknown, "not known")
sys.exit(wrong > 0 or nr < 500)
END

# as_v8_sees NODE LINES PROGRAM [ARG]: V8 keeps no table of lines for code that its baseline compiler has made
as_v8_sees() {
	"$dusk" record -q -e syscalls:sys_enter_getppid -o p.dusk -- "$1" ${2:+--no-sparkplug} "$victims/$3" log ${4-} || return
	"$dusk" query -i p.dusk --csv "$(frames occurrence)" >frames.csv
	compared log frames.csv ${2:+lines}
}
# in_a_storm NODE
in_a_storm() {
	"$dusk" record -q -F 997 -o p.dusk -- "$1" --expose-gc --max-semi-space-size=1 "$victims/node_gc.js" 4 || return
	"$dusk" query -i p.dusk --csv "$(frames sample)" >frames.csv
	python3 calls.py frames.csv
}
for node in ${NODES-node}; do
	needs "$node" "node $node: its frames" || continue
	version=$("$node" -p process.versions.node)
	claim "node $version: names and order are V8's own" as_v8_sees "$node" "" node.js 20
	claim "node $version: no frames are lost" none_lost
	claim "node $version: lines are V8's own" as_v8_sees "$node" lines node.js 20
	claim "node $version: those of compiled code, too" as_v8_sees "$node" lines node_jit.js
	claim "node $version: no frames of that are lost" none_lost
	claim "node $version: no function is wrong while the collector moves them" in_a_storm "$node"
done
done_testing
