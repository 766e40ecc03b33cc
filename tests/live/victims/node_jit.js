/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls getppid() in functions that are compiled, and that the compiler puts into each other, and logs its own stack each time.
 * usage: node_jit.js LOG
 */
'use strict';
const fs = require('fs');
const lines = [];
Error.stackTraceLimit = Infinity;
function frames(error, sites)
{
	return sites.filter(s => !s.isAsync() && !s.isPromiseAll()).map(s => [s.getFunctionName() || '<anonymous>', s.getFileName() || '', s.getLineNumber() || 0]);
}
function mark()
{
	Error.prepareStackTrace = frames;
	const stack = [new Error().stack, process.ppid][0]; /* on one line: both have the same stack */
	Error.prepareStackTrace = undefined;
	lines.push(JSON.stringify([process.pid, stack]));
	return 0;
}
const every = 5000;
function third(i)
{
	if (i % every === 0)
		mark();
	return i + 1;
}
function second(i)
{
	let x = 0;
	x += third(i);
	x += 3;
	return x;
}
const first = i =>
	second(i) +
	second(i + 1);
function loop(n)
{
	let s = 0;
	for (let i = 0; i < n; i++)
		s += first(i);
	return s;
}
class Shape {
	area(i) { return third(i); }
}
function viaMap(n)
{
	const shape = new Shape();
	return Array.from({ length: n }, (_, i) => i).map(function mapper(i) { return shape.area(i); }).length;
}
function recurse(d, i)
{
	return d ? recurse(d - 1, i) : third(i);
}
function deep(n)
{
	let s = 0;
	for (let i = 0; i < n; i++)
		s += recurse(4, i);
	return s;
}
for (let k = 0; k < 20; k++) {
	loop(60000);
	viaMap(60000);
	deep(60000);
}
fs.writeFileSync(process.argv[2], lines.join('\n') + '\n');
