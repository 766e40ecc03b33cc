/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What has the user chosen? All of it is in `state`, and is mirrored in the URL's fragment, so that a reload, a bookmark
 * and the Back button restore it. Events change the state by go(); show(), in viewer.js, makes the page say what it says.
 */

/* Each key, its value if the fragment does not say it, and what it may say: a set, or anything. */
const KEYS = {
	zoom: [0, Number],
	search: ['', String],
	kind: ['', String],			/* of samples; usually the first one that the profile has */
	time: ['', /^[\d.]+-[\d.]+$/],		/* seconds of the recording */
	time2: ['', /^[\d.]+-[\d.]+$/],		/* of the second one */
	tasks: ['', String],			/* "name:sh", "pid:1", "tid:1", one a line */
	order: ['flame', ['flame', 'icicle']],
	merge: ['callees', ['callees', 'callers', 'sandwich']],
	of: [-1, Number],			/* the label of the sandwich */
	basis: ['after', ['before', 'after']],	/* whose widths, of two profiles */
	scale: ['share', ['share', 'time']],	/* what of two profiles is compared */
	panel: ['functions', ['functions', 'threads', 'recording', 'none']],
	group: ['name', ['name', 'pid', 'tid']],	/* of the panel of threads */
	theme: ['', ['light', 'dark']],
};

let state = Object.fromEntries(Object.entries(KEYS).map(([key, [usual]]) => [key, usual]));

function write_hash()
{
	const hash = new URLSearchParams();

	for (const key in KEYS)
		if (state[key] !== KEYS[key][0])
			hash.set(key, state[key]);
	return '#' + hash;
}

function read_hash()
{
	const hash = new URLSearchParams(location.hash.slice(1));
	const next = {};

	for (const [key, [usual, allowed]] of Object.entries(KEYS)) {
		const said = hash.get(key);
		const good = said !== null && (allowed === String || allowed === Number && /^\d{1,9}$/.test(said) ||
			Array.isArray(allowed) && allowed.includes(said) || allowed instanceof RegExp && allowed.test(said));

		next[key] = !good ? usual : allowed === Number ? Number(said) : said;
	}
	return next;
}

/* The user wants @change. @step: Back takes it back. */
function go(change, step = 'zoom' in change && change.zoom !== state.zoom)
{
	show({ ...state, ...change });
	history[step ? 'pushState' : 'replaceState'](null, '', write_hash());
}
