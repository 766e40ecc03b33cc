/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a page that is served shows, and of what: time, labels, and what it is compared with. All of it is in the query of the
 * address, server.query.
 */

const TIMES = ['from', 'to'], BEFORE = ['before_from', 'before_to', 'before'];
const LABELS = ['host', 'service', 'unit', 'container', 'version'];	/* that can be chosen from a list */
const MORE = ['pod', 'namespace', 'cgroup', 'comm', 'pid', 'tid', 'dso', 'focus', 'ignore'];	/* that the address can say */
const LIVE_FROM = '-60s', USUAL_FROM = '-1h';
const COMPARISONS_MS = { day: 86400e3, week: 7 * 86400e3 };	/* so long before */
const NAME_ROOM = 36, BUILD_ID_ROOM = 12;

let label_rows = [];	/* of the time that is shown, with all combinations of labels */

/* The range that is shown, and the one that it is compared with, [from, to] in ms; null: it is compared with no other time. */
const shown_ms = () => [time_ms(server.query.get('from') || USUAL_FROM), time_ms(server.query.get('to') || 'now')];

function before_ms()
{
	const [from, to] = ['before_from', 'before_to'].map(key => server.query.get(key));
	const range = [time_ms(from || '-7d'), time_ms(to || 'now')];

	return (from || to) && !range.includes(null) ? range : null;
}

const compares = () => BEFORE.some(key => server.query.get(key));

/* Ask for something else: the keys of @change, '' takes one away. */
function choose(change)
{
	if (!('live' in change) && [...TIMES, ...BEFORE].some(key => key in change))
		server.query.delete('live');
	for (const [key, value] of Object.entries(change))
		value ? server.query.set(key, value) : server.query.delete(key);
	history.pushState(null, '', `?${server.query}${write_hash()}`);
	load();
}

/* ---- Time ------------------------------------------------------------------------------------------------------- */

/* Show what is @step lengths later, or @grow times as much around the same middle. */
function move_time(step, grow)
{
	const [from, to] = shown_ms(), now = Date.now();

	if (from === null || to === null)
		return;
	const length = (to - from) * grow, first = grow === 1 ? from + step * length : (from + to - length) / 2;
	const end = Math.min(first + length, now);

	choose({ from: time_text(end - length), to: time_text(end) });
}

function toggle_live()
{
	choose(server.query.get('live') ? { live: '' } :
		{ live: 'yes', from: LIVE_FROM, to: '', before_from: '', before_to: '', before: '' });
}

/* ---- Labels ----------------------------------------------------------------------------------------------------- */

/* Does @name match @pattern, one of the names and wildcards that a filter takes? */
function matches_pattern(name, pattern)
{
	return pattern.split(',').some(part => part === name ||
		new RegExp(`^${part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(name));
}

/* The names of label @key, with most time first, of threads that fit what is chosen otherwise: [[name, { time, services }]]. */
function names_of(key)
{
	const others = LABELS.filter(other => other !== key && server.query.get(other)), found = new Map();

	for (const row of label_rows) {
		if (!row[key] || !others.every(other => matches_pattern(row[other] ?? '', server.query.get(other))))
			continue;
		const sum = found.get(row[key]) ?? { time: 0, services: new Set() };

		sum.time += row.self_ms ?? row.self;
		sum.services.add(row.service);
		found.set(row[key], sum);
	}
	return [...found].sort((a, b) => b[1].time - a[1].time);
}

/* A name as an item of a list. Versions are long, and mean something beside their service only. */
function name_text(key, name, services)
{
	const text = visible(name);

	if (key !== 'version')
		return shorten_middle(text, NAME_ROOM);
	return [services?.size === 1 && !server.query.get('service') ? shorten_middle(visible([...services][0]), NAME_ROOM) : '',
		/^[0-9a-f]{16,}$/.test(text) ? shorten(text, BUILD_ID_ROOM) : shorten_middle(text, NAME_ROOM)].filter(Boolean).join(' ');
}

const option = (value, text, chosen) => element('option', { value, selected: value === chosen }, text);

function show_lists()
{
	for (const key of LABELS) {
		const chosen = server.query.get(key) ?? '', names = names_of(key);
		const all = names.reduce((sum, [, { time }]) => sum + time, 0);
		const known = !chosen || names.some(([name]) => name === chosen);

		$(`by-${key}`).replaceChildren(option('', `any ${key}`, chosen),
			...known ? [] : [option(chosen, name_text(key, chosen), chosen)],
			...names.map(([name, { time, services }]) =>
				option(name, `${name_text(key, name, services)} · ${percent(time, all)}`, chosen)));
		$(`by-${key}`).hidden = names.length < (key === 'host' ? 2 : 1) && !chosen;	/* of one host only, no more is to be said */
		$(`by-${key}`).classList.toggle('chosen', Boolean(chosen));
	}
	show_comparisons();
}

/* The lists show what ran in this time. */
async function load_labels()
{
	label_rows = await ask_rows('labels', [...TIMES, ...MORE], { kind: 'wall' }).catch(() => []);
	show_lists();
}

/* What no list shows is shown as chips, which can be removed. */
function show_more()
{
	$('more').replaceChildren(...MORE.filter(key => server.query.get(key)).map(key => element('li', {},
		element('span', {}, `${key} ${shorten(visible(server.query.get(key)), NAME_ROOM)}`),
		element('button', { type: 'button', title: 'Remove', onclick: () => choose({ [key]: '' }) }, '×'))));
}

/* ---- Comparison ------------------------------------------------------------------------------------------------- */

/* Which item of the list of comparisons is shown. */
function comparison()
{
	const before = before_ms(), [from, to] = shown_ms(), near = (a, b) => Math.abs(a - b) < 2000;

	if (server.query.get('before'))
		return server.query.get('before');
	if (!before)
		return compares() ? 'times' : '';
	if (near(before[1], from) && near(before[1] - before[0], to - from))
		return 'previous';
	return Object.keys(COMPARISONS_MS).find(key => near(before[0], from - COMPARISONS_MS[key]) &&
		near(before[1], to - COMPARISONS_MS[key])) ?? 'times';
}

function show_comparisons()
{
	const is = comparison(), keys = ['version', ...server.query.get('host') ? ['host'] : []];
	const others = keys.flatMap(key => names_of(key).filter(([name]) => name !== server.query.get(key)).map(([name, { services }]) =>
		[`${key}=${name}`, `${key} ${name_text(key, name, services)}`]));

	if (is.includes('=') && !others.some(([value]) => value === is))
		others.unshift([is, pair_text(is)]);
	$('compare').replaceChildren(...[
		['', is ? 'Compare with nothing' : 'Compare with …'],
		['previous', 'the time right before'],
		['day', 'a day before'],
		['week', 'a week before'],
		...is === 'times' ? [['times', 'another time']] : [],
		...others,
	].map(([value, text]) => option(value, is && value === is ? `with ${text}` : text, is)));
	$('compare').classList.toggle('chosen', Boolean(is));
	$('before').hidden = !before_ms() && is !== 'times';
}

/* "version=1234" for a reader. */
function pair_text(pair)
{
	const [key] = pair.split('=', 1);

	return `${key} ${name_text(key, pair.slice(key.length + 1))}`;
}

/* Compare with the item @is of the list. */
function compare_with(is)
{
	const [from, to] = shown_ms(), none = { before_from: '', before_to: '', before: '' };
	const ago = is === 'previous' ? to - from : COMPARISONS_MS[is];

	if (is.includes('=')) {
		const [key] = is.split('=', 1), other = names_of(key).find(([name]) => `${key}=${name}` !== is);

		/* A version is compared with another one, not with all of them, which would have it, too. */
		choose({ ...none, before: is, ...server.query.get(key) || !other ? {} : { [key]: other[0] } });
	} else if (ago && from !== null && to !== null) {
		choose({ ...none, before_from: time_text(from - ago), before_to: time_text(to - ago), from: time_text(from), to: time_text(to) });
	} else {
		choose(none);
	}
}

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* What is chosen, in words: "shop on web-1". */
function chosen_text()
{
	const of = key => server.query.get(key) && name_text(key, server.query.get(key));
	const things = [of('service'), of('unit'), of('container'), of('version')].filter(Boolean).join(', ');

	return `${things}${of('host') ? `${things ? ' on ' : ''}${of('host')}` : ''}`;
}

function time_in_words()
{
	const [from, to] = shown_ms(), ago = server.query.get('from') || USUAL_FROM;

	if (server.query.get('live'))
		return 'live';
	if (/^-\d+(m|h|d)$/.test(ago) && !server.query.get('to'))
		return `last ${ago.slice(1, -1)} ${{ m: 'min', h: 'h', d: 'd' }[ago.at(-1)]}`;
	return from !== null && to !== null ? span_text(from, to) : `${ago} – ${server.query.get('to') || 'now'}`;
}

/* Show what is asked for. */
function show_query()
{
	const ago = server.query.get('to') ? '' : server.query.get('from') || USUAL_FROM, live = Boolean(server.query.get('live'));

	for (const key of [...TIMES, 'before_from', 'before_to'])
		$(`ask-${key}`).value = server.query.get(key) ?? '';
	for (const button of document.querySelectorAll('button[data-ago]'))
		button.setAttribute('aria-pressed', !live && button.dataset.ago === ago);
	$('live').setAttribute('aria-pressed', live);
	show_more();
	show_lists();
}

function listen_to_choices()
{
	for (const button of document.querySelectorAll('button[data-ago]'))
		button.onclick = () => choose({ from: button.dataset.ago, to: '' });
	for (const key of [...TIMES, 'before_from', 'before_to'])
		$(`ask-${key}`).onchange = () => choose({ [key]: $(`ask-${key}`).value.trim() });
	for (const key of LABELS)
		$(`by-${key}`).onchange = () => choose({ [key]: $(`by-${key}`).value });
	$('compare').onchange = () => compare_with($('compare').value);
	$('live').onclick = toggle_live;
	$('earlier').onclick = () => move_time(-1, 1);
	$('later').onclick = () => move_time(1, 1);
	$('wider').onclick = () => move_time(0, 2);
	Object.assign(ACTIONS, { '<': $('earlier').onclick, '>': $('later').onclick, 'z': $('wider').onclick, 'v': toggle_live });
}
