/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How is the tree painted? Between viewer_tree.js and viewer.js in the same script; what is to be painted is in
 * viewer.js: tree, state, view, found, hovered and selected.
 *
 * The canvas is as large as the window onto the graph, not as the graph (stacks can be deeper than a canvas can be
 * high): it sticks to the top of the scrolled area, and is painted anew when that is scrolled.
 */

const ROW_PX = 18;		/* height of a frame */
const FONT_PX = 12;
const TEXT_PAD_PX = 4;
const MIN_PX = 0.3;		/* narrower frames are drawn as one with their neighbours, without what stands on them */
const ZOOM_MS = 220;

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

/* ---- Colours ---------------------------------------------------------------------------------------------------- */

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
			const light = lightness + Number(style.shade);

			c.fillStyle = `hsl(${low + (high - low) * x / 27} ${saturation}% ${light}%)`;
			c.fillRect(x, 0, 1, 11);
		}
		return element('li', {}, swatch, KINDS[kind].name,
			element('b', {}, percent(sums[kind], profile.samples)));
	}));
}

/* ---- Painting --------------------------------------------------------------------------------------------------- */

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

/* Not what the user looks for: no match, or a caller of the frame that is zoomed to. */
function is_faded(i)
{
	return found ? !found.labels[tree.label[i]] : tree.depth[i] < tree.depth[state.zoom];
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
	let drawn = 0;

	const bar = (i, x, w) => {
		const match = found?.labels[label[i]];

		paint.globalAlpha = found && !match ? style.dim : is_faded(i) ? 0.6 : 1;
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
	paint.globalAlpha = found && !found.labels[tree.label[i]] ? 0.6 : 1;
	paint.fillStyle = is_dark() && is_faded(i) ? style.outline : style.text;
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
	paint.strokeRect(x + px / 2, row_px(tree.depth[i]) - top + px / 2,
		Math.max(right - x - 1 - px, 1), ROW_PX - 1 - px);
}

