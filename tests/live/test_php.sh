#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are the functions of PHP in stacks those that PHP itself sees, in the same order, at the same lines?
# PHPS has interpreters; otherwise it is php. usage: test_php.sh DUSK VICTIMS
. "$(dirname "$0")/language.sh"

cat >compare.py <<'END'
import sys
from language import compare, read_log, read_seen, short
def cut(f):  # the name of a class, and of a function
    return "::".join(map(short, f[0].split("::"))), f[1], f[2]
compare("php", read_log(sys.argv[1]), read_seen(sys.argv[2]), lambda a, b: [cut(f) for f in a] == b)
END

# as_php_sees PHP SETTING...
as_php_sees() {
	sees getppid "$@" "$victims/php.php" log 2
}
for php in ${PHPS-php}; do
	needs "$php" "php $php: its frames" || continue
	version=$("$php" -r 'echo PHP_MAJOR_VERSION . "." . PHP_MINOR_VERSION;')
	claim "php $version: names, order and lines are PHP's own" as_php_sees "$php" -d opcache.enable_cli=0
	claim "php $version: no frames are lost" none_lost
	claim "php $version with opcache: the same" as_php_sees "$php" -d opcache.enable_cli=1
	claim "php $version with opcache: no frames are lost" none_lost
	[ "$version" != 8.2 ] || continue # where native stacks end in code of its JIT
	claim "php $version with its JIT: the same" as_php_sees "$php" -d opcache.enable_cli=1 -d opcache.jit=tracing \
		-d opcache.jit_buffer_size=64M -d opcache.jit_hot_func=2 -d opcache.jit_hot_loop=2
	claim "php $version with its JIT: no frames are lost" none_lost
done
done_testing
