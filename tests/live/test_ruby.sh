#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of Ruby in stacks those that Ruby itself sees, in the same order, at the same lines?
# RUBIES has interpreters; otherwise it is ruby. usage: test_ruby.sh DUSK VICTIMS
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
import csv, json, sys
log = {}
for line in open(sys.argv[1], encoding="utf-8"):
    tid, stack = json.loads(line)
    log.setdefault(tid, []).append([tuple(f) for f in stack])
seen, last = {}, None
for o, tid, name, path, line in csv.reader(open(sys.argv[2], encoding="utf-8"), quoting=csv.QUOTE_MINIMAL):
    if not o.isdigit():
        continue
    if o != last:
        seen.setdefault(int(tid), []).append([])
    last = o
    seen[int(tid)][-1].append((name.removeprefix("'"), path, int(line)))  # what may be a formula is quoted
def cut(f):  # a name that is longer than what is kept ends in "..."
    return f[0] if len(f[0].encode()) <= 128 else f[0].encode()[:128].decode() + "...", f[1], f[2]
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
                print("ruby:", *a, "dusk:", *b, sep="\n  ")
print(nr, "stacks,", different, "different")
sys.exit(different > 0 or nr < 500)
END

# as_ruby_sees RUBY
as_ruby_sees() {
	"$dusk" record -q -e syscalls:sys_enter_getppid -o p.dusk -- "$1" -W0 "$victims/ruby.rb" log 2 || return
	"$dusk" query -i p.dusk --csv "$frames" >frames.csv
	python3 compare.py log frames.csv
}
none_lost() {
	got=$("$dusk" query -i p.dusk --csv "select value from counter where name in ('lost-language', 'language-unknown', 'codes-full') and value > 0")
	echo "$got"
	[ "$got" = "value" ] || [ -z "$got" ]
}
for ruby in ${RUBIES-ruby}; do
	needs "$ruby" "ruby $ruby: its frames" || continue
	version=$("$ruby" -e 'print RUBY_VERSION')
	claim "ruby $version: names, order and lines are Ruby's own" as_ruby_sees "$ruby"
	claim "ruby $version: no frames are lost" none_lost
done
done_testing
