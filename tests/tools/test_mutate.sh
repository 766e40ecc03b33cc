#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does tools/mutate see which mutants nobody notices?
. "$(dirname "$0")/tap.sh"
mutate=$(dirname "$0")/../../tools/mutate

tree="$tmp/a tree"
mkdir -p "$tree/tools" "$tree/tests" "$tree/src"
cp "$mutate" "$tree/tools/"
echo "option('tests', type: 'boolean', value: false)" >"$tree/meson_options.txt"
cat >"$tree/meson.build" <<'EOF'
project('tiny', 'c')
test('sum', executable('sum', 'src/sum.c'))
EOF
cat >"$tree/src/sum.c" <<'EOF'
static int sum(int a, int b)
{
	return a + b;
}

static int unused(int a)
{
	return a;
}

int main(void)
{
	return sum(1, 2) != 3 + 0 * unused(1);
}
EOF

# list LINE...: one mutant a line: "REASON|LINE NOW|LINE MUTATED"
list() {
	for row in "$@"; do
		echo "@ src/sum.c sum ${row%%|*}"
		row=${row#*|}
		printf -- '-\t%s\n' "${row%%|*}"
		printf -- '+\t%s\n' "${row#*|}"
		echo
	done >"$tree/tests/mutants"
}
KILLED='it subtracts (quick)|return a + b;|return a - b;'
SURVIVES='what nobody calls for|return a;|return a + 1;'

# result STATUS TEXT [ARGUMENT]...
result() {
	expected_status=$1 expected_text=$2
	shift 2
	exits "$expected_status" "$tree/tools/mutate" "$@" && says "$expected_text"
}
stays() {
	cmp "$tree/src/sum.c" "$tmp/sum.c" && cmp "$tree/src/sum.c" "$tree/build-mutate/tree/src/sum.c"
}

cp "$tree/src/sum.c" "$tmp/sum.c"
list "$KILLED"
claim "a mutant that a test notices is killed" result 0 "killed by sum: it subtracts"
claim "... and counted" says "1 mutants killed, 0 not"
list "$KILLED" "$SURVIVES"
claim "a survivor is an error" result 1 "SURVIVED: src/sum.c, sum: what nobody calls for"
claim "... beside one that is killed" says "1 mutants killed, 1 not"
claim "... but not if it is not asked for" result 0 "1 mutants killed, 0 not" subtracts
claim "... nor if it is not quick" result 0 "1 mutants killed, 0 not" -q
claim "the tree stays as it was, and so does its copy" stays
list "$KILLED" 'no C|return a;|return a'
claim "a mutant that does not compile is an error, and not killed" result 1 "does not compile: src/sum.c: no C"
claim "... beside one that is killed" says "1 mutants killed, 1 not"
list "$KILLED" 'gone|return a * b;|return a;'
claim "lines that are gone are an error" result 1 "not there any more: src/sum.c: gone"
claim "... also if they are not asked for" result 1 "not there any more: src/sum.c: gone" subtracts
list 'twice|return b;|return a;'
sed -i 's/return a;/return b;\n\treturn b;/' "$tree/src/sum.c"
claim "lines that are there twice are an error" result 1 "not there any more: src/sum.c: twice"
cp "$tmp/sum.c" "$tree/src/sum.c"
list "$KILLED"
claim "a word that is in no mutant is an error" result 1 "0 mutants killed, 0 not" nowhere
: >"$tree/tests/mutants"
claim "an empty list is an error" result 1 "0 mutants killed, 0 not"
done_testing
