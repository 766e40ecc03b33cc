/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tooltip, the status line and the menu of a frame that is pointed at or selected. */

/* Source lines, the most frequent first: those of the node in the page's tree, in other trees those of its function. */
function places_at(tree, i)
{
	const { node, file, line, samples } = profile.places, sums = new Map(), f = tree.label[i];
	const { place } = base;
	const mine = tree !== base.tree ? n => profile.tree.label[n] === f : place ? n => place[n] === i : n => n === i;

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
		row('total', count(samples_of(tree, side).total[i]), percent(s.total_ns[i], s.total_ns[0]), weight(s.total_ns[i])),
		row('self', count(samples_of(tree, side).self[i]), percent(s.self_ns[i], s.total_ns[0]), weight(s.self_ns[i])),
	]);
	const [a, b] = tree.sides, head = text => element('tr', {}, element('th', { className: 'side', colSpan: 4 }, text));
	const up = layer.first || state.merge === 'callers';

	return [
		element('strong', {}, shorten(name, 400)),
		element('div', { className: 'where' }, note || [profile.module_of(f), KINDS[kind].name].filter(Boolean).join(' · ')),
		...places.slice(0, 3).map(place => element('div', { className: 'place' }, place)),
		...places.length > 3 ? [element('div', { className: 'place' }, 'and more lines')] : [],
		element('table', {}, element('tbody', {}, row('', is_counted() ? 'occurrences' : state.kind === 'off-cpu' ? 'intervals' : 'samples', 'share', 'time'),
			...b ? [head('before'), ...sides[0], head('after'), ...sides[1],
				row('change', '', points(a.total_ns[i] / (a.total_ns[0] || 1), b.total_ns[i] / (b.total_ns[0] || 1)),
					signed_weight(b.total_ns[i] - a.total_ns[i]))] : sides[0],
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

/* Select @id, and scroll it into view. */
function select(id)
{
	const [layer, i] = locate(id), [zoomed, node] = locate(state.zoom);
	const outside = layer === zoomed && (i < node || i >= layer.tree.end[node]);

	if (outside && layer.tree.depth[i] >= layer.tree.depth[node])
		go({ zoom: 0 });
	selected = id;

	const y = row_px(layer, layer.tree.depth[i]);
	scroll_to(Math.min(Math.max(scroller.scrollTop, y + ROW_PX - scroller.clientHeight), y));
	draw();

	const window_box = canvas.getBoundingClientRect(), box = box_of(id);
	if (box)
		show_tooltip(describe(id), window_box.left + box.x, window_box.top + box.y + ROW_PX);
	say_selected();
}

/* Say in the status line what is selected, and what it weighs now. */
function say_selected()
{
	const [{ tree }, i] = locate(selected);

	say(`${shorten_name(name_of(selected), 120)}, ${percent(tree.total[i], tree.total[0])} of ${weight(tree.total[0])}`);
}

/* Select nothing; the status line no longer speaks of what was selected. */
function deselect()
{
	selected = -1;
	say('');
}

function say(text)
{
	$('status').textContent = text;
}

/* The current frame: the one that is pointed at, or else selected, or else zoomed to. */
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

	open_menu([
		['Zoom', () => go({ zoom: id })],
		['Copy the stack', () => copy(stack_as_text(id), 'the stack')],
		...label_items(label),
		...profile.kinds[label] === PROCESS ? [['Only threads of this name', () => go({ tasks: `name:${name}`, zoom: 0 }, true)]] : [],
	], x, y);
}

/* The items of a menu that concern the function @label wherever it is. */
function label_items(label)
{
	const name = profile.names[label];

	return [
		...profile.kinds[label] >= NOTE ? [['Callers and callees', () => show_sandwich(label)]] : [],
		['Find this name', () => go({ search: `"${name}"` })],
		['Copy the name', () => copy(name, shorten_middle(name, 80))],
		...profile.kinds[label] !== ROOT ? edit_items(label) : [],
	];
}

/* Open a menu of @items, [text, what to do], at the pointer. */
function open_menu(items, x, y)
{
	const menu = $('menu');

	hide_tooltip();
	menu.replaceChildren(...items.map(([text, run]) => element('button', { type: 'button', role: 'menuitem',
		onclick: () => { menu.hidden = true; run(); } }, text)));
	menu.hidden = false;

	const { width, height } = menu.getBoundingClientRect();
	menu.style.transform = `translate(${Math.min(x, innerWidth - width - 4)}px, ${Math.min(y, innerHeight - height - 4)}px)`;
	menu.firstChild.focus();
}
