/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The panel of functions: those of the zoomed frame, of the chosen time and threads, and, during a search, only those that
 * match. An exact name, such as a click on a row searches for, is marked but does not shorten the list.
 */

const NAME_CHAR_PX = 7.3;		/* of the rows' font */
const ROW_SIDES_PX = 46;

const functions = { list: null, rows: [], whole: [], most: {}, column: 'self', ascending: false };

/* Does the table have the columns of off-CPU intervals? */
const counts_waits = () => state.kind === 'off-cpu' && profile.profiles.length < 2;

/* The columns, each with its value for a row and its cell; only the names have none. */
function function_columns()
{
	const diff = profile.profiles.length > 1, off_cpu = counts_waits();

	return [
		...time_columns('self', 'Self', off_cpu ? 'Time off CPU that the function itself waited' : 'Time in the function itself', diff, off_cpu),
		...time_columns('total', 'Total', 'Time with the function anywhere on the stack', diff, off_cpu),
		...off_cpu ? [
			number_column('samples', 'Count', 'Off-CPU intervals with the function on the stack', count),
			number_column('longest', 'Longest', 'The longest of these intervals; of a sum of short ones, their mean', in_seconds),
		] : [],
		{ key: 'name', name: 'Function', title: '', of: row => -row.label },
	];
}

/* A column of times, as a share or, off CPU, in seconds; with two profiles, also one of their changes. */
function time_columns(key, name, title, diff, off_cpu)
{
	const { whole, most } = functions, side = state.basis === 'before' && diff ? 0 : whole.length - 1;
	const share = (ns, s) => whole[s] ? ns / whole[s] : 0, of_time = state.scale === 'time';
	const text = ns => off_cpu ? in_seconds(ns) : percent(ns, whole[side]);
	const figure = {
		key, name, title, of: row => row[key][side],
		cell: row => bar_cell(text(row[key][side]), row[key][side] / (most[key] || 1),
			off_cpu ? percent(row[key][side], whole[side]) : weight(row[key][side])),
	};
	const change = {
		key: key + '_change', name: 'Δ', title: 'The difference, in percentage points or in time', delta: true,
		of: row => of_time ? row[key][1] - row[key][0] : share(row[key][1], 1) - share(row[key][0], 0),
		cell: row => {
			const [a, b] = row[key], mark = mark_change(row[key]);
			const text = of_time ? signed_weight(b - a) : points(share(a, 0), share(b, 1));
			const sign = mark === '' ? '' : text.startsWith('+') ? 'more' : text.startsWith('−') ? 'less' : '';

			return element('span', { className: `figure change ${sign}`,
				title: `${percent(a, whole[0])} before, ${percent(b, whole[1])} after${mark === null ? '' : mark ?
					`; ${mark}: hardly chance` : '; this may be chance'}` },
			text, ...mark === null ? [] : [element('i', { className: 'mark' }, mark)]);
		},
	};

	return diff ? [figure, change] : [figure];
}

/* The stars of a difference between two sides; null: times off CPU were measured, so that chance has no part in them. */
function mark_change(ns)
{
	const { whole, sample_ns } = functions;

	if (!sample_ns)
		return null;
	return mark_of(chance_of(ns.map((ns, s) => Math.round(ns / sample_ns[s])), whole.map((ns, s) => Math.round(ns / sample_ns[s])),
		state.scale === 'share', sample_ns));
}

/* What a sample of each of two sides stands for; null: there are not two, or not only samples. */
function sample_lengths()
{
	const of_side = profile.profiles.map((_, side) => profile.series.filter(s => s.profile === side && s.kind === state.kind));

	return of_side.length > 1 && state.kind !== 'off-cpu' && of_side.every(([s]) => s?.nr_samples) ?
		of_side.map(([s]) => s.nr_weight * s.unit_ns / s.nr_samples) : null;
}

const number_column = (key, name, title, format) => ({
	key, name, title, of: row => row[key][0], cell: row => bar_cell(format(row[key][0]), 0, title),
});

function function_row(row)
{
	const name = profile.names[row.label], cells = functions.columns.filter(c => c.cell);
	const between = element('button', { type: 'button', className: 'between', title: 'Callers and callees (double click)' }, '⇅');
	const e = element('div', { className: 'row', title: `${name}\n${profile.module_of(row.label)}` },
		...cells.map(c => c.cell(row)),
		element('span', { className: 'name' }, shorten_name(name, functions.room)),
		element('span', { className: 'module' }, profile.module_of(row.label)), between);

	e.classList.toggle('match', Boolean(found?.labels[row.label]));
	e.classList.toggle('selected', state.merge === 'sandwich' && state.of === row.label);
	e.dataset.label = row.label;
	e.onclick = () => go({ search: state.search === `"${name}"` ? '' : `"${name}"` });
	e.ondblclick = between.onclick = event => {
		event.stopPropagation();
		show_sandwich(row.label);
	};
	e.oncontextmenu = event => {
		event.preventDefault();
		open_menu(label_items(row.label), event.clientX, event.clientY);
	};
	return e;
}

/* Compute the rows of the zoomed frame, and what their shares refer to. */
function find_functions()
{
	const [{ tree }, node] = locate(state.zoom), is_list = found && !/^".*"$/s.test(state.search);

	functions.sample_ns = sample_lengths();
	functions.whole = tree.sides.map(side => side.total_ns[state.zoom ? node : 0]);
	functions.rows = functions_within(profile, base.tree, tree, state.zoom ? node : 0, counts_waits());
	for (const key of ['self', 'total'])
		functions.most[key] = functions.rows.reduce((most, row) => Math.max(most, ...row[key]), 0);
	if (is_list)
		functions.rows = functions.rows.filter(row => found.labels[row.label]);
}

/* Say what the list is restricted to. */
function show_scope()
{
	const parts = [
		state.zoom ? `within ${shorten_name(name_of(state.zoom), 60)}` : '',
		found && functions.rows.length < profile.names.length && !/^".*"$/s.test(state.search) ?
			`${plural(functions.rows.length, 'function')} found` : '',
	].filter(Boolean);

	$('scope').hidden = !parts.length;
	$('scope').textContent = parts.join(', ');
}

function show_heads(by)
{
	$('functions').querySelector('.heads').replaceChildren(...functions.columns.map(c => {
		const head = element('button', { type: 'button', title: c.title, className: c.delta ? 'figure change' : c.cell ? 'figure' : 'name' }, c.name);

		head.dataset.column = c.key;
		head.setAttribute('aria-sort', c !== by ? 'none' : functions.ascending ? 'ascending' : 'descending');
		head.onclick = () => {
			functions.ascending = functions.column === c.key && !functions.ascending;
			functions.column = c.key;
			show_functions();
		};
		return head;
	}));
}

function show_functions()
{
	find_functions();

	const columns = functions.columns = function_columns(), sign = functions.ascending ? 1 : -1;
	const by = columns.find(c => c.key === functions.column) ?? columns[0];
	const key = row => by.delta ? Math.abs(by.of(row)) : by.of(row);

	functions.rows.sort((a, b) => sign * (key(a) - key(b)) || b.total[0] - a.total[0] || a.label - b.label);
	$('functions').classList.toggle('wide', columns.length > 3);
	$('functions').classList.toggle('marked', Boolean(functions.sample_ns));
	$('functions').classList.toggle('timed', state.scale === 'time');
	show_heads(by);
	show_scope();

	const box = $('functions').lastElementChild;
	functions.list ??= make_list(box, function_row, () => {
		functions.room = Math.floor((box.clientWidth - ROW_SIDES_PX - 78 * (functions.columns.length - 1) - (functions.sample_ns ? state.scale === 'time' ? 72 : 36 : 0)) / NAME_CHAR_PX);
	});
	functions.list.set(functions.rows);
}
