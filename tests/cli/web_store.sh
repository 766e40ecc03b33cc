# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A store of known profiles, and dusk web that serves it; to be sourced, with $tmp, $dusk and $make_profile set.
# shellcheck shell=sh disable=SC2154

# web_at SECONDS NAME SERVICE [WORD...]: a profile of twenty samples, and what WORDs of make_profile add, that began so many
# seconds ago, since a boot of its own
web_at() {
	web_start=$(($(date +%s) - $1))
	web_file=$2 web_service=$3
	shift 3
	"$make_profile" "$web_file" "$@" || exit 1
	sqlite3 "$web_file" "insert or replace into setting values('boot_id', '$web_service');
		insert or replace into setting values('start_realtime_ns', '${web_start}000000000');
		create table title(thread integer primary key, text text, service text, version text);
		insert into title select min(id), comm, '$web_service', '$web_service-build' from thread group by pid;
		insert or replace into counter values('samples', 20, 'samples taken');"
}

# web_start_server [OPTION...] [URL]: $base is its address, $token its token; the store is $tmp/st, or at URL
web_start_server() {
	rm -f "$tmp/address"
	case "$*" in
	*://*) ;;
	*) set -- "$@" "$tmp/st" ;;
	esac
	"$dusk" web --listen 127.0.0.1:0 "$@" >"$tmp/address" 2>"$tmp/web.errors" &
	web=$!
	for _ in $(seq 100); do
		[ ! -s "$tmp/address" ] || break
		sleep 0.05
	done
	base=$(sed 's,/?token=.*,,; s,/$,,' "$tmp/address")
	token=$(sed -n 's/.*token=//p' "$tmp/address")
}

web_stop_server() {
	[ -z "${web:-}" ] || { kill "$web" && wait "$web"; } 2>/dev/null || :
	web=
}
