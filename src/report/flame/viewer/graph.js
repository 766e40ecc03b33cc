/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How are trees painted? On a canvas, as layers: the graph has one, a sandwich two that share their root, the callees
 * growing to one side and the callers to the other. A frame is known by its id: its node, plus what layers before its own
 * have.
 *
 * The canvas is as large as the window onto the graph, not as the graph (stacks can be deeper than a canvas can be
 * high): it sticks to the top of the scrolled area, and is painted anew when that is scrolled.
 */

const ROW_PX = 18;		/* height of a frame */
const FONT_PX = 12;
const TEXT_PAD_PX = 4;
const MIN_PX = 0.3;		/* narrower frames are drawn as one with their neighbours, without what stands on them */
const ZOOM_MS = 200;

const canvas = $('canvas'), scroller = $('scroller');
const paint = canvas.getContext('2d');

let layers = [];		/* { tree, up, first: its root's id, view: { from, to }, found } */
let rows_above = 0, rows = 1;	/* than the root; in all */
let root = { y: 0, height: 0 };	/* at the last layout: where its row began, and the height of the window */
let hovered = -1, selected = -1;
let animation = 0, painting = 0;

function set_layers(trees)
{
	let first = 0;

	layers = trees.map(([tree, up]) => {
		const layer = { tree, up, first, view: { from: 0, to: tree.total[0] }, found: null };

		first += tree.size;
		return layer;
	});
}

/* Where a frame is: its layer, and its node there. */
function locate(id)
{
	const layer = layers.findLast(l => id >= l.first) ?? layers[0];

	return [layer, Math.min(Math.max(id - layer.first, 0), layer.tree.size - 1)];
}

function label_of(id)
{
	const [{ tree }, i] = locate(id);

	return tree.label[i];
}

const name_of = id => profile.names[label_of(id)];

/* ---- Places ----------------------------------------------------------------------------------------------------- */

/* The height of all rows, or of the window onto them if that is more. */
function content_px()
{
	return Math.max(rows * ROW_PX, scroller.clientHeight);
}

/* Where the first row begins: flames stand on the ground, a sandwich hangs in the middle. */
function top_px()
{
	const room = content_px() - rows * ROW_PX;

	return layers.length > 1 ? Math.floor(room / 2) : layers[0].up ? room : 0;
}

/* Where row @depth of @layer begins, in the scrolled content. */
function row_px(layer, depth)
{
	return top_px() + (layer.up ? rows_above - depth : rows_above + depth) * ROW_PX;
}

/* How many pixels a nanosecond of @layer has. */
function scale_of(layer)
{
	return canvas.clientWidth / Math.max(layer.view.to - layer.view.from, 1e-9);
}

function frame_under(event)
{
	const box = canvas.getBoundingClientRect();
	const row = Math.floor((scroller.scrollTop + event.clientY - box.top - top_px()) / ROW_PX) - rows_above;
	const layer = layers.find(l => row && l.up === row < 0) ?? (row ? null : layers[0]);

	if (!layer || row < -rows_above || row >= rows - rows_above)
		return -1;
	const i = node_at(layer.tree, Math.abs(row), layer.view.from + (event.clientX - box.left) / scale_of(layer));

	return i < 0 ? -1 : layer.first + i;
}

/* Fit canvas and scroll area to the window and to the depth of what is shown, keeping the root where it is. */
function layout()
{
	const ratio = devicePixelRatio || 1;
	const [zoomed, node] = locate(state.zoom);
	const depth = up => Math.max(0, ...layers.filter(l => l.up === up)
		.map(l => deepest(l.tree, l === zoomed ? node : 0)));
	const below = depth(false), width = scroller.clientWidth, height = scroller.clientHeight;
	const above_root = root.y - scroller.scrollTop + (layers[0].up && layers.length < 2 ? height - root.height : 0);

	rows_above = depth(true);
	rows = rows_above + 1 + below;
	root = { y: rows_above * ROW_PX + top_px(), height };

	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
	}
	$('spacer').style.height = `${content_px() - height}px`;
	scroller.scrollTop = root.y - above_root;
	repaint();
}

/* Bring the zoomed frame to full width and into sight, and the layers it is not in back to all. */
function move_view(smooth)
{
	const [zoomed, node] = locate(state.zoom);
	const still = !smooth || matchMedia('(prefers-reduced-motion: reduce)').matches;
	const began = performance.now(), room = Math.min(3 * ROW_PX, scroller.clientHeight / 3);
	const y = row_px(zoomed, zoomed.tree.depth[node]);
	const moves = layers.map(layer => {
		const i = layer === zoomed ? node : 0;

		return { layer, start: layer.view,
			goal: { from: layer.tree.left[i], to: layer.tree.left[i] + layer.tree.total[i] } };
	});

	if (layers.length > 1 && !state.zoom)
		scroller.scrollTop = row_px(layers[0], 0) - scroller.clientHeight / 2;
	else
		scroller.scrollTop = zoomed.up ? y + ROW_PX + room - scroller.clientHeight : y - room;

	const step = now => {
		const t = still ? 1 : Math.min(1, Math.max(0, now - began) / ZOOM_MS), eased = 1 - (1 - t) ** 3;

		for (const { layer, start, goal } of moves)
			layer.view = t === 1 ? goal : {
				from: start.from + (goal.from - start.from) * eased,
				to: start.to + (goal.to - start.to) * eased,
			};
		draw();
		animation = t < 1 ? requestAnimationFrame(step) : 0;
	};
	cancelAnimationFrame(animation);
	step(began);
}

/* Zoom by @factor around the pointer, without an entry in the history. */
function zoom_view(event, factor)
{
	const id = frame_under(event), [layer] = locate(Math.max(id, 0));
	const all = layer.tree.total[0];
	const at = layer.view.from + (event.clientX - canvas.getBoundingClientRect().left) / scale_of(layer);
	const from = at - (at - layer.view.from) * factor, to = at + (layer.view.to - at) * factor;

	if (to - from < all / 1e7)
		return;
	cancelAnimationFrame(animation);
	layer.view = { from: Math.max(from, 0), to: Math.min(to, all) };
	repaint();
}

/* ---- Painting --------------------------------------------------------------------------------------------------- */

function repaint()
{
	painting ||= requestAnimationFrame(() => { painting = 0; draw(); });
}

function draw()
{
	const ratio = devicePixelRatio || 1;

	paint.setTransform(ratio, 0, 0, ratio, 0, 0);
	paint.clearRect(0, 0, canvas.width / ratio, canvas.height / ratio);
	paint.font = style.font;
	paint.textBaseline = 'middle';

	let drawn = 0;
	for (const layer of layers)
		drawn += draw_layer(layer, canvas.width / ratio, canvas.height / ratio);
	if (layers.length > 1)
		outline(0, 1);
	outline(hovered, 1);
	outline(selected, 2);
	if (!drawn) {
		paint.globalAlpha = 1;
		paint.fillStyle = style.axis;
		paint.fillText('No samples here, with the time, the threads and the function that are chosen.', 12, 40);
	}
	document.body.dataset.drawn = drawn;
}

/*
 * Paint what can be seen: a subtree is left out when it is beside the window, beyond it, or too narrow. Runs of narrow
 * siblings are painted as one bar, so that what is many but small does not look like nothing; a match among them shows.
 */
function draw_layer(layer, width, height)
{
	const { tree: { depth, label, left, total, end, size }, view, found } = layer;
	const top = scroller.scrollTop, scale = scale_of(layer), char_px = paint.measureText('0').width;
	const row = y => Math.floor((y - top_px()) / ROW_PX) - rows_above;
	const seen = layer.up ? [-row(top + height - 1), -row(top)] : [row(top), row(top + height - 1)];
	const [zoomed, node] = locate(state.zoom);
	const zoom_depth = layer === zoomed ? layer.tree.depth[node] : 0;
	let drawn = 0;

	const bar = (i, x, w) => {
		const match = found?.labels[label[i]];

		paint.globalAlpha = found && !match ? style.dim : depth[i] < zoom_depth ? 0.6 : 1;
		paint.fillStyle = match ? style.match : colour_of(layer.tree, i);
		paint.fillRect(x, row_px(layer, depth[i]) - top, w, ROW_PX - 1);
		drawn++;
	};
	const runs = [];	/* by depth: narrow neighbours not painted yet */
	const end_run = run => {
		if (run && run.to - run.from >= MIN_PX)
			bar(run.node, run.from, Math.max(run.to - run.from, 0.7));
	};

	/* The second layer's root is the first one's. */
	for (let i = layer.first ? 1 : 0; i < size; ) {
		const d = depth[i], x = (left[i] - view.from) * scale, w = total[i] * scale;

		if (!w || x + w <= 0 || x >= width || d > seen[1]) {
			i = end[i];
			continue;
		}
		if (w < MIN_PX) {
			if (d >= seen[0]) {
				if (runs[d] && x - runs[d].to < MIN_PX) {
					runs[d].to = x + w;
					if (found?.labels[label[i]])
						runs[d].node = i;
				} else {
					end_run(runs[d]);
					runs[d] = { node: i, from: x, to: x + w };
				}
			}
			i = end[i];
			continue;
		}
		if (d >= seen[0]) {
			const x0 = Math.max(x, 0), x1 = Math.min(x + w, width);

			bar(i, x0, x1 - x0 > 2.5 ? x1 - x0 - 1 : Math.max(x1 - x0 - 0.2, 0.7));
			write_name(layer, i, x0, x1 - x0 - 1, char_px, depth[i] < zoom_depth);
		}
		i++;
	}
	runs.forEach(end_run);
	return drawn;
}

/* As much of the name as fits; the font is monospaced, so that it need not be measured. */
function write_name(layer, i, x, w, char_px, is_caller)
{
	const room = Math.floor((w - 2 * TEXT_PAD_PX) / char_px), faded = layer.found && !layer.found.labels[layer.tree.label[i]];

	if (room < 3)
		return;
	paint.globalAlpha = faded ? 0.7 : 1;
	paint.fillStyle = faded || is_caller ? style.faded : style.text;
	paint.fillText(shorten(profile.names[layer.tree.label[i]], room), x + TEXT_PAD_PX,
		row_px(layer, layer.tree.depth[i]) - scroller.scrollTop + ROW_PX / 2, w - 2 * TEXT_PAD_PX);
}

/* The frame's place in the window; null: it is not there. */
function box_of(id)
{
	const [layer, i] = locate(id), scale = scale_of(layer);
	const x = Math.max((layer.tree.left[i] - layer.view.from) * scale, 0);
	const right = Math.min((layer.tree.left[i] + layer.tree.total[i] - layer.view.from) * scale, canvas.clientWidth);

	return right > x ? { x, right, y: row_px(layer, layer.tree.depth[i]) - scroller.scrollTop } : null;
}

function outline(id, px)
{
	const box = id < 0 ? null : box_of(id);

	if (!box)
		return;
	paint.globalAlpha = 1;
	paint.strokeStyle = style.outline;
	paint.lineWidth = px;
	paint.strokeRect(box.x + px / 2, box.y + px / 2, Math.max(box.right - box.x - 1 - px, 1), ROW_PX - 1 - px);
}
