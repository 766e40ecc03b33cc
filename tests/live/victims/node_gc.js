/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes functions and objects so fast that the collector moves them all the time. Each function is called by one other only. */
'use strict';
const ring = [];
let at = 0;

function allocates(n)
{
	const made = [];
	for (let i = 0; i < n; i++)
		made.push({ a: i, b: 'x' + i, c: [i] });
	ring[at++ % 2000] = made;
	return made.length;
}
function makesFunctions(n)
{
	const fresh = function fresh(k) { return allocates(k) + (k > 40 ? [n].map(function mapper(x) { return allocates(x); })[0] : 0); };

	return fresh(n);
}
function top(n)
{
	if (global.gc && n === 0)
		global.gc();
	return makesFunctions(n);
}
const end = Date.now() + Number(process.argv[2]) * 1000;
for (let n = 0; Date.now() < end; n++)
	top(n % 50);
