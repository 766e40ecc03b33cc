# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Processes that live two milliseconds: how many of their stacks are whole, and have all their names? Sourced by run.
# shellcheck shell=bash disable=SC2154

# What there is to be seen of the processes called $2 in profile $1: "KEY NUMBER" lines.
storm_counts() {
	"$dusk" query -i "$1" --csv "
		with recursive taken as (select s.id, s.node, o.class from sample s join thread t on t.id = s.thread
			join outcome o on o.id = s.outcome where t.comm = '$2' and o.class <> 'absent'),
		up(sample, node) as (select id, node from taken where node > 0
			union all select up.sample, n.parent from up join node n on n.id = up.node where n.parent > 0),
		named as (select up.sample, min(f.function is not null) whole, count(*) frames, sum(f.function is null) unnamed
			from up join node n on n.id = up.node join frame f on f.id = n.frame group by 1)
		select (select count(*) from taken), (select count(*) from taken where class = 'complete'),
			(select count(*) from taken where class <> 'none'), (select count(*) from named),
			(select sum(whole) from named), (select sum(frames) from named), (select sum(unnamed) from named)" |
		tail -1 | awk -F, '$1 {
			print "samples", $1
			print "complete", 100 * $2 / $1
			print "walked", 100 * $2 / $3
			print "named", 100 * $5 / $4
			print "frames", $6
			print "unnamed", $7
		}'
}

figure_storm() {
	local sum='{ n += $1 } END { print n + 0 }'

	: >storm.data
	start_load storm
	for _ in $(seq $rounds); do
		"$dusk" record -q -a -e cpu -F 499 -d 5s -o s.dusk
		storm_counts s.dusk storm >>storm.data
		"$dusk" query -i s.dusk --csv "select o.name, count(*) from sample s join outcome o on o.id = s.outcome
			join thread t on t.id = s.thread where t.comm = 'storm' and o.class in ('cut', 'none') group by 1" |
			tail -n +2 | tr , ' ' >>storm.outcomes
		rm -f s.dusk*
	done
	stop_load
	echo "### A storm of processes that live 2 ms"
	echo
	echo "| | |"
	echo "|---|---|"
	echo "| samples of processes that have a user stack, or should | $(of samples storm.data | awk "$sum") |"
	echo "| complete | $(of complete storm.data | spread 2) % |"
	echo "| complete, of those whose stack was walked | $(of walked storm.data | spread 2) % |"
	echo "| stacks with a name for each frame | $(of named storm.data | spread 2) % |"
	echo "| frames without a name | $(of unnamed storm.data | awk "$sum") of $(of frames storm.data | awk "$sum") |"
	echo "| not complete, by name | $(awk '{ n[$1] += $2 } END { for (o in n) printf "%s %d ", o, n[o] }' storm.outcomes) |"
	echo
}
