# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How much do two ClickHouse servers take, and how soon do they answer a view? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

fleet_hosts=${fleet_hosts:-156} # each with a minute of a busy machine

fleet_ask() { # fleet_ask SHARD SQL
	curl -s "http://dusk:secret@127.0.0.1:$(cat "$1/port")/" --data-binary "$2"
}

fleet_url() {
	echo "clickhouse://dusk:secret@127.0.0.1:$(cat "$1/port")/f"
}

# Two shards that know each other.
fleet_start() {
	local ports shards s
	ports="$(free_port) $(free_port)"
	shards=$(for s in $ports; do
		echo "<shard><replica><host>127.0.0.1</host><port>$s</port><user>dusk</user><password>secret</password></replica></shard>"
	done)
	tcp_port_wanted=${ports% *}
	configure one "<remote_servers><both>$shards</both></remote_servers>"
	tcp_port_wanted=${ports#* }
	configure two "<remote_servers><both>$shards</both></remote_servers>"
	serve one && fleet_pids=$server && serve two && fleet_pids="$fleet_pids $server"
	"$dusk" store init --cluster both "$(fleet_url one)" "$(fleet_url two)"
}

fleet_load() {
	local half=$((fleet_hosts / 2)) start
	start=$(date -ud 2026-11-24 +%s)
	"$tools/fleet" fleet.file "$(fleet_url one)" 0 $half "$start" 1 >one.said &
	"$tools/fleet" fleet.file "$(fleet_url two)" $half $half "$start" 1 >two.said
	wait $!
	cat one.said two.said
}

# Nine times more, over the day: copied by the servers.
fleet_grow() {
	local s k
	for s in one two; do
		for k in $(seq 9); do
			fleet_ask $s "INSERT INTO f.samples SELECT ts + $k * 8640, host, service, version, unit, container, pod, namespace, pid, comm,
				kind, outcome, ustack, kstack, n, value, runnable, batch + $k FROM f.samples WHERE ts < toDateTime('2026-11-24 01:00:00')"
		done &
	done
	wait $(jobs -p | tail -n 2)
}

fleet_row() { # fleet_row TEXT COMMAND...
	local text=$1 begin
	shift
	for _ in $(seq "$rounds"); do
		begin=$(date +%s.%N)
		"$@" >/dev/null 2>&1
		calc "$(date +%s.%N) - $begin"
	done | spread 2 | sed "s/.*/| $text | & |/"
}

fleet_views() {
	local day service
	day="$(fleet_url one)@2026-11-24..2026-11-25"
	service=$(fleet_ask one "SELECT service FROM f.samples WHERE kind = 'on-cpu' GROUP BY service ORDER BY count() DESC LIMIT 1")
	echo
	echo "| of $(fleet_ask one 'SELECT count() FROM f.samples_all') rows, a day | s |"
	echo "|---|---|"
	fleet_row "\`report --service $service\`" "$dusk" report -i "$day" --service "$service" --json
	fleet_row "the same as text, which says of how much that is" "$dusk" report -i "$day" --service "$service"
	fleet_row "\`flame --service $service\`" "$dusk" flame -i "$day" --service "$service" -o f.html
	fleet_row "\`report --sort service\`" "$dusk" report -i "$day" --sort service --json
	fleet_row "\`report --host\`" "$dusk" report -i "$day" --host host-0007 --json
	fleet_row "\`report\`" "$dusk" report -i "$day" --json
	fleet_row "\`flame\`" "$dusk" flame -i "$day" -o f.html
}

figure_fleet() {
	local tmp=$PWD fleet_pids=
	if ! have clickhouse-server; then
		echo "The figure fleet needs clickhouse-server"
		return
	fi
	# shellcheck source=tests/cli/clickhouse_server.sh
	. "$tree/tests/cli/clickhouse_server.sh"
	start_load mixed
	"$dusk" record -q -a -e cpu,offcpu -F 20 --window 10s -d 60s -o fleet.file
	stop_load
	fleet_start
	echo "### Many hosts in two ClickHouse servers"
	echo
	fleet_load
	fleet_views
	fleet_grow
	fleet_views
	echo
	fleet_ask one "SELECT table, sum(rows), sum(bytes_on_disk) FROM cluster(both, system.parts) WHERE active AND database = 'f' GROUP BY table"
	# shellcheck disable=SC2086
	kill $fleet_pids
}
