#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of Perl in stacks those that Perl itself sees, in the same order, at the same lines?
# PERLS has interpreters; otherwise it is perl. usage: test_perl.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

cat >compare.py <<'END'
import sys
from language import compare, read_seen, short
log = {}
for line in open(sys.argv[1], encoding="utf-8"):
    pid, *rest = line.rstrip("\n").split("\t")
    log.setdefault(int(pid), []).append([(*rest[i:i + 2], int(rest[i + 2])) for i in range(0, len(rest), 3)])
def cut(f):  # the name of a sub, and of its package
    package, colons, name = f[0].rpartition("::")
    return short(package) + colons + short(name), f[1], f[2]
compare("perl", log, read_seen(sys.argv[2]), lambda a, b: [cut(f) for f in a] == b)
END

# as_perl_sees PERL
as_perl_sees() {
	sees getppid "$1" "$victims/perl.pl" log 2
}
for perl in ${PERLS-perl}; do
	needs "$perl" "perl $perl: its frames" || continue
	version=$("$perl" -e 'print $^V')
	claim "perl $version: names, order and lines are Perl's own" as_perl_sees "$perl"
	claim "perl $version: no frames are lost" none_lost
done
done_testing
