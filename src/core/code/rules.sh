#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Turn rules.txt into the C header core/code/rules.h, on stdout. usage: rules.sh rules.txt
#
# The header has a table for each kind of rule, an enum of the rules' numbers, and their names as CODE_RULES(X).
set -eu
export LC_ALL=C
awk '
function fail(text) {
	print FILENAME ":" FNR ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

# "8b", "??" or "8b/fe": the byte and its mask, as C.
function add_byte(text) {
	if (text == "??") {
		byte[nr] = "0"
		mask[nr++] = "0"
	} else if (text ~ /^[0-9a-f][0-9a-f](\/[0-9a-f][0-9a-f])?$/) {
		byte[nr] = "0x" substr(text, 1, 2)
		mask[nr++] = length(text) == 5 ? "0x" substr(text, 4, 2) : "0xff"
	} else
		fail("\"" text "\" is no byte")
}

# The words of bytes @from to @to, of @of: where there is no byte, any will do.
function words(of, from, to,    i, j, ret) {
	for (i = from; i < to; i += 8) {
		ret = ret (ret == "" ? "" : ", ") "WORD("
		for (j = i; j < i + 8; j++)
			ret = ret (j > i ? ", " : "") (j >= 0 && j < nr ? of[j] : "0")
		ret = ret ")"
	}
	return "{{" ret "}}"
}

function both(from, to) {
	return words(byte, from, to) ", " words(mask, from, to)
}

function number(text, most, what) {
	if (text !~ /^[0-9]+$/ || text + 0 < 1 || text + 0 > most)
		fail(what " is 1 to " most ", not \"" text "\"")
	return text + 0
}

# What the rule says, from field @i on: the arguments of RULE().
function meaning(i,    cfa, first, second, kind) {
	cfa = ""
	first = second = 0
	kind = "NO_SWITCH"
	if ($i == "switch" && where == "return" && i + 1 == NF)
		return "0, 0, 0, " toupper($(i + 1)) ", " id
	if ($i == "outermost" && where == "return" && i == NF)
		return "0, 0, 0, OUTERMOST, " id
	if (where == "signal" && i == NF + 2)
		return number($2, 255, "the place of the PC") ", " (mark == nr) ", 0, SIGNAL_FRAME, " id
	if ($i == "signal" && where == "at any" && i == NF)
		return "0, 0, 0, SIGNAL_FRAME, " id
	for (; i <= NF; i++)
		if ($i == "cfa=sp")
			cfa = "0"
		else if ($i ~ /^cfa=sp\+/)
			cfa = number(substr($i, 8), 255, "the CFA")
		else if ($i ~ /^rbx=c-/)
			first = number(substr($i, 7), 15, "the place of rbx")
		else if ($i ~ /^rbp=c-/)
			second = number(substr($i, 7), 15, "the place of rbp")
		else if ($i == "outermost" && where == "at elf")
			kind = "OUTERMOST"
		else
			fail("\"" $i "\" says nothing")
	if (cfa == "")
		fail("where is the CFA?")
	if (first && where == "return")
		fail("return_rules.c restores no rbx")
	return cfa ", " first ", " second ", " kind ", " id
}

function limit(before, behind) {
	if (mark > before || nr - mark > behind)
		fail("at most " before " bytes are before | and " behind " behind it")
}

/^#/ || /^[ \t]*$/ { next }

/^[^\t]/ {
	if (id != "" && !used)
		fail("rule " name " has no bytes")
	name = $1
	if (!sub(/:$/, "", name) || name !~ /^[a-z][a-z0-9_]*$/)
		fail("\"" $1 "\" is no name: it takes a-z, 0-9 and _, and a colon behind it")
	if (NF < 2)
		fail("where is " name " from?")
	if (name in seen)
		fail("there are two rules " name)
	seen[name] = 1
	used = 0
	names[++rules] = name
	id = "RULE_" toupper(name)
	next
}

{
	if (id == "" || used)
		fail("a rule is a line with its name and one with its bytes")
	used = 1
	where = $1
	i = 2
	if (where == "at") {
		where = $1 " " $2
		i = 3
	} else if (where == "function" || where == "cfi" || where == "signal")
		i = 3
	nr = 0
	mark = -1
	for (; i <= NF && $i != "->"; i++)
		if ($i == "|" && mark < 0)
			mark = nr
		else
			add_byte($i)
	if (!nr)
		fail("rule " name " has no bytes")
	if (mark < 0 && where != "cfi")
		fail("rule " name " has no |")
	if (where != "known" && where != "signal" && $i != "->")
		fail("what does rule " name " say?")
	if (where == "at any" || where == "at elf") {
		limit(8, 8)
		row = "\t{" both(mark - 8, mark + 8) ", RULE(" meaning(i + 1) ")}, /* " name " */\n"
		if (where == "at any") {
			at_any = at_any row
			nr_any++
		} else
			at_elf = at_elf row
		nr_at++
	} else if (where == "function") {
		limit(16, 16 - mark)
		functions = functions "\t{" both(0, 16) ", RULE(" meaning(i + 1) "), " mark ", " \
			number($2, 64, "the size of a function") "}, /* " name " */\n"
		nr_functions++
	} else if (where == "cfi") {
		if (nr != 16 || mark >= 0 || split($2, range, "-") != 2)
			fail("cfi FROM-TO, and 16 bytes without |")
		if (number(range[2], 4096, "a distance") > most)
			most = range[2] + 0
		cfis = cfis "\t{" both(0, 16) ", RULE(" meaning(i + 1) "), " number(range[1], most, "a distance") ", " range[2] \
			"}, /* " name " */\n"
		nr_cfi++
	} else if (where == "return") {
		limit(8, 16)
		returns = returns "\t{" both(mark - 8, mark + 16) ", RULE(" meaning(i + 1) ")}, /* " name " */\n"
		nr_returns++
	} else if (where == "signal") {
		limit(8, 16)
		signals = signals "\t{" both(mark - 8, mark + 16) ", RULE(" meaning(i + 1) ")}, /* " name " */\n"
		nr_signals++
	} else if (where == "known") {
		limit(8, 16)
		if (i <= NF)
			fail("what `known` code means is said by a C file")
	} else
		fail("\"" where "\" is no place")
	if (where ~ /^at/ || where == "return" || where == "signal" || where == "known") {
		known = known "static INLINE u32 code_is_" name "(const struct machine *m)\n{\n" \
			"\tstatic const struct code_around code = " words(byte, mark - 8, mark + 16) ",\n" \
			"\t\t\t\t\tmask = " words(mask, mark - 8, mark + 16) ";\n\n" \
			"\treturn fits_around((const struct code_around *)m->code, &code, &mask) & 1;\n}\n\n"
	}
}

# at() needs a power of two.
function room(nr,    ret) {
	for (ret = 1; ret < nr; ret *= 2)
		;
	return ret
}

END {
	if (failed)
		exit 1
	if (rules && !used)
		fail("rule " name " has no bytes")
	if (rules > 255)
		fail("RULE() has a number of 8 bits")
	print "/* Made of rules.txt by rules.sh. */"
	print "#pragma once"
	print "#include \"core/code/rule.h\"\n"
	print "enum rule_id {\n\tNO_RULE,"
	for (i = 1; i <= rules; i++)
		print "\tRULE_" toupper(names[i]) ","
	print "\tNR_RULES,\n};\n"
	printf "#define CODE_RULES(X)"
	for (i = 1; i <= rules; i++)
		printf " \\\n\tX(%s)", names[i]
	print "\n"
	print "#define NR_AT_ANY " nr_any + 0
	print "#define NR_AT_RULES " nr_at + 0
	print "#define NR_CFI_RULES " nr_cfi + 0
	print "#define NR_RETURN_RULES " nr_returns + 0
	print "#define NR_SIGNAL_RULES " nr_signals + 0
	print "#define CFI_RULE_BYTES " most + 0 " /* what the longest of these functions has */\n"
	print "static const struct at_rule at_rules[" room(nr_at) "] = {\n" at_any at_elf "};\n"
	print "static const struct function_rule function_rules[" room(nr_functions) "] = {\n" functions "};\n"
	print "static const struct cfi_rule cfi_rules[NR_CFI_RULES] = {\n" cfis "};\n"
	print "static const struct return_rule return_rules[" room(nr_returns) "] = {\n" returns "};\n"
	if (nr_signals)
		print "static const struct return_rule signal_rules[" room(nr_signals) "] = {\n" signals "};\n"
	printf "%s", known
}
' "$1"
