/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keyboard and pointer input. */

/* The frame one step from @id: a child, its parent, or a sibling. */
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

	/* At the root of a sandwich, both directions lead to children. */
	if (key !== out)
		return layers[1] ? widest(layers[1], 0) : id;

	/* Below a zoomed frame only the path to it is visible. */
	const [zoomed, node] = locate(state.zoom);
	if (layer === zoomed && depth[i] < depth[node] && node > i && node < end[i]) {
		let k = node;

		while (parent[k] !== i)
			k = parent[k];
		return layer.first + k;
	}
	return widest(layer, i);
}

/* The widest child of @i, or @i if it has none. */
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

function toggle_tracks()
{
	go({ tracks: state.tracks === 'yes' ? 'no' : 'yes' });
}

/* The numbers of frames change, so the zoom ends. */
function toggle_idle()
{
	if (idle_label(profile) >= 0)
		go({ idle: state.idle === 'hidden' ? 'shown' : 'hidden', zoom: 0 }, true);
}

function show_help()
{
	hide_tooltip();
	$('help').showModal();
}

/* Undo one step per press of Escape: the first of these that applies. */
function step_back()
{
	$('menu').hidden = true;
	hide_tooltip();
	deselect();
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
	'l': toggle_tracks,
	'w': toggle_idle,
	't': () => toggle_panel('functions'),
	'p': () => toggle_panel('threads'),
	'r': () => toggle_panel('recording'),
	'k': next_kind,
	'd': () => go({ basis: state.basis === 'after' ? 'before' : 'after' }),
	'[': () => nudge_range(-1, 0),
	']': () => nudge_range(1, 0),
	'{': () => nudge_range(0, -1),
	'}': () => nudge_range(0, 1),
	'c': () => copy(name_of(current()), shorten_middle(name_of(current()), 80)),
	'C': () => copy(graph_as_text(), 'the graph as text'),
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
	if (target.matches('input:not([type="checkbox"]), select, textarea'))
		return;
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

		button.onclick = () => key === 'panel' ? toggle_panel(value) : key === 'tracks' ? toggle_tracks() :
			key === 'idle' ? toggle_idle() : go({ [key]: value, ...key === 'merge' && value !== state.merge ? { zoom: 0 } : {} });
	}
	$('theme').onclick = () => go({ theme: is_dark() ? 'light' : 'dark' });
	$('help-button').onclick = show_help;
	$('reset').onclick = () => go({ zoom: 0 });
	$('copy').onclick = ACTIONS.C;
	$('regex').onclick = toggle_regex;
	$('search').oninput = () => go({ search: $('search').value });
	$('narrow').oninput = show_threads;
	$('all-threads').onclick = () => go({ tasks: '', zoom: 0 });

	addEventListener('keydown', on_key);
	addEventListener('popstate', () => show(read_hash()));
	addEventListener('beforeprint', () => print_page(true));
	addEventListener('afterprint', () => print_page(false));
	matchMedia('(prefers-color-scheme: dark)').onchange = () => show(state);
	new ResizeObserver(() => { layout(); strips.forEach(draw_strip); }).observe(scroller);
}

function listen_to_graph()
{
	canvas.onmousemove = event => hover(frame_under(event), event.clientX, event.clientY);
	canvas.onmouseleave = hide_tooltip;
	canvas.onclick = event => {
		const id = frame_under(event);

		deselect();
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
		remember_scroll();
		draw();
	};
	addEventListener('pointerdown', event => { $('menu').hidden ||= !$('menu').contains(event.target); });
}
