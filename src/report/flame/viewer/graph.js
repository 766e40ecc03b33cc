/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paint trees on a canvas, as layers: a graph has one layer; a sandwich has two that share their root, one with the
 * callees, one with the callers in the other direction. A frame's id is its node plus the sizes of the layers before
 * its own.
 *
 * The canvas has the size of the visible part, not of the graph, since stacks can be deeper than a canvas can be high.
 * It sticks to the top of the scrolled area, and is repainted on scrolling.
 */

const ROW_PX = 18;		/* height of a frame */
const FONT_PX = 12;
const TEXT_PAD_PX = 4;
const MIN_PX = 0.3;		/* narrower frames are merged with their neighbours; their children are not painted */
const ZOOM_MS = 200;

const canvas = $('canvas'), scroller = $('scroller');
const paint = canvas.getContext('2d');

let layers = [];		/* { tree, up, first: the id of its root, view: { from, to }, found } */
let rows_above = 0, rows = 1;	/* rows above the root; all rows */
/* At the last layout: y of the root's row, and the height of the visible part; since then: how far that is scrolled. */
let root = { y: 0, height: 0, top: 0 };
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

/* The layer of a frame, and its node in it. */
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

/* The height of all rows, or of the visible part if that is larger. */
function content_px()
{
	return Math.max(rows * ROW_PX, scroller.clientHeight);
}

/* The y of the first row: a flame graph is at the bottom, an icicle graph at the top, a sandwich in the middle. */
function top_px()
{
	const room = content_px() - rows * ROW_PX;

	return layers.length > 1 ? Math.floor(room / 2) : layers[0].up ? room : 0;
}

/* The y of row @depth of @layer in the scrolled content. */
function row_px(layer, depth)
{
	return top_px() + (layer.up ? rows_above - depth : rows_above + depth) * ROW_PX;
}

/* Pixels per nanosecond in @layer. */
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

function scroll_to(y)
{
	scroller.scrollTop = y;
	root.top = scroller.scrollTop;
}

/* As the graph was scrolled. What a larger window has scrolled to have no gap at the end is not counted: layout() comes next. */
function remember_scroll()
{
	if (scroller.clientHeight === root.height)
		root.top = scroller.scrollTop;
}

/* Fit canvas and scroll area to the window and to the depth of the shown trees, keeping the root in its position. */
function layout()
{
	const ratio = devicePixelRatio || 1;
	const [zoomed, node] = locate(state.zoom);
	const depth = up => Math.max(0, ...layers.filter(l => l.up === up)
		.map(l => deepest(l.tree, l === zoomed ? node : 0)));
	const below = depth(false), width = scroller.clientWidth, height = scroller.clientHeight;
	const above_root = root.y - root.top + (layers[0].up && layers.length < 2 ? height - root.height : 0);

	rows_above = depth(true);
	rows = rows_above + 1 + below;
	root = { y: rows_above * ROW_PX + top_px(), height, top: root.top };

	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
	}
	$('spacer').style.height = `${content_px() - height}px`;
	scroll_to(root.y - above_root);
	repaint();
}

/* Bring the zoomed frame to full width and into view, and reset the layers that do not contain it. */
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
		scroll_to(row_px(layers[0], 0) - scroller.clientHeight / 2);
	else
		scroll_to(zoomed.up ? y + ROW_PX + room - scroller.clientHeight : y - room);

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

/* Zoom by @factor around the pointer, without adding to the browser's history. */
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
		paint.fillText('Nothing matches the selected time, threads, function and edits.', 12, 40);
	}
	document.body.dataset.drawn = drawn;
}

/*
 * Paint what is visible: a subtree is skipped if it is outside the window or too narrow. Adjacent narrow siblings are
 * painted as one bar, so that many small frames do not disappear; the bar shows whether one of them matches the search.
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
	const runs = [];	/* by depth: adjacent narrow frames that are not painted yet */
	const end_run = run => {
		if (run && run.to - run.from >= MIN_PX)
			bar(run.node, run.from, Math.max(run.to - run.from, 0.7));
	};

	/* The second layer's root is the same as the first one's. */
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

/* Write as much of the name as fits. The font is monospaced, so the text need not be measured. */
function write_name(layer, i, x, w, char_px, is_caller)
{
	const room = Math.floor((w - 2 * TEXT_PAD_PX) / char_px), faded = layer.found && !layer.found.labels[layer.tree.label[i]];

	if (room < 3)
		return;
	paint.globalAlpha = faded ? 0.7 : 1;
	paint.fillStyle = faded || is_caller ? style.faded : style.text;
	paint.fillText(shorten_name(profile.names[layer.tree.label[i]], room), x + TEXT_PAD_PX,
		row_px(layer, layer.tree.depth[i]) - scroller.scrollTop + ROW_PX / 2, w - 2 * TEXT_PAD_PX);
}

/* The frame's box in the window; null: it is not visible. */
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
