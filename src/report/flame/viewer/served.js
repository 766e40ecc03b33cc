/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The page as dusk web serves it: its data come from the server, for what the query of the address says (choices.js); the
 * fragment is the view of that, as in a page that is a file (state.js).
 */

const LIVE_MS = 10000;

const server = { query: new URLSearchParams(), asks: 0, stop: null, timer: 0 };

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

/* Ask for @path with those of @keys that the address has, and @more. */
async function ask(path, keys, more = {})
{
	const query = new URLSearchParams(Object.entries(more));

	for (const key of keys)
		if (server.query.get(key) && !(key in more))
			query.set(key, server.query.get(key));

	const answer = await fetch(`/api/v1/${path}?${query}`, { signal: server.stop.signal });

	if (!answer.ok)
		throw Object.assign(new Error((await answer.json().catch(() => ({}))).error ?? `the server says ${answer.status}`),
			{ status: answer.status });
	return answer;
}

/* The rows of an answer in NDJSON, without the line that names the columns. */
async function ask_rows(path, keys, more)
{
	const text = await (await ask(path, keys, more)).text();

	return text.trim().split('\n').slice(1).map(line => JSON.parse(line));
}

/* Time off CPU, of which there is much more, comes when @view shows it, or when there is nothing else. */
async function ask_flame({ kind, tracks })
{
	const ask_kind = of => ask('flame', [...TIMES, ...BEFORE, ...LABELS, ...MORE], { kind: of });

	if (kind && kind !== 'cpu' || tracks === 'yes')
		return ask_kind(WALL);
	try {
		return await ask_kind('cpu');
	} catch (error) {
		if (error.status !== 404)
			throw error;
		return ask_kind(WALL);
	}
}

async function ask_profile(view)
{
	const answer = await ask_flame(view);
	const next = read_page(new Uint8Array(await answer.arrayBuffer()));

	hear(answer.headers.get('Dusk-Said') ?? '');
	return describe_answer(next);
}

/* The server calls profiles by what it was asked for; readers know them by their choices. */
function describe_answer(next)
{
	const [first, second] = next.profiles, before = server.query.get('before'), key = before?.split('=', 1)[0];
	const after = before && server.query.get(key);

	next.usual_kind = next.series.some(s => s.kind === 'cpu') ? 'cpu' : undefined;
	for (const p of next.profiles)
		p.begin_ms = (Number(new Map(p.settings).get('start_realtime_ns')) - p.early_ns) / 1e6;
	next.title = [chosen_text() || (second ? '' : next.title), time_in_words()].filter(Boolean).join(', ');
	if (second) {
		first.name = before ? pair_text(before) : before_ms() ? span_text(...before_ms()) : first.name;
		second.name = after ? pair_text(`${key}=${after}`) : time_in_words();
	}
	return next;
}

/* What the server has said beside its answer: something may be missing in it. */
function hear(text)
{
	$('said').textContent = $('said').title = text.replace(/^dusk: /, '');
	$('said').classList.toggle('warning', Boolean(text));
}

/* An address that shows the same tomorrow: with times instead of "an hour ago". */
function copy_link()
{
	const query = new URLSearchParams(server.query);

	for (const [key, ms] of Object.entries({ from: shown_ms()[0], to: shown_ms()[1] }))
		if (ms !== null)
			query.set(key, time_text(ms));
	query.delete('live');
	copy_text(`${location.origin}/?${query}${write_hash()}`).then(() => {
		hear('');
		$('said').textContent = 'Copied: the address of this view';
	});
}

/* ---- Failing ---------------------------------------------------------------------------------------------------- */

/* Why there is no answer, in words, and what else could be asked. */
function failure_of(error)
{
	const chosen = [...LABELS, ...MORE].filter(key => server.query.get(key));
	const all = ['Of everything', Object.fromEntries(chosen.map(key => [key, '']))], day = ['The last 24 h', { from: '-24h', to: '' }];
	const alone = ['Without comparison', Object.fromEntries(BEFORE.map(key => [key, '']))];

	if (!error.status)
		return ['The server does not answer: dusk web has ended, or the network fails.', [['Try again', {}]]];
	if (error.status !== 404)
		return [error.message, compares() ? [alone] : []];
	return [`Nothing was recorded${chosen.length ? ` of ${chosen.map(key => `${key} ${name_text(key, server.query.get(key))}`).join(', ')}` : ''} ` +
		`in this time (${time_in_words()})${compares() ? ', or in what it is compared with' : ''}.`,
	[...compares() ? [alone] : [], ...chosen.length ? [all] : [], day]];
}

function show_failure(error)
{
	const [text, others] = error ? failure_of(error) : ['', []];

	$('failure').hidden = !error;
	$('failure').replaceChildren(element('p', {}, text), ...others.map(([name, change]) =>
		element('button', { type: 'button', onclick: () => choose(change) }, name)));
	document.body.classList.toggle('stale', Boolean(error));
	if (error && !profile)
		document.body.classList.replace('loading', 'failed');
}

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

/* The names of the frames from the root to what is zoomed to: numbers of frames are those of one profile. */
function zoomed_names()
{
	const names = [];

	if (!profile || !state.zoom || state.merge === 'sandwich')
		return names;
	for (let [{ tree }, i] = locate(state.zoom); i; i = tree.parent[i])
		names.unshift(profile.names[tree.label[i]]);
	return names;
}

/* The id of the frame with these names, or of the last one that there is. */
function find_names(names)
{
	const { tree, first } = layers[0];
	let at = 0;

	for (const name of names) {
		let i = at + 1;

		while (i < tree.end[at] && profile.names[tree.label[i]] !== name)
			i = tree.end[i];
		if (i >= tree.end[at])
			break;
		at = i;
	}
	return at && first + at;
}

/* Show other data, as @view says. */
function exchange(next, view)
{
	const zoomed = zoomed_names(), of = profile?.names[state.of];

	show_profile(next, profile && { ...view, zoom: 0, time: '', time2: '', edits: '', of: next.names.indexOf(of) });
	if (zoomed.length)
		show({ ...state, zoom: find_names(zoomed) }, false);
}

/* Ask again every ten seconds, while somebody looks. */
function keep_live()
{
	clearInterval(server.timer);
	server.timer = server.query.get('live') ? setInterval(() => { if (!document.hidden) load(); }, LIVE_MS) : 0;
}

/* Ask for what @view shows, and show it. Returns false if something else was asked for meanwhile. */
async function load_profile(view)
{
	const number = ++server.asks;

	document.body.classList.add('asking');
	try {
		const next = await ask_profile(view);

		if (number === server.asks) {
			exchange(next, view);
			history.replaceState(null, '', write_hash());
			show_failure(null);
		}
	} catch (error) {
		if (number === server.asks && error.name !== 'AbortError')
			show_failure(error);
	}
	if (number !== server.asks)
		return false;
	document.body.classList.remove('asking');
	document.body.dataset.answers = number;
	return true;
}

async function load()
{
	server.stop?.abort();
	server.stop = new AbortController();
	keep_live();
	show_query();
	if (!await load_profile(state)) /* first: what else the server does takes its time */
		return;
	load_heat();
	load_labels();
}

function begin_served()
{
	server.query = new URLSearchParams(location.search);
	document.body.classList.add('served');
	$('server').hidden = false;
	state = read_hash();
	set_theme(is_dark() ? 'dark' : 'light');
	$('link').onclick = copy_link;
	listen_to_choices();
	listen_to_heat();
	addEventListener('popstate', () => {
		if (`${server.query}` === `${new URLSearchParams(location.search)}`)
			return;
		server.query = new URLSearchParams(location.search);
		load();
	});
	load();
}
