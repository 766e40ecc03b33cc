/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The panels beside the graph, and their lists. */

/*
 * A list of any length, of which only the visible rows are elements. @make makes the element of a row; @measure, if there
 * is one, is called before rows are made.
 */
const LIST_ROW_PX = 24;

function make_list(box, make, measure)
{
	const list = { rows: [], whole: false };

	list.show = () => {
		const first = list.whole ? 0 : Math.max(0, Math.floor(box.scrollTop / LIST_ROW_PX) - 4);
		const nr = list.whole ? 60 : Math.ceil(box.clientHeight / LIST_ROW_PX) + 8;
		const seen = list.rows.slice(first, first + nr);
		measure?.();

		const inner = element('div', { className: 'rows' }, ...seen.map(make));

		inner.style.height = `${(list.whole ? seen.length : list.rows.length) * LIST_ROW_PX}px`;
		inner.style.paddingTop = `${first * LIST_ROW_PX}px`;
		box.replaceChildren(inner);
	};
	list.set = rows => {
		list.rows = rows;
		list.show();
	};
	box.onscroll = list.show;
	new ResizeObserver(list.show).observe(box);
	return list;
}

/* A cell with a number, and a bar as wide as @share. */
function bar_cell(text, share, title)
{
	const cell = element('span', { className: 'figure', title }, text);

	cell.style.setProperty('--share', Math.min(Math.max(share, 0), 1));
	return cell;
}

/* ---- The open panel --------------------------------------------------------------------------------------------- */

const PANELS = { functions: show_functions, threads: show_threads, recording: show_recording };

/* @stale: the sums have changed since the panel was shown. */
function show_panel(stale)
{
	for (const [id, show_it] of Object.entries(PANELS)) {
		const was_hidden = $(id).hidden;

		$(id).hidden = state.panel !== id;
		if (state.panel === id && (was_hidden || stale))
			show_it();
	}
	functions.list?.show();
}
