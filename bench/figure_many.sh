# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What do many processes of many binaries take of the kernel's memory? Sourced by run.
# shellcheck shell=bash disable=SC2154

# MiB of all BPF maps that process $1 has open, each once, as the kernel accounts for them.
map_mib() {
	cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '
		$1 == "memlock:" { bytes = $2 }
		$1 == "map_id:" && !seen[$2]++ { n += bytes }
		END { printf "%.2f\n", n / 1048576 }'
}

# Record the machine for a while: "MIB-OF-MAPS MODULES-MET RESIDENT-MIB".
many_recorded() {
	local pid mib rss

	"$dusk" record -q -a -e cpu -F 499 -o many.dusk &
	pid=$!
	sleep "$1"
	mib=$(map_mib $pid)
	rss=$(awk '$1 == "VmRSS:" { printf "%.1f", $2 / 1024 }' /proc/$pid/status)
	kill -INT $pid
	wait $pid || true
	echo "$mib $("$dusk" query -i many.dusk --csv 'select count(*) from module where kind = 1' | tail -1) $rss"
	rm -f many.dusk*
}

load_many() {
	local program i

	program=$(readlink -f "$(command -v mawk || command -v awk)")
	mkdir -p many
	for i in $(seq "$binaries"); do
		cp "$program" "many/busy-$i"
	done
	for i in $(seq "$processes"); do
		chrt --idle 0 "many/busy-$((i % binaries + 1))" 'BEGIN { for (;;) n++ }' &	# dusk is to get its turn
	done
	wait
}

figure_many() {
	local processes=${processes:-2000} binaries=${binaries:-300} few many

	few=$(many_recorded 5)
	start_load many
	sleep 20
	many=$(many_recorded 20)
	stop_load
	rm -rf many
	echo "### Many processes of many binaries"
	echo
	echo "| | MiB of BPF maps | files met | resident MiB of dusk |"
	echo "|---|---|---|---|"
	echo "| the machine as it was | ${few// / | } |"
	echo "| and $processes processes of $binaries binaries | ${many// / | } |"
	echo
}
