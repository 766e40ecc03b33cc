/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The page as dusk web serves it: its data come from the server, for what the address says. The query of the address is what
 * the server is asked; the fragment is the view of that, as in a page that is a file (state.js).
 */

const TIMES = ['from', 'to'], BEFORE = ['before_from', 'before_to'];
const CHOSEN = ['service', 'unit', 'container', 'version'];	/* labels that can be chosen from a list */
const MORE = ['pod', 'namespace', 'comm', 'pid', 'focus', 'ignore'];	/* what only the address can say */
const LIVE_MS = 10000, LIVE_FROM = '-60s';
const OVERVIEWS = [['-1h', 3600e3], ['-24h', 86400e3], ['-7d', 7 * 86400e3]];
const HEAT_PX = 26;

const server = { query: new URLSearchParams(), asks: 0, stop: null, timer: 0, heat: { rows: [], from: 0, to: 1 }, drag: null };

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

/* Ask for @path with those of @keys that the address has, and @more. */
async function ask(path, keys, more = {})
{
	const query = new URLSearchParams(Object.entries(more));

	for (const key of keys)
		if (server.query.get(key) && !(key in more))
			query.set(key, server.query.get(key));

	const answer = await fetch(`/api/v1/${path}?${query}`, { signal: server.stop.signal });

	if (!answer.ok)
		throw new Error((await answer.json().catch(() => ({}))).error ?? `the server says ${answer.status}`);
	return answer;
}

/* The rows of an answer in NDJSON, without the line that names the columns. */
async function ask_rows(path, keys, more)
{
	const text = await (await ask(path, keys, more)).text();

	return text.trim().split('\n').slice(1).map(line => JSON.parse(line));
}

async function ask_profile()
{
	const answer = await ask('flame', [...TIMES, ...BEFORE, ...CHOSEN, ...MORE]);

	$('said').textContent = answer.headers.get('Dusk-Said') ?? '';
	return read_page(new Uint8Array(await answer.arrayBuffer()));
}

/* ---- Times ------------------------------------------------------------------------------------------------------ */

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

/* The range that is shown, [from, to] in ms. */
const shown_ms = () => [time_ms(server.query.get('from') || '-1h'), time_ms(server.query.get('to') || 'now')];

/* ---- The strip of time ------------------------------------------------------------------------------------------ */

/* The part of all time that surrounds what is shown: as much of the past as makes it easy to look around. */
function overview()
{
	const [from] = shown_ms(), ago = Date.now() - (from ?? 0);

	return OVERVIEWS.find(([, ms]) => ms >= 2 * ago) ?? OVERVIEWS.at(-1);
}

async function load_heat()
{
	const [from, ms] = overview(), now = Date.now();
	const rows = await ask_rows('timeline', [...CHOSEN, ...MORE], { from, kind: 'cpu' }).catch(() => []);

	server.heat = { rows: rows.map(row => ({ ms: Date.parse(row.time), self: row.self })), from: now - ms, to: now };
	draw_heat();
}

function draw_heat()
{
	const { rows, from, to } = server.heat, heat = $('heat'), c = heat.getContext('2d');
	const width = heat.clientWidth, ratio = devicePixelRatio || 1, most = Math.max(...rows.map(row => row.self), 1);
	const x_of = ms => (ms - from) / (to - from) * width;
	const least = rows.reduce((least, row, i) => i ? Math.min(least, row.ms - rows[i - 1].ms) : least, (to - from) / 100);
	const [hue_low, hue_high, saturation, light, dark] = style.heat.split(' ').map(Number);

	heat.width = width * ratio;
	heat.height = HEAT_PX * ratio;
	c.scale(ratio, ratio);
	for (const { ms, self } of rows) {
		const part = self / most;

		c.fillStyle = `hsl(${hue_low + (hue_high - hue_low) * part} ${saturation}% ${light + (dark - light) * part}%)`;
		c.fillRect(x_of(ms), HEAT_PX * (0.6 - 0.6 * part), Math.max(x_of(ms + least) - x_of(ms), 1), HEAT_PX);
	}
	const [shown_from, shown_to] = server.drag ?? shown_ms();

	c.strokeStyle = style.text;
	c.lineWidth = 2;
	if (shown_from !== null && shown_to !== null)
		c.strokeRect(Math.max(x_of(shown_from), 1), 1, Math.max(x_of(shown_to) - Math.max(x_of(shown_from), 1) - 1, 2), HEAT_PX - 2);
	heat.title = `CPU time from ${new Date(from).toLocaleString()} until now. Drag to choose a part`;
}

function listen_to_heat()
{
	const heat = $('heat');
	const at = event => {
		const { left, width } = heat.getBoundingClientRect(), { from, to } = server.heat;

		return from + Math.min(Math.max((event.clientX - left) / width, 0), 1) * (to - from);
	};
	let begin = null;

	heat.onpointerdown = event => { begin = at(event); heat.setPointerCapture(event.pointerId); };
	heat.onpointermove = event => {
		if (begin === null)
			return;
		server.drag = [Math.min(begin, at(event)), Math.max(begin, at(event))];
		draw_heat();
	};
	heat.onpointerup = () => {
		const drag = server.drag;

		begin = server.drag = null;
		if (drag && drag[1] - drag[0] >= 1000)
			choose({ from: time_text(drag[0]), to: time_text(drag[1]) });
		else
			draw_heat();
	};
}

/* ---- Choosing --------------------------------------------------------------------------------------------------- */

/* Ask for something else: the keys of @change, '' takes one away. */
function choose(change)
{
	for (const [key, value] of Object.entries(change))
		value ? server.query.set(key, value) : server.query.delete(key);
	if (!('live' in change))
		stop_live();
	history.pushState(null, '', `?${server.query}${write_hash()}`);
	load();
}

/* Compare with the same length of time right before, or no longer. */
function toggle_compare()
{
	const [from, to] = shown_ms();

	if (BEFORE.some(key => server.query.get(key)))
		choose({ before_from: '', before_to: '' });
	else if (from !== null && to !== null)
		choose({ before_from: time_text(2 * from - to), before_to: time_text(from), from: time_text(from), to: time_text(to) });
}

function stop_live()
{
	clearInterval(server.timer);
	server.timer = 0;
}

function toggle_live()
{
	if (server.timer) {
		stop_live();
		show_query();
		return;
	}
	choose({ live: '', from: LIVE_FROM, to: '', before_from: '', before_to: '' });
	server.timer = setInterval(load, LIVE_MS);
	show_query();
}

/* An address that shows the same tomorrow: with times instead of "an hour ago". */
function copy_link()
{
	const query = new URLSearchParams(server.query);

	for (const [key, ms] of Object.entries({ from: shown_ms()[0], to: shown_ms()[1] }))
		if (ms !== null)
			query.set(key, time_text(ms));
	copy_text(`${location.origin}/?${query}${write_hash()}`).then(() => { $('said').textContent = 'Copied: the address of this view'; });
}

/* The lists show what ran in this time, with most time first. */
async function load_labels()
{
	const rows = await ask_rows('labels', TIMES, { kind: 'wall' }).catch(() => []);

	for (const key of CHOSEN) {
		const sums = new Map(), chosen = server.query.get(key) ?? '';

		for (const row of rows)
			if (row[key])
				sums.set(row[key], (sums.get(row[key]) ?? 0) + (row.self_ms ?? row.self));
		if (chosen && !sums.has(chosen))
			sums.set(chosen, 0);

		const names = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
		const option = (value, text) => element('option', { value, selected: value === chosen }, text);

		$(`by-${key}`).replaceChildren(option('', `any ${key}`), ...names.map(name => option(name, shorten_middle(visible(name), 40))));
		$(`by-${key}`).hidden = !names.length;
	}
}

/* Show what is asked for. */
function show_query()
{
	const ago = server.query.get('to') ? '' : server.query.get('from') || '-1h';

	for (const key of [...TIMES, ...BEFORE])
		$(`ask-${key}`).value = server.query.get(key) ?? '';
	for (const button of document.querySelectorAll('button[data-ago]'))
		button.setAttribute('aria-pressed', !server.timer && button.dataset.ago === ago);
	$('live').setAttribute('aria-pressed', Boolean(server.timer));
	$('compare').setAttribute('aria-pressed', BEFORE.some(key => server.query.get(key)));
	$('before').hidden = !BEFORE.some(key => server.query.get(key));
}

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

/* The names of the frames from the root to what is zoomed to: numbers of frames are those of one profile. */
function zoomed_names()
{
	const names = [];

	if (!profile || !state.zoom || state.merge === 'sandwich')
		return names;
	for (let [{ tree }, i] = locate(state.zoom); i; i = tree.parent[i])
		names.unshift(profile.names[tree.label[i]]);
	return names;
}

/* The id of the frame with these names, or of the last one that there is. */
function find_names(names)
{
	const { tree, first } = layers[0];
	let at = 0;

	for (const name of names) {
		let i = at + 1;

		while (i < tree.end[at] && profile.names[tree.label[i]] !== name)
			i = tree.end[i];
		if (i >= tree.end[at])
			break;
		at = i;
	}
	return at && first + at;
}

/* Show other data with the view that is there. */
function exchange(next)
{
	const zoomed = zoomed_names(), of = profile?.names[state.of];

	show_profile(next, profile && { ...state, zoom: 0, time: '', time2: '', edits: '', of: next.names.indexOf(of) });
	if (zoomed.length)
		show({ ...state, zoom: find_names(zoomed) }, false);
}

async function load()
{
	const number = ++server.asks;

	server.stop?.abort();
	server.stop = new AbortController();
	show_query();
	$('said').textContent = profile ? 'Asking …' : '';
	load_labels();
	load_heat();
	try {
		const next = await ask_profile();

		if (number === server.asks)
			exchange(next);
	} catch (error) {
		if (number !== server.asks || error.name === 'AbortError')
			return;
		$('said').textContent = $('loading').textContent = error.message;
		if (!profile)
			document.body.classList.replace('loading', 'failed');
	}
	document.body.dataset.answers = number;
}

function begin_served()
{
	server.query = new URLSearchParams(location.search);
	$('server').hidden = false;
	state = read_hash();
	set_theme(is_dark() ? 'dark' : 'light');
	for (const button of document.querySelectorAll('button[data-ago]'))
		button.onclick = () => choose({ from: button.dataset.ago, to: '' });
	for (const key of [...TIMES, ...BEFORE])
		$(`ask-${key}`).onchange = () => choose({ [key]: $(`ask-${key}`).value.trim() });
	for (const key of CHOSEN)
		$(`by-${key}`).onchange = () => choose({ [key]: $(`by-${key}`).value });
	$('live').onclick = toggle_live;
	$('compare').onclick = toggle_compare;
	$('link').onclick = copy_link;
	listen_to_heat();
	addEventListener('resize', draw_heat);
	addEventListener('popstate', () => {
		if (`${server.query}` === `${new URLSearchParams(location.search)}`)
			return;
		server.query = new URLSearchParams(location.search);
		load();
	});
	load();
}
