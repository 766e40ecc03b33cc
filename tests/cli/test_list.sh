#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does dusk list what can be recorded? usage: test_list.sh DUSK
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1

claim "functions of a library are listed" exits 0 "$dusk" list 'uprobe:libc:mallo[c]'
claim "... as they are recorded" grep -q '^uprobe:libc:malloc$' said
claim "... those that match only" [ "$(wc -l <said)" = 1 ]
claim "all functions, without a pattern" exits 0 "$dusk" list uprobe:libc
claim "... are many, each once" sh -c "[ \$(wc -l <said) -gt 1000 ] && [ -z \"\$(sort said | uniq -d)\" ]"
claim "a program by its path" exits 0 "$dusk" list "uprobe:$dusk:*"
claim "what no file has" exits 1 "$dusk" list uprobe:libc:no_such_function
claim "... is said" says "nothing matches uprobe:libc:no_such_function"
claim "no file" exits 1 "$dusk" list uprobe:no_such_file:f
claim "... is said" says "there is no file no_such_file, no program of that name in PATH, and no library"
echo text >text
claim "no program" exits 1 "$dusk" list "uprobe:$tmp/text:f"
claim "... is said" says "no program or library (ELF)"
claim "a file is missing" exits 1 "$dusk" list usdt:
claim "... what a pattern looks like is said" says "usdt:FILE:PROVIDER:PROBE"
claim "what a process has mapped" exits 0 "$dusk" list -p $$ 'uprobe:mallo[c]'
claim "... by its path" grep -q '^uprobe:/.*libc.*:malloc$' said
claim "of a process no events" exits 2 "$dusk" list -p $$ sched:sched_switch
claim "no process" exits 1 "$dusk" list -p 2147483647 usdt
claim "... is said" says "there is no process 2147483647"
claim "one pattern at most" exits 2 "$dusk" list a b
claim "words are listed" grep -q '^offcpu  *all off-CPU intervals' <<-END
	$("$dusk" list offcpu 2>&1)
END
if [ -r /sys/kernel/tracing/events/sched/sched_process_exec/format ]; then
	claim "events are found by a part of their name" exits 0 "$dusk" list process_exec
	claim "... with their fields" grep -q '^sched:sched_process_exec  *.* filename, pid_t pid, pid_t old_pid$' said
fi
done_testing
