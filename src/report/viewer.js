/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How does one look at the profile? Follows viewer_tree.js in the same script.
 *
 * All that the user has chosen is in `state`, and is mirrored in the URL's hash, so that a reload, a bookmark and the Back
 * button restore it. Events change the state by go(); show() makes the page say what the state says; draw() paints.
 *
 * Names come from programs that may be hostile: they reach the page only as text nodes and canvas text, never as markup.
 */

const ROW_PX = 18;		/* height of a frame */
const FONT_PX = 12;
const TEXT_PAD_PX = 4;
const MIN_PX = 0.3;		/* narrower frames are drawn as one with their neighbours, without what stands on them */
const ZOOM_MS = 220;
const TABLE_ROWS = 200;		/* rows of the table of functions, before "more" */

/* What a kind is called, and its range of colours: a module has its hue, a function its lightness. */
const KINDS = {
	[USER]:    { name: 'program', hue: [12, 46], saturation: 84, lightness: 67 },
	[RUNTIME]: { name: 'runtime library', hue: [168, 186], saturation: 40, lightness: 66 },
	[JIT]:     { name: 'JIT', hue: [88, 128], saturation: 45, lightness: 65 },
	[KERNEL]:  { name: 'kernel', hue: [210, 228], saturation: 72, lightness: 74 },
	[NOTE]:    { name: 'no whole stack', hue: [0, 0], saturation: 0, lightness: 72 },
	[PROCESS]: { name: 'process', hue: [220, 220], saturation: 14, lightness: 80 },
	[ROOT]:    { name: 'all', hue: [220, 220], saturation: 14, lightness: 86 },
};
const LEGEND = [USER, RUNTIME, JIT, KERNEL, NOTE];

const $ = id => document.getElementById(id);
const profile = read_profile(JSON.parse($('profile').textContent));
const { names, kinds } = profile;
const canvas = $('canvas'), scroller = $('scroller');
const paint = canvas.getContext('2d');

const DEFAULTS = { zoom: 0, search: '', order: 'flame', merge: 'callees', theme: '', panel: '' };
let state = { ...DEFAULTS };

/* What follows from the state. */
let tree = profile.tree;
let callers = null;		/* made when first asked for */
let found = null;		/* result of the search */
let zoom_depth = 0;		/* the deepest visible frame */
let view = { from: 0, to: profile.samples };	/* samples that are on the screen, from the left edge to the right */
let colours = [], style = {};
let hovered = -1, selected = -1;
let animation = 0, painting = 0;

/* ---- Words and figures -------------------------------------------------------------------------------------------- */

/* An element, its properties, and what is in it. Strings become text, never markup. */
function element(tag, properties, ...children)
{
	const e = Object.assign(document.createElement(tag), properties);

	e.append(...children);
	return e;
}

const count = n => n.toLocaleString('en-US');
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;

function percent(part, whole)
{
	const p = whole ? 100 * part / whole : 0;

	return p === 0 || p === 100 ? `${p} %` : p >= 99.9 ? `${Math.min(p, 99.99).toFixed(2)} %` :
		p < 0.01 ? '< 0.01 %' : `${p.toFixed(p < 10 ? 2 : 1)} %`;
}

function duration(ns)
{
	for (const [unit, size] of [['h', 3600e9], ['min', 60e9], ['s', 1e9], ['ms', 1e6], ['µs', 1e3]])
		if (ns >= size)
			return `${(ns / size).toFixed(ns / size < 100 ? 1 : 0)} ${unit}`;
	return `${ns} ns`;
}

const name_of = i => names[tree.label[i]];
const module_of = i => profile.module_of(tree.label[i]);

/* ---- State, and its mirror in the URL ----------------------------------------------------------------------------- */

function write_hash()
{
	const hash = new URLSearchParams();

	for (const key in DEFAULTS)
		if (state[key] !== DEFAULTS[key])
			hash.set(key, state[key]);
	return '#' + hash;
}

function read_hash()
{
	const hash = new URLSearchParams(location.hash.slice(1));
	const choose = (key, ...allowed) => allowed.includes(hash.get(key)) ? hash.get(key) : DEFAULTS[key];

	return {
		zoom: Number.parseInt(hash.get('zoom'), 10) || 0,
		search: hash.get('search') ?? '',
		order: choose('order', 'icicle'),
		merge: choose('merge', 'callers'),
		theme: choose('theme', 'light', 'dark'),
		panel: choose('panel', 'functions', 'recording'),
	};
}

/* The user wants @change. Zooms make an entry in the history. */
function go(change)
{
	const zooms = 'zoom' in change && change.zoom !== state.zoom;

	show({ ...state, ...change });
	history[zooms ? 'pushState' : 'replaceState'](null, '', write_hash());
}

function show(next, smooth = true)
{
	const before = state;

	state = next;
	if (state.merge !== before.merge) {
		callers ??= state.merge === 'callers' ? invert_tree(profile.tree) : null;
		tree = state.merge === 'callers' ? callers : profile.tree;
		hovered = selected = -1;
	}
	if (!(state.zoom >= 0 && state.zoom < tree.size))
		state.zoom = 0;
	zoom_depth = deepest(tree, state.zoom);

	show_theme();
	show_search();
	show_choices();
	show_path();
	show_panels();
	layout();
	if (state.zoom !== before.zoom || state.merge !== before.merge || state.order !== before.order || !smooth)
		move_view(smooth && state.merge === before.merge);
}

function show_choices()
{
	for (const id of ['flame', 'icicle'])
		$(id).setAttribute('aria-pressed', state.order === id);
	for (const id of ['callees', 'callers'])
		$(id).setAttribute('aria-pressed', state.merge === id);
	for (const id of ['functions', 'recording'])
		$('show-' + id).setAttribute('aria-pressed', state.panel === id);
	$('reset').disabled = !state.zoom;
}

/* ---- Colours ------------------------------------------------------------------------------------------------------ */

/* FNV-1a, to a number from 0 to below 1. */
function hash_fraction(text)
{
	let h = 0x811c9dc5;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	h ^= h >>> 15;
	return ((Math.imul(h, 0x2c1b3c6d) >>> 0) % 4096) / 4096;
}

function colour(kind, module, name)
{
	const { hue: [low, high], saturation, lightness } = KINDS[kind];
	const hue = low + (high - low) * hash_fraction(module);
	const light = lightness + Number(style.shade) + 8 * (hash_fraction(name) - 0.5);

	return `hsl(${hue.toFixed(1)} ${saturation}% ${light.toFixed(1)}%)`;
}

function is_dark()
{
	return state.theme ? state.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function show_theme()
{
	const theme = is_dark() ? 'dark' : 'light';

	if (document.documentElement.dataset.theme === theme)
		return;
	document.documentElement.dataset.theme = theme;

	const css = getComputedStyle(document.documentElement);
	for (const key of ['text', 'outline', 'match', 'dim', 'shade'])
		style[key] = css.getPropertyValue('--canvas-' + key).trim();
	style.font = `${FONT_PX}px ${css.getPropertyValue('--mono')}`;
	colours = names.map((name, f) => colour(kinds[f], profile.module_of(f), name));
	show_legend();
}

function show_legend()
{
	const sums = samples_by_kind(profile);

	$('legend').replaceChildren(...LEGEND.filter(kind => sums[kind]).map(kind => {
		const swatch = element('canvas', { width: 28, height: 11 });
		const c = swatch.getContext('2d');

		for (let x = 0; x < 28; x++) {
			const { hue: [low, high], saturation, lightness } = KINDS[kind];

			c.fillStyle = `hsl(${low + (high - low) * x / 27} ${saturation}% ${lightness + Number(style.shade)}%)`;
			c.fillRect(x, 0, 1, 11);
		}
		return element('li', {}, swatch, KINDS[kind].name, element('b', {}, percent(sums[kind], profile.samples)));
	}));
}

/* ---- Painting ----------------------------------------------------------------------------------------------------- */

/* The height of all rows, or of the window onto them if that is more. */
function content_px()
{
	return Math.max((zoom_depth + 1) * ROW_PX, scroller.clientHeight);
}

/* Where row @depth begins, in the scrolled content; and which row is at @y. */
function row_px(depth)
{
	return state.order === 'flame' ? content_px() - (depth + 1) * ROW_PX : depth * ROW_PX;
}

function depth_at(y)
{
	return Math.floor((state.order === 'flame' ? content_px() - y : y) / ROW_PX);
}

/* Fit canvas and scroll area to the window and to the depth of what is shown, keeping the root's edge where it is. */
function layout()
{
	const ratio = devicePixelRatio || 1;
	const width = scroller.clientWidth, height = scroller.clientHeight;
	const from_bottom = scroller.scrollHeight - scroller.scrollTop;

	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
	}
	$('spacer').style.height = `${content_px() - height}px`;
	if (state.order === 'flame')
		scroller.scrollTop = scroller.scrollHeight - from_bottom;
	repaint();
}

/* Bring the zoomed frame to full width and into sight. */
function move_view(smooth)
{
	const goal = { from: tree.left[state.zoom], to: tree.left[state.zoom] + tree.total[state.zoom] };
	const start = view, began = performance.now();
	const still = !smooth || matchMedia('(prefers-reduced-motion: reduce)').matches;
	const y = row_px(tree.depth[state.zoom]), room = Math.min(3 * ROW_PX, scroller.clientHeight / 3);

	scroller.scrollTop = state.order === 'flame' ? y + ROW_PX + room - scroller.clientHeight : y - room;

	const step = now => {
		const t = still ? 1 : Math.min(1, Math.max(0, now - began) / ZOOM_MS), eased = 1 - (1 - t) ** 3;

		view = t === 1 ? goal : {
			from: start.from + (goal.from - start.from) * eased,
			to: start.to + (goal.to - start.to) * eased,
		};
		draw();
		animation = t < 1 ? requestAnimationFrame(step) : 0;
	};
	cancelAnimationFrame(animation);
	step(began);
}

function repaint()
{
	painting ||= requestAnimationFrame(() => { painting = 0; draw(); });
}

/*
 * Paint what can be seen: a subtree is left out when it is beside the window, above it, or too narrow. Runs of narrow
 * siblings are painted as one bar, so that what is many but small does not look like nothing.
 */
function draw()
{
	const { depth, label, left, total, end, size } = tree;
	const ratio = devicePixelRatio || 1;
	const width = canvas.width / ratio, height = canvas.height / ratio, top = scroller.scrollTop;
	const scale = width / Math.max(view.to - view.from, 1e-9);
	const visible = [depth_at(top), depth_at(top + height - 1)].sort((a, b) => a - b);
	const zoomed_depth = depth[state.zoom];
	let drawn = 0;

	const bar = (i, x, w) => {
		const match = found?.labels[label[i]];

		paint.globalAlpha = found && !match ? style.dim : depth[i] < zoomed_depth ? 0.6 : 1;
		paint.fillStyle = match ? style.match : colours[label[i]];
		paint.fillRect(x, row_px(depth[i]) - top, w, ROW_PX - 1);
		drawn++;
	};
	const runs = [];	/* by depth: narrow neighbours not painted yet */
	const end_run = run => {
		if (run && run.to - run.from >= MIN_PX)
			bar(run.node, run.from, Math.max(run.to - run.from, 1 / ratio));
	};

	paint.setTransform(ratio, 0, 0, ratio, 0, 0);
	paint.clearRect(0, 0, width, height);
	paint.font = style.font;
	paint.textBaseline = 'middle';
	const char_px = paint.measureText('0').width;

	for (let i = 0; i < size && profile.samples;) {
		const d = depth[i], x = (left[i] - view.from) * scale, w = total[i] * scale;

		if (x + w <= 0 || x >= width || d > visible[1]) {
			i = end[i];
			continue;
		}
		if (w < MIN_PX) {
			if (d >= visible[0]) {
				if (runs[d] && x - runs[d].to < MIN_PX) {
					runs[d].to = x + w;
				} else {
					end_run(runs[d]);
					runs[d] = { node: i, from: x, to: x + w };
				}
			}
			i = end[i];
			continue;
		}
		if (d >= visible[0]) {
			const x0 = Math.max(x, 0), x1 = Math.min(x + w, width);

			bar(i, x0, x1 - x0 > 2.5 ? x1 - x0 - 1 : Math.max(x1 - x0 - 0.2, 1 / ratio));
			write_name(i, x0, x1 - x0 - 1, char_px, top);
		}
		i++;
	}
	runs.forEach(end_run);
	outline(hovered, scale, top, 1);
	outline(selected, scale, top, 2);
	document.body.dataset.drawn = drawn;
}

/* As much of the name as fits; the font is monospaced, so that it need not be measured. */
function write_name(i, x, w, char_px, top)
{
	const name = name_of(i);
	const room = Math.floor((w - 2 * TEXT_PAD_PX) / char_px);

	if (room < 3)
		return;
	paint.fillStyle = style.text;
	paint.globalAlpha = found && !found.labels[tree.label[i]] ? 0.55 : 1;
	if (paint.globalAlpha < 1 && is_dark())
		paint.fillStyle = style.outline;
	paint.fillText(name.length > room ? name.slice(0, room - 1) + '…' : name, x + TEXT_PAD_PX,
		row_px(tree.depth[i]) - top + ROW_PX / 2, w - 2 * TEXT_PAD_PX);
}

function outline(i, scale, top, px)
{
	if (i < 0)
		return;
	const x = Math.max((tree.left[i] - view.from) * scale, 0);
	const right = Math.min((tree.left[i] + tree.total[i] - view.from) * scale, canvas.clientWidth);

	if (right <= x)
		return;
	paint.globalAlpha = 1;
	paint.strokeStyle = style.outline;
	paint.lineWidth = px;
	paint.strokeRect(x + px / 2, row_px(tree.depth[i]) - top + px / 2, Math.max(right - x - 1 - px, 1), ROW_PX - 1 - px);
}

/* ---- What the header says ----------------------------------------------------------------------------------------- */

function sum_outcomes(...classes)
{
	return profile.outcomes.filter(o => classes.includes(o.class)).reduce((sum, o) => sum + o.samples, 0);
}

function show_facts()
{
	const settings = new Map(profile.settings);
	const complete = sum_outcomes('complete'), cut = sum_outcomes('cut'), none = sum_outcomes('no-stack');
	const facts = [];
	const fact = (key, value, warning) => {
		if (value)
			facts.push(element('div', { className: warning ? 'warning' : '' }, element('dt', {}, key), element('dd', {}, value)));
	};

	fact('command', settings.get('command'));
	fact('host', settings.get('hostname'));
	fact('kernel', settings.get('kernel'));
	fact('duration', duration(Number(settings.get('duration_ns')) || profile.last_sample_ns));
	fact('event', [settings.get('event'), settings.has('frequency_hz') && `${settings.get('frequency_hz')} Hz`].filter(Boolean).join(', '));
	fact('samples', count(profile.samples));
	fact('complete user stacks', complete + cut + none ? percent(complete, complete + cut + none) : '');
	fact('cut', cut && count(cut), true);
	fact('without stack', none && count(none), true);
	for (const { name, value, loss } of profile.counters)
		if (loss)
			fact(name.replaceAll('-', ' '), count(value), true);
	if (!profile.finished)
		fact('', 'the recording was killed: its losses are not known', true);
	if (!profile.symbolized)
		fact('', 'functions have not been looked up', true);

	$('title').textContent = document.title = profile.title;
	$('facts').replaceChildren(...facts);
}

function show_recording()
{
	const table = rows => element('table', {}, element('tbody', {}, ...rows.map(([key, value, warning]) =>
		element('tr', { className: warning ? 'warning' : '' }, element('td', {}, key),
			element('td', { className: typeof value === 'number' ? 'number' : '' },
				typeof value === 'number' ? count(value) : value)))));
	const section = (title, rows) => rows.length ? [element('h2', {}, title), table(rows)] : [];

	$('recording').replaceChildren(
		...section('Settings', [...profile.settings, ['CPU time a sample stands for', duration(profile.period_ns)]]),
		...section('How the user stacks ended', profile.outcomes.map(o =>
			[`${o.name}: ${o.sentence}`, o.samples, o.class === 'cut' || o.class === 'no-stack'])),
		...section('Counted while recording', profile.counters.map(c => [c.sentence || c.name, c.value, c.loss])));
}

/* ---- Search ------------------------------------------------------------------------------------------------------- */

let shown_search = null;	/* what `found` is the result of */

function show_search()
{
	const input = $('search');

	if (input.value !== state.search)
		input.value = state.search;
	if (shown_search?.query === state.search && shown_search.tree === tree)
		return;
	shown_search = { query: state.search, tree };
	input.setAttribute('aria-invalid', 'false');
	try {
		found = search_tree(profile, tree, state.search);
		$('found').textContent = !found ? '' : found.nodes.length ?
			`${percent(found.samples, profile.samples)} in ${plural(found.nodes.length, 'frame')}` : 'not found';
	} catch (error) {
		found = null;
		input.setAttribute('aria-invalid', 'true');
		$('found').textContent = 'not a regular expression';
	}
	document.body.dataset.matched = found ? found.samples : '';
	mark_rows();
}

/* Select the next match in the order of the tree, or the one before. */
function next_match(forward)
{
	const inside = found?.nodes.filter(i => i >= state.zoom && i < tree.end[state.zoom]) ?? [];
	const next = forward ? inside.find(i => i > selected) ?? inside[0] :
		inside.findLast(i => i < selected) ?? inside[inside.length - 1];

	if (next !== undefined)
		select(next);
}

/* ---- The path to the zoomed frame --------------------------------------------------------------------------------- */

function show_path()
{
	const path = [];

	for (let i = state.zoom; ; i = tree.parent[i]) {
		path.unshift(i);
		if (i === 0)
			break;
	}
	const shown = path.length > 9 ? [...path.slice(0, 3), -1, ...path.slice(-5)] : path;
	$('path').replaceChildren(...shown.map(i => i < 0 ? element('li', {}, '…') :
		element('li', {}, element('button', { type: 'button', title: name_of(i), onclick: () => go({ zoom: i }) }, name_of(i)))));
}

/* ---- Tooltip, selection and copying ------------------------------------------------------------------------------- */

function describe(i)
{
	const total = tree.total[i], self = tree.self[i], parent = tree.total[tree.parent[i]];
	const kind = kinds[tree.label[i]];
	const row = (key, ...cells) => element('tr', {}, element('th', {}, key), ...cells.map(c => element('td', {}, c)));
	const outcome = name_of(i).match(/^\[(?:cut|no stack): (.*)\]$/)?.[1];
	const note = kind === NOTE && profile.outcomes.find(o => o.name === outcome)?.sentence;

	return [
		element('strong', {}, name_of(i)),
		element('div', { className: 'where' }, note || [module_of(i), KINDS[kind].name].filter(Boolean).join(' · ')),
		element('table', {}, element('tbody', {},
			row('samples', count(total), percent(total, profile.samples), duration(total * profile.period_ns)),
			row('self', count(self), percent(self, profile.samples), duration(self * profile.period_ns)),
			...i ? [row(state.merge === 'callers' ? 'of its callee' : 'of its caller', '', percent(total, parent), '')] : [])),
	];
}

function show_tooltip(i, x, y)
{
	const tip = $('tooltip');

	tip.hidden = i < 0;
	if (i < 0)
		return;
	tip.replaceChildren(...describe(i));

	const { width, height } = tip.getBoundingClientRect();
	const place = (at, extent, room) => at + 14 + extent > room ? Math.max(at - 10 - extent, 4) : at + 14;
	tip.style.transform = `translate(${place(x, width, innerWidth)}px, ${place(y, height, innerHeight)}px)`;
}

function hover(i, x, y)
{
	if (i !== hovered)
		repaint();
	hovered = i;
	show_tooltip(i, x, y);
}

/* Move the selection to @i, and the window so that it is seen. */
function select(i)
{
	const y = row_px(tree.depth[i]);

	selected = i;
	if (i && (i < state.zoom || i >= tree.end[state.zoom]) && tree.depth[i] >= tree.depth[state.zoom])
		go({ zoom: 0 });
	scroller.scrollTop = Math.min(Math.max(scroller.scrollTop, y + ROW_PX - scroller.clientHeight), y);
	draw();

	const x = (Math.max(tree.left[i], view.from) - view.from) * canvas.clientWidth / (view.to - view.from);
	const box = canvas.getBoundingClientRect();
	show_tooltip(i, box.left + x, box.top + y - scroller.scrollTop + ROW_PX);
	say(`${name_of(i)}, ${percent(tree.total[i], profile.samples)} of ${plural(profile.samples, 'sample')}`);
}

function say(text)
{
	$('status').textContent = text;
}

/* Copies the frame that is pointed at, or selected, or zoomed to. */
async function copy_name()
{
	const name = name_of(hovered >= 0 ? hovered : selected >= 0 ? selected : state.zoom);

	try {
		await navigator.clipboard.writeText(name);
	} catch {
		const area = element('textarea', { value: name });	/* where pages from files may not use the clipboard */

		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
	say(`Copied: ${name}`);
}

/* ---- Keys and pointer --------------------------------------------------------------------------------------------- */

/* The frame one step away from @i: towards its callees, to its parent, or beside it. */
function neighbour(i, key)
{
	const { parent, end, total, depth } = tree;
	const out = state.order === 'flame' ? 'ArrowUp' : 'ArrowDown';

	if (key === 'ArrowLeft' || key === 'ArrowRight') {
		let before = i;

		if (i === 0)
			return i;
		for (let k = parent[i] + 1; k < end[parent[i]]; k = end[k]) {
			if (key === 'ArrowLeft' && k === i)
				return before;
			if (key === 'ArrowRight' && k > i)
				return k;
			before = k;
		}
		return i;
	}
	if (key !== out)
		return parent[i];

	/* On the way out to a zoomed frame there is one way only; beyond it, the widest. */
	if (depth[i] < depth[state.zoom] && state.zoom > i && state.zoom < end[i]) {
		let k = state.zoom;

		while (parent[k] !== i)
			k = parent[k];
		return k;
	}
	let widest = i;
	for (let k = i + 1; k < end[i]; k = end[k])
		if (widest === i || total[k] > total[widest])
			widest = k;
	return widest;
}

function toggle_panel(panel)
{
	go({ panel: state.panel === panel ? '' : panel });
}

const ACTIONS = {
	'/': () => { $('search').focus(); $('search').select(); },
	'?': () => $('help').showModal(),
	'Escape': () => {
		if (state.search)
			go({ search: '' });
		else
			go({ zoom: 0 });
		selected = -1;
		hover(-1);
	},
	'n': () => next_match(true),
	'N': () => next_match(false),
	'i': () => go({ order: state.order === 'flame' ? 'icicle' : 'flame' }),
	'b': () => go({ merge: state.merge === 'callers' ? 'callees' : 'callers', zoom: 0 }),
	't': () => toggle_panel('functions'),
	'r': () => toggle_panel('recording'),
	'c': copy_name,
};

function on_key(event)
{
	if (event.ctrlKey || event.metaKey || event.altKey || $('help').open)
		return;
	if (event.target === $('search')) {
		if (event.key === 'Escape') {
			go({ search: '' });
			canvas.focus();
		} else if (event.key === 'Enter') {
			canvas.focus();
			next_match(true);
		}
		return;
	}
	if (event.target === canvas || event.target === document.body) {
		if (event.key.startsWith('Arrow')) {
			select(selected < 0 ? state.zoom : neighbour(selected, event.key));
			event.preventDefault();
			return;
		}
		if (event.key === 'Enter' && selected >= 0) {
			go({ zoom: selected });
			return;
		}
	}
	if (ACTIONS[event.key]) {
		ACTIONS[event.key]();
		event.preventDefault();
	}
}

function frame_under(event)
{
	const box = canvas.getBoundingClientRect();
	const sample = view.from + (event.clientX - box.left) / box.width * (view.to - view.from);

	return node_at(tree, depth_at(scroller.scrollTop + event.clientY - box.top), sample);
}

/* ---- The table of functions --------------------------------------------------------------------------------------- */

const functions = { rows: null, column: 'self', ascending: false, limit: TABLE_ROWS };

function show_panels()
{
	const was_hidden = $('functions').hidden;

	$('functions').hidden = state.panel !== 'functions';
	$('recording').hidden = state.panel !== 'recording';
	if (was_hidden && !$('functions').hidden)
		show_functions();
}

function show_functions()
{
	const { column, ascending, limit } = functions;
	const sign = ascending ? 1 : -1;

	functions.rows ??= top_functions(profile);
	functions.rows.sort(column === 'name' ? (a, b) => sign * (a.label - b.label) :
		(a, b) => sign * (a[column] - b[column]) || b.total - a.total || a.label - b.label);

	const share = n => {
		const cell = element('td', { title: plural(n, 'sample') }, percent(n, profile.samples));

		cell.style.setProperty('--share', n / profile.samples);
		return cell;
	};
	$('rows').replaceChildren(...functions.rows.slice(0, limit).map(({ label, name, self, total }) => {
		const button = element('button', { type: 'button', title: `Search "${name}"` },
			element('span', { className: 'name' }, name), element('span', { className: 'module' }, profile.module_of(label)));
		const row = element('tr', {}, element('td', {}, button), share(self), share(total));

		button.onclick = () => go({ search: state.search === `"${name}"` ? '' : `"${name}"` });
		row.dataset.label = label;
		return row;
	}));
	for (const th of document.querySelectorAll('#functions th'))
		th.setAttribute('aria-sort', th.firstChild.dataset.column !== column ? 'none' : ascending ? 'ascending' : 'descending');
	$('more').hidden = functions.rows.length <= limit;
	$('more').textContent = `${count(functions.rows.length - limit)} more`;
	mark_rows();
}

function mark_rows()
{
	for (const row of $('rows').children)
		row.classList.toggle('match', Boolean(found?.labels[row.dataset.label]));
}

function sort_functions(column)
{
	functions.ascending = functions.column === column ? !functions.ascending : column === 'name';
	functions.column = column;
	show_functions();
}

/* ---- Begin -------------------------------------------------------------------------------------------------------- */

function listen()
{
	for (const id of ['flame', 'icicle'])
		$(id).onclick = () => go({ order: id });
	for (const id of ['callees', 'callers'])
		$(id).onclick = () => go({ merge: id, zoom: id === state.merge ? state.zoom : 0 });
	for (const id of ['functions', 'recording'])
		$('show-' + id).onclick = () => toggle_panel(id);
	for (const button of document.querySelectorAll('#functions th button'))
		button.onclick = () => sort_functions(button.dataset.column);
	$('more').onclick = () => { functions.limit *= 4; show_functions(); };
	$('theme').onclick = () => go({ theme: is_dark() ? 'light' : 'dark' });
	$('help-button').onclick = () => $('help').showModal();
	$('reset').onclick = () => go({ zoom: 0 });
	$('copy').onclick = copy_name;
	$('search').oninput = event => go({ search: event.target.value });

	canvas.onmousemove = event => hover(frame_under(event), event.clientX, event.clientY);
	canvas.onmouseleave = () => hover(-1);
	canvas.onclick = event => {
		const i = frame_under(event);

		if (i < 0)
			return;
		selected = -1;
		go({ zoom: i });
	};
	scroller.onscroll = () => { hover(-1); draw(); };
	addEventListener('keydown', on_key);
	addEventListener('popstate', () => show(read_hash()));
	matchMedia('(prefers-color-scheme: dark)').onchange = () => show(state);
	new ResizeObserver(layout).observe(scroller);
}

show_facts();
show_recording();
show(read_hash(), false);
listen();
document.body.dataset.frames = tree.size;
document.body.dataset.samples = profile.samples;
