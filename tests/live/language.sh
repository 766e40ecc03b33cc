# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What tests of the functions of a language have in common: source it. They are called with DUSK and VICTIMS, and run as alone.sh says.
victims=$(realpath "$2")
. "$(dirname "$0")/alone.sh"
export LC_ALL=C.UTF-8

# Frames of source files of each occurrence, in the order of time: occurrence, thread, function, file, line.
frames="with recursive up(o, n, d) as (select id, node, 0 from occurrence union all
select o, parent, d + 1 from up join node on node.id = n where parent > 0)
select o, t.tid, fn.name, s.path, coalesce(l.line, 0) line from up join occurrence c on c.id = o join thread t on t.id = c.thread
join node x on x.id = n join frame f on f.id = x.frame join module m on m.id = f.module and m.kind = 5
left join function fn on fn.id = f.function left join line l on l.frame = f.id left join source s on s.id = l.source order by o, d"

# compared ARG...: compare.py, which may import language.py.
compared() {
	PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 compare.py "$@"
}

# sees EVENT COMMAND...: are the stacks of that system call, which the command writes to log, those that compare.py finds in p.dusk?
sees() {
	event=$1
	shift
	"$dusk" record -q -e "syscalls:sys_enter_$event" -o p.dusk -- "$@" || return
	"$dusk" query -i p.dusk --csv "$frames" >frames.csv
	compared log frames.csv
}

# No frames are lost of what was recorded last.
none_lost() {
	got=$("$dusk" query -i p.dusk --csv "select value from counter where name in ('lost-language', 'language-unknown', 'codes-full') and value > 0")
	echo "$got"
	[ "$got" = "value" ] || [ -z "$got" ]
}
