#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest whose kernel has no bpf_task_work: dusk refuses, says why, and leaves nothing behind.
set -u

# refuses TEXT COMMAND...: exit status 3, and the text is said.
refuses() {
	text=$1
	shift
	"$@" >said 2>&1
	status=$?
	cat said
	[ $status = 3 ] && grep -qF "$text" said && return
	echo "FAILED: $*: exit status $status; expected 3 and: $text"
	exit 1
}

cd "$(mktemp -d)" || exit 1
why="kernel $(uname -r) has no bpf_task_work; dusk needs Linux 6.18 or newer"
refuses "$why" dusk record -o x.dusk -d 1s
refuses "$why" dusk record -o x.dusk -- touch ran
refuses "boot Linux 6.18 or newer" dusk doctor
[ "$(ls)" = said ]
