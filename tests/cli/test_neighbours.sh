#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does a command do to the files that others put beside a profile? Nothing. usage: test_neighbours.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make=$(realpath "$2")
cd "$tmp" || exit 1
"$make" good.dusk || exit 1

# A journal as a crash leaves it, which names a super-journal: SQLite deletes that when it rolls the journal back.
hot_journal() {
	length=$(printf %s "$1" | wc -c)
	sum=$(printf %s "$1" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) n += $i } END { print n }')
	word() { printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)))"; }
	magic='\331\325\005\371\040\241\143\327'
	{
		printf "$magic"
		word 0; word 0; word 24; word 512; word 1024
		head -c 484 /dev/zero
		word $((0x100001))
		printf %s "$1"
		word "$length"; word "$sum"
		printf "$magic"
	} >"$2"
}
# In a folder of its own: a profile, and all that SQLite might look for beside it.
hostile() {
	rm -rf hostile && mkdir hostile && cp good.dusk hostile/x.dusk && echo precious >hostile/victim
	hot_journal "$PWD/hostile/victim" hostile/x.dusk-journal
	head -c 64 /dev/zero >hostile/x.dusk-wal
	echo anything >hostile/x.dusk-shm
	touch -d 2020-01-01 hostile/*
}
state() {
	(cd "$1" && ls -lA --time-style=full-iso | grep -v ^total && cat $(find . -type f | sort) | cksum)
}
# unmoved COMMAND...: it works, and the folder is as it was.
unmoved() {
	hostile
	before=$(state hostile)
	"$@" </dev/null || return
	[ "$(state hostile)" = "$before" ] && return
	printf '%s\n' "before:" "$before" "after:" "$(state hostile)"
	return 1
}
views="info
info --json
report
report --tree
report --csv
query
query 'select count(*) from samples'
script
export -f folded -o -
export -f pprof -o out.pb.gz
flame -o out.html
stackmap show
diff hostile/x.dusk"

# The bait is one: a program that reads and writes takes it.
bait() {
	hostile
	rm hostile/x.dusk-wal
	sqlite3 hostile/x.dusk 'select count(*) from sample' >/dev/null
	[ ! -e hostile/victim ]
}
needs sqlite3 "SQLite deletes what such a journal names" && claim "SQLite deletes what such a journal names" bait
echo "$views" | while read -r view; do
	hostile
	case $view in
	diff*) set -- "$view hostile/x.dusk" ;;
	*) set -- "${view%% *} -i hostile/x.dusk${view#"${view%% *}"}" ;;
	esac
	echo "$1"
done >commands
while read -r command; do
	claim "dusk $command leaves the folder as it was" unmoved sh -c "$dusk $command >out"
done <commands

# Sanitizers open files of their own.
if ldd "$dusk" | grep -q libasan; then
	claims=$((claims + 1))
	echo "ok $claims - a view opens nothing but the profile, under strace # SKIP this dusk is built with a sanitizer"
elif needs strace "a view writes nothing and opens nothing but the profile, under strace"; then
	while read -r command; do
		traced() {
			hostile
			strace -f -qq -e trace=file,ftruncate,fallocate,pwrite64 -o trace sh -c "exec $dusk $command >out 2>&1" </dev/null || return
			# What of the folder is not only looked at; and what changes names.
			grep -E 'hostile|/proc/self/fd' trace | grep -vE '^[0-9]+ +(execve|readlink|lstat|stat|newfstatat|statx|access|faccessat2?)\(' |
				grep -vE 'openat\(AT_FDCWD, "hostile/x\.dusk", O_RDONLY\|O_CLOEXEC\|O_PATH\)' |
				grep -vE 'openat\(AT_FDCWD, "/proc/self/fd/[0-9]+", O_RDONLY\|O_CLOEXEC\)' && return 1
			! grep -E '^[0-9]+ +(unlink|unlinkat|rename|renameat2?|mkdir|link|symlink|creat|truncate)\(' trace |
				grep -vE 'rename\("out\.(html|pb\.gz)\.[A-Za-z0-9]{6}", "out\.(html|pb\.gz)"\)' | grep .
		}
		claim "dusk $command opens nothing but the profile, and that to read" traced
	done <commands
fi

# Files that hang their reader.
fifos() {
	hostile
	rm hostile/x.dusk-*
	mkfifo hostile/x.dusk-journal hostile/x.dusk-wal hostile/x.dusk-shm
	timeout 20 "$dusk" info -i hostile/x.dusk
}
claim "FIFOs beside a profile hang no command" fifos
fifo() {
	rm -f fifo && mkfifo fifo
	exits 1 timeout 20 "$dusk" "$1" -i fifo && says "not a dusk profile: it is not a file"
}
for command in info query report; do
	claim "dusk $command: a FIFO in the place of a profile is refused at once" fifo $command
done
mkdir empty
claim "dusk info: a folder without profiles" exits 4 "$dusk" info -i empty
claim "... it is said" says "there is no profile in empty"

# The true reason, whatever descriptor is one too many.
short_of_descriptors() {
	for n in 3 4 5 6 7 8; do
		(ulimit -n $n; exec "$dusk" info -i good.dusk) >out 2>&1 && continue
		grep -E 'Too many open files|error while loading' out && ! grep 'Invalid argument' out || { cat out; return 1; }
	done
}
claim "a lack of descriptors is called so" short_of_descriptors

# What views write is as private as the profile, and goes where it was sent.
written() {
	umask 022
	rm -rf out && mkdir out
	"$dusk" $1 -i good.dusk -o out/page $2 && [ "$(stat -c %a out/page)" = 600 ] && [ "$(ls out)" = page ] || return
	chmod 640 out/page
	"$dusk" $1 -i good.dusk -o out/page $2 && [ "$(stat -c %a out/page)" = 640 ] && [ "$(ls out)" = page ] || return
	echo precious >out/target && ln -s target out/link
	"$dusk" $1 -i good.dusk -o out/link $2 && cmp out/page out/target && [ -L out/link ] || return
	"$dusk" $1 -i good.dusk -o /dev/null $2 && [ -c /dev/null ] || return
	ln out/page out/other
	"$dusk" $1 -i good.dusk -o out/page $2 && [ "$(stat -c %h out/page)" = 1 ]
}
claim "pages are private, follow our own links, and replace what has other names" written flame ''
claim "so are exports" written export '-f folded'
incomplete() {
	rm -rf out && mkdir out && echo older >out/page
	exits 1 sh -c 'ulimit -f 0; exec "$@"' sh "$dusk" flame -i good.dusk -o out/page &&
		[ "$(cat out/page)" = older ] && [ "$(ls out)" = page ]
}
claim "a page that cannot be written whole leaves the older one alone" incomplete
if [ "$(id -u)" = 0 ]; then
	strangers_link() {
		rm -rf out && mkdir -m 777 out && echo precious >target && ln -s ../target out/page && chown -h 65534 out/page
		exits 1 "$dusk" flame -i good.dusk -o out/page && [ "$(cat target)" = precious ]
	}
	claim "links of others are not followed" strangers_link
	strangers_file() {
		rm -rf out && mkdir -m 777 out && : >out/page && chown 65534 out/page && chmod 666 out/page
		"$dusk" flame -i good.dusk -o out/page && [ "$(stat -c %u:%a out/page)" = 0:600 ]
	}
	claim "what others have put in its place is replaced, not written to" strangers_file
	callers() {
		rm -rf out && mkdir out && SUDO_UID=12345 SUDO_GID=23456 "$dusk" flame -i good.dusk -o out/page &&
			[ "$(stat -c %u:%g:%a out/page)" = 12345:23456:600 ]
	}
	claim "under sudo a page belongs to the caller" callers
fi

in_wal() {
	hostile
	printf '\002\002' | dd of=hostile/x.dusk bs=1 seek=18 conv=notrunc 2>dd
	rm hostile/x.dusk-journal
	exits 1 "$dusk" info -i hostile/x.dusk && says "a part of it is in hostile/x.dusk-wal, which is not read"
}
claim "a profile that is half in a log beside it is refused, and it is said" in_wal
alone_in_wal() {
	hostile
	printf '\002\002' | dd of=hostile/x.dusk bs=1 seek=18 conv=notrunc 2>dd
	rm hostile/x.dusk-*
	before=$(state hostile)
	"$dusk" info -i hostile/x.dusk && [ "$(state hostile)" = "$before" ]
}
claim "one in WAL mode without a log is read" alone_in_wal
done_testing
