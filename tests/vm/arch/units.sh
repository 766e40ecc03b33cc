#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest: tests of the suite unit, each a program in /unit. What one of them reads is in /unit-files/NAME.
set -u
cd /tmp || exit 1
failed=0
for program in /unit/*; do
	files=$(find "/unit-files/${program##*/}" -type f 2>/dev/null)
	# shellcheck disable=SC2086
	if $program $files >said 2>&1; then
		echo "ok: ${program##*/}: $(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' said)"
	else
		cat said
		echo "FAILED: ${program##*/}"
		failed=1
	fi
done
exit $failed
