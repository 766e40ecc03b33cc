# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What does meson's testlog.json say? One object a line, one line an executable.
#
#	awk -v suite=NAME -v totals=FILE -f tools/testlog.awk testlog.json
#
# Prints the log of what failed, what was skipped and why, and one line for the suite, with the seconds that its executables
# took together; adds "passed failed skipped" to the file of totals. Executables that speak cmocka or TAP count by their tests,
# others count as one.

# The string value of @key on this line, still escaped.
function value(key,    at, text) {
	at = index($0, "\"" key "\": \"")
	if (!at)
		return ""
	text = substr($0, at + length(key) + 5)
	match(text, /^([^"\\]|\\.)*/)
	return substr(text, 1, RLENGTH)
}

function plain(text) {
	gsub(/\\\\/, "\001", text)
	gsub(/\\n/, "\n", text)
	gsub(/\\t/, "\t", text)
	gsub(/\\r/, "", text)
	gsub(/\\"/, "\"", text)
	gsub(/\\u001b\[[0-9;]*m/, "", text)
	gsub(/\001/, "\\", text)
	return text
}

# Count the tests in @text, an executable's output, as @p, @f and @s; @why collects what was skipped.
function count(text, name,    n, i, line, before, running, runs) {
	p = f = s = 0
	why = before = running = ""
	n = split(text, line, "\n")
	for (i = 1; i <= n; i++) {
		if (line[i] ~ /^\[ RUN      \]/) {
			runs++
			running = substr(line[i], 14)
		} else if (line[i] ~ /^\[       OK \]/) {
			p++
		} else if (line[i] ~ /^\[  SKIPPED \]/ && substr(line[i], 14) == running) {
			s++
			running = ""	# cmocka lists those it skipped once more at the end
			why = why "  skipped: " name ": " substr(line[i], 14) (before ? ": " before : "") "\n"
		} else if (line[i] ~ /^ok .*# *(SKIP|skip)/) {
			s++
			why = why "  skipped: " name ": " substr(line[i], 4) "\n"
		} else if (line[i] ~ /^ok /) {
			p++
		} else if (line[i] ~ /^not ok .*# *(TODO|todo)/) {
			s++
		} else if (line[i] ~ /^not ok /) {
			f++
		}
		before = line[i] ~ /^\[/ ? "" : line[i]
		if (line[i] != "")
			last = line[i]
	}
	# What ran and did not say how it went has failed, or brought the whole executable down.
	if (runs)
		f = runs - p - s
}

/^{/ {
	name = value("name")
	sub(/.*[:\/] */, "", name)
	result = value("result")
	out = plain(value("stdout"))
	errors = plain(value("stderr"))
	last = ""
	count(out "\n" errors, name)

	if (result == "SKIP") {
		s = p + f + s ? p + f + s : 1
		p = f = 0
		if (why == "")
			why = "  skipped: " name ": " (last == "" ? "it does not say why" : last) "\n"
	} else if (result == "OK" || result == "EXPECTEDFAIL") {
		if (p + f + s == 0)
			p = 1
	} else if (!f) {
		f = 1
	}
	if (f) {
		printf "---- %s (%s): %s\n", name, suite, result
		n = split(out "\n" errors, line, "\n")
		first = n > 200 ? n - 200 : 1
		if (first > 1)
			print "[...]"
		for (i = first; i <= n; i++)
			if (line[i] != "")
				print line[i]
		print "----"
	}
	if (match($0, /"duration": [0-9.]+/))
		seconds += substr($0, RSTART + 12, RLENGTH - 12)
	skips = skips why
	passed += p
	failed += f
	skipped += s
}

END {
	printf "%-16s %d passed, %d failed, %d skipped, %.0f s\n%s", suite ":", passed, failed, skipped, seconds, skips
	print passed + 0, failed + 0, skipped + 0 >> totals
}
