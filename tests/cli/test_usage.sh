#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does the command answer to a wrong command line? usage: test_usage.sh DUSK
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1

refused() {
	wanted=$1
	shift
	exits 2 "$dusk" "$@" && says "$wanted"
}
failed() {
	wanted=$1
	shift
	exits 1 "$dusk" "$@" && says "$wanted" && [ "$(wc -l <said)" = 1 ]
}

claim "no command: the commands, and status 2" refused "Always on, and many hosts:"
claim "--help lists the commands" exits 0 "$dusk" --help
for command in record report diff annotate query script export flame info stacks doctor trace list; do
	claim "help $command is $command --help" sh -c \
		"[ -n \"\$($dusk help $command)\" ] && [ \"\$($dusk help $command)\" = \"\$($dusk $command --help)\" ]"
	claim "$command refuses an unknown option, by name" refused "unknown option '--no-such-thing'" $command --no-such-thing
	claim "the commands list $command" sh -c "$dusk help | grep -q '^  $command '"
done
claim "a thread without --walk" refused "Only --walk takes a thread" doctor 1
claim "--walk without a thread" refused "--walk which thread" doctor --walk
claim "--keep without --walk" refused "--keep is for --walk" doctor --keep x
claim "a specimen that is none" failed "is no specimen" doctor --walk /dev/null
claim "a thread that is gone" failed "cannot halt thread 2147483647" doctor --walk 2147483647
claim "--version names the version" sh -c "$dusk --version | grep -qx 'dusk [0-9.]*'"
claim "an unknown command: the nearest is suggested" refused "did you mean 'report'?" repotr
claim "an unknown command that is near to none" refused "'dusk help' lists them" zebra
claim "an option before the command" refused "options come after the command" -q record
claim "an unknown option: the nearest is suggested" refused "did you mean --output?" record --ouput x
claim "a value that is missing" refused "--duration needs a value: TIME" record -d
claim "a value that is none" refused "such as 10s" record -d soon
claim "a rate out of range" refused "from 1 to 100000" record -F 0
claim "a depth out of range" refused "from 1 to 2048" record --max-depth 2049
claim "a broken list" refused "--cpu takes a list" record -C 3-1
claim "a profile on standard output" refused "needs a file" record -o -
claim "a trace of nothing" refused "which events?" trace
claim "what a PMU would count" sh -c "$dusk record -e cache-misses 2>&1 | grep -q 'PMU'"
claim "... is a wrong command line" exits 2 "$dusk" record -e cache-misses
claim "a function as an event" refused "of a function, -e uprobe:FILE:malloc makes an event" record -e malloc
claim "a system call" failed "syscalls:sys_enter_openat and syscalls:sys_exit_openat" record -e syscalls:openat
claim "a trace of all and some" refused "--all and --pid exclude each other" trace -e a:b -a -p 1
claim "stacks of a trace on standard output" refused "the stacks need a file" trace -e a:b --stacks -
claim "a profile without -i" failed "cannot read x.dusk" report x.dusk
claim "a profile with and without -i" refused "either 'x.dusk' or -i 'y.dusk'" report x.dusk -i y.dusk
claim "a second profile" refused "unexpected argument 'y.dusk'" script x.dusk y.dusk
claim "an unknown key" refused "did you mean 'function'?" report --sort funktion
claim "an unknown field" refused "did you mean 'function'?" report --fields functon
claim "an unknown key that is near to none" refused "there are comm, pid, tid, dso, function, line, state, service, unit, container, pod, namespace, version, cgroup, host, time, self, total, count, runnable, average and longest" report --sort zebra
claim "a broken expression" refused "--focus '(' is no regular expression" report --focus '('
claim "an unknown order of trees" refused "takes caller or callee, not 'up'" report --tree=up
claim "fields of trees" refused "trees have columns of their own" report --tree --fields self
claim "one profile without -i" failed "cannot read a.dusk" flame a.dusk
claim "a profile, and two to compare" refused "either -i, or a profile, or two" flame a.dusk -i c.dusk b.dusk
claim "a range without an end" refused "--time takes a range such as 1.8s-2.6s" report --time 2s
claim "a range that ends before it begins" refused "--time takes a range" script --time 2s-1s
claim "lengths of samples" refused "--min is about off-CPU intervals, which --cpu leaves out" report --cpu --min 1ms
claim "lengths of occurrences" refused "which --event leaves out" flame --event a:b --min 1ms
claim "two kinds of views" refused "exclude each other" report --tree --call-graph
claim "a third profile" refused "unexpected argument 'c.dusk'" diff a.dusk --json b.dusk c.dusk
claim "a stack that calls" refused "--stacks and --total exclude each other" diff --stacks a --total
claim "a query before it has a profile" failed "profile.dusk: No such file" query "select 1"
claim "annotate without a function" refused "which function?" annotate
claim "stacks without a process" refused "which process?" stacks
claim "a process that is no number" refused "'init' is no process id" stacks init
claim "a process with a sign" refused "'+1' is no process id" stacks +1
claim "process 0" refused "'0' is no process id" stacks 0
claim "a process id that is too large" refused "'4294967297' is no process id" stacks 4294967297
claim "threads that are none" refused "--tid takes a list" stacks --tid 1,x
claim "all and some" refused "--all and single processes or threads exclude each other" stacks 1 --all
claim "two views at once" refused "--source and --disassembly exclude each other" annotate --source --disassembly main
claim "two forms at once" refused "exclude each other" report --csv --json
claim "an unknown format" refused "did you mean 'folded'?" export --format fold

claim "a profile that does not exist" failed "No such file" report -i none.dusk
claim "where nothing was recorded yet, what makes a profile is said" failed "profile.dusk: No such file or directory; dusk record makes it" report
echo "just some text, long enough to be something else than a profile" >text.dusk
claim "an old profile that does not exist" failed "profile.dusk.old: No such file" diff
claim "a file that is no profile" failed "text.dusk is not a dusk profile" info -i text.dusk
: >empty.dusk
claim "an empty file" failed "empty.dusk" script -i empty.dusk
mkdir none
claim "a folder without profiles" sh -c "'$dusk' flame -i '$tmp/none' 2>'$tmp/said'; [ \$? = 4 ] && grep -q 'there is no profile in $tmp/none' '$tmp/said'"
claim "commands that fail leave nothing behind" sh -c "[ ! -e flame.html ] && [ ! -e profile.dusk ]"
done_testing
