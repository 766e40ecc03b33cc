#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest: how many stacks of stock programs are complete? Prints rows of a table of markdown, and fails if one has less than 99.5 %.
set -u
cd "$(mktemp -d)" || exit 1
for cc1 in /usr/lib/gcc/*/*/cc1; do :; done
for perl in /usr/lib/*/perl-base; do export PERL5LIB="$perl"; done
export PATH=/usr/bin:$PATH
failed=0

# try NAME COMMAND: from its first instruction on, for 4 s again and again, until it fails. Stacks of the shell that runs it count as well.
try() {
	dusk record -e cpu -F 499 -o x.dusk -- timeout -s KILL 4 /bin/bash -ec "while :; do $2; done" >/dev/null 2>said
	samples=$(sed -n 's/^dusk: samples: \([0-9.]*\) % of \([0-9]*\) user stacks complete/\1 | \2/p' said)
	echo "| $1 | ${samples:--} | $(sed -n 's/^dusk: *\([0-9][0-9]*\)  \([a-z-]*\): .*/\2 \1/p' said | paste -sd ' ') |"
	echo "${samples% |*}" | grep -Eq '^(100.00|99.[5-9][0-9])$' && [ "${samples#*| }" -ge 1000 ] && return
	cat said
	failed=1
}

awk 'BEGIN { srand(1); for (i = 0; i < 100000; i++) print rand() * 1e9, "some words to pack", i % 977, rand() }' >data
awk 'BEGIN {
	for (i = 0; i < 500; i++) {
		printf "int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) { s += a[i] * %d; ", i, i, i % 13
		printf "if (s > %d) s ^= a[n - i]; switch (s & 7) { case 1: s++; break; case 3: s *= 3; break; } } return s; }\n", i * 7
	}
}' >big.c
echo "| program | samples complete, % | samples | not complete, by name |"
echo "|---|---|---|---|"
try sort 'sort data'
try 'sort -g' 'sort -g data'
try xz 'xz -9 -k -c data'
try gzip 'gzip -9 -c data'
try sha256sum 'sha256sum data'
try openssl 'openssl speed -seconds 1 rsa2048 ecdsap256; openssl enc -aes-256-cbc -pbkdf2 -k word -in data'
try sqlite3 'sqlite3 :memory: "create table t as with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
	select i, abs(random()) as r, hex(randomblob(8)) as h from n; create index x on t(r); select h, max(r) from t group by h order by 2;"'
try perl 'perl -e '\''sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
	fib(18); my %h; $h{$_ % 997} .= "x$_" for 1 .. 50000; my @s = sort { $h{$a} cmp $h{$b} } keys %h;
	my $t = "some words to pack " x 2000; $t =~ s/(\w+) (\w+)/$2 $1/g;'\'
try python3 'python3.11 -c "
import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(18)
json.loads(json.dumps([{\"a\": i, \"b\": [str(j) for j in range(50)]} for i in range(300)]))
sorted(re.findall(\"[a-z]+\", \"some words to pack \" * 2000), key=lambda w: w[::-1])"'
try cc1 "$cc1 -quiet -nostdinc -O2 -o /dev/null big.c"
try bash 'f() { [ $1 -eq 0 ] || f $(($1 - 1)); }; f 50; x=$(echo a word | sort); y=${x//a/b}'
exit $failed
