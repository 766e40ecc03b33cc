#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do titles distinguish processes of one name? usage: test_titles.sh DUSK
. "$(dirname "$0")/alone.sh"
export LC_ALL=C

# has PROFILE TITLE: a process that was recorded has it.
has() {
	got=$("$dusk" query -i "$1" --csv 'select distinct comm, text from title join thread on thread.id = title.thread')
	echo "$got"
	echo "$got" | grep -qF "$2"
}
# in_page FILE TITLE
in_page() {
	sed '1,/id="profile"/d; /<\/script>/,$d' "$1" | base64 -d | gzip -dc | head -n 1 | jq -r '.titles[]' | grep -qF "$2"
}

# Each runs until a file is there; the second one becomes another program before.
cat >job <<'END'
while [ ! -e "$tmp/$1" ]; do :; done
[ "$2" != two ] || exec perl -e '$0 = "server: ready"; 1 until -e "$ENV{tmp}/end"'
END
cat >jobs <<'END'
sh job end one & sh job turn two & sh job end "three
four" &
sleep 1; : >turn; sleep 4; : >end
wait
END
export tmp
claim "a recording" "$dusk" record -q -o p.dusk -- sh jobs
claim "the first of three processes sh has its arguments" has p.dusk "sh job end one"
claim "control characters are replaced" has p.dusk "sh job end three?four"
claim "a process that has changed its title has the last one" has p.dusk "server: ready"
claim "a page" "$dusk" flame -i p.dusk -o p.html
# Two hundred processes that are gone at once: a shell forks, and executes, each by the vfork() of another program or by itself.
cat >brief <<'END'
for i in $(seq 100); do /bin/true "number $i of brief ones" "$1"; done
seq 101 200 | xargs -I @ -n 1 /bin/true "number @ of brief ones" "$1"
for i in $(seq 10); do (: | :); done
END
with_title() {
	nr=$("$dusk" query -i "$1" --csv "select count(distinct text) from title where text glob '$2'" | tail -n 1)
	[ "$nr" = "$3" ]
}
all_have_titles() {
	! "$dusk" query -i "$1" --csv "select pid, comm from thread where pid > 0 and not exists
		(select * from title join thread t on t.id = title.thread where t.pid = thread.pid)" | tail -n +2 | grep .
}
claim "a recording of processes that end at once" "$dusk" record -q -o brief.dusk -- sh brief "$(printf %02000d 0)end"
claim "titles__of_brief_processes_are_their_arguments" \
	with_title brief.dusk "/bin/true number * of brief ones 0*…0*end" 200
claim "titles__of_forked_children_are_their_parents" all_have_titles brief.dusk
needs jq "... has the titles" && claim "... has the titles" in_page p.html "sh job end one"
done_testing
