/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls getppid() in all ways in which V8 calls functions, and logs its own stack each time.
 * usage: node.js LOG ROUNDS
 */
'use strict';
const fs = require('fs');
const vm = require('vm');

const [log, rounds] = [process.argv[2], Number(process.argv[3])];
const lines = [];
Error.stackTraceLimit = Infinity;

/* What waits for a promise is not on the stack. */
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

function flush()
{
	fs.writeFileSync(log, lines.join('\n') + '\n');
}

function recurse(depth, f)
{
	return depth === 0 ? f() : recurse(depth - 1, f) + 1;
}

class Shape {
	#hidden = 0;
	static made = Shape.make();
	constructor() { mark(); }
	static make() { mark(); return 1; }
	area() { return mark(); }
	get side() { return mark(); }
	set side(v) { mark(); }
	#secret() { return mark(); }
	reveal() { return this.#secret(); }
	toString() { mark(); return 'shape'; }
	toJSON() { mark(); return {}; }
	valueOf() { mark(); return 1; }
	[Symbol.iterator]() { mark(); return [1, 2][Symbol.iterator](); }
	['comp' + 'uted']() { return mark(); }
	"a name with blanks"() { return mark(); }
	größe() { return mark(); }
	面積() { return mark(); }
}
class Square extends Shape {
	constructor() { super(); mark(); }
	area() { return super.area(); }
}

function* counter(n)
{
	for (let i = 0; i < n; i++) {
		mark();
		yield i;
	}
}
function* outer()
{
	yield* counter(2);
	mark();
}

const arrow = () => mark();
const object = { method() { return mark(); }, field: function () { return mark(); }, arrow: () => mark(), get got() { return mark(); } };
const namespace = { inner: { deep: {} } };
namespace.inner.deep.assigned = function () { return mark(); };
Shape.prototype.added = function () { return mark(); };

function manyVariables()
{
	let v0 = 0, v1 = 1, v2 = 2, v3 = 3, v4 = 4, v5 = 5, v6 = 6, v7 = 7, v8 = 8, v9 = 9, v10 = 10, v11 = 11, v12 = 12, v13 = 13;
	const f = () => [v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, mark()];
	return f();
}
const names = Array.from({ length: 100 }, (_, i) => 'captured' + i);
const hashed = new Function('mark', `let ${names.map(n => n + ' = 0').join(', ')};
	return function hashedVariables() { return [${names.join(', ')}, mark()]; };`)(mark);
const self = new Function('mark', `return function tooMany() { let ${names.map(n => n + ' = 0').join(', ')}; const f = () => [${names.join(', ')}]; mark(); return f; };`)(mark);

const ways = [
	() => mark(),
	() => recurse(20, mark),
	() => [3, 1, 2].map(mark),
	() => [3, 1, 2].forEach(function () { mark(); }),
	() => [3, 1, 2].sort(function compare(a, b) { mark(); return a - b; }),
	() => [1, 2, 3].reduce((a, b) => { mark(); return a + b; }),
	() => [1].flatMap(() => [1].filter(() => [1].some(() => mark()))),
	() => Array.from([1, 2], mark),
	() => 'aaa'.replace(/a/g, () => { mark(); return 'b'; }),
	() => 'aaa'.replace('a', () => { mark(); return 'b'; }),
	() => JSON.stringify(new Shape()),
	() => JSON.parse('[1, 2]', (k, v) => { mark(); return v; }),
	() => new Square().area(),
	() => { const s = new Square(); s.side = s.side; s.reveal(); s.computed(); s['a name with blanks'](); s.größe(); s.面積(); },
	() => `${new Shape()}` + (+new Shape()) + [...new Shape()],
	() => [...counter(3)],
	() => { for (const x of outer()) mark(); },
	() => arrow() + object.method() + object.field() + object.arrow() + object.got,
	() => namespace.inner.deep.assigned() + new Shape().added(),
	() => manyVariables(),
	() => hashed(),
	() => self(),
	() => mark.call(null) + mark.apply(null, []) + mark.bind(null)() + Reflect.apply(mark, null, []),
	() => Reflect.construct(Shape, []),
	() => new Proxy({}, { get() { mark(); return 0; }, has() { mark(); return true; } }).x,
	() => eval('mark()'),
	() => (0, eval)('(f => f())')(mark),
	() => new Function('f', 'return f()')(mark),
	() => vm.runInThisContext('(function named(f) { return f(); })', { filename: '/srv/made.js', lineOffset: 10 })(mark),
	() => vm.runInNewContext('f()', { f: mark }, '/srv/context.js'),
	() => { try { throw { toString() { mark(); return ''; } }; } catch (e) { return String(e); } finally { mark(); } },
	() => { new Map([[1, 2]]).forEach(() => mark()); new Set([1]).forEach(() => mark()); },
	() => Object.defineProperty({}, 'x', { get: function getter() { return mark(); } }).x,
	() => new (class { constructor() { mark(); } })(),
	() => new (class extends Array { constructor() { super(3); mark(); } })(),
	() => (function () { return mark(); })(),
	() => process.emit('something', 1),
	() => [1, 2, 3].toString.call({ join() { return mark(); } }),
	() => new Promise(resolve => { mark(); resolve(); }),
	() => [new Int32Array([2, 1])].forEach(a => a.sort(() => mark())),
];
process.on('something', function listener() { mark(); });

async function later()
{
	await null;
	mark();
	await new Promise(resolve => setTimeout(() => { mark(); resolve(); }, 1));
	mark();
	for await (const x of (async function* () { yield 1; mark(); })())
		mark();
}

async function main()
{
	for (let i = 0; i < rounds; i++) {
		for (const way of ways)
			way();
		await later();
		await new Promise(resolve => setImmediate(function immediate() { mark(); process.nextTick(() => { mark(); resolve(); }); }));
		await new Promise(resolve => fs.stat('/', () => { mark(); resolve(); }));
		queueMicrotask(() => mark());
	}
}
main().then(flush);
