#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What others have put where root works is neither run, nor written to, nor removed. usage: test_own.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
libs=$(realpath "$(dirname "$dusk")/../lib")
chmod 755 "$tmp"
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" LD_LIBRARY_PATH="$libs"
if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP it is about root"
	exit
fi

mkdir -m 700 st0
# A program beside dusk.
helper() { # helper OWNER MODE FOLDERMODE: is it run?
	rm -rf place ran
	mkdir place && cp "$dusk" place/dusk || return 1
	printf '#!/bin/sh\n: >%s/ran\n' "$tmp" >place/dusk-web
	chown "$1" place/dusk-web && chmod "$2" place/dusk-web && chmod "$3" place || return 1
	place/dusk web "$tmp/st0" >said 2>&1
	cat said
	[ -e ran ]
}
refused() {
	! helper "$@" && says "belongs to another user, or others may write to it"
}
claim "a helper of root beside dusk is run" helper 0:0 755 755
claim "... in a sticky folder, too" helper 0:0 755 1777
claim "one of another user is not" refused 65534:65534 755 755
claim "... nor one that others may write" refused 0:0 757 755
claim "... nor one that a group may write" refused 0:65534 775 755
claim "... nor one in a folder that others may write to" refused 0:0 755 777

# A store of another user, with a link to what the agent would remove.
mkdir victim st
echo precious >victim/profile
ln -s ../victim st/20200104T010000Z-20200104T020000Z.merging.recording
chown -h 65534:65534 st st/*
claim "an agent takes no store of another user" exits 1 timeout 20 "$dusk" agent --config /dev/null --store st
claim "... and says why" says "is no store of ours"
claim "... and nothing behind a link in it is gone" [ -s victim/profile ]
chown 0:0 st && chmod 777 st
claim "nor one that others may write to" exits 1 timeout 20 "$dusk" agent --config /dev/null --store st

# --keep follows no link of another user, and writes into no file of another user.
sleep 60 &
sleeper=$!
echo precious >target
mkdir -m 1777 public
ln -s ../target public/link
chown -h 65534:65534 public/link
exits 1 "$dusk" doctor --walk --keep public/link $sleeper
claim "--keep follows no link of another user" grep -qx precious target
: >public/file && chown 65534:65534 public/file && chmod 644 public/file
"$dusk" doctor --walk --keep public/file $sleeper >said 2>&1
claim "--keep makes a file of its own" sh -c "[ \"\$(stat -c %u:%a public/file)\" = 0:600 ] || ! [ -s public/file ]"
claim "... with what the walk read" sh -c "'$dusk' doctor --walk --keep kept $sleeper && '$dusk' doctor --walk kept"
kill $sleeper

# A query of a store leaves nothing, however it ends.
mkdir -m 700 store scratch
"$make_profile" store/20261125T030000Z.dusk
TMPDIR=$tmp/scratch "$dusk" query -i store 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n' >/dev/null 2>&1 &
query=$!
until_true sh -c "ls -l /proc/$query/fd | grep -q scratch" >/dev/null
claim "a query of a store has a file without a name" sh -c "[ -z \"\$(ls scratch)\" ]"
kill -KILL $query
wait $query 2>/dev/null
claim "... of which nothing is left when it is killed" sh -c "[ -z \"\$(ls scratch)\" ]"
done_testing
