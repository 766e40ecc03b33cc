# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the machine does while it is measured: stock programs, in a process group that is killed as one. Sourced by run.
# shellcheck shell=bash disable=SC2154

# Run the function load_$1 in a process group of its own until stop_load.
start_load() {
	set -m
	"load_$1" >load.log 2>&1 &
	load_pid=$!
	set +m
	sleep 1
}

stop_load() {
	[ -z "$load_pid" ] && return
	kill -- "-$load_pid" 2>/dev/null || true
	wait "$load_pid" 2>/dev/null || true
	load_pid=
	if [ -d pg ]; then
		sleep 0.5
		rm -rf pg
	fi
}

make_data() {
	[ -e data.txt ] && return
	awk 'BEGIN { srand(1); for (i = 0; i < 400000; i++) print rand() * 1e9, "some words to pack", i % 977, rand() }' >data.txt
	awk 'BEGIN {
		for (i = 0; i < 1500; i++) {
			printf "int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) { s += a[i] * %d; ", i, i, i % 13
			printf "if (s > %d) s ^= a[n - i]; switch (s & 7) { case 1: s++; break; case 3: s *= 3; break; } } return s; }\n", i * 7
		}
	}' >big.c
}

forever() {
	while :; do "$@" >/dev/null; done
}

load_xz() { forever xz -9 -k -c data.txt; }
load_sort() { forever sort -g data.txt; }
load_python3() {
	forever /usr/bin/python3 -c '
import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
for i in range(20):
    fib(20)
    json.loads(json.dumps([{"a": i, "b": [str(j) for j in range(50)]} for i in range(300)]))
    sorted(re.findall("[a-z]+", "some words to pack " * 2000), key=lambda w: w[::-1])'
}
load_perl() {
	forever perl -e '
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
for (1 .. 10) { fib(18); my %h; $h{$_ % 997} .= "x$_" for 1 .. 50000; my @s = sort { $h{$a} cmp $h{$b} } keys %h;
	my $t = "some words to pack " x 2000; $t =~ s/(\w+) (\w+)/$2 $1/g; }'
}
load_gcc() { forever gcc -O2 -S -o /dev/null big.c; }
# Two compilers, so that two CPUs are busy; Debian has debug information of the second one.
load_compile() {
	cp -r "$(/usr/bin/python3 -c 'import os; print(os.path.dirname(os.__file__))')" library
	forever /usr/bin/python3 -m compileall -q -f library &
	forever gcc -O2 -S -o /dev/null big.c &
	wait
}
load_node() {
	forever node -e '
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
for (let i = 0; i < 50; i++) {
	fib(24)
	JSON.parse(JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ a: i, b: "x" + i }))))
	"some words to pack ".repeat(2000).replace(/(\w+) (\w+)/g, "$2 $1").split(" ").sort()
}'
}
load_redis() {
	redis-server --port 0 --unixsocket "$work/redis.sock" --save '' --dir "$work" >/dev/null &
	sleep 0.5
	forever redis-benchmark -q -s "$work/redis.sock" -c 8 -n 200000 -P 8 -t set,get,lpush,zadd
}
postgres_tools() {
	local folder
	for folder in /usr/lib/postgresql/*/bin; do
		[ -x "$folder/pgbench" ] && echo "$folder" && return
	done
	return 1
}
load_postgres() {
	local bin
	bin=$(postgres_tools)
	mkdir pg && chown postgres pg
	runuser -u postgres -- "$bin/initdb" -D pg/data -A trust >/dev/null
	runuser -u postgres -- "$bin/postgres" -D pg/data -k "$work/pg" -c listen_addresses= >/dev/null 2>&1 &
	sleep 2
	"$bin/pgbench" -U postgres -h "$work/pg" -i -q postgres
	"$bin/pgbench" -U postgres -h "$work/pg" -c 4 -T 600 postgres
}
load_storm() { "$tools/storm"; }
load_go() {
	[ -e busy-go ] || GOCACHE=$work/go GOFLAGS=-mod=mod go build -o busy-go "$here/runtimes/busy.go"
	./busy-go
}
load_cgo() {
	[ -e busy-cgo ] || GOCACHE=$work/go GOFLAGS=-mod=mod CGO_ENABLED=1 go build -o busy-cgo "$here/runtimes/calls.go"
	./busy-cgo
}
load_node-flags() { node --interpreted-frames-native-stack --perf-basic-prof "$here/runtimes/busy.js"; }
load_java() {
	[ -e Busy.class ] || javac -d . "$here/runtimes/Busy.java"
	java "$@" Busy
}
load_java-fp() { load_java -XX:+PreserveFramePointer; }
load_java-int() { load_java -XX:+PreserveFramePointer -Xint; }
load_luajit() { luajit "$here/runtimes/busy.lua"; }
load_luajit-off() { luajit -joff "$here/runtimes/busy.lua"; }
load_php() { php "$here/runtimes/busy.php"; }
load_ruby() { ruby "$here/runtimes/busy.rb"; }
load_static() { "$tools/recurse-static" 60 600; }
load_i386() {
	"$tools/recurse-32" 60 600 libc &
	"$tools/recurse-32-fp" 60 600 &
	"$tools/recurse-32-stat" 60 600 libc &
	"$tools/signals-32" own >/dev/null &
	forever "$tools/strings-32"
}

# What people's machines do, all at once: two CPUs are never idle.
load_mixed() {
	for load in xz sort python3 perl gcc storm; do
		"load_$load" &
	done
	wait
}

# Loads that say how fast they are, for as long as they are measured.
switch_seconds=2

# Each prints how much work it did in a second.
rate_pingpong20() { "$tools/pingpong" 20 $switch_seconds | tee switch.count | awk '{ print $1 }'; }
rate_pingpong100() { "$tools/pingpong" 100 $switch_seconds | awk '{ print $1 }'; }
rate_syscalls() { "$tools/syscalls" $switch_seconds; }
rate_redis() {
	redis-benchmark -q -s "$work/redis.sock" -c 8 -n "$redis_requests" -t get | tr '\r' '\n' |
		awk '/requests per second/ { n = $2 } END { print n }'
}
rate_postgres() {
	"$(postgres_tools)/pgbench" -U postgres -h "$work/pg" -S -c 4 -T $switch_seconds postgres 2>/dev/null |
		awk '/^tps/ { print $3 }'
}

switch_loads() {
	echo pingpong20 pingpong100 syscalls
	have redis-server && echo redis
	postgres_tools >/dev/null && echo postgres
}

# Servers that stay for the whole figure, with no load of their own. Ended by stop_load.
start_servers() {
	set -m
	{
		if have redis-server; then
			redis-server --port 0 --unixsocket "$work/redis.sock" --save '' --dir "$work" &
		fi
		if postgres_tools; then
			mkdir pg && chown postgres pg
			runuser -u postgres -- "$(postgres_tools)/initdb" -D pg/data -A trust
			runuser -u postgres -- "$(postgres_tools)/postgres" -D pg/data -k "$work/pg" -c listen_addresses= &
		fi
		wait
	} >load.log 2>&1 &
	load_pid=$!
	set +m
	sleep 1
	for _ in $(seq 60); do
		! postgres_tools >/dev/null || "$(postgres_tools)/pgbench" -U postgres -h "$work/pg" -i -q -s 5 postgres && break
		sleep 1
	done >/dev/null 2>&1
	redis_requests=50000
	! have redis-server || redis_requests=$(rate_redis | awk -v s=$switch_seconds '{ printf "%d", $1 * s }')
}
