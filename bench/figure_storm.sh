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

# A recording in mode $1: "KEY NUMBER" lines to storm.$1, the outcomes of stacks that are not complete to storm.$1.outcomes.
storm_record() {
	"$dusk" record -q --mode "$1" -a -e cpu -F 499 -d 5s -o s.dusk
	storm_counts s.dusk storm >>"storm.$1"
	"$dusk" query -i s.dusk --csv "select o.name, count(*) from sample s join outcome o on o.id = s.outcome
		join thread t on t.id = s.thread where t.comm = 'storm' and o.class in ('cut', 'none') group by 1" |
		tail -n +2 | tr , ' ' >>"storm.$1.outcomes"
	rm -f s.dusk*
}

# The cells of a row: what is printed by "$@ FILE", for each mode.
storm_cells() {
	local f
	for f in storm.full storm.copied; do
		printf ' %s |' "$("$@" "$f")"
	done
	echo
}

storm_percent() { echo "$(of "$1" "$2" | spread 2) %"; }
storm_sum() { of "$1" "$2" | awk '{ n += $1 } END { print n + 0 }'; }
storm_unnamed() { echo "$(storm_sum unnamed "$1") of $(storm_sum frames "$1")"; }
storm_outcomes() { awk '{ n[$1] += $2 } END { for (o in n) printf "%s %d ", o, n[o] }' "$1.outcomes"; }

figure_storm() {
	: >storm.full >storm.copied
	start_load storm
	for _ in $(seq $rounds); do
		storm_record full
		storm_record copied
	done
	stop_load
	echo "### A storm of processes that live 2 ms"
	echo
	echo "| | mode full | mode copied |"
	echo "|---|---|---|"
	echo "| samples of processes that have a user stack, or should |$(storm_cells storm_sum samples)"
	echo "| complete |$(storm_cells storm_percent complete)"
	echo "| complete, of those whose stack was walked |$(storm_cells storm_percent walked)"
	echo "| stacks with a name for each frame |$(storm_cells storm_percent named)"
	echo "| frames without a name |$(storm_cells storm_unnamed)"
	echo "| not complete, by name |$(storm_cells storm_outcomes)"
	echo
}
