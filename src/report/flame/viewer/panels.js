/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The panels beside the graph: functions, threads, and the recording. */

/*
 * A list of any length, of which only the visible rows are elements. @make makes the element of a row.
 */
const LIST_ROW_PX = 24;

function make_list(box, make)
{
	const list = { rows: [], whole: false };

	list.show = () => {
		const first = list.whole ? 0 : Math.max(0, Math.floor(box.scrollTop / LIST_ROW_PX) - 4);
		const nr = list.whole ? 60 : Math.ceil(box.clientHeight / LIST_ROW_PX) + 8;
		const seen = list.rows.slice(first, first + nr);
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

/* ---- Functions -------------------------------------------------------------------------------------------------- */

const functions = { list: null, rows: [], most: {}, column: 'self', ascending: false };

/* The columns, each with its value for a row and its cell. With two profiles, columns of changes are added. */
function function_columns()
{
	const all = profile.tree.sides.map(side => side.total_ns[0]), diff = all.length > 1;
	const side = state.basis === 'before' && diff ? 0 : all.length - 1;
	const share = (ns, s) => all[s] ? ns / all[s] : 0;
	const of_time = state.scale === 'time';
	const figure = (key, name, title) => ({
		key, name, title, of: row => row[key][side],
		cell: row => bar_cell(percent(row[key][side], all[side]), row[key][side] / (functions.most[key] || 1),
			weight(row[key][side])),
	});
	const delta = (key, title) => ({
		key: key + '_change', name: 'Δ', title, delta: true,
		of: row => of_time ? row[key][1] - row[key][0] : share(row[key][1], 1) - share(row[key][0], 0),
		cell: row => {
			const [a, b] = row[key], change = of_time ? b - a : share(b, 1) - share(a, 0);

			return element('span', { className: `figure change ${change > 0 ? 'more' : change < 0 ? 'less' : ''}`,
				title: `${percent(a, all[0])} before, ${percent(b, all[1])} after` },
			of_time ? signed_weight(b - a) : points(share(a, 0), share(b, 1)));
		},
	});

	return [
		figure('self', 'Self', 'Time in the function itself'),
		...diff ? [delta('self', 'The difference, in percentage points or in time')] : [],
		figure('total', 'Total', 'Time with the function anywhere on the stack'),
		...diff ? [delta('total', 'The difference, in percentage points or in time')] : [],
		{ key: 'name', name: 'Function', title: '', of: row => -row.label },
	];
}

function function_row(row)
{
	const name = profile.names[row.label];
	const between = element('button', { type: 'button', className: 'between', title: 'Callers and callees (double click)' }, '⇅');
	const e = element('div', { className: 'row', title: `${name}\n${profile.module_of(row.label)}` },
		...functions.columns.filter(c => c.cell).map(c => c.cell(row)),
		element('span', { className: 'name' }, name), element('span', { className: 'module' }, profile.module_of(row.label)),
		between);

	e.classList.toggle('match', Boolean(found?.labels[row.label]));
	e.classList.toggle('selected', state.merge === 'sandwich' && state.of === row.label);
	e.dataset.label = row.label;
	e.onclick = () => go({ search: state.search === `"${name}"` ? '' : `"${name}"` });
	e.ondblclick = between.onclick = event => {
		event.stopPropagation();
		show_sandwich(row.label);
	};
	return e;
}

function show_functions()
{
	const columns = functions.columns = function_columns(), sign = functions.ascending ? 1 : -1;
	const by = columns.find(c => c.key === functions.column) ?? columns[0];
	const key = row => by.delta ? Math.abs(by.of(row)) : by.of(row);

	functions.rows = top_functions(profile);
	for (const key of ['self', 'total'])
		functions.most[key] = functions.rows.reduce((most, row) => Math.max(most, ...row[key]), 0);
	functions.rows.sort((a, b) => sign * (key(a) - key(b)) || b.total[0] - a.total[0] || a.label - b.label);
	$('functions').classList.toggle('wide', columns.length > 3);
	$('functions').firstElementChild.replaceChildren(...columns.map(c => {
		const head = element('button', { type: 'button', title: c.title, className: c.cell ? 'figure' : 'name' }, c.name);

		head.dataset.column = c.key;
		head.setAttribute('aria-sort', c !== by ? 'none' : functions.ascending ? 'ascending' : 'descending');
		head.onclick = () => {
			functions.ascending = functions.column === c.key && !functions.ascending;
			functions.column = c.key;
			show_functions();
		};
		return head;
	}));
	functions.list ??= make_list($('functions').lastElementChild, function_row);
	functions.list.set(functions.rows);
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

const threads = { list: null };

/* One row for each name, process or thread with samples in the range: { task, name, number, ns, nr }. */
function thread_rows()
{
	const { comms, comm, pid, tid, nr } = profile.threads, rows = new Map();

	for (let t = 0; t < nr; t++) {
		if (!model.thread_ns[t])
			continue;
		const key = state.group === 'name' ? comms[comm[t]] : state.group === 'pid' ? pid[t] : tid[t];
		const row = rows.get(key) ?? { task: `${state.group}:${key}`, names: new Map(), ns: 0, nr: 0,
			number: state.group === 'name' ? '' : key };

		row.ns += model.thread_ns[t];
		row.nr++;
		row.names.set(comm[t], (row.names.get(comm[t]) ?? 0) + model.thread_ns[t]);
		rows.set(key, row);
	}
	for (const row of rows.values())
		row.name = comms[[...row.names].sort((a, b) => b[1] - a[1])[0][0]];
	return [...rows.values()].sort((a, b) => b.ns - a.ns);
}

const chosen_tasks = () => state.tasks ? state.tasks.split('\n') : [];

function toggle_task(task)
{
	const tasks = chosen_tasks();

	go({ tasks: (tasks.includes(task) ? tasks.filter(t => t !== task) : [...tasks, task]).join('\n'), zoom: 0 });
}

function thread_row(row)
{
	const on = chosen_tasks().includes(row.task);
	const e = element('label', { className: `row ${on ? 'match' : ''}` },
		element('input', { type: 'checkbox', checked: on, onchange: () => toggle_task(row.task) }),
		bar_cell(percent(row.ns, threads.all), row.ns / threads.most, weight(row.ns)),
		element('span', { className: 'name' }, row.name),
		element('span', { className: 'module' }, state.group === 'name' ? row.nr > 1 ? plural(row.nr, 'thread') : '' : `${row.number}`));

	e.dataset.task = row.task;
	return e;
}

function show_threads()
{
	const wanted = $('narrow').value.toLowerCase(), rows = thread_rows();

	threads.most = rows[0]?.ns;
	threads.all = model.thread_ns.reduce((a, b) => a + b, 0);
	threads.list ??= make_list($('threads').lastElementChild, thread_row);
	threads.list.set(rows.filter(r => r.name.toLowerCase().includes(wanted) || `${r.number}` === wanted));
	$('all-threads').disabled = !state.tasks;
}

/* ---- The recording ---------------------------------------------------------------------------------------------- */

function sum_outcomes(p, ...classes)
{
	return p.outcomes.filter(o => classes.includes(o.class)).reduce((sum, o) => sum + o.samples, 0);
}

const series_of = p => profile.series.filter(s => profile.profiles[s.profile] === p);

/* The facts in the header: [key, value, whether it is a warning]. */
function facts_of(p)
{
	const settings = new Map(p.settings.map(([key, value]) => [key, visible(value)]));
	const rate = settings.get('frequency_hz');
	const series = series_of(p), complete = sum_outcomes(p, 'complete'), cut = sum_outcomes(p, 'cut'), none = sum_outcomes(p, 'no-stack');

	return [
		['host', settings.get('hostname')],
		['kernel', settings.get('kernel')],
		['duration', duration(Number(settings.get('duration_ns')) || p.buckets * p.bucket_ns)],
		['event', [settings.get('event'), rate && `${rate} Hz`].filter(Boolean).join(', ')],
		...series.map(s => [series.length > 1 ? `samples ${s.title}` : 'samples', count(s.nr_samples)]),
		['complete user stacks', complete + cut + none ? percent(complete, complete + cut + none) : ''],
		['cut', cut && count(cut), true],
		['without stack', none && count(none), true],
		...p.counters.filter(c => c.loss).map(c => [c.name.replaceAll('-', ' '), count(c.value), true]),
		['', !p.finished && 'the recording was killed: its losses are not known', true],
		['', !p.symbolized && 'functions have not been looked up', true],
	].filter(fact => fact[1]);
}

function show_facts()
{
	const fact = ([key, value, warning]) => element('div', { className: warning ? 'warning' : '' },
		element('dt', {}, key), element('dd', {}, value));
	const [first, second] = profile.profiles;

	$('title').textContent = document.title = profile.title;
	$('facts').replaceChildren(...second ?
		[first, second].map((p, i) => fact([['before', 'after'][i],
			`${short_path(visible(p.name))}: ${plural(p.samples, 'sample')}, ${duration(p.buckets * p.bucket_ns)}`])) :
		facts_of(first).map(fact));
}

function recording_of(p)
{
	const table = rows => element('table', {}, element('tbody', {}, ...rows.map(([key, value, warning]) =>
		element('tr', { className: warning ? 'warning' : '' }, element('td', {}, key),
			element('td', { className: typeof value === 'number' ? 'number' : '' },
				typeof value === 'number' ? count(value) : visible(value))))));
	const section = (title, rows) => rows.length ? [element('h2', {}, title), table(rows)] : [];
	return [
		...profile.profiles.length > 1 ? [element('h1', {}, visible(p.name))] : [],
		...section('Settings', [...p.settings, ['CPU time a sample stands for', duration(p.period_ns)]]),
		...section('How the user stacks ended', p.outcomes.map(o =>
			[`${o.name}: ${o.sentence}`, o.samples, o.class === 'cut' || o.class === 'no-stack'])),
		...section('Counted while recording', p.counters.map(c => [c.sentence || c.name, c.value, c.loss])),
		...section('In this page', [
			...series_of(p).map(s => [`${s.title}: ${plural(s.nr_samples, 'sample')}, in rows`, s.node.length]),
			['time is cut into buckets of', duration(p.bucket_ns)],
		]),
		element('p', {}, profile.note),
	];
}

function show_recording()
{
	$('recording').replaceChildren(...profile.profiles.flatMap(recording_of));
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
