# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs to look at, those of them that are installed: source it, and call start_programs FOLDER-OF-LIVE-VICTIMS. They run
# until stop_programs; $programs are their process groups.
programs=

begin() {
	command -v "$1" >/dev/null || return
	setsid "$@" </dev/null >/dev/null 2>&1 &
	programs="$programs $!"
}

again() {
	begin sh -c 'while :; do "$@"; done' sh "$@"
}

start_programs() {
	seq 300000 | sort -R >"$tmp/numbers"
	{
		echo "int f(int x) { return x"
		seq -f '+ x * %g / (x + 1)' 200
		echo "; }"
	} >"$tmp/large.c"
	begin bash -c 'f() { sleep 1000 & wait; }; f'
	begin perl -e 'sub f { $_[0] ? f($_[0] - 1) : sleep 1000 } f(5)'
	begin python3 -c 'while True: sorted(range(1000), key=lambda x: sum(range(x % 50)))'
	begin node -e 'function f(n) { if (n) return f(n - 1); for (let t = Date.now(); Date.now() - t < 20;); }
		setInterval(() => f(5), 1)'
	again sort "$tmp/numbers"
	again xz -9 -c "$tmp/numbers"
	again cc -O2 -S -o /dev/null "$tmp/large.c"
	again "$1/short"
	for victim in threads throw stubs clock jit; do
		begin "$1/$victim"
	done
	begin "$1/signals" own
	begin "$1/signals" alternate
	begin "$1/recurse" 1000
	begin "$1/recurse_static" 60
	begin "$1/recurse_static_pie" 60
	begin "$1/dlopen" "$1/libplugin.so" reopen
	for victim in recurse_lld recurse_sframe; do
		begin "$1/$victim" 60
	done
}

stop_programs() {
	for group in $programs; do
		kill -s KILL -- "-$group" 2>/dev/null
	done
	wait 2>/dev/null
	programs=
}

# The numbers of all their processes that are not shells or ours.
pids_of_programs() {
	for group in $programs; do
		ps -o pid= -g "$group"
	done
}
