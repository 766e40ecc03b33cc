/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does one look at profiles? The last part of the script: what happens when something is chosen (show()), pointed at
 * or typed.
 */

let profile = null;		/* read_page() */
let model = null;		/* add_up(): the sums of what is chosen */
let made = {};			/* trees that are made when first asked for */
let found = null;		/* labels that the search matches, and where */

function title_of_kind()
{
	return (new Map(kinds_of(profile)).get(state.kind) ?? 'on CPU').replace(/^wall$/, 'of all kinds');
}

/* ---- From the state to the page --------------------------------------------------------------------------------- */

/* Has one of these changed since they were last looked at? */
const seen = {};

function changed(what, ...values)
{
	const now = JSON.stringify(values);

	if (seen[what] === now)
		return false;
	seen[what] = now;
	return true;
}

function show(next, smooth = true)
{
	state = next;
	complete_state();

	const dark = changed('theme', is_dark());
	if (dark)
		set_theme(is_dark() ? 'dark' : 'light');

	const sums = changed('sums', state.kind, state.time, state.time2, state.tasks);
	if (sums)
		add_up_choice();
	if (state.merge === 'sandwich' && state.of < 0)
		state.of = default_sandwich();

	const trees = changed('trees', state.merge, state.merge === 'sandwich' && state.of);
	const turned = changed('order', state.order);
	const basis = changed('basis', state.basis);
	const scale = changed('scale', state.scale);

	if (sums || trees || turned || basis)
		weigh_layers(trees || turned);
	if (!(state.zoom < last_id()))
		state.zoom = 0;
	const zoomed = changed('zoom', state.zoom);

	show_search(sums || trees || basis || turned);
	show_choices();
	show_path();
	show_chips();
	if (trees || turned || zoomed)
		hide_tooltip(selected = trees ? -1 : selected);
	show_panel(sums || basis || scale);
	layout();
	if (zoomed || trees || turned || sums || basis || !smooth)
		move_view(smooth && zoomed && !trees && !sums);
	if (sums || dark || basis || scale)
		show_legend();
	strips.forEach(draw_strip);
}

/* What cannot be is put right. */
function complete_state()
{
	const kinds = kinds_of(profile);

	if (!kinds.some(([kind]) => kind === state.kind))
		state.kind = KEYS.kind[0];
	if (profile.profiles.length < 2)
		state.basis = 'after', state.scale = 'share', state.time2 = '';
	if (!(state.of < profile.names.length))
		state.of = -1;
}

/* By that trees are made, so that their nodes are the same whatever is chosen. */
const all_ns = () => made.all_ns ??= add_up_all(profile);

/* The function that took most. */
function default_sandwich()
{
	if (selected >= 0 && profile.kinds[label_of(selected)] >= USER)
		return label_of(selected);

	const self = new Float64Array(profile.names.length);
	let most = 0;

	model.sums[basis_side()].ns.forEach((ns, i) => { self[profile.tree.label[i]] += ns; });
	self.forEach((ns, f) => { if (profile.kinds[f] >= USER && ns > self[most]) most = f; });
	return most;
}

function add_up_choice()
{
	model = add_up(profile, { kind: state.kind, tasks: chosen_tasks(), ranges: profile.profiles.map((_, side) => range_of(side)) });
	strips.forEach((strip, side) => { strip.ns = model.strips[side]; });
}

function basis_side()
{
	return profile.profiles.length > 1 && state.basis === 'after' ? 1 : 0;
}

/* The trees that are shown: made, if they are not yet, and weighed. */
function weigh_layers(anew)
{
	const up = state.order === 'flame', of = state.of;
	const weigh = tree => weigh_tree(tree, model.sums, basis_side());

	weigh(profile.tree);
	if (state.merge === 'callers')
		weigh(made.callers ??= invert_tree(profile.tree, all_ns()));
	if (state.merge === 'sandwich') {
		if (made.sandwich?.of !== of)
			made.sandwich = { of, ...sandwich_trees(profile.tree, of, all_ns()) };
		weigh(made.sandwich.callees);
		weigh(made.sandwich.callers);
	}
	if (anew)
		set_layers(state.merge === 'sandwich' ? [[made.sandwich.callees, up], [made.sandwich.callers, !up]] :
			[[state.merge === 'callers' ? made.callers : profile.tree, up]]);
}

function last_id()
{
	const last = layers[layers.length - 1];

	return last.first + last.tree.size;
}

function show_choices()
{
	for (const button of document.querySelectorAll('button[data-key]'))
		button.setAttribute('aria-pressed', state[button.dataset.key] === button.dataset.value);
	$('reset').disabled = !state.zoom;
	$('regex').setAttribute('aria-pressed', is_regex(state.search));
}

function show_legend()
{
	const swatch = colour => {
		const canvas = element('canvas', { width: 28, height: 11 }), c = canvas.getContext('2d');

		for (let x = 0; x < 28; x++) {
			c.fillStyle = colour(x / 27);
			c.fillRect(x, 0, 1, 11);
		}
		return canvas;
	};

	if (profile.profiles.length > 1) {
		$('legend').replaceChildren(
			element('li', {}, swatch(x => colour_of_change(x - 1)), 'less than before'),
			element('li', {}, swatch(x => colour_of_change(x)), 'more; paler if chance could do it'),
			element('li', {}, `widths: ${state.basis}`));
		return;
	}
	const sums = sum_by_kind(profile, 0), all = profile.tree.total[0];

	$('legend').replaceChildren(...LEGEND.filter(kind => sums[kind]).map(kind =>
		element('li', {}, swatch(x => colour_of_kind(kind, x, 0.5)), KINDS[kind].name, element('b', {}, percent(sums[kind], all)))));
}

/* The frames from the root to the zoomed one. */
function show_path()
{
	const [{ tree, first }, node] = locate(state.zoom), path = [];

	for (let i = node; i; i = tree.parent[i])
		path.unshift(i);
	path.unshift(0);

	const shown = path.length > 9 ? [...path.slice(0, 3), -1, ...path.slice(-5)] : path;
	const crumb = i => element('button', { type: 'button', title: name_of(first + i),
		onclick: () => go({ zoom: i ? first + i : 0 }) }, shorten(name_of(first + i), 80));

	$('path').replaceChildren(...shown.map(i => element('li', {}, i < 0 ? '…' : crumb(i))));
}

/* What is left out, and how to have it back. */
function show_chips()
{
	const chip = (text, change) => element('li', {}, element('span', {}, text),
		element('button', { type: 'button', title: 'Take this back', onclick: () => go(change, true) }, '×'));
	const names = ['before', 'after'], chips = [];

	profile.profiles.forEach((p, side) => {
		const key = time_key(side), [from, to] = range_of(side);

		if (state[key])
			chips.push(chip(`${profile.profiles.length > 1 ? names[side] + ' ' : ''}${seconds(side, from)} – ` +
				`${seconds(side, to)} s`, { [key]: '' }));
	});
	if (state.tasks) {
		const tasks = chosen_tasks().map(t => t.replace(/^name:/, '').replace(':', ' '));

		chips.push(chip(shorten(tasks.join(', '), 50), { tasks: '' }));
	}
	$('chips').replaceChildren(...chips);
}

/* ---- Search ----------------------------------------------------------------------------------------------------- */

const is_regex = query => /^\/(.+)\/([imsu]*)$/s.test(query);

function show_search(stale)
{
	const input = $('search');

	if (input.value !== state.search)
		input.value = state.search;
	if (!changed('search', state.search) && !stale)
		return;
	input.setAttribute('aria-invalid', 'false');
	found = null;
	document.body.dataset.matched = '';
	try {
		const labels = search_labels(profile, state.search);

		found = labels && { labels };
		$('found').textContent = '';
	} catch (error) {
		input.setAttribute('aria-invalid', 'true');
		$('found').textContent = 'not a regular expression';
	}
	for (const layer of layers)
		layer.found = found && { labels: found.labels, ...search_tree(layer.tree, found.labels) };
	strips.forEach(s => { s.matches = null; });
	if (found)
		say_found();
}

/* The share is that of the samples, each counted once, whatever tree is shown; the frames are those of the tree. */
function say_found()
{
	const nodes = layers.reduce((sum, l) => sum + l.found.nodes.length, 0), { tree } = profile;
	const { inside, ns, samples } = tree === layers[0].tree ? layers[0].found : search_tree(tree, found.labels);

	$('found').textContent = ns ? `${percent(ns, tree.total[0])} in ${plural(nodes, 'frame')}` : 'not found';
	document.body.dataset.matched = samples;
	add_up_matches(profile, { kind: state.kind, mask: model.mask }, inside)
		.forEach((ns, side) => { strips[side].matches = ns; });
}

function toggle_regex()
{
	const text = $('search').value;

	go({ search: is_regex(text) ? text.replace(/^\/(.+)\/[imsu]*$/s, '$1') : `/${text.replace(/^"(.*)"$/s, '$1') || '.'}/` });
	$('search').focus();
}

/* Select the next match in the order of the tree, or the one before. */
function next_match(forward)
{
	const [zoomed, node] = locate(state.zoom);
	const ids = layers.flatMap(l => (l.found?.nodes ?? []).map(i => l.first + i))
		.filter(id => layers.length > 1 || id >= node && id < zoomed.tree.end[node]);
	const next = forward ? ids.find(i => i > selected) ?? ids[0] :
		ids.findLast(i => i < selected) ?? ids[ids.length - 1];

	if (next !== undefined)
		select(next);
}

/* ---- Tooltip and selection -------------------------------------------------------------------------------------- */

/* Where in the source: of a node of the page's tree its own places, else those of its function; the most frequent first. */
function places_at(tree, i)
{
	const { node, file, line, samples } = profile.places, sums = new Map(), f = tree.label[i];
	const mine = tree === profile.tree ? n => n === i : n => profile.tree.label[n] === f;

	for (let k = 0; k < node.length; k++) {
		const key = file[k] * 2 ** 32 + line[k];

		if (mine(node[k]))
			sums.set(key, (sums.get(key) ?? 0) + samples[k]);
	}
	return [...sums].sort((a, b) => b[1] - a[1])
		.map(([key]) => `${short_path(profile.files[Math.floor(key / 2 ** 32)])}:${key % 2 ** 32}`);
}

function describe(id)
{
	const [layer, i] = locate(id), { tree } = layer, f = tree.label[i], kind = profile.kinds[f];
	const name = profile.names[f], places = places_at(tree, i);
	const outcome = name.match(/^\[(?:cut|no stack): (.*)\]$/)?.[1];
	const note = kind === NOTE && profile.profiles[0].outcomes.find(o => o.name === outcome)?.sentence;
	const row = (key, ...cells) => element('tr', {}, element('th', {}, key), ...cells.map(c => element('td', {}, c)));
	const sides = tree.sides.map((s, side) => [
		row('total', count(samples_of(tree, side).total[i]), percent(s.total_ns[i], s.total_ns[0]), duration(s.total_ns[i])),
		row('self', count(samples_of(tree, side).self[i]), percent(s.self_ns[i], s.total_ns[0]), duration(s.self_ns[i])),
	]);
	const [a, b] = tree.sides, head = text => element('tr', {}, element('th', { className: 'side', colSpan: 4 }, text));
	const up = layer.first || state.merge === 'callers';

	return [
		element('strong', {}, shorten(name, 400)),
		element('div', { className: 'where' }, note || [profile.module_of(f), KINDS[kind].name].filter(Boolean).join(' · ')),
		...places.slice(0, 3).map(place => element('div', { className: 'place' }, place)),
		...places.length > 3 ? [element('div', { className: 'place' }, 'and other lines')] : [],
		element('table', {}, element('tbody', {}, row('', 'samples', 'share', 'time'),
			...b ? [head('before'), ...sides[0], head('after'), ...sides[1],
				row('change', '', points(a.total_ns[i] / (a.total_ns[0] || 1), b.total_ns[i] / (b.total_ns[0] || 1)),
					signed_duration(b.total_ns[i] - a.total_ns[i]))] : sides[0],
			...tree.depth[i] > 1 && !b ? [row(up ? 'of its callee' : 'of its caller', '',
				percent(tree.total[i], tree.total[tree.parent[i]]), '')] : [])),
	];
}

function show_tooltip(content, x, y)
{
	const tip = $('tooltip');

	tip.hidden = false;
	tip.replaceChildren(...content);

	const { width, height } = tip.getBoundingClientRect();
	const place = (at, extent, room) => at + 14 + extent > room ? Math.max(at - 10 - extent, 4) : at + 14;
	tip.style.transform = `translate(${place(x, width, innerWidth)}px, ${place(y, height, innerHeight)}px)`;
}

function hide_tooltip()
{
	$('tooltip').hidden = true;
	if (hovered >= 0)
		repaint();
	hovered = -1;
}

function hover(id, x, y)
{
	if (id < 0) {
		hide_tooltip();
		return;
	}
	if (id !== hovered)
		repaint();
	hovered = id;
	show_tooltip(describe(id), x, y);
}

/* Move the selection to @id, and the window so that it is seen. */
function select(id)
{
	const [layer, i] = locate(id), [zoomed, node] = locate(state.zoom);
	const outside = layer === zoomed && (i < node || i >= layer.tree.end[node]);

	if (outside && layer.tree.depth[i] >= layer.tree.depth[node])
		go({ zoom: 0 });
	selected = id;

	const y = row_px(layer, layer.tree.depth[i]);
	scroller.scrollTop = Math.min(Math.max(scroller.scrollTop, y + ROW_PX - scroller.clientHeight), y);
	draw();

	const window_box = canvas.getBoundingClientRect(), box = box_of(id);
	if (box)
		show_tooltip(describe(id), window_box.left + box.x, window_box.top + box.y + ROW_PX);
	say(`${shorten(name_of(id), 120)}, ${percent(layer.tree.total[i], layer.tree.total[0])} of ` +
		duration(layer.tree.total[0]));
}

function say(text)
{
	$('status').textContent = text;
}

/* The frame that is pointed at, or selected, or zoomed to. */
function current()
{
	return hovered >= 0 ? hovered : selected >= 0 ? selected : state.zoom;
}

function copy(text, what)
{
	copy_text(text).then(() => say(`Copied: ${what}`));
}

function show_sandwich(label)
{
	if (profile.kinds[label] >= NOTE)
		go({ merge: 'sandwich', of: label, zoom: 0 }, true);
}

/* ---- The menu of a frame ---------------------------------------------------------------------------------------- */

function stack_as_text(id)
{
	const [{ tree }, node] = locate(id), lines = [];

	for (let i = node; i; i = tree.parent[i])
		lines.push(profile.names[tree.label[i]]);
	return lines.join('\n') + '\n';
}

function show_menu(id, x, y)
{
	const name = name_of(id), label = label_of(id);
	const items = [
		['Zoom', () => go({ zoom: id })],
		['Callers and callees', () => show_sandwich(label)],
		['Find this name', () => go({ search: `"${name}"` })],
		['Copy the name', () => copy(name, shorten(name, 80))],
		['Copy the stack', () => copy(stack_as_text(id), 'the stack')],
		...profile.kinds[label] === PROCESS ? [['Only threads of this name', () => go({ tasks: `name:${name}`, zoom: 0 }, true)]] : [],
	];
	const menu = $('menu');

	hide_tooltip();
	menu.replaceChildren(...items.map(([text, run]) => element('button', { type: 'button', role: 'menuitem',
		onclick: () => { menu.hidden = true; run(); } }, text)));
	menu.hidden = false;

	const { width, height } = menu.getBoundingClientRect();
	menu.style.transform = `translate(${Math.min(x, innerWidth - width - 4)}px, ${Math.min(y, innerHeight - height - 4)}px)`;
	menu.firstChild.focus();
}

/* ---- Keys and pointer ------------------------------------------------------------------------------------------- */

/* The frame one step away from @id: towards the tips, to its parent, or beside it. */
function neighbour(id, key)
{
	const [layer, i] = locate(id), { tree: { parent, end, total, depth } } = layer;
	const out = layer.up ? 'ArrowUp' : 'ArrowDown';

	if (key === 'ArrowLeft' || key === 'ArrowRight') {
		let before = i;

		for (let k = parent[i] + 1; i && k < end[parent[i]]; k = end[k]) {
			if (!total[k])
				continue;
			if (key === 'ArrowLeft' && k === i)
				return layer.first + before;
			if (key === 'ArrowRight' && k > i)
				return layer.first + k;
			before = k;
		}
		return id;
	}
	if (key !== out && i)
		return parent[i] ? layer.first + parent[i] : 0;

	/* From the root a sandwich grows to both sides. */
	if (key !== out)
		return layers[1] ? widest(layers[1], 0) : id;

	/* On the way out to a zoomed frame there is one way only. */
	const [zoomed, node] = locate(state.zoom);
	if (layer === zoomed && depth[i] < depth[node] && node > i && node < end[i]) {
		let k = node;

		while (parent[k] !== i)
			k = parent[k];
		return layer.first + k;
	}
	return widest(layer, i);
}

/* The widest frame on @i, or @i. */
function widest({ tree: { total, end }, first }, i)
{
	let best = i;

	for (let k = i + 1; k < end[i]; k = end[k])
		if (total[k] && (best === i || total[k] > total[best]))
			best = k;
	return first + best;
}

function toggle_panel(panel)
{
	go({ panel: state.panel === panel ? 'none' : panel });
}

function show_help()
{
	hide_tooltip();
	$('help').showModal();
}

/* What Escape takes back, one after the other. */
function step_back()
{
	$('menu').hidden = true;
	hide_tooltip();
	selected = -1;
	repaint();
	if (state.search)
		go({ search: '' });
	else if (state.zoom)
		go({ zoom: 0 });
	else if (state.time || state.time2)
		go({ time: '', time2: '' }, true);
	else
		move_view(true);
}

function next_kind()
{
	const kinds = kinds_of(profile).map(([kind]) => kind);

	go({ kind: kinds[(kinds.indexOf(state.kind) + 1) % kinds.length] });
}

const ACTIONS = {
	'/': () => { $('search').focus(); $('search').select(); },
	'?': show_help,
	'Escape': step_back,
	'Backspace': () => {
		const [{ tree, first }, i] = locate(state.zoom);

		go({ zoom: tree.parent[i] ? first + tree.parent[i] : 0 });
	},
	'n': () => next_match(true),
	'N': () => next_match(false),
	'i': () => go({ order: state.order === 'flame' ? 'icicle' : 'flame' }),
	'b': () => go({ merge: state.merge === 'callees' ? 'callers' : 'callees', zoom: 0 }),
	's': () => show_sandwich(profile.kinds[label_of(current())] >= NOTE ? label_of(current()) : default_sandwich()),
	't': () => toggle_panel('functions'),
	'p': () => toggle_panel('threads'),
	'r': () => toggle_panel('recording'),
	'k': next_kind,
	'd': () => go({ basis: state.basis === 'after' ? 'before' : 'after' }),
	'[': () => nudge_range(-1, 0),
	']': () => nudge_range(1, 0),
	'{': () => nudge_range(0, -1),
	'}': () => nudge_range(0, 1),
	'c': () => copy(name_of(current()), shorten(name_of(current()), 80)),
	'C': () => copy(graph_as_text(), 'what is shown, as text'),
};

function on_key(event)
{
	const { target, key } = event;

	if (event.ctrlKey || event.metaKey || event.altKey || $('help').open)
		return;
	if (target.tagName === 'INPUT' && target.type === 'search') {
		if (key === 'Escape') {
			target.value = '';
			target.oninput(event);
			canvas.focus();
		} else if (key === 'Enter') {
			canvas.focus();
			next_match(true);
		}
		return;
	}
	if (target === canvas || target === document.body) {
		if (key.startsWith('Arrow')) {
			select(selected < 0 ? state.zoom : neighbour(selected, key));
			event.preventDefault();
			return;
		}
		if (key === 'Enter' && selected >= 0) {
			go({ zoom: selected });
			return;
		}
	}
	if (ACTIONS[key]) {
		ACTIONS[key]();
		event.preventDefault();
	}
}

function listen()
{
	for (const button of document.querySelectorAll('button[data-key]')) {
		const { key, value } = button.dataset;

		button.onclick = () => key === 'panel' ? toggle_panel(value) :
			go({ [key]: value, ...key === 'merge' && value !== state.merge ? { zoom: 0 } : {} });
	}
	$('theme').onclick = () => go({ theme: is_dark() ? 'light' : 'dark' });
	$('help-button').onclick = show_help;
	$('reset').onclick = () => go({ zoom: 0 });
	$('copy').onclick = ACTIONS.C;
	$('regex').onclick = toggle_regex;
	$('search').oninput = () => go({ search: $('search').value });
	$('narrow').oninput = show_threads;
	$('all-threads').onclick = () => go({ tasks: '', zoom: 0 });

	canvas.onmousemove = event => hover(frame_under(event), event.clientX, event.clientY);
	canvas.onmouseleave = hide_tooltip;
	canvas.onclick = event => {
		const id = frame_under(event);

		selected = -1;
		if (id >= 0 && event.detail < 2)
			go({ zoom: locate(id)[1] ? id : 0 });
	};
	canvas.ondblclick = event => {
		const id = frame_under(event);

		if (id >= 0)
			show_sandwich(label_of(id));
	};
	canvas.oncontextmenu = event => {
		const id = frame_under(event);

		if (id < 0)
			return;
		event.preventDefault();
		show_menu(id, event.clientX, event.clientY);
	};
	canvas.addEventListener('wheel', event => {
		if (!event.ctrlKey)
			return;
		event.preventDefault();
		zoom_view(event, Math.exp(Math.max(-1, Math.min(event.deltaY / 200, 1))));
	}, { passive: false });
	scroller.onscroll = () => {
		if (selected < 0)
			hide_tooltip();
		draw();
	};
	addEventListener('pointerdown', event => { $('menu').hidden ||= !$('menu').contains(event.target); });
	addEventListener('keydown', on_key);
	addEventListener('popstate', () => show(read_hash()));
	addEventListener('beforeprint', () => print_page(true));
	addEventListener('afterprint', () => print_page(false));
	matchMedia('(prefers-color-scheme: dark)').onchange = () => show(state);
	new ResizeObserver(() => { layout(); strips.forEach(draw_strip); }).observe(scroller);
}

/* Paper is white, does not scroll, and shows all rows of the graph. */
function print_page(printing)
{
	document.body.classList.toggle('printing', printing);
	set_theme(printing || !is_dark() ? 'light' : 'dark');
	scroller.style.height = printing ? `${Math.min(rows * ROW_PX, 8000)}px` : '';
	if (functions.list) {
		functions.list.whole = printing;
		functions.list.show();
	}
	layout();
	draw();
	strips.forEach(draw_strip);
	show_legend();
}

/* ---- Begin ------------------------------------------------------------------------------------------------------ */

async function begin()
{
	profile = await read_page($('profile').textContent);

	const kinds = kinds_of(profile);
	KEYS.kind[0] = kinds[0]?.[0] ?? '';
	$('kinds').hidden = kinds.length < 2;
	$('kinds').replaceChildren(...kinds.map(([kind, title]) => {
		const button = element('button', { type: 'button', title: 'Kind of samples (k)' },
			title[0].toUpperCase() + title.slice(1));

		Object.assign(button.dataset, { key: 'kind', value: kind });
		return button;
	}));
	document.body.classList.toggle('two', profile.profiles.length > 1);
	document.body.classList.remove('loading');
	make_strips();
	show_facts();
	listen();
	show(read_hash(), false);
	document.body.dataset.frames = profile.tree.size;
	document.body.dataset.samples = profile.profiles.reduce((sum, p) => sum + p.samples, 0);
	requestAnimationFrame(() => setTimeout(() => performance.mark('painted')));
}

begin().catch(error => {
	$('loading').textContent = `The profile cannot be shown: ${error.message}`;
	document.body.classList.replace('loading', 'failed');
});
