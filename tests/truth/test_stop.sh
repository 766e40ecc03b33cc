#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is every stack of these programs as elfutils sees it? usage: test_stop.sh FOLDER LIVE-VICTIMS LIST
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/programs.sh"
stop=$(realpath "$1")/stop
victims=$(realpath "$2")
list=$(realpath "$3")
rounds=${4:-5}

if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP needs root, to halt programs that others have started"
	exit 0
fi
trap 'stop_programs; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
start_programs "$victims"
sleep 2		# until most are where they stay
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	# shellcheck disable=SC2046
	claim "round $round" "$stop" -q "$list" $(pids_of_programs)
	tail -n 1 "$tmp/.claim" | sed 's/^/# /'
done
done_testing
