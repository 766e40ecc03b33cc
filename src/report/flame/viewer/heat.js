/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The strip of time of a page that is served: the CPU time of the hours or days around what is shown, from which another part
 * can be dragged. Times are UTC, as in the addresses.
 */

const OVERVIEWS_MS = [3600e3, 6 * 3600e3, 86400e3, 7 * 86400e3];	/* up to now; what is older is in the middle of the longest */
const HEAT_PX = 26;

const heat_strip = { rows: [], from: 0, to: 1, drag: null };

const UNITS_MS = { ms: 1, s: 1000, m: 60e3, h: 3600e3, d: 86400e3 };

/* The time that @text means, in ms since 1970; null: only the server knows. */
function time_ms(text)
{
	const ago = text?.match(/^-([\d.]+)(ms|s|m|h|d)?$/);

	if (ago)
		return Date.now() - Number(ago[1]) * UNITS_MS[ago[2] ?? 's'];
	if (!text || text === 'now')
		return Date.now();
	return /^\d{4}-.*Z$/.test(text) && Date.parse(text) || null;
}

const time_text = ms => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/* A range as a reader wants it: "24 Nov 02:00 – 03:00 UTC". */
function span_text(from, to)
{
	const clock = ms => clock_text(ms, to - from < 600e3);

	return `${day_text(from)} ${clock(from)} – ${day_text(to) === day_text(from) ? '' : `${day_text(to)} `}${clock(to)} UTC`;
}

/* The part of all time that surrounds what is shown, as [from, to] in ms. */
function overview()
{
	const now = Date.now(), from = Math.min(...[shown_ms()[0], before_ms()?.[0]].filter(Boolean), now), longest = OVERVIEWS_MS.at(-1);
	const ms = OVERVIEWS_MS.find(ms => ms >= 2 * (now - from)) ?? longest;

	return now - from <= ms ? [now - ms, now] : [from - longest / 2, from + longest / 2];
}

async function load_heat()
{
	const [from, to] = overview();

	Object.assign(heat_strip, { from, to });
	draw_heat();

	const rows = await ask_rows('timeline', [...LABELS, ...MORE], { from: time_text(from), to: time_text(to), kind: 'cpu' }).catch(() => []);

	Object.assign(heat_strip, { rows: rows.map(row => ({ ms: Date.parse(row.time), self: row.self })) });
	draw_heat();
}

/* How long a row is, in ms: the server cuts the time into equal parts, of which those without anything are no rows. */
function heat_part_ms()
{
	const { rows, from, to } = heat_strip;

	return rows.slice(1).reduce((least, row, i) => Math.min(least, row.ms - rows[i].ms), rows.length > 1 ? Infinity : (to - from) / 100);
}

function draw_heat()
{
	const { rows, from, to, drag } = heat_strip, canvas = $('heat'), c = canvas.getContext('2d');
	const width = canvas.clientWidth, ratio = devicePixelRatio || 1, most = Math.max(...rows.map(row => row.self), 1);
	const x_of = ms => (ms - from) / (to - from) * width, part = x_of(from + heat_part_ms());

	canvas.width = width * ratio;
	canvas.height = (HEAT_PX + AXIS_PX) * ratio;
	c.scale(ratio, ratio);
	for (const { ms, self } of rows) {
		const height = Math.max(self / most * (HEAT_PX - 2), 1), x = Math.round(x_of(ms));

		c.fillStyle = heat(self / most);
		c.fillRect(x, HEAT_PX - height, Math.max(Math.round(x_of(ms) + part) - x - (part > 5 ? 1 : 0), 1), height);
	}
	c.fillStyle = style.axis;
	c.fillRect(0, HEAT_PX, width, 1);
	c.font = `10.5px ${getComputedStyle(document.body).fontFamily}`;
	draw_clock(c, from, to, width, HEAT_PX);

	const box = ([begin, end], dashes) => {
		const x = Math.max(x_of(begin), 0), right = Math.min(x_of(end), width);

		if (right < 0 || x > width)
			return;
		c.setLineDash(dashes);
		c.fillStyle = style.range;
		c.fillRect(x, 0, Math.max(right - x, 2), HEAT_PX);
		c.strokeStyle = style.outline;
		c.lineWidth = 1.5;
		c.strokeRect(x + 0.75, 0.75, Math.max(right - x - 1.5, 2), HEAT_PX - 1);
	};
	if (before_ms())
		box(before_ms(), [4, 3]);
	if (drag ?? shown_ms().every(ms => ms !== null))
		box(drag ?? shown_ms(), []);
	canvas.setAttribute('aria-label', `CPU time, ${span_text(from, to)}`);
}

function show_heat_time(ms, event)
{
	const part = heat_part_ms(), row = heat_strip.rows.findLast(row => row.ms <= ms);
	const self = row && ms < row.ms + part ? row.self : 0, begin = row && self ? row.ms : ms - ms % part;

	show_tooltip([
		element('strong', {}, span_text(begin, begin + part)),
		element('div', { className: 'where' }, self ? `${plural(self, 'sample')} of CPU time` : 'nothing recorded'),
	], event.clientX, event.clientY);
}

function listen_to_heat()
{
	const canvas = $('heat');
	const at = event => {
		const { left, width } = canvas.getBoundingClientRect(), { from, to } = heat_strip;

		return from + Math.min(Math.max((event.clientX - left) / width, 0), 1) * (to - from);
	};
	let begin = null;

	canvas.onpointerdown = event => { begin = at(event); canvas.setPointerCapture(event.pointerId); };
	canvas.onpointermove = event => {
		show_heat_time(at(event), event);
		if (begin === null)
			return;
		heat_strip.drag = [Math.min(begin, at(event)), Math.max(begin, at(event))];
		draw_heat();
	};
	canvas.onpointerleave = () => { $('tooltip').hidden = true; };
	canvas.onpointerup = () => {
		const drag = heat_strip.drag;

		begin = heat_strip.drag = null;
		if (drag && drag[1] - drag[0] >= 1000)
			choose({ from: time_text(drag[0]), to: time_text(drag[1]) });
		else
			draw_heat();
	};
	addEventListener('resize', draw_heat);
}
