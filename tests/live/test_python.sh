#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of Python in stacks those that Python itself sees, in the same order, at the same lines?
# PYTHONS has interpreters; otherwise it is python3. usage: test_python.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

cat >compare.py <<'END'
import sys
from language import compare, read_log, read_seen
def same(a, b):  # a name that is longer than what is kept ends in "..."
    return len(a) == len(b) and all((x[0] == y[0] or (y[0].endswith("...") and x[0].startswith(y[0][:-3]))) and x[1:] == y[1:] for x, y in zip(a, b))
compare("python", read_log(sys.argv[1]), read_seen(sys.argv[2]), same)
END

# as_python_sees PYTHON
as_python_sees() {
	sees getppid "$1" "$victims/python.py" log 3
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
