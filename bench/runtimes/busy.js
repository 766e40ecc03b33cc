// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions, builtins, regular expressions, and code that is compiled again and again.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
for (;;) {
	fib(24)
	JSON.parse(JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ a: i, b: 'x' + i }))))
	'some words to pack '.repeat(2000).replace(/(\w+) (\w+)/g, '$2 $1').split(' ').sort()
	eval('(function f(x) { return x ? f(x - 1) + ' + Math.random() + ' : 0 })')(100)
}
