#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of Python in stacks those that Python itself sees, in the same order, at the same lines?
# PYTHONS has interpreters; otherwise it is python3. usage: test_python.sh DUSK VICTIMS
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ "${alone-}" ] || alone=yes exec unshare -m --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1") victims=$(realpath "$2")
cd "$tmp" && mount -t bpf bpf /sys/fs/bpf || exit 1
export LC_ALL=C.UTF-8
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot unwind, see dusk doctor"
	exit 0
}
leave() {
	umount -l /sys/fs/bpf
	rm -rf "$tmp"
} 2>/dev/null
trap leave EXIT
trap 'exit 130' INT TERM

# Frames of source files of each getppid(), in the order of time: occurrence, thread, function, file, line.
frames="with recursive up(o, n, d) as (select id, node, 0 from occurrence union all
select o, parent, d + 1 from up join node on node.id = n where parent > 0)
select o, t.tid, fn.name, s.path, coalesce(l.line, 0) line from up join occurrence c on c.id = o join thread t on t.id = c.thread
join node x on x.id = n join frame f on f.id = x.frame join module m on m.id = f.module and m.kind = 5
left join function fn on fn.id = f.function left join line l on l.frame = f.id left join source s on s.id = l.source order by o, d"

cat >compare.py <<'END'
import csv, json, sys
log = {}
for line in open(sys.argv[1]):
    tid, stack = json.loads(line)
    log.setdefault(tid, []).append([tuple(f) for f in stack])
seen, last = {}, None
for o, tid, name, path, line in csv.reader(open(sys.argv[2]), quoting=csv.QUOTE_MINIMAL):
    if not o.isdigit():
        continue
    if o != last:
        seen.setdefault(int(tid), []).append([])
    last = o
    seen[int(tid)][-1].append((name, path, int(line)))
def cut(f):  # a name that is longer than what is kept ends in "..."
    name = f[0] if len(f[0].encode()) <= 128 else f[0][:128]
    return name, f[1], f[2]
def same(a, b):
    return len(a) == len(b) and all((x[0] == y[0] or (y[0].endswith("...") and x[0].startswith(y[0][:-3]))) and x[1:] == y[1:] for x, y in zip(a, b))
different = nr = 0
for tid in log:
    if len(log[tid]) != len(seen.get(tid, [])):
        print("thread", tid, ":", len(log[tid]), "stacks,", len(seen.get(tid, [])), "seen")
        different += 1
    for a, b in zip(log[tid], seen.get(tid, [])):
        nr += 1
        if not same(a, b):
            different += 1
            if different < 4:
                print("python:", *a, "dusk:", *b, sep="\n  ")
print(nr, "stacks,", different, "different")
sys.exit(different > 0 or nr < 500)
END

# as_python_sees PYTHON
as_python_sees() {
	"$dusk" record -q -e syscalls:sys_enter_getppid -o p.dusk -- "$1" "$victims/python.py" log 3 || return
	"$dusk" query -i p.dusk --csv "$frames" >frames.csv
	python3 compare.py log frames.csv
}
none_lost() {
	got=$("$dusk" query -i p.dusk --csv "select value from counter where name in ('lost-language', 'language-unknown', 'codes-full') and value > 0")
	echo "$got"
	[ "$got" = "value" ] || [ -z "$got" ]
}
# Of all samples and waits with the interpreter's loop, each has functions of Python, from the start of the process on.
whole="with recursive s(node) as (select node from sample union all select node from offcpu),
up(o, n, loop, py) as (select rowid, node, 0, 0 from (select row_number() over () rowid, node from s where node) union all
select o, parent, loop or fn.name = '_PyEval_EvalFrameDefault', py or m.kind = 5 from up join node x on x.id = n join frame f on f.id = x.frame
join module m on m.id = f.module left join function fn on fn.id = f.function where n)
select count(*), sum(loop and not py) from (select max(loop) loop, max(py) py from up group by o)"
each_has_functions() {
	"$dusk" record -q -F 997 -o w.dusk -- "$1" "$victims/python.py" log 1 || return
	"$dusk" query -i w.dusk --csv "$whole" | tail -n 1 | tee counts
	awk -F, '{ exit !($1 > 100 && $2 == 0) }' counts
}

cat >waits.py <<'END'
import threading, time


class Shop:
    def order(self, seconds):
        time.sleep(seconds)


def orders():
    yield Shop().order(60)


def run():
    for _ in orders():
        pass


threading.Thread(target=run, daemon=True).start()
print("ready", flush=True)
sorted([1, 2], key=lambda _: time.sleep(60))
END
shows_waits() {
	"$1" waits.py >ready &
	waits=$!
	until_true grep -q ready ready
	sleep 0.2
	"$dusk" stacks --no-kernel $waits | tee stacks.out
	kill $waits
	grep -q ' \(Shop\.\)*order (waits.py:6)$' stacks.out && grep -q ' orders (waits.py:10)$' stacks.out && grep -q ' run (waits.py:14)$' stacks.out &&
		grep -q ' <lambda> (waits.py:20)$' stacks.out && ! grep -q _PyEval_EvalFrameDefault stacks.out
}
for python in ${PYTHONS-python3}; do
	needs "$python" "python $python: its frames" || continue
	version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	claim "python $version: names, order and lines are Python's own" as_python_sees "$python"
	claim "python $version: no frames are lost" none_lost
	claim "python $version: from the first sample on, and in waits" each_has_functions "$python"
	claim "python $version: dusk stacks shows threads that wait" shows_waits "$python"
done
done_testing
