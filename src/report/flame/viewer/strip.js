/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The time strips: one for each profile, with a bar for each bucket, coloured by load; matches of a search are painted
 * over it. Dragging chooses a range, dragging its middle or edges moves them, and a click clears it.
 */

const STRIP_PX = 40, AXIS_PX = 15;
const TICK_PX = 80, TICKS_MS = [1e3, 5e3, 10e3, 30e3, 60e3, 300e3, 600e3, 1800e3, 3600e3, 3 * 3600e3, 6 * 3600e3, 12 * 3600e3, 86400e3];
const GRIP_PX = 6;			/* distance at which the pointer grips an edge */

let strips = [];			/* { side, canvas, ns, matches } */

const time_key = side => side ? 'time2' : 'time';

/* The chosen range of a profile, [from, to) in buckets; the whole recording if none is chosen. */
function range_of(side)
{
	const { bucket_ns, buckets, early_ns } = profile.profiles[side];
	const text = state[time_key(side)];

	if (!text)
		return [0, buckets];

	const [from, to] = text.split('-').map(s => Number(s) && Math.round((Number(s) * 1e9 + early_ns) / bucket_ns));
	const first = Math.min(Math.max(from || 0, 0), Math.max(buckets - 1, 0));

	return [first, Math.min(Math.max(to || 0, first + 1), buckets)];
}

/* When a bucket begins, in seconds since the recording began: the first one may begin before that. With as many digits as distinguish buckets. */
function seconds(side, bucket)
{
	const { bucket_ns, early_ns } = profile.profiles[side];

	return (Math.max(0, bucket * bucket_ns - early_ns) / 1e9).toFixed(Math.max(0, Math.ceil(9 - Math.log10(bucket_ns))));
}

/* A bucket's beginning for a reader: by the clock if the page knows when the recording began, else in seconds from then on. */
function moment(side, bucket)
{
	const { begin_ms, bucket_ns } = profile.profiles[side];

	return begin_ms ? clock_text(begin_ms + bucket * bucket_ns / 1e6, bucket_ns < 60e9) : `${seconds(side, bucket)} s`;
}

/* The time between two buckets: "10.00 – 20.00 s". */
const moments = (side, from, to) => `${moment(side, from).replace(/ s$/, '')} – ${moment(side, to)}`;

const clock_text = (ms, with_seconds) => new Date(ms).toISOString().slice(11, with_seconds ? 19 : 16);
const day_text = ms => new Date(ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/* The change of state that chooses [from, to). */
function choose_range(side, from, to)
{
	const { buckets } = profile.profiles[side];

	from = Math.max(0, Math.min(from, buckets - 1));
	to = Math.min(buckets, Math.max(to, from + 1));
	return { [time_key(side)]: from === 0 && to === buckets ? '' : `${seconds(side, from)}-${seconds(side, to)}` };
}

function make_strips()
{
	$('strips').replaceChildren();
	strips = profile.profiles.map((p, side) => {
		const strip = { side, canvas: element('canvas', {}), ns: [], matches: null };
		const name = ['before', 'after'][side];

		strip.canvas.setAttribute('role', 'img');
		strip.canvas.setAttribute('aria-label', 'Time. Drag to choose a range; brackets move it.');
		strip.canvas.dataset.side = side;
		$('strips').append(element('div', { className: 'strip' },
			element('span', { title: visible(p.name) }, profile.profiles.length > 1 ? name : ''), strip.canvas));
		listen_to_strip(strip);
		return strip;
	});
}

/* ---- Painting --------------------------------------------------------------------------------------------------- */

/* The smallest step of 1, 2 or 5 times a power of ten that is wide enough for its labels. */
function tick_step(length_s, width)
{
	const least = length_s * 80 / Math.max(width, 1), power = 10 ** Math.floor(Math.log10(least || 1));

	return [1, 2, 5, 10].map(n => n * power).find(step => step >= least);
}

/* Draw the times of day below a strip that ends at @y. */
function draw_clock(c, from, to, width, y)
{
	const x_of = ms => (ms - from) / (to - from) * width, step = TICKS_MS.find(ms => x_of(from + ms) >= TICK_PX) ?? TICKS_MS.at(-1);

	for (let ms = Math.ceil(from / step) * step; ms <= to; ms += step) {
		const text = ms % 86400e3 ? clock_text(ms, step < 60e3) : day_text(ms);

		c.fillRect(Math.round(x_of(ms)), y, 1, 4);
		if (x_of(ms) + c.measureText(text).width + 34 < width)
			c.fillText(text, x_of(ms) + 4, y + AXIS_PX - 3);
	}
	c.textAlign = 'right';
	c.fillText('UTC', width, y + AXIS_PX - 3);
	c.textAlign = 'left';
}

function draw_axis(c, side, width)
{
	const { begin_ms, bucket_ns, buckets, early_ns } = profile.profiles[side];
	const length_s = buckets * bucket_ns / 1e9, early_s = early_ns / 1e9, step = tick_step(length_s, width);
	const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

	c.fillStyle = style.axis;
	c.font = `10.5px ${getComputedStyle(document.body).fontFamily}`;
	c.textBaseline = 'alphabetic';
	if (begin_ms && length_s) {
		draw_clock(c, begin_ms, begin_ms + length_s * 1000, width, STRIP_PX);
		return;
	}
	for (let i = 0; i * step + early_s < length_s; i++) {
		const x = (i * step + early_s) / length_s * width;

		c.fillRect(Math.round(x), STRIP_PX, 1, 4);
		if (x + 30 < width)
			c.fillText(`${(i * step).toFixed(digits)} s`, x + 4, STRIP_PX + AXIS_PX - 3);
	}
}

/* Paint @ns by bucket as bars. Of buckets that share a pixel, the largest is painted. */
function draw_bars(c, ns, width, max, colour)
{
	const n = ns.length, w = width / n;

	for (let b = 0; b < n; ) {
		const x = Math.floor(b * w);
		let most = ns[b], next = b + 1;

		while (next < n && Math.floor(next * w) === x)
			most = Math.max(most, ns[next++]);
		if (most) {
			const height = Math.max(1, most / max * (STRIP_PX - 4));

			c.fillStyle = colour(most / max);
			c.fillRect(x, STRIP_PX - height, Math.max(Math.floor(next * w) - x - (w > 5 ? 1 : 0), 1), height);
		}
		b = next;
	}
}

/* The colour of a load from idle to busy. The CSS variable has both hues, the saturation, and both lightnesses. */
function heat(share)
{
	const [cold, hot, saturation, light, dark] = style.heat.split(' ').map(Number);

	return `hsl(${cold + (hot - cold) * share} ${saturation}% ${light + (dark - light) * share}%)`;
}

function draw_strip({ side, canvas, ns, matches })
{
	const ratio = devicePixelRatio || 1, width = canvas.clientWidth, c = canvas.getContext('2d');
	const max = ns.reduce((a, b) => Math.max(a, b), 1e-9), [from, to] = range_of(side);
	const w = width / Math.max(ns.length, 1);

	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round((STRIP_PX + AXIS_PX) * ratio);
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	if (state[time_key(side)]) {
		c.fillStyle = style.range;
		c.fillRect(from * w, 0, (to - from) * w, STRIP_PX);
	}
	draw_bars(c, ns, width, max, heat);
	if (matches)
		draw_bars(c, matches, width, max, () => style.match);
	c.fillStyle = style.axis;
	c.fillRect(0, STRIP_PX, width, 1);
	draw_axis(c, side, width);
	if (!state[time_key(side)])
		return;

	shade_outside(c, side, width, STRIP_PX);
	c.fillStyle = style.outline;
	for (const x of [from * w, to * w - 1.5]) {
		c.fillRect(x, 0, 1.5, STRIP_PX);
		c.fillRect(x - 1.5, STRIP_PX / 2 - 7, 4.5, 14);
	}
}

/* ---- The pointer ------------------------------------------------------------------------------------------------ */

/* Return the function from the pointer's bucket to the range, depending on what was under it when the drag began. */
function begin_drag(side, bucket, w)
{
	const [from, to] = range_of(side), near = Math.max(GRIP_PX / w, 0.5);

	if (state[time_key(side)]) {
		if (Math.abs(bucket - from) < near)
			return b => [Math.min(b, to - 1), to];
		if (Math.abs(bucket - to) < near)
			return b => [from, Math.max(b, from + 1)];
		if (bucket > from && bucket < to)
			return b => {
				const step = Math.round(b - bucket), { buckets } = profile.profiles[side];
				const first = Math.max(0, Math.min(from + step, buckets - (to - from)));

				return [first, first + to - from];
			};
	}
	return b => [Math.min(b, bucket), Math.max(b, bucket)];
}

function listen_to_strip({ side, canvas })
{
	const { buckets } = profile.profiles[side];
	const bucket_at = event => {
		const box = canvas.getBoundingClientRect();

		return Math.max(0, Math.min((event.clientX - box.left) / box.width, 1)) * buckets;
	};
	let range = null, moved = false, frame = 0;

	canvas.onpointerdown = event => {
		if (event.button || !buckets)
			return;
		canvas.setPointerCapture(event.pointerId);
		range = begin_drag(side, bucket_at(event), canvas.clientWidth / buckets);
		moved = false;
	};
	canvas.onpointermove = event => {
		const bucket = bucket_at(event);

		show_time(side, Math.min(Math.floor(bucket), buckets - 1), event);
		if (!range)
			return;
		const [from, to] = range(bucket);

		moved ||= to - from > 0.5 || Math.abs(event.movementX) > 2;
		cancelAnimationFrame(frame);
		if (moved)
			frame = requestAnimationFrame(() =>
				show({ ...state, ...choose_range(side, Math.floor(from), Math.ceil(to)) }));
	};
	canvas.onpointerup = event => {
		if (!range)
			return;
		const [from, to] = range(bucket_at(event));

		cancelAnimationFrame(frame);
		range = null;
		go(moved ? choose_range(side, Math.floor(from), Math.ceil(to)) : { [time_key(side)]: '' }, true);
	};
	canvas.onpointerleave = () => hide_tooltip();
}

/* Show a tooltip with the load in a bucket. */
function show_time(side, bucket, event)
{
	const { ns, matches } = strips[side], { bucket_ns } = profile.profiles[side];
	const row = (key, value) => element('tr', {}, element('th', {}, key), element('td', {}, value));

	if (bucket < 0)
		return;
	show_tooltip([
		element('strong', {}, moments(side, bucket, bucket + 1)),
		element('table', {}, element('tbody', {},
			row(title_of_kind(), is_counted() ? weight(ns[bucket]) :
				`${duration(ns[bucket])}, ${(ns[bucket] / bucket_ns).toFixed(2)} threads on average`),
			...matches ? [row('matches', percent(matches[bucket], ns[bucket]))] : [])),
	], event.clientX, event.clientY);
}

/* Move the range, or make it longer or shorter, by a tenth of its length. */
function nudge_range(move, grow)
{
	const side = state.time || !state.time2 ? 0 : 1, [from, to] = range_of(side);
	const step = Math.max(1, Math.round((to - from) / 10));
	const length = to - from + 2 * grow * step, first = from + move * step - grow * step;
	const last = profile.profiles[side].buckets - length;

	go(choose_range(side, grow ? first : Math.max(0, Math.min(first, last)),
		grow ? first + length : Math.max(0, Math.min(first, last)) + length), true);
}
