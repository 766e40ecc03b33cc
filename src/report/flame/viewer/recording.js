/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The header and the panel that tell how the profile was recorded. */

function sum_outcomes(p, ...classes)
{
	return p.outcomes.filter(o => classes.includes(o.class)).reduce((sum, o) => sum + o.samples, 0);
}

const series_of = p => profile.series.filter(s => profile.profiles[s.profile] === p);

/* What a profile has of each kind: ["1,707 samples", "20 off-CPU intervals"]. */
const counts_of = p => series_of(p).map(s => plural(s.nr_samples, NOUNS[s.kind]));

/* The facts in the header: [key, value, whether it is a warning]. */
function facts_of(p)
{
	const settings = new Map(p.settings.map(([key, value]) => [key, visible(value)]));
	const rate = settings.get('frequency_hz');
	const complete = sum_outcomes(p, 'complete'), cut = sum_outcomes(p, 'cut'), none = sum_outcomes(p, 'no-stack');

	return [
		['host', settings.get('hostname')],
		['kernel', settings.get('kernel')],
		['duration', duration(Number(settings.get('duration_ns')) || p.buckets * p.bucket_ns)],
		['event', [settings.get('event'), rate && `${rate} Hz`].filter(Boolean).join(', ')],
		...series_of(p).map(s => [`${NOUNS[s.kind]}s`, count(s.nr_samples)]),
		['complete user stacks', complete + cut + none ? percent(complete, complete + cut + none) : ''],
		['cut', cut && count(cut), true],
		['without stack', none && count(none), true],
		...p.counters.filter(c => c.loss).map(c => [c.name.replaceAll('-', ' '), count(c.value), true]),
		['', !p.finished && !p.live && 'the recording ended early: its losses are unknown', true],
		['', !p.symbolized && 'the names of functions are missing', true],
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
			`${short_path(visible(p.name))}: ${[...counts_of(p), duration(p.buckets * p.bucket_ns)].join(', ')}`])) :
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
			...series_of(p).map(s => [`${s.title}: ${plural(s.nr_samples, NOUNS[s.kind])}, in rows`, s.node.length]),
			['length of a bucket of time', duration(p.bucket_ns)],
		]),
		element('p', {}, profile.note),
	];
}

function show_recording()
{
	$('recording').replaceChildren(...profile.profiles.flatMap(recording_of));
}
