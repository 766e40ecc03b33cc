#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs that say that they are Python, and have anything where its frames are: are their native stacks whole, does the recording
# end, and does a Python beside them have all its names? usage: test_hostile_runtime.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

cat >honest.py <<'END'
import time
def inner(end):
    while time.monotonic() < end:
        sum(range(1000))
def middle(end):
    inner(end)
def outer(end):
    middle(end)
outer(time.monotonic() + 1)
END
python=python3
command -v python3 >/dev/null || python=true

# Of each sample of a command, how many frames have which name; then how many samples are alike.
counted() {
	cat <<-END
	with recursive up(o, n) as (select s.id, node from sample s join thread t on t.id = s.thread where t.comm = '$1' union all
	select o, parent from up join node on node.id = n where parent > 0),
	named as (select o, coalesce(fn.name, '') name, m.kind kind, coalesce(src.path, '') path from up join node x on x.id = n
	join frame f on f.id = x.frame join module m on m.id = f.module left join function fn on fn.id = f.function
	left join line l on l.frame = f.id left join source src on src.id = l.source)
	END
}

# record KIND: it, and python beside it
record() {
	"$dusk" record -q -F 997 -o "$1.dusk" -- sh -c "'$victims/pretends' $1 1000 & $python honest.py; wait"
}

# native_whole KIND OUTCOMES PRETENDED: the stacks of its burn(), and how many of its own frames each has
native_whole() {
	"$dusk" query -i "$1.dusk" --csv "$(counted pretends) select recurse, loop, main, case when $3 then 'ok' else pretended end, c.name, count(*)
		from (select o, sum(name = 'burn') burn, sum(name = 'recurse') recurse, sum(name = 'loop') loop, sum(name = 'main') main,
		sum(kind = 5) pretended from named group by o) join sample s on s.id = o join outcome c on c.id = s.outcome
		where burn and c.name not in ('pending') group by 1, 2, 3, 4, 5" >rows || return
	cat rows
	awk -F, -v outcomes=" $2 " 'NR > 1 { nr += $6; bad += $1 != 8 || $2 != 1 || $3 != 1 || $4 != "ok" || !index(outcomes, " " $5 " ") }
		END { exit nr < 20 || bad }' rows
}

honest_named() {
	[ "$python" = python3 ] || return 0
	"$dusk" query -i "$1.dusk" --csv "$(counted python3) select middle, outer_, module, unknown, count(*)
		from (select o, sum(name = 'inner') inner_, sum(name = 'middle') middle, sum(name = 'outer') outer_,
		sum(name = '<module>') module, sum(name = '[unknown code]') unknown from named group by o) where inner_ group by 1, 2, 3, 4" >rows
	cat rows
	awk -F, 'NR > 1 { nr += $5; bad += $1 != 1 || $2 != 1 || $3 != 1 || $4 != 0 } END { exit nr < 20 || bad }' rows
}

# Not by name, which may be missing: its stacks begin where they should.
honest_whole() {
	[ "$python" = python3 ] || return 0
	"$dusk" query -i "$1.dusk" --csv "select c.name, count(*) from sample s join thread t on t.id = s.thread
		join outcome c on c.id = s.outcome where t.comm = 'python3' group by 1 order by 2 desc" >rows
	cat rows
	awk -F, 'NR == 2 { most = $1 } NR > 1 { nr += $2 } $1 == "outermost" { whole = $2 }
		END { exit nr < 20 || most != "outermost" || whole < nr * 0.9 }' rows
}

# counts KIND NAME: this counter is above 0
counts() {
	got=$("$dusk" query -i "$1.dusk" --csv "select value from counter where name = '$2'" | tail -n 1)
	echo "$2: $got"
	[ "$got" -gt 0 ]
}

# whole PRETENDED COUNTER KIND...
whole() {
	pretended=$1 counter=$2
	shift 2
	for kind; do
		claim "$kind: the recording ends" record "$kind"
		claim "$kind: its native stacks are whole" native_whole "$kind" "outermost too-deep" "$pretended"
		[ "$counter" = - ] || claim "$kind: $counter says so" counts "$kind" "$counter"
		[ "$kind" = codes ] || claim "$kind: another Python's names are right" honest_named "$kind"
	done
}
whole 'pretended = 1' - valid names
whole 'pretended = 0' language-unknown offsets
whole 'pretended = 0' lost-language wild loop many unreadable
whole 'pretended > 300' codes-full codes
claim "codes: another Python's stacks are whole" honest_whole codes
done_testing
