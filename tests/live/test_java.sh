#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the methods of Java in stacks those that the runtime itself sees, in the same order, at the same lines?
# JAVAS has commands that run Java; otherwise it is java. It has to be a JDK. usage: test_java.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

# Frames of Java of each sched_yield() of the threads that write what they see, in the order of time.
frames="with recursive up(occurrence, n, d) as (select id, node, 0 from occurrence union all
select occurrence, parent, d + 1 from up join node on node.id = n where parent > 0)
select occurrence, t.comm, fn.name, s.path, coalesce(l.line, 0) from up join occurrence c on c.id = occurrence
join thread t on t.id = c.thread and t.comm like 'truth%' join node x on x.id = n join frame f on f.id = x.frame
join module m on m.id = f.module and m.kind = 5 left join function fn on fn.id = f.function left join line l on l.frame = f.id
left join source s on s.id = l.source order by occurrence, d"

cat >compare.py <<'END'
import re, sys
from language import compare, read_rows, short
def as_dusk(frame):  # class, method, file and line: a hidden class has its address behind a slash
    cls, method, file, line = frame.split("|")
    cls = short(re.sub(r"/0x[0-9a-f]+$", "", cls), 192)
    folder = cls.rpartition(".")[0].replace(".", "/")
    path = (folder + "/" if folder else "") + file if file != "null" else None
    return cls + "." + short(method), path, max(int(line), 0)
log = {}
for line in open(sys.argv[1]):
    thread, look, *stack = line.rstrip("\n").split("\t")
    log.setdefault(thread, []).append([as_dusk(f) for f in stack])
rows = {}
for o, comm, name, path, line in read_rows(sys.argv[2]):
    if re.fullmatch(r"[^ ]*\.[^ ]*", name):  # not the runtime's stubs
        rows.setdefault((int(o), comm), []).append((name, path if path != "[java]" else None, line))
seen = {}
for (o, comm), stack in sorted(rows.items()):
    while stack and stack[0][0] in ("java.lang.Thread.yield", "java.lang.Thread.yield0"):
        stack = stack[1:]
    if stack and stack[0][0] == "Stacks$Tracer.look":  # the runtime itself yields, too
        seen.setdefault(comm, []).append(stack[1:])
def same(a, b):  # some methods have no file
    return len(a) == len(b) and all(x[0] == y[0] and (x[1] is None or x[1:] == y[1:]) for x, y in zip(a, b))
compare("java", log, seen, same, least=1000)
END

# as_java_sees JAVA OPTION...
as_java_sees() {
	sees sched_yield "$@" -XX:+UnlockDiagnosticVMOptions -XX:+ShowHiddenFrames "$victims/Stacks.java" "$tmp/log" 500
}
all_complete() {
	got=$("$dusk" query -i p.dusk --csv "select o.name, count(*) from occurrence c join thread t on t.id = c.thread and t.comm like 'truth%'
		join outcome o on o.id = c.outcome where o.name not in ('complete', 'thread-start', 'outermost') group by 1")
	echo "$got"
	[ "$(echo "$got" | wc -l)" = 1 ]
}
for java in ${JAVAS-java}; do
	needs "$java" "java: its frames" || continue
	version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
	"$java" --list-modules 2>/dev/null | grep -q jdk.compiler || {
		claims=$((claims + 1))
		echo "ok $claims - java $version: its frames # SKIP needs a JDK"
		continue
	}
	for options in "" "-Xint" "-XX:TieredStopAtLevel=1" "-XX:-TieredCompilation" "-XX:+UseSerialGC -XX:-SegmentedCodeCache"; do
		claim "java $version $options: names, order and lines are Java's own" as_java_sees "$java" $options
		claim "java $version $options: the stacks are complete" all_complete
		claim "java $version $options: no frames are lost" none_lost
	done
done
done_testing
