#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A day, and an hour of the next, of a small machine that dusk agent watches. In a guest of tools/vm -s: see figure_day.sh.
#
#	day.sh idle|service
#
# The agent has its defaults, but makes one profile of a day ten minutes after its end. Prints what it took each hour, and in the end the store.
# shellcheck disable=SC2016,SC2086
set -u
kind=$1
if [ "${2-}" != inside ]; then # on the guest's own root: make that of the disk ready
	for folder in proc sys dev tmp; do
		mount --rbind /$folder /mnt/$folder
	done
	mount -t tmpfs run /mnt/run
	cp -r /day /mnt/
	for library in /lib/*-linux-gnu/*; do # of dusk
		[ -e "/mnt$library" ] || cp "$library" "/mnt$library"
	done
	exec chroot /mnt /bin/bash /day/day.sh "$kind" inside
fi
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
slice=/sys/fs/cgroup/system.slice

in_unit() { # in_unit NAME COMMAND...: becomes the command, as in that service of systemd's
	mkdir -p "$slice/$1.service"
	echo $BASHPID >"$slice/$1.service/cgroup.procs"
	exec "${@:2}"
}
each() { # each SECONDS COMMAND...: in the background
	while sleep "$1"; do
		("${@:2}")
	done &
}
by_postgres='setpriv --reuid postgres --regid postgres --init-groups'

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p $slice
echo +memory >$slice/cgroup.subtree_control
cron_s=3600
echo 'int main(void) { return 0; }' >/tmp/source.c
each 60 in_unit monitor sh -c 'awk "{ print \$1 }" /proc/loadavg; df /' >/dev/null
if [ "$kind" = service ]; then
	bin=$(echo /usr/lib/postgresql/*/bin)
	mkdir -p /run/postgresql /run/nginx /tmp/pg
	chown postgres /run/postgresql /tmp/pg
	cron_s=1800
	$by_postgres "$bin/initdb" -D /tmp/pg/data >/dev/null
	(in_unit postgresql $by_postgres "$bin/pg_ctl" -w -D /tmp/pg/data -l /tmp/pg/log start >/dev/null)
	$by_postgres "$bin/createdb" bench
	$by_postgres "$bin/pgbench" -q -i -s 2 bench >/dev/null 2>&1
	(in_unit nginx nginx)
	each 1 in_unit shop $by_postgres "$bin/pgbench" -n -c 2 -R 0.3 -T 600 bench >/dev/null 2>&1
	each 1 in_unit client curl -s --rate 20/m -o /dev/null 'http://127.0.0.1/index.nginx-debian.html?[1-200]'
	each 1500 in_unit builder gcc -O1 -c -o /tmp/source.o /tmp/source.c
fi
each $cron_s in_unit cron sh -c 'ps aux >/dev/null; find /usr/share -xdev | sort | gzip >/tmp/list.gz'

store=/var/lib/dusk
mkdir -p $store /etc/dusk
echo 'compact = 10m' >/etc/dusk/agent.conf
in_unit dusk-agent /day/dusk agent &
agent=$!
most=0
for minute in $(seq $((25 * 60))); do
	sleep 60
	now=$(awk '$1 == "anon" || $1 == "kernel" { n += $2 } END { print int(n / 1024) }' $slice/dusk-agent.service/memory.stat)
	[ "$now" -le "$most" ] || most=$now
	[ $((minute % 60)) != 0 ] || echo "hour $((minute / 60)): store $(du -sk $store | cut -f 1) KiB; the agent has $now KiB of memory, at most $most"
done
kill $agent
wait $agent
/day/dusk store check $store
ls -l $store
echo STORE
tar -C $store -c . | base64
