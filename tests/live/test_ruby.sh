#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of Ruby in stacks those that Ruby itself sees, in the same order, at the same lines?
# RUBIES has interpreters; otherwise it is ruby. usage: test_ruby.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

cat >compare.py <<'END'
import sys
from language import compare, read_log, read_seen, short
def same(a, b):  # what may be a formula is quoted
    return [(short(f[0]), *f[1:]) for f in a] == [(f[0].removeprefix("'"), *f[1:]) for f in b]
compare("ruby", read_log(sys.argv[1]), read_seen(sys.argv[2]), same)
END

# as_ruby_sees RUBY
as_ruby_sees() {
	sees getppid "$1" -W0 "$victims/ruby.rb" log 2
}
for ruby in ${RUBIES-ruby}; do
	needs "$ruby" "ruby $ruby: its frames" || continue
	version=$("$ruby" -e 'print RUBY_VERSION')
	claim "ruby $version: names, order and lines are Ruby's own" as_ruby_sees "$ruby"
	claim "ruby $version: no frames are lost" none_lost
done
done_testing
