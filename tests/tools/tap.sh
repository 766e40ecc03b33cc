# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# TAP for shell tests: source it, make claims, call done_testing. $tmp is a folder that goes away.
. "$(dirname "$0")/../tools/own_bpffs.sh"
set -u
claims=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export XDG_CACHE_HOME="$tmp/.cache"	# not the user's

# claim TEXT COMMAND...: the command succeeds. What it printed is shown if it does not.
claim() {
	claims=$((claims + 1))
	text=$1
	shift
	if "$@" >"$tmp/.claim" 2>&1; then
		echo "ok $claims - $text"
	else
		echo "not ok $claims - $text"
		sed 's/^/# /' "$tmp/.claim"
	fi
}

# needs COMMAND TEXT: is the command there? If not, the claim is skipped, by name.
needs() {
	command -v "$1" >/dev/null && return
	claims=$((claims + 1))
	echo "ok $claims - $2 # SKIP $1 is not installed"
	return 1
}

# can_record TEXT: may $dusk record here? If not, the claim is skipped, with the reason.
can_record() {
	reason=
	[ "$(id -u)" = 0 ] || reason="not root"
	[ "$reason" ] || "$dusk" record -q -d 100ms -o probe.dusk 2>/dev/null || reason="this machine cannot record, see dusk doctor"
	[ "$reason" ] || return 0
	claims=$((claims + 1))
	echo "ok $claims - $1 # SKIP $reason"
	return 1
}

# until_true COMMAND...: it succeeds, now or within two minutes.
until_true() {
	for until_true_try in $(seq 600); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.2
	done
	echo "not within 120 s: $*"
	return 1
}

# exits STATUS COMMAND...: it ends with that status; what it printed is in $tmp/said.
exits() {
	expected=$1
	shift
	"$@" >"$tmp/said" 2>&1
	status=$?
	cat "$tmp/said"
	[ "$status" = "$expected" ] && return
	echo "exit status $status instead of $expected"
	return 1
}

# says TEXT: the last command under exits printed that.
says() {
	cat "$tmp/said"
	grep -qF -e "$1" "$tmp/said"
}

done_testing() {
	echo "1..$claims"
}
