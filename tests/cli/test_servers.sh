#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are servers of debug information asked, only if the user wants, and can they harm? usage: test_servers.sh DUSK MAKE_LOCATED
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_located=$(realpath "$2")
cd "$tmp" || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
unset PAGER DEBUGINFOD_URLS
export LC_ALL=C DEBUGINFOD_CACHE_PATH="$tmp/debuginfod"
for tool in cc strip objcopy perl; do
	needs $tool "a stripped program" || { done_testing; exit; }
done

cat >prog.c <<'-'
static int inlined(int x) { return x * 7; }
static __attribute__((noinline)) int hidden(int x) { return inlined(x) + 1; }
int main(int argc, char **argv) { (void)argv; return hidden(argc); }
-
# make NAME: a program, its debug file in debug/, and NAME.dusk with samples in its function "hidden", which has no symbol
make() {
	cc -O2 -g -Wl,--build-id=sha1 -o "$1" -x c prog.c || return 1
	start=$(nm "$1" | awk '/ t hidden$/ { print $1 }')
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	mkdir -p debug && objcopy --only-keep-debug "$1" "debug/$1.debug" && strip "$1" || return 1
	"$make_located" "$1.dusk" "$tmp/$1" "$id" "0x$start" 5	# of what ld links, text lies in the file as in memory
}
# wait_for TEXT FILE
wait_for() {
	for _ in $(seq 600); do
		grep -q "$1" "$2" && return
		sleep 0.1
	done
	return 1
}
# Until the cache has them
fetched() {
	for _ in $(seq 600); do
		"$dusk" report -i prog.dusk --csv | grep -q ',inlined,\|,hidden,' && return
		sleep 0.1
	done
	return 1
}
# Once no process is at it that would write to it
forget() {
	[ ! -e "$XDG_CACHE_HOME/dusk/fetching" ] || flock -w 20 "$XDG_CACHE_HOME/dusk/fetching" true
	rm -rf "$DEBUGINFOD_CACHE_PATH" "$XDG_CACHE_HOME"
}

claim "a program without symbols" make prog
claim "no server is asked unless the user names one" exits 0 "$dusk" report -i prog.dusk --csv
claim "... so that functions have their places only" says ",prog+0x"

if needs debuginfod "a server has names and lines"; then
	port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
	debuginfod -vv -p "$port" -d :memory: -F "$tmp/debug" >server 2>&1 &
	server=$!
	wait_for 'fts traversed' server
	forget
	claim "a server is asked in the background" exits 0 env DEBUGINFOD_URLS="http://127.0.0.1:$port" "$dusk" report -i prog.dusk --csv
	claim "... which is said" says "in the background: the next command has them"
	claim "... and the report is what is known" says ",prog+0x"
	claim "the next report has names of functions, and of what was inlined" fetched
	kill $server
	wait $server
	claim "what it said is remembered when it is gone" sh -c "$dusk report -i prog.dusk --csv | grep -q ',inlined,\|,hidden,'"
fi

# One that takes all calls and never says a word; into a file of its own, as that of the other server says "port", too.
perl -MIO::Socket::INET -e '$| = 1; my $s = IO::Socket::INET->new(Listen => 50, LocalAddr => "127.0.0.1") or exit 1;
	print "port ", $s->sockport, "\n"; my @kept; while (my $c = $s->accept) { push @kept, $c; print "asked\n" }' >silent &
server=$!
wait_for port silent
port=$(sed -n 's/^port //p' silent)
forget
claim "a silent server does not hold up a report" exits 0 env DEBUGINFOD_URLS="http://127.0.0.1:$port" "$dusk" report -i prog.dusk --csv
claim "... functions have their places" says ",prog+0x"
claim "... the server was asked" wait_for asked silent
claim "... by one process, however many reports there are" sh -c "
	DEBUGINFOD_URLS=http://127.0.0.1:$port $dusk report -i prog.dusk --csv >/dev/null 2>&1
	sleep 1; [ \$(grep -c asked silent) = 1 ]" 
done_testing
