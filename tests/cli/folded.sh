# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What perf script and dusk script print, as stacks of the functions of busy.c, by perf's names and by ours; both print in the same form.
folded() {
	awk 'BEGIN { RS = ""; FS = "\n" } { stack = ""
		for (i = NF; i > 1; i--) if (split($i, part, " ") > 1) { sub(/\+0x[0-9a-f]*$/, "", part[2])
			if (part[2] ~ /^(main|outer|spin_short|spin_long)$/) stack = stack ";" part[2] }
		if (stack != "") count[stack]++ } END { for (stack in count) print stack, count[stack] }' | sort
}
