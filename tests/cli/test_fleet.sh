#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Can doc/fleet.md be followed word by word? usage: test_fleet.sh DUSK SERVICES [systemd]
#
# Each command behind a "$" is run as it stands, by root of web-1, a machine of its own name, network, /etc and /var/lib; those of the
# section "On each host" are run on web-2, too. Real servers, real recordings. Three things are not what the document says:
#
#	systemctl	there is no systemd: a function starts what the unit starts, with its environment (below)
#	db.example	is this machine, by /etc/hosts
#	PASSWORD	is that of the server, secret
#
# With "systemd" this machine is web-1, which systemd runs, and only web-2 does without (tools/systemd).
#
# The output must have what the document shows of it: its headings, its first words (those before a number), and what it shows
# without numbers. SERVICES is the folder of the units.
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")")
. "$here/clickhouse_server.sh"
dusk=$(realpath "$1")
units=$(realpath "$2")
systemd=${3-}
document=$here/../../doc/fleet.md
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
for command in clickhouse-server curl python3 ip; do
	command -v $command >/dev/null || skip "$command is not installed"
done
for program in dusk-web dusk-clickhouse; do
	[ -x "$(dirname "$dusk")/$program" ] || [ -x "$(dirname "$dusk")/../libexec/dusk/$program" ] || skip "$program was not built"
done
[ "$(id -u)" = 0 ] || skip "not root"
[ "${OWN_BPFFS-}" ] || skip "this machine has no mount namespaces"
"$dusk" doctor >/dev/null 2>&1
[ $? != 3 ] || skip "this machine cannot record, see dusk doctor"
# A network of its own: the ports that the document names are free.
if [ -z "${OWN_NETWORK-}" ]; then
	unshare --net --uts true 2>/dev/null || skip "this machine has no namespaces"
	OWN_NETWORK=yes exec unshare --net --uts bash "$0" "$@"
fi
server=
trap 'kill -9 $(cat "$tmp"/*.pid 2>/dev/null) $server 2>/dev/null; wait 2>/dev/null; umount "$tmp"/hosts/*/* 2>/dev/null; rm -rf "$tmp"' EXIT
unset DUSK_CLICKHOUSE_PASSWORD DEBUGINFOD_URLS PAGER
export LC_ALL=C tmp units dusk PATH="$(dirname "$dusk"):$PATH"
cd "$tmp" || exit 1
ip link set lo up
http_port_wanted=8123
configure
claim "a server for the fleet" serve

# become HOST: from now on this shell is on a machine of that name
become() {
	host=$1
	mkdir -p "$tmp/hosts/$host/etc" "$tmp/hosts/$host/lib"
	cp -a /etc/. "$tmp/hosts/$host/etc" 2>/dev/null
	rm -rf "$tmp/hosts/$host/etc/dusk"
	echo "127.0.0.1 db.example" >>"$tmp/hosts/$host/etc/hosts"
	echo "$host" >/proc/sys/kernel/hostname
	mount --bind "$tmp/hosts/$host/etc" /etc && mount --bind "$tmp/hosts/$host/lib" /var/lib
}
# start_unit enable --now UNIT: start what it starts, unless it runs
start_unit() {
	[ "$1 $2" = "enable --now" ] && [ -e "$units/$3.service" ] || return 1
	[ ! -e "$tmp/$host.$3.pid" ] || return 0
	mkdir -p -m 700 /var/lib/dusk
	(
		file=$(sed -n 's/^EnvironmentFile=//p' "$units/$3.service")
		set -a
		[ -z "$file" ] || . "$file" || exit 1
		eval "$(sed -n 's/^Environment=//p' "$units/$3.service")"
		eval "exec $(sed -n 's/^ExecStart=[^ ]*\/dusk /"$dusk" /p' "$units/$3.service")"
	) >"$tmp/$host.$3.said" 2>&1 &
	echo $! >"$tmp/$host.$3.pid"
}
no_systemd='systemctl() { start_unit "$@"; }'
export -f become start_unit

# The commands to command.N, what is shown of their outputs to shown.N, and the section to section.N.
awk '/^## / { section = substr($0, 4) }
	!/^    / && !/^$/ { n = 0 }
	/^    \$ / { n = ++nr; print substr($0, 7) >("command." n); printf "" >("shown." n); print section >("section." n); next }
	n && NF { print substr($0, 5) >("shown." n) }' "$document"
sed -i 's/\([:=]\)PASSWORD/\1secret/' command.*

# shows N: the output of command N has what the document shows of it
shows() {
	tr -s ' ' <"output.$1" | sed 's/^ //; s/ $//' >squeezed
	while read -r line; do
		[ "$line" != ... ] || continue
		words=$(printf '%s\n' $line | sed '/^[-+<]*[0-9]/,$d' | paste -sd' ')
		[ -z "$words" ] || grep -qF -e "$words" squeezed || { echo "no '$words' in:"; cat "output.$1"; return 1; }
	done <"shown.$1"
}
# follow N: run command N in this shell. A reader who sees nothing yet tries again, for a while; the first window takes ten seconds.
follow() {
	for try in $(seq 40); do
		case $try.$(cat "command.$1") in
		1.* | *[!\&]) eval "$(cat "command.$1")" >"output.$1" 2>&1 ;; # what runs in the background is begun once
		*) true ;;
		esac && shows "$1" >missing && return
		sleep 1
	done
	cat "output.$1" missing
	return 1
}
export -f shows follow

if [ "$systemd" ]; then
	echo "127.0.0.1 db.example" >>/etc/hosts
else
	become web-1
	eval "$no_systemd"
fi
nr=0
elsewhere=
while [ -e command.$((nr + 1)) ]; do
	nr=$((nr + 1))
	follow $nr >"$tmp/.follow" 2>&1
	claim "$(cat command.$nr)" sh -c 'cat "$2"; exit "$1"' - $? "$tmp/.follow"
	[ "$(cat section.$nr)" != "On each host" ] || elsewhere="$elsewhere $nr"
	# The last command on a host: the next host.
	if [ "$(cat section.$nr)" = "On each host" ] && [ "$(cat section.$((nr + 1)) 2>/dev/null)" != "On each host" ]; then
		claim "the same on another host" unshare --mount --uts --propagation private bash -c "$no_systemd; become web-2; cd $tmp; for n in $elsewhere; do follow \$n || exit 1; done"
	fi
done
claim "the document has commands" [ $nr -gt 20 ]
jobs -p >web.pid
for unit in "$units"/dusk-*.service; do
	if command -v systemd-analyze >/dev/null; then
		sed "s,^ExecStart=[^ ]*/dusk,ExecStart=$dusk," "$unit" >"$(basename "$unit")"
		claim "systemd takes $(basename "$unit")" sh -c "systemd-analyze verify --man=no ./$(basename "$unit") 2>&1 | tee verified; ! grep -v 'dusk-agent.service\|network-online' verified | grep ."
	fi
done
done_testing
