/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Format numbers and names.
 *
 * Names come from programs that may be hostile: they are put into the page as text nodes and canvas text, never as
 * markup.
 */

const $ = id => document.getElementById(id);

/* Create an element with properties and children. Strings become text, never markup. */
function element(tag, properties, ...children)
{
	const e = Object.assign(document.createElement(tag), properties);

	e.append(...children);
	return e;
}

const count = n => n.toLocaleString('en-US');
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : word.endsWith('ch') ? 'es' : 's'}`;

function percent(part, whole)
{
	const p = whole ? 100 * part / whole : 0;

	return p === 0 || p === 100 ? `${p} %` : p >= 99.9 ? `${Math.min(p, 99.99).toFixed(2)} %` :
		p < 0.01 ? '< 0.01 %' : `${p.toFixed(p < 10 ? 2 : 1)} %`;
}

/* Format the difference of two shares in percentage points. */
function points(before, after)
{
	const p = 100 * (after - before);

	const text = Math.abs(p).toFixed(Math.abs(p) < 10 ? 2 : 1);

	return `${text === '0.00' ? '' : p > 0 ? '+' : '−'}${text}`;
}

function duration(ns)
{
	for (const [unit, size] of [['h', 3600e9], ['min', 60e9], ['s', 1e9], ['ms', 1e6], ['µs', 1e3]])
		if (ns >= size)
			return `${(ns / size).toFixed(ns / size < 100 ? 1 : 0)} ${unit}`;
	return ns ? `${Math.round(ns)} ns` : '0 s';
}

/* A duration in seconds, for a column of which the rows are compared. */
function in_seconds(ns)
{
	const digits = ns < 1e12 ? 1 : 0;

	return ns < 1e9 ? duration(ns) : `${(ns / 1e9).toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })} s`;
}

/* What the rows of a kind count. An off-CPU interval is no sample: it has a length of its own. */
const NOUNS = { cpu: 'sample', 'off-cpu': 'off-CPU interval', event: 'occurrence' };

/* Occurrences of an event have no time: each weighs 1, where other samples have nanoseconds, and they are counted. */
const is_counted = () => profile.series.some(s => s.kind === 'event');
const weight = ns => is_counted() ? plural(ns, 'time') : duration(ns);

function signed_weight(ns)
{
	return `${ns > 0 ? '+' : ns < 0 ? '−' : ''}${weight(Math.abs(ns))}`;
}

/* Shorten a long path to its end. */
function short_path(path)
{
	return path.length > 70 ? '…' + path.slice(-69) : path;
}

function shorten(text, room)
{
	return text.length > room ? text.slice(0, room - 1) + '…' : text;
}

const MIDDLE_LEAST = 12;	/* shorter texts are cut at their end, so that a whole word may remain */

/* Shorten a text to its beginning and its end. */
function shorten_middle(text, room)
{
	const tail = room < MIDDLE_LEAST ? 0 : Math.floor((room - 1) / 2);

	return text.length > room ? text.slice(0, room - 1 - tail) + '…' + text.slice(text.length - tail) : text;
}

const ARGUMENTS_LEVELS = 8;	/* bounds the work on hostile names */

/*
 * Shorten the name of a function to @room characters: template arguments first, from the innermost ones outwards, then the
 * types of its parameters, then the middle. Names have no control characters (visible()), so that \x01 can stand for "<…>".
 */
function shorten_name(name, room)
{
	let text = name;

	for (let level = 0, folded; level < ARGUMENTS_LEVELS && text.length > room; level++, text = folded) {
		folded = text.replace(/<[^<>\x01]{2,}>|<[^<>]*\x01[^<>]*>/g, '\x01');
		if (folded === text)
			break;
	}
	text = text.replaceAll('\x01', '<…>');
	if (text.length > room)
		text = text.replace(/\([^()]{2,}\)/g, '(…)');
	return shorten_middle(text, room);
}

/* Hash @text by FNV-1a to a number in [0, 1). */
function hash_fraction(text)
{
	let h = 0x811c9dc5;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	h ^= h >>> 15;
	return ((Math.imul(h, 0x2c1b3c6d) >>> 0) % 4096) / 4096;
}

async function copy_text(text)
{
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		/* Some browsers do not allow pages from files to use the clipboard. */
		const area = element('textarea', { value: text });

		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
}
