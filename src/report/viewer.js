/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does one look at the profile? The last part of the script; before it are viewer_tree.js (the data) and
 * viewer_paint.js (the canvas).
 *
 * All that the user has chosen is in `state`, and is mirrored in the URL's hash, so that a reload, a bookmark and the
 * Back button restore it. Events change the state by go(); show() makes the page say what the state says.
 *
 * Names come from programs that may be hostile: they reach the page only as text nodes and canvas text, never as markup.
 */

const TABLE_ROWS = 200;		/* rows of the table of functions, before "more" */

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

/* ---- Words and figures ------------------------------------------------------------------------------------------ */

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
	return ns ? `${ns} ns` : '0 s';
}

const name_of = i => names[tree.label[i]];
const module_of = i => profile.module_of(tree.label[i]);

/* ---- State, and its mirror in the URL --------------------------------------------------------------------------- */

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
	hover(-1);
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

/* ---- What the header says --------------------------------------------------------------------------------------- */

function sum_outcomes(...classes)
{
	return profile.outcomes.filter(o => classes.includes(o.class)).reduce((sum, o) => sum + o.samples, 0);
}

function show_facts()
{
	const settings = new Map(profile.settings);
	const rate = settings.get('frequency_hz');
	const complete = sum_outcomes('complete'), cut = sum_outcomes('cut'), none = sum_outcomes('no-stack');
	const facts = [];
	const fact = (key, value, warning) => {
		if (value)
			facts.push(element('div', { className: warning ? 'warning' : '' },
				element('dt', {}, key), element('dd', {}, value)));
	};

	fact('command', settings.get('command'));
	fact('host', settings.get('hostname'));
	fact('kernel', settings.get('kernel'));
	fact('duration', duration(Number(settings.get('duration_ns')) || profile.last_sample_ns));
	fact('event', [settings.get('event'), rate && `${rate} Hz`].filter(Boolean).join(', '));
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
		...section('Settings', [...profile.settings,
			['CPU time a sample stands for', duration(profile.period_ns)]]),
		...section('How the user stacks ended', profile.outcomes.map(o =>
			[`${o.name}: ${o.sentence}`, o.samples, o.class === 'cut' || o.class === 'no-stack'])),
		...section('Counted while recording', profile.counters
			.map(c => [c.sentence || c.name, c.value, c.loss])));
}

/* ---- Search ----------------------------------------------------------------------------------------------------- */

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
			`${percent(found.samples, profile.samples)} in ${plural(found.nodes.length, 'frame')}` :
			'not found';
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

/* ---- The path to the zoomed frame ------------------------------------------------------------------------------- */

function show_path()
{
	const path = [];

	for (let i = state.zoom; ; i = tree.parent[i]) {
		path.unshift(i);
		if (i === 0)
			break;
	}
	const shown = path.length > 9 ? [...path.slice(0, 3), -1, ...path.slice(-5)] : path;
	const crumb = i => element('button',
		{ type: 'button', title: name_of(i), onclick: () => go({ zoom: i }) }, name_of(i));

	$('path').replaceChildren(...shown.map(i => element('li', {}, i < 0 ? '…' : crumb(i))));
}

/* ---- Tooltip, selection and copying ----------------------------------------------------------------------------- */

function describe(i)
{
	const total = tree.total[i], self = tree.self[i], parent = tree.total[tree.parent[i]];
	const kind = kinds[tree.label[i]];
	const row = (key, ...cells) => element('tr', {},
		element('th', {}, key), ...cells.map(c => element('td', {}, c)));
	const below = state.merge === 'callers' ? 'of its callee' : 'of its caller';
	const outcome = name_of(i).match(/^\[(?:cut|no stack): (.*)\]$/)?.[1];
	const note = kind === NOTE && profile.outcomes.find(o => o.name === outcome)?.sentence;

	return [
		element('strong', {}, name_of(i)),
		element('div', { className: 'where' },
			note || [module_of(i), KINDS[kind].name].filter(Boolean).join(' · ')),
		element('table', {}, element('tbody', {},
			row('samples', count(total), percent(total, profile.samples),
				duration(total * profile.period_ns)),
			row('self', count(self), percent(self, profile.samples), duration(self * profile.period_ns)),
			...tree.depth[i] > 1 ? [row(below, '', percent(total, parent), '')] : [])),
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
		/* A page from a file may not use the clipboard everywhere. */
		const area = element('textarea', { value: name });

		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
	say(`Copied: ${name}`);
}

/* ---- Keys and pointer ------------------------------------------------------------------------------------------- */

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

function show_help()
{
	hover(-1);
	$('help').showModal();
}

const ACTIONS = {
	'/': () => { $('search').focus(); $('search').select(); },
	'?': show_help,
	'Escape': () => {
		if (state.search)
			go({ search: '' });
		else
			go({ zoom: 0 });
		selected = -1;
		repaint();
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

/* ---- The table of functions ------------------------------------------------------------------------------------- */

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
			element('span', { className: 'name' }, name),
			element('span', { className: 'module' }, profile.module_of(label)));
		const row = element('tr', {}, element('td', {}, button), share(self), share(total));

		button.onclick = () => go({ search: state.search === `"${name}"` ? '' : `"${name}"` });
		row.dataset.label = label;
		return row;
	}));
	for (const th of document.querySelectorAll('#functions th')) {
		const sorted = th.firstChild.dataset.column === column;

		th.setAttribute('aria-sort', !sorted ? 'none' : ascending ? 'ascending' : 'descending');
	}
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

/* ---- Begin ------------------------------------------------------------------------------------------------------ */

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
	$('help-button').onclick = show_help;
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
	scroller.onscroll = () => {
		if (selected < 0)
			hover(-1);
		draw();
	};
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
