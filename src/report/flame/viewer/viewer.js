/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The last part of the script: show(), which updates the page from the state, and the start of the viewer.
 */

let profile = null;		/* read_page() */
let model = null;		/* add_up(): the sums of the selection */
let base = null;		/* edit_tree(): the tree from which all others are made */
let made = {};			/* trees that are built on first use */

function title_of_kind()
{
	return (new Map(kinds_of(profile)).get(state.kind) ?? 'on CPU').replace(/^wall$/, 'of all kinds');
}

/* Values by which changed() notices changes. */
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
	if (needs_others(profile, next)) {
		load_profile(next);
		return;
	}
	state = next;
	complete_state();

	const dark = changed('theme', is_dark());
	if (dark)
		set_theme(is_dark() ? 'dark' : 'light');

	const edited = changed('edits', state.edits, state.idle);
	if (edited)
		edit_stacks();
	const sums = changed('sums', state.kind, state.time, state.time2, state.tasks, state.edits, state.idle);
	if (sums)
		add_up_choice();
	if (state.merge === 'sandwich' && state.of < 0)
		state.of = default_sandwich();

	const trees = changed('trees', state.edits, state.idle, state.merge, state.merge === 'sandwich' && state.of);
	const turned = changed('order', state.order);
	const basis = changed('basis', state.basis);
	const scale = changed('scale', state.scale);

	if (trees)
		deselect();
	if (sums || trees || turned || basis)
		weigh_layers(trees || turned);
	if (!(state.zoom < last_id()))
		state.zoom = 0;
	const zoomed = changed('zoom', state.zoom);

	const searched = show_search(sums || trees || basis || turned);
	show_choices();
	show_path();
	show_chips();
	if (trees || turned || zoomed)
		hide_tooltip();
	if (selected >= 0 && (sums || basis))
		say_selected();
	show_panel(sums || basis || scale || trees || zoomed || searched);
	show_tracks(sums || dark || changed('tracks', state.tracks, state.sort));
	layout();
	if (zoomed || trees || turned || sums || basis || !smooth)
		move_view(smooth && zoomed && !trees && !sums);
	if (sums || dark || basis || scale)
		show_legend();
	strips.forEach(draw_strip);
}

/* Replace values of the state that do not fit the profile. */
function complete_state()
{
	const kinds = kinds_of(profile);

	if (!kinds.some(([kind]) => kind === state.kind))
		state.kind = KEYS.kind[0];
	if (profile.profiles.length < 2)
		state.basis = 'after', state.scale = 'share', state.time2 = '';
	if (!(state.of < profile.names.length))
		state.of = -1;
	state.edits = format_edits(parse_edits(state.edits).filter(e => e.label < profile.names.length));
}

function edit_stacks()
{
	base = edit_tree(profile.tree, all_edits(), profile.kinds);
	made = {};
}

/* Trees are built with these weights, so that their nodes do not depend on the selection. */
const all_ns = () => made.all_ns ??= add_up_all(profile, base);

/* The selected function, or the one with most self time. */
function default_sandwich()
{
	if (selected >= 0 && profile.kinds[label_of(selected)] >= USER)
		return label_of(selected);

	const self = new Float64Array(profile.names.length);
	let most = 0;

	model.sums[basis_side()].ns.forEach((ns, i) => { self[base.tree.label[i]] += ns; });
	self.forEach((ns, f) => { if (profile.kinds[f] >= USER && ns > self[most]) most = f; });
	return most;
}

function add_up_choice()
{
	model = add_up(profile, base, { kind: state.kind, tasks: chosen_tasks(), ranges: profile.profiles.map((_, side) => range_of(side)) });
	strips.forEach((strip, side) => { strip.ns = model.strips[side]; });
}

function basis_side()
{
	return profile.profiles.length > 1 && state.basis === 'after' ? 1 : 0;
}

/* Weigh the shown trees, after building those that do not exist yet. */
function weigh_layers(anew)
{
	const up = state.order === 'flame', of = state.of;
	const weigh = tree => weigh_tree(tree, model.sums, basis_side());

	weigh(base.tree);
	if (state.merge === 'callers') {
		made.callers ??= invert_tree(base.tree, all_ns());
		weigh(made.callers);
		if (anew && made.callers.least)
			say(`Callers of less than ${weight(made.callers.least)} are left out`);
	}
	if (state.merge === 'sandwich') {
		if (made.sandwich?.of !== of)
			made.sandwich = { of, ...sandwich_trees(base.tree, of, all_ns()) };
		weigh(made.sandwich.callees);
		weigh(made.sandwich.callers);
	}
	if (anew)
		set_layers(state.merge === 'sandwich' ? [[made.sandwich.callees, up], [made.sandwich.callers, !up]] :
			[[state.merge === 'callers' ? made.callers : base.tree, up]]);
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
			element('li', {}, swatch(x => colour_of_change(x)), 'more than before (pale: may be chance)'),
			element('li', {}, `widths: those ${state.basis}`),
			...sample_lengths() ? [element('li', { title: 'Chance alone would make such a difference in 5, 1, 0.1 % of the cases; without a star it may be chance' },
				'* ** ***: hardly chance')] : []);
		return;
	}
	const sums = sum_by_kind(profile.kinds, base.tree, 0), all = base.tree.total[0];

	$('legend').replaceChildren(...LEGEND.filter(kind => sums[kind]).map(kind =>
		element('li', {}, swatch(x => colour_of_kind(kind, x, 0.5)), KINDS[kind].name, element('b', {}, percent(sums[kind], all)))));
}

/* Show the frames from the root to the zoomed one. */
function show_path()
{
	const [{ tree, first }, node] = locate(state.zoom), path = [];

	for (let i = node; i; i = tree.parent[i])
		path.unshift(i);
	path.unshift(0);

	const shown = path.length > 9 ? [...path.slice(0, 3), -1, ...path.slice(-5)] : path;
	const crumb = i => element('button', { type: 'button', title: name_of(first + i),
		onclick: () => go({ zoom: i ? first + i : 0 }) }, shorten_name(name_of(first + i), 80));

	$('path').replaceChildren(...shown.map(i => element('li', {}, i < 0 ? '…' : crumb(i))));
}

/* Show each restriction of the selection as a chip, with a button to remove it. */
function show_chips()
{
	const chip = (text, change) => element('li', {}, element('span', {}, text),
		element('button', { type: 'button', title: 'Remove', onclick: () => go(change, true) }, '×'));
	const names = ['before', 'after'], chips = [];

	profile.profiles.forEach((p, side) => {
		const key = time_key(side), [from, to] = range_of(side);

		if (state[key])
			chips.push(chip(`${profile.profiles.length > 1 ? names[side] + ' ' : ''}${moments(side, from, to)}`, { [key]: '' }));
	});
	if (state.tasks) {
		const tasks = chosen_tasks().map(t => t.replace(/^name:/, '').replace(':', ' '));

		chips.push(chip(shorten(tasks.join(', '), 50), { tasks: '' }));
	}
	parse_edits(state.edits).forEach((edit, i, edits) => chips.push(chip(describe_edit(edit),
		{ edits: format_edits(edits.filter((_, k) => k !== i)), zoom: 0 })));
	$('chips').replaceChildren(...chips);
}

/* Prepare for printing: light theme, no scrolling, all rows of the graph. */
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

/* Show @next instead of the profile that is shown, if there is one, in the view @view; null: that of the address, with what is usual for @next. */
function show_profile(next, view)
{
	const first = !profile;

	profile = next;
	for (const what in seen)
		delete seen[what];
	colours = [];
	selected = hovered = -1;

	const kinds = kinds_of(profile);
	KEYS.kind[0] = next.usual_kind ?? usual_kind(profile);
	if (innerWidth <= 600)
		KEYS.panel[0] = 'none';
	$('idle').hidden = idle_label(profile) < 0;
	$('kinds').hidden = kinds.length < 2;
	$('kinds').replaceChildren(...kinds.map(([kind, title]) => {
		const button = element('button', { type: 'button', title: 'Kind of samples (k)', onclick: () => go({ kind }) },
			title[0].toUpperCase() + title.slice(1));

		Object.assign(button.dataset, { key: 'kind', value: kind });
		return button;
	}));
	document.body.classList.toggle('two', profile.profiles.length > 1);
	document.body.classList.remove('loading', 'failed');
	make_strips();
	show_facts();
	if (first) {
		listen();
		listen_to_graph();
	}
	show(view ?? read_hash(), false);
	document.body.dataset.frames = profile.tree.size;
	document.body.dataset.samples = profile.profiles.reduce((sum, p) => sum + p.samples, 0);
	requestAnimationFrame(() => setTimeout(() => performance.mark('painted')));
}

/* Without data in it the page comes from a server, which has them. */
async function begin()
{
	const text = $('profile').textContent.trim();

	if (text)
		show_profile(read_page(await gunzip(from_base64(text))), null);
	else
		begin_served();
}

begin().catch(error => {
	$('loading').textContent = `The profile cannot be shown: ${error.message}`;
	document.body.classList.replace('loading', 'failed');
});
