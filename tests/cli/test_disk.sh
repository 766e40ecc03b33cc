#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does an agent go on when its disk was full, and lose no more than it names? usage: test_disk.sh DUSK
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS NOTIFY_SOCKET PAGER

text="an agent goes on when its disk was full"
can_record "$text" || { done_testing; exit; }
mkdir -m 700 st
if ! mount -t tmpfs -o size=24M,mode=700 none st 2>/dev/null; then
	claims=$((claims + 1))
	echo "ok $claims - $text # SKIP no file system can be mounted"
	done_testing
	exit
fi
sh -c 'while :; do :; done' &
busy=$!
agent=
trap 'kill $busy; kill -9 $agent 2>/dev/null; umount -l "$tmp/st"; rm -rf "$tmp"' EXIT
"$dusk" agent --config /dev/null --store "$tmp/st" -F 49 --window 1s --rotate 8s --compact 0 2>agent.said &
agent=$!
profiles() { # profiles N: that are complete
	[ "$(ls st/*.dusk | wc -l)" -ge "$1" ]
}
claim "an agent records" until_true profiles 1
until_true sh -c "ls st/*.recording >/dev/null"
sleep 2
head -c 100M /dev/zero >st/filler 2>/dev/null
claim "when others fill the disk, recorders end" until_true grep -q "ended with status" agent.said
claim "... which say why" grep -q "No space left on device" agent.said
claim "... and others are tried, less and less often" until_true sh -c "[ \$(grep -c 'the next recorder begins in' agent.said) -ge 3 ]"
claim "the agent is there" kill -0 $agent
rest=$(ls -d st/*.recording) # one whose samples are all there may lack room for its functions
unended=$(grep -c 'what was recorded is in .*\.recording: dusk info' agent.said)
echo "# left: $rest, $unended of them without an end"
nr=$(ls st/*.dusk | wc -l)
rm st/filler
claim "when there is space again it records" until_true profiles $((nr + 2))
claim "... and makes profiles of what recorders have left" until_true sh -c "for left in $(echo $rest); do [ ! -e \$left ] || exit 1; done"
claim "... and says what that lacks" until_true sh -c "[ \$(grep -c 'was not ended: it lacks its last window' agent.said) = $(echo $rest | wc -w) ]"
sed 's/^/# /' agent.said
kill -TERM $agent
wait $agent
claim "nothing is left of a recording" sh -c "! ls -d st/*.recording"
claim "what was taken is stored, or named as lost" exits 0 "$dusk" store check st
claim "... a window of each" [ "$(awk '$2 == "lost-windows:" { n += $1 } END { print n + 0 }' said)" = "$unended" ]
done_testing
