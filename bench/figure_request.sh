# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does a request cost, and a walk that several consumers share? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

figure_request() {
	local n
	: >request.data
	for _ in $(seq $rounds); do
		"$tools/request" costs >>request.data
		for n in 0 1 4 16; do
			"$tools/request" share $n 3 | sed "s/^/share-$n /" | tee share.$n |
				awk '{ print $1, $2; print $1 "-rate", $3; print $1 "-lost", $4 }' >>request.data
		done
		cat share.1 share.4 share.16 | awk '{ ns[NR] = $2 }
			END { print "each-4", (ns[2] - ns[1]) / 3; print "each-16", (ns[3] - ns[1]) / 15 }' >>request.data
		echo "tasks $("$tools/request" tasks 10000)" | awk '{ print $1, $2 / 1048576 }' >>request.data
	done
	echo "### Cost of a request"
	echo
	echo "| a request | ns |"
	echo "|---|---|"
	echo "| queues: the first of a visit to the kernel (with the interrupt to the own CPU that bpf_task_work costs) | $(of queued request.data | spread 0) |"
	echo "| joins: another consumer has asked | $(of joined request.data | spread 0) |"
	echo "| pending: the same consumer asks again | $(of pending request.data | spread 0) |"
	echo "| executed: the walk is just over | $(of executed request.data | spread 0) |"
	echo
	echo "| a system call at which | ns, walk included | calls a second | stacks lost | ns for each further consumer |"
	echo "|---|---|---|---|---|"
	for n in 0 1 4 16; do
		echo "| consumers that ask: $n | $(of share-$n request.data | spread 0) | $(of share-$n-rate request.data | spread 0) | $(of share-$n-lost request.data | spread 0) | $(of each-$n request.data | spread 0) |"
	done
	echo
	echo "Memory for the states of 10,000 tasks: $(of tasks request.data | spread 1) MiB."
	echo
}
