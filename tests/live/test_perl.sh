#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of Perl in stacks those that Perl itself sees, in the same order, at the same lines?
# PERLS has interpreters; otherwise it is perl. usage: test_perl.sh DUSK VICTIMS
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ "${alone-}" ] || alone=yes exec unshare -m --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1") victims=$(realpath "$2")
cd "$tmp" && mount -t bpf bpf /sys/fs/bpf || exit 1
export LC_ALL=C.UTF-8
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot unwind, see dusk doctor"
	exit 0
}
leave() {
	umount -l /sys/fs/bpf
	rm -rf "$tmp"
} 2>/dev/null
trap leave EXIT
trap 'exit 130' INT TERM

# Frames of source files of each getppid(), in the order of time: occurrence, thread, function, file, line.
frames="with recursive up(o, n, d) as (select id, node, 0 from occurrence union all
select o, parent, d + 1 from up join node on node.id = n where parent > 0)
select o, t.tid, fn.name, s.path, coalesce(l.line, 0) line from up join occurrence c on c.id = o join thread t on t.id = c.thread
join node x on x.id = n join frame f on f.id = x.frame join module m on m.id = f.module and m.kind = 5
left join function fn on fn.id = f.function left join line l on l.frame = f.id left join source s on s.id = l.source order by o, d"

cat >compare.py <<'END'
import csv, sys
log = {}
for line in open(sys.argv[1], encoding="utf-8"):
    pid, *rest = line.rstrip("\n").split("\t")
    log.setdefault(int(pid), []).append([(*rest[i:i + 2], int(rest[i + 2])) for i in range(0, len(rest), 3)])
seen, last = {}, None
for o, tid, name, path, line in csv.reader(open(sys.argv[2], encoding="utf-8"), quoting=csv.QUOTE_MINIMAL):
    if not o.isdigit():
        continue
    if o != last:
        seen.setdefault(int(tid), []).append([])
    last = o
    seen[int(tid)][-1].append((name, path, int(line)))
def short(name):  # a name that is longer than what is kept ends in "..."
    return name if len(name.encode()) <= 128 else name.encode()[:128].decode() + "..."
def cut(f):  # the name of a sub, and of its package
    package, colons, name = f[0].rpartition("::")
    return short(package) + colons + short(name), f[1], f[2]
def same(a, b):
    return [cut(f) for f in a] == b
different = nr = 0
for tid in log:
    if len(log[tid]) != len(seen.get(tid, [])):
        print("thread", tid, ":", len(log[tid]), "stacks,", len(seen.get(tid, [])), "seen")
        different += 1
    for a, b in zip(log[tid], seen.get(tid, [])):
        nr += 1
        if not same(a, b):
            different += 1
            if different < 4:
                print("perl:", *a, "dusk:", *b, sep="\n  ")
print(nr, "stacks,", different, "different")
sys.exit(different > 0 or nr < 500)
END

# as_perl_sees PERL
as_perl_sees() {
	"$dusk" record -q -e syscalls:sys_enter_getppid -o p.dusk -- "$1" "$victims/perl.pl" log 2 2>/dev/null || return
	"$dusk" query -i p.dusk --csv "$frames" >frames.csv
	python3 compare.py log frames.csv
}
none_lost() {
	got=$("$dusk" query -i p.dusk --csv "select value from counter where name in ('lost-language', 'language-unknown', 'codes-full') and value > 0")
	echo "$got"
	[ "$got" = "value" ] || [ -z "$got" ]
}
for perl in ${PERLS-perl}; do
	needs "$perl" "perl $perl: its frames" || continue
	version=$("$perl" -e 'print $^V')
	claim "perl $version: names, order and lines are Perl's own" as_perl_sees "$perl"
	claim "perl $version: no frames are lost" none_lost
done
done_testing
