# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How much do two ClickHouse servers take, and how soon do they answer a view? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

fleet_hosts=${fleet_hosts:-1000}
fleet_windows=${fleet_windows:-8} # of each host, over the day; and nine times more
fleet_seconds=${fleet_seconds:-65} # of each recording
fleet_day=2026-11-24

fleet_ask() { # fleet_ask SHARD SQL
	curl -s "http://dusk:secret@127.0.0.1:$(cat "$1/port")/" --data-binary "$2"
}

fleet_url() {
	echo "clickhouse://dusk:secret@127.0.0.1:$(cat "$1/port")/f"
}

# What hosts replay: a recording each of some loads, which are different kinds of hosts.
fleet_record() {
	local loads
	make_data
	for loads in "mixed" "postgres xz" "node python3 sort" "compile perl"; do
		load_host() {
			for load in $loads; do "load_$load" & done
			wait
		}
		start_load host
		"$dusk" record -q -a -e cpu,offcpu -F 20 --window 10s -d "${fleet_seconds}s" -o "fleet.${loads%% *}.dusk"
		stop_load
	done
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
	local half=$((fleet_hosts / 2)) start step=$((86400 / fleet_windows))
	start=$(date -ud $fleet_day +%s)
	"$tools/fleet" "$(fleet_url one)" 0 $half "$start" $step "$fleet_windows" fleet.*.dusk >one.said &
	"$tools/fleet" "$(fleet_url two)" $half $half "$start" $step "$fleet_windows" fleet.*.dusk >two.said
	wait $!
	cat one.said two.said
}

# Nine times more, between the windows that are there: copied by the servers.
fleet_grow() {
	local s k shift=$((86400 / fleet_windows / 10)) before
	for s in one two; do
		for k in $(seq 9); do
			before="FROM f.samples WHERE (toUInt32(ts) - toUInt32(toStartOfDay(ts))) % $((86400 / fleet_windows)) = 0"
			fleet_ask $s "INSERT INTO f.samples SELECT ts + $k * $shift, host, service, version, unit, container, pod, namespace, pid, comm,
				kind, outcome, ustack, kstack, n, value, runnable, batch + $k $before"
			fleet_ask $s "INSERT INTO f.counts SELECT ts + $k * $shift, host, name, value, batch + $k ${before/samples/counts}"
		done &
	done
	wait $(jobs -p | tail -n 2)
}

fleet_row() { # fleet_row TEXT COMMAND...
	local text=$1 begin
	shift
	for _ in $(seq "$rounds"); do
		begin=$(date +%s.%N)
		if ! "$@" >/dev/null 2>fleet.said; then
			cat fleet.said >&2
			echo "failed: $text" >&2
			exit 1
		fi
		calc "$(date +%s.%N) - $begin"
	done | spread 2 | sed "s/.*/| $text | & |/"
}

fleet_views() {
	local day service noon="${fleet_day}T12:00"
	day="$(fleet_url one)@$fleet_day..2026-11-25"
	service=$(fleet_ask one "SELECT service FROM f.samples WHERE kind = 'on-cpu' GROUP BY service ORDER BY count() DESC LIMIT 1")
	echo
	echo "| of $(fleet_ask one 'SELECT count() FROM f.samples_all') rows, a day; of $service $(fleet_ask one "SELECT concat(toString(count()), ', ', toString(countIf(kind = 'on-cpu')), ' on a CPU') FROM f.samples_all WHERE service = '$service'") | s |"
	echo "|---|---|"
	fleet_row "\`report --service $service\`" "$dusk" report -i "$day" --service "$service"
	fleet_row "\`export -f folded --service $service\`" "$dusk" export -f folded -i "$day" --service "$service"
	fleet_row "\`report --service $service --json\`" "$dusk" report -i "$day" --service "$service" --json
	fleet_row "\`flame --cpu --service $service\`: the page" "$dusk" flame --cpu -i "$day" --service "$service" -o f.html
	fleet_row "\`flame --service $service\`" "$dusk" flame -i "$day" --service "$service" -o f.html
	fleet_row "\`diff\` of two halves of the day, of $service" "$dusk" diff "$(fleet_url one)@$fleet_day..$noon" "$(fleet_url one)@$noon..2026-11-25" --service "$service"
	fleet_row "\`report --host\`" "$dusk" report -i "$day" --host host-0007
	fleet_row "\`flame --host\`" "$dusk" flame -i "$day" --host host-0007 -o f.html
	fleet_row "\`report --sort service\`" "$dusk" report -i "$day" --sort service --no-children
	fleet_row "\`report --sort time --service $service\`: the strip" "$dusk" report -i "$day" --sort time --no-children --json --service "$service"
	fleet_row "\`report --sort service,version,...,host\`: the lists" "$dusk" report -i "$day" --sort service,version,unit,container,pod,namespace,host --no-children --json --wall
	fleet_row "\`report\`" "$dusk" report -i "$day"
	fleet_row "\`flame\`" "$dusk" flame -i "$day" -o f.html
	fleet_page "$service"
}

# Milliseconds from navigation to address $1 until its flame graph is drawn.
fleet_drawn() {
	in_session POST /url "$(jq -n --arg url "$1" '{url: $url}')" >/dev/null
	in_session POST /execute/async "$(jq -n '{args: [], script: "const done = arguments[0], frame = () => requestAnimationFrame(() => requestAnimationFrame(() =>
		done(profile && !document.body.classList.contains(\"stale\") ? performance.now() : -1)));
		const look = () => document.body.dataset.answers ? frame() : setTimeout(look, 2); look();"}')"
}

# The page of a service's day, with nothing answered before, and again.
fleet_page() { # fleet_page SERVICE
	local address
	rm -f page.cold page.again
	if [ -n "$(driver_missing)" ] || ! driver_start; then
		echo "The page needs chromium, chromedriver, curl and jq"
		return
	fi
	for _ in $(seq "$rounds"); do
		web_start_server --open "$(fleet_url one)"
		address="$base/?from=${fleet_day}T00:00Z&to=2026-11-25T00:00Z&service=$1"
		fleet_drawn "$base/?from=-1s" >/dev/null # the program is there
		fleet_drawn "$address" >>page.cold
		fleet_drawn "$base/?from=-1s" >/dev/null
		fleet_drawn "$address" >>page.again
		web_stop_server
	done
	driver_stop
	echo "| the page of \`dusk web\`, of $1's day, until it is drawn: at first; again | $(awk '{ print $1 / 1000 }' page.cold | spread 2); $(awk '{ print $1 / 1000 }' page.again | spread 2) |"
}

figure_fleet() {
	local tmp=$PWD fleet_pids=
	if ! have clickhouse-server; then
		echo "The figure fleet needs clickhouse-server"
		return
	fi
	# shellcheck source=tests/cli/clickhouse_server.sh
	. "$tree/tests/cli/clickhouse_server.sh"
	# shellcheck source=tests/cli/webdriver.sh
	. "$tree/tests/cli/webdriver.sh"
	# shellcheck source=tests/cli/web_store.sh
	. "$tree/tests/cli/web_store.sh"
	fleet_record
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
