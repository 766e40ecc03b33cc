/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A track of time for each chosen thread, below the strip and with its axis: how much of each bucket the thread was on CPU,
 * and why it was off CPU for the rest. An off-CPU interval ends in a gap, so that a long one is a long bar. A click shows the
 * stack of the bucket's largest row.
 */

const TRACK_PX = 18;
const TRACK_NAME_PX = 200, TRACK_NAME_PHONE_PX = 96;

/* Colours of states: those in which the thread waits for others' work are pale, delays are not. [hue, saturation, lightness] */
const STATE_COLOURS = {
	'[sleeping]': [290, 22, 86], '[idle]': [290, 10, 90], '[preempted]': [45, 90, 58], '[born]': [45, 70, 70],
	'[uninterruptible]': [0, 62, 66], '[stopped]': [0, 0, 60], '[throttled]': [20, 90, 58], [IDLE_MARK]: [290, 10, 93],
};
const OTHER_STATE = [290, 24, 74];

const tracks = { list: null, threads: [], width: 1, name_px: TRACK_NAME_PX };

function colour_of_state(label)
{
	const [hue, saturation, lightness] = STATE_COLOURS[profile.names[label]] ?? OTHER_STATE;

	return `hsl(${hue} ${saturation}% ${is_dark() ? Math.min(lightness, 70) - 22 : lightness}%)`;
}

/* Where the groups of thread @t are in @series: [from, to). Groups are in the order of threads. */
function groups_of(series, t)
{
	if (!series.of_thread) {
		const at = series.of_thread = new Uint32Array(profile.profiles[series.profile].threads + 1);

		for (const thread of series.thread)
			at[thread + 1]++;
		for (let i = 1; i < at.length; i++)
			at[i] += at[i - 1];
	}
	return [series.of_thread[t], series.of_thread[t + 1]];
}

/* Call @each(series, bucket, row) for the rows of thread @t (of all profiles), of all kinds. */
function for_each_row_of(t, each)
{
	const { side } = profile.threads, mine = t - side.indexOf(side[t]);

	for (const series of profile.series) {
		if (series.profile !== side[t])
			continue;
		const [from, to] = groups_of(series, mine);

		for (let g = from; g < to; g++)
			for (let r = series.first[g]; r < series.first[g + 1]; r++)
				each(series, series.bucket[g], r);
	}
}

/* The label of the state of a row, or -1 if it is not of time off CPU. */
function state_of_row(series, r)
{
	const { tree, kinds } = profile;

	return series.kind === 'off-cpu' ? tree.label[states_in(tree, kinds)[series.node[r]]] : -1;
}

/* The ns of the longest off-CPU interval of thread @t within the chosen time. */
function longest_of_thread(t)
{
	const [from, to] = range_of(profile.threads.side[t]);
	let longest = 0;

	for_each_row_of(t, (series, bucket, r) => {
		if (series.longest && bucket >= from && bucket < to)
			longest = Math.max(longest, series.longest[r] * series.unit_ns);
	});
	return longest;
}

/* ---- Painting --------------------------------------------------------------------------------------------------- */

/* What thread @t did by bucket: on: ns on CPU; off: label of a state -> ns; ends: 1 where an off-CPU interval ended. */
function track_of(t)
{
	const nr = profile.profiles[profile.threads.side[t]].buckets;
	const track = { on: new Float64Array(nr), off: new Map(), ends: new Uint8Array(nr) };

	for_each_row_of(t, (series, bucket, r) => {
		const why = state_of_row(series, r), ns = series.weight[r] * series.unit_ns;

		if (why < 0) {
			track.on[bucket] += ns;
			return;
		}
		if (!track.off.has(why))
			track.off.set(why, new Float64Array(nr));
		track.off.get(why)[bucket] += ns;
		track.ends[bucket] |= series.samples[r] > 0;
	});
	return track;
}

function draw_track(canvas, t, width)
{
	const ratio = devicePixelRatio || 1, c = canvas.getContext('2d'), side = profile.threads.side[t];
	const { bucket_ns, buckets } = profile.profiles[side], { on, off, ends } = track_of(t), w = width / Math.max(buckets, 1);

	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(TRACK_PX * ratio);
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	for (let b = 0; b < buckets; b++) {
		let y = TRACK_PX;
		const x = Math.floor(b * w), right = Math.max(Math.floor((b + 1) * w), x + 1);
		const part = (ns, colour, least) => {
			const height = Math.min(Math.max(Math.min(ns / bucket_ns, 1) * TRACK_PX, ns ? least : 0), y);

			c.fillStyle = colour;
			c.fillRect(x, y - height, right - x - (ends[b] && right - x > 2 ? 1 : 0), height);
			y -= height;
		};

		part(is_counted() ? on[b] * bucket_ns : on[b], colour_of_kind(USER, 0.3, 0.5), 2);
		for (const [label, ns] of off)
			part(ns[b], colour_of_state(label), 0);
	}
	shade_outside(c, side, width, TRACK_PX);
}

/* Fade what is outside of the chosen time. */
function shade_outside(c, side, width, height)
{
	const [from, to] = range_of(side), w = width / Math.max(profile.profiles[side].buckets, 1);

	if (!state[time_key(side)])
		return;
	c.globalAlpha = 0.72;
	c.fillStyle = getComputedStyle(document.body).backgroundColor;
	c.fillRect(0, 0, from * w, height);
	c.fillRect(to * w, 0, width - to * w, height);
	c.globalAlpha = 1;
}

/* ---- The list --------------------------------------------------------------------------------------------------- */

function track_row(t)
{
	const canvas = element('canvas', {}), { tid } = profile.threads, name = thread_name(t);
	const bucket_at = event => Math.max(0, Math.min(Math.floor(event.offsetX / canvas.clientWidth *
		profile.profiles[profile.threads.side[t]].buckets), profile.profiles[profile.threads.side[t]].buckets - 1));
	const row = element('div', { className: 'row track' },
		element('span', { className: 'name', title: `${name} ${tid[t]}` },
			`${shorten_title(name, Math.floor((tracks.name_px - 20) / NAME_CHAR_PX) - `${tid[t]}`.length)} ${tid[t]}`), canvas);

	row.dataset.tid = tid[t];
	draw_track(canvas, t, tracks.width);
	canvas.onmousemove = event => show_tooltip(describe_moment(t, bucket_at(event)), event.clientX, event.clientY);
	canvas.onmouseleave = hide_tooltip;
	canvas.onclick = event => show_stack_at(t, bucket_at(event));
	return row;
}

function sorted_threads()
{
	const { nr, pid, tid, side } = profile.threads, chosen = [];

	for (let t = 0; t < nr; t++)
		if (model.thread_ns[t] && (!model.mask || model.mask[t]))
			chosen.push(t);

	const key = { time: t => -model.thread_ns[t], pid: t => pid[t], longest: t => -longest[t] }[state.sort];
	const longest = state.sort === 'longest' ? Object.fromEntries(chosen.map(t => [t, longest_of_thread(t)])) : {};

	return chosen.sort((a, b) => side[a] - side[b] || key(a) - key(b) || tid[a] - tid[b]);
}

/* What the colours mean: the states that the profile has. */
function show_track_legend()
{
	const swatch = (colour, text) => {
		const e = element('span', {}, element('i', {}), text);

		e.firstChild.style.background = colour;
		return e;
	};
	const states = [...profile.kinds].flatMap((kind, f) => kind === STATE && profile.names[f] in STATE_COLOURS ? [f] : []);

	$('track-legend').replaceChildren(swatch(colour_of_kind(USER, 0.3, 0.5), is_counted() ? 'occurrences' : 'on CPU'),
		...states.map(f => swatch(colour_of_state(f), profile.names[f].slice(1, -1))));
}

/* @stale: the sums, the order or the colours have changed. */
function show_tracks(stale)
{
	const shown = state.tracks === 'yes', box = $('tracks').lastElementChild;

	if (!stale)
		return;
	$('tracks').hidden = !shown;
	document.body.classList.toggle('tracks', shown);
	tracks.name_px = innerWidth <= 600 ? TRACK_NAME_PHONE_PX : TRACK_NAME_PX;
	document.body.style.setProperty('--gutter', `${tracks.name_px}px`);
	if (!shown)
		return;
	show_track_legend();
	tracks.list ??= make_list(box, track_row, () => {
		tracks.width = Math.max(strips[0].canvas.clientWidth, 1);
	});
	tracks.threads = sorted_threads();
	box.style.height = `${Math.min(tracks.threads.length, 10) * LIST_ROW_PX}px`;
	tracks.list.set(tracks.threads);
}

/* ---- The pointer ------------------------------------------------------------------------------------------------ */

/*
 * The largest row of thread @t in @bucket that the edits leave in, and the length of its off-CPU interval (0: it has none):
 * that of the bucket in which it ended. null: there is no row.
 */
function largest_row(t, bucket)
{
	let best = null;

	for_each_row_of(t, (series, b, r) => {
		const ns = series.weight[r] * series.unit_ns, node = series.node[r];

		if (b === bucket && (!base.place || base.place[node] >= 0) && (!best || ns > best.ns))
			best = { series, r, ns, node, longest: 0, end: bucket };
	});
	if (best?.series.longest) {
		let found_end = false;

		for_each_row_of(t, (series, b, r) => {
			if (found_end || series !== best.series || b < bucket || series.node[r] !== best.node || !series.samples[r])
				return;
			found_end = true;
			best.longest = series.longest[r] * series.unit_ns;
			best.end = b;
		});
	}
	return best;
}

/* What thread @t did in @bucket, as elements. */
function describe_moment(t, bucket)
{
	const { tid, side } = profile.threads, { on, off } = track_of(t), best = largest_row(t, bucket), { tree, names } = profile;
	const row = (key, value) => element('tr', {}, element('th', {}, key), element('td', {}, value));
	const states = best && states_in(tree, profile.kinds), at = best && states[best.node];

	return [
		element('strong', {}, `${shorten_middle(thread_name(t), 100)} ${tid[t]}`),
		element('div', { className: 'where' }, moments(side[t], bucket, bucket + 1)),
		...best ? [element('div', { className: 'place' }, shorten_name(names[tree.label[at ? tree.parent[at] : best.node]], 100))] : [],
		element('table', {}, element('tbody', {},
			...on[bucket] ? [row(is_counted() ? 'occurrences' : 'on CPU', weight(on[bucket]))] : [],
			...[...off].filter(([, ns]) => ns[bucket]).map(([label, ns]) => row(names[label], duration(ns[bucket]))),
			...best?.longest ? [row('this off-CPU interval', duration(best.longest))] : [])),
	];
}

/* Zoom to the stack of the largest row of thread @t in @bucket, after removing what would hide it. */
function show_stack_at(t, bucket)
{
	const best = largest_row(t, bucket), { side, tid } = profile.threads, [from, to] = range_of(side[t]);

	if (!best)
		return;
	go({
		merge: 'callees', zoom: base.place ? base.place[best.node] : best.node, search: '',
		...state.kind !== best.series.kind && state.kind !== WALL ? { kind: best.series.kind } : {},
		...bucket < from || bucket >= to ? { [time_key(side[t])]: '' } : {},
		...profile.profiles.length > 1 ? { basis: ['before', 'after'][side[t]] } : {},
	}, true);
	say(`${thread_name(t)} ${tid[t]}: ` + (best.longest ?
		`off CPU for ${duration(best.longest)}, until ${moment(side[t], best.end)}` :
		`${weight(best.ns)} from ${moment(side[t], bucket)}`));
}
