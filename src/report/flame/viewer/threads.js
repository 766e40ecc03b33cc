/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The panel of processes and threads. */

const threads = { list: null };

/* The name of thread @t: of a main thread, the title of its process if that is known. */
function thread_name(t)
{
	const { comms, comm, pid, tid, title_of, titles } = profile.threads;

	return pid[t] === tid[t] && title_of[t] ? titles[title_of[t] - 1] : comms[comm[t]];
}

/* The length of the whole words, or folders, with which all of @texts begin. */
function common_words(texts)
{
	let length = texts[0].length;

	for (const text of texts)
		for (let i = 0; i < length; i++)
			if (text[i] !== texts[0][i])
				length = i;
	return Math.max(texts[0].lastIndexOf(' ', length - 1), texts[0].lastIndexOf('/', length - 1)) + 1;
}

/* By title: what tells it apart from other titles of processes with the same name, as they often begin alike. */
function find_labels()
{
	const { titles, title_of, comm, nr } = profile.threads, by_comm = new Map(), labels = [...titles];

	for (let t = 0; t < nr; t++)
		if (title_of[t])
			by_comm.set(comm[t], (by_comm.get(comm[t]) ?? new Set()).add(title_of[t] - 1));
	for (const set of by_comm.values()) {
		const alike = [...set].map(i => titles[i]), length = alike.length > 1 ? common_words(alike) : 0;

		for (const i of length ? set : [])
			labels[i] = titles[i].length > length ? '…' + titles[i].slice(length) : titles[i];
	}
	return new Map(titles.map((title, i) => [title, labels[i]]));
}

/* Shorten the name of a thread or process to @room characters. */
function shorten_title(name, room)
{
	threads.labels ??= find_labels();
	return shorten_middle(name.length > room ? threads.labels.get(name) ?? name : name, room);
}

/* What a row of the panel is named after: of a process, its title if that is known. */
function name_in_group(t)
{
	const { comms, comm, title_of, titles } = profile.threads;

	return state.group === 'name' ? comms[comm[t]] : state.group === 'tid' ? thread_name(t) :
		title_of[t] ? titles[title_of[t] - 1] : comms[comm[t]];
}

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
		row.names.set(name_in_group(t), (row.names.get(name_in_group(t)) ?? 0) + model.thread_ns[t]);
		rows.set(key, row);
	}
	for (const row of rows.values())
		row.name = [...row.names].sort((a, b) => b[1] - a[1])[0][0];
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
		element('span', { className: 'name', title: row.name }, shorten_title(row.name, threads.room)),
		element('span', { className: 'module' }, state.group === 'name' ? row.nr > 1 ? plural(row.nr, 'thread') : '' : `${row.number}`));

	e.dataset.task = row.task;
	return e;
}

function show_threads()
{
	const wanted = $('narrow').value.toLowerCase(), rows = thread_rows();

	threads.most = rows[0]?.ns;
	threads.all = model.thread_ns.reduce((a, b) => a + b, 0);
	threads.list ??= make_list($('threads').lastElementChild, thread_row, () => {
		threads.room = Math.floor(($('threads').clientWidth - 190) / NAME_CHAR_PX);
	});
	threads.list.set(rows.filter(r => r.name.toLowerCase().includes(wanted) || `${r.number}` === wanted));
	$('all-threads').disabled = !state.tasks;
}
