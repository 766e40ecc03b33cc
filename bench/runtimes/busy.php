<?php
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The interpreter, callbacks, and regular expressions.
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
for (;;) {
	fib(20);
	$t = [];
	for ($i = 0; $i < 20000; $i++)
		$t[] = "x" . ($i * 7919 % 20011);
	usort($t, fn($a, $b) => strcmp($a, $b));
	preg_replace('/(\w+) (\w+)/', '$2 $1', str_repeat('some words to pack ', 2000));
	json_decode(json_encode($t));
}
