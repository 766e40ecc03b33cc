#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest: is every stack right, at each instruction of these programs (tests/truth/README.md)?
#
#	steps.sh [-l]		-l: from the first instruction of the dynamic linker on
set -u
cd /truth || exit 1
cat differences.common differences.here >differences
failed=0
try() {
	./step "$@" || {
		echo "FAILED: step $*"
		failed=1
	}
}

! ./step differences ./lies >said 2>&1 && grep -q ' lie ' said || {
	cat said
	echo "FAILED: a lie was not found"
	failed=1
}
# Shared ones without longjmp(), as the C library has no symbols by which the list could name it.
for victim in calls calls_now calls_no_pie calls_frame calls_signed calls_plain calls_signed_plain calls_retaa_plain; do
	try "$@" differences ./$victim no-jump
done
for victim in calls_static calls_static_pie; do
	try "$@" differences ./$victim
done
try -c differences ./calls no-jump
try -n 60000 differences ./throws	# of two turns the first
try -s 7 differences ./handlers own no-jump
try -s 5 differences ./handlers alternate no-jump
try differences ./loads ./liblibrary.so
exit $failed
