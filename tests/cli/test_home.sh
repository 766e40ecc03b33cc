#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does root leave alone what is in another user's home, and what links there lead to? usage: test_home.sh DUSK MAKE_LOCATED
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_located=$(realpath "$2")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
export LC_ALL=C
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP root has another user's HOME, as under sudo"
	exit 0
}
needs cc "a program to look up" || { done_testing; exit; }
echo 'int main(void) { return 0; }' >prog.c
cc -g -Wl,--build-id=sha1 -o prog prog.c && cp prog stripped && strip stripped || exit 1
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
"$make_located" good.dusk "$tmp/prog" "$id" $((0x$(nm prog | awk '/ T main$/ { print $1 }'))) 5 || exit 1
"$make_located" unnamed.dusk "$tmp/stripped" "$id" $((0x$(nm prog | awk '/ T main$/ { print $1 }'))) 5 || exit 1

chmod 755 .
home() {
	rm -rf home victim && mkdir home victim && echo kept >victim/kept
}
looks_up() {
	env "$@" "$dusk" report -i good.dusk --csv | grep ',main,'
}
own() {
	home && looks_up HOME="$tmp/home" && ls home/.cache/dusk | grep .
}
claim "what was looked up is kept in root's own home" own
others() {
	home && chown 65534 home && looks_up HOME="$tmp/home" && [ -z "$(ls -A home)" ]
}
claim "nothing is written to another user's home" others
links() {
	home && chown 65534 home && ln -s ../victim home/.cache && chown -h 65534 home/.cache && looks_up HOME="$tmp/home" &&
		[ "$(ls -A victim)" = kept ]
}
claim "... nor where links there lead" links
by_link() {
	home && ln -s home way && chown -h 65534 way && looks_up HOME="$tmp/way" && [ -z "$(ls -A home)" ]
}
claim "... nor where a link of another user's leads that is called home" by_link
xdg() {
	home && chown 65534 home && looks_up HOME=/root XDG_CACHE_HOME="$tmp/home/cache" && [ -z "$(ls -A home)" ]
}
claim "the same for XDG_CACHE_HOME" xdg
# It would make folders before it asks.
asks_nobody() {
	home && chown 65534 home && mkdir home/.debuginfod_client_cache && chown 65534 home/.debuginfod_client_cache
	for command in "report --csv" "annotate main"; do
		env HOME="$tmp/home" DEBUGINFOD_URLS=http://127.0.0.1:9 "$dusk" $command -i unnamed.dusk >said 2>&1
		cat said
		! grep 'asking the servers' said || return
	done
	sleep 0.5
	[ -z "$(find home -newer victim/kept -type f)" ] && [ "$(ls -A home)" = .debuginfod_client_cache ] &&
		[ -z "$(ls -A home/.debuginfod_client_cache)" ]
}
claim "no server is asked, as its answers would be kept there" asks_nobody
asks_for_itself() {
	home && mkdir theirs theirs/.debuginfod_client_cache && chown -R 65534 theirs
	env HOME="$tmp/theirs" XDG_CACHE_HOME="$tmp/home/cache" DEBUGINFOD_URLS=http://127.0.0.1:9 "$dusk" annotate -i unnamed.dusk main
	env HOME="$tmp/theirs" XDG_CACHE_HOME="$tmp/home/cache" DEBUGINFOD_URLS=http://127.0.0.1:9 "$dusk" report -i unnamed.dusk --csv
	sleep 0.5
	[ -z "$(ls -A theirs/.debuginfod_client_cache)" ]
}
claim "... and those that are asked keep theirs beside ours" asks_for_itself
done_testing
