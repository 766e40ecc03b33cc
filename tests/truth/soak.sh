#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Of all stacks on this machine, how many are complete, by program, and where do the others end?
#
#	soak.sh DUSK PROFILE DURATION [OPTION...]	options of dusk record; without: the whole machine
#
# The last line: stacks that were walked, how many of these are complete, and that in percent. Those that had no stack, or
# none any more, are shown, but do not count; nor do those on the way to a handler (landing), where a frame's registers are the
# handler's already: of a program that throws all the time they are one in a hundred, and seven of them decided the result.
set -u
dusk=$1 profile=$2 duration=$3
shift 3
[ $# -gt 0 ] || set -- -a

"$dusk" record -q -e cpu "$@" -F 997 --max-depth 2048 -d "$duration" -o "$profile" || exit 1
ask() {
	"$dusk" query -i "$profile" "$1" || exit 1
	echo
}

ask "select t.comm program, count(*) samples, sum(o.class in ('complete', 'cut')) walked, sum(o.class = 'complete') complete,
	printf('%.3f', 100.0 * sum(o.class = 'complete') / sum(o.class in ('complete', 'cut'))) percent,
	(select group_concat(x.name || ' ' || x.n, ', ') from
		(select o2.name, count(*) n from sample s2 join outcome o2 on o2.id = s2.outcome join thread t2 on t2.id = s2.thread
		where t2.comm = t.comm and o2.class in ('cut', 'none') group by 1 order by 2 desc) x) others
	from sample s join thread t on t.id = s.thread join outcome o on o.id = s.outcome
	where o.class <> 'absent' group by 1 order by sum(o.class = 'cut') desc, 2 desc limit 40"
echo "Where walks that did not come to the end ended:"
ask "with recursive up(start, node) as
	(select distinct node, node from sample s join outcome o on o.id = s.outcome where o.class = 'cut' and s.node > 0
	union all select up.start, n.parent from up join node n on n.id = up.node where n.parent > 0),
	root(start, frame) as (select up.start, n.frame from up join node n on n.id = up.node where n.parent = 0)
	select o.name outcome, t.comm program, f.module || ' ' || f.function ended_in, count(*) samples,
	count(distinct t.pid) processes, min(t.pid) a_process, max(i.module || ' ' || i.function) began_in
	from sample s join outcome o on o.id = s.outcome join thread t on t.id = s.thread
	left join root on root.start = s.node left join frame_name f on f.id = root.frame
	left join node l on l.id = s.node left join frame_name i on i.id = l.frame
	where o.class = 'cut' group by 1, 2, 3 order by 4 desc limit 40"
"$dusk" query -i "$profile" "select sum(class in ('complete', 'cut')) walked, sum(class = 'complete') complete,
	printf('%.4f', 100.0 * sum(class = 'complete') / sum(class in ('complete', 'cut'))) percent
	from sample s join outcome o on o.id = s.outcome where o.name <> 'landing'"
