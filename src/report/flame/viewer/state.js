/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user's choices. All of them are in `state` and mirrored in the URL's fragment, so that a reload, a bookmark and
 * the Back button restore them. Event handlers change the state by go(); show() in viewer.js updates the page from it.
 */

/* By key: the default value, and what is valid in the fragment (a list, an expression, or a conversion). */
const KEYS = {
	zoom: [0, Number],
	search: ['', String],
	kind: ['', String],			/* of samples; usually the first one that the profile has */
	time: ['', /^[\d.]+-[\d.]+$/],		/* seconds of the recording */
	time2: ['', /^[\d.]+-[\d.]+$/],		/* of the second one */
	tasks: ['', String],			/* "name:sh", "pid:1", "tid:1", one a line */
	edits: ['', /^((hide|drop|keep):\d{1,9}|fold)(,((hide|drop|keep):\d{1,9}|fold))*$/],	/* of the stacks: edit.js */
	idle: ['shown', ['shown', 'hidden']],	/* waits of idle threads */
	order: ['flame', ['flame', 'icicle']],
	merge: ['callees', ['callees', 'callers', 'sandwich']],
	of: [-1, Number],			/* the sandwich's label */
	basis: ['after', ['before', 'after']],	/* which of two profiles gives the widths */
	scale: ['share', ['share', 'time']],	/* how two profiles are compared */
	panel: ['functions', ['functions', 'threads', 'recording', 'none']],
	group: ['name', ['name', 'pid', 'tid']],	/* of the panel of threads */
	tracks: ['no', ['no', 'yes']],		/* a track of time for each thread */
	sort: ['time', ['time', 'longest', 'pid']],	/* of the tracks */
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

/* Apply the user's @change. @step: the Back button can undo it. */
function go(change, step = 'zoom' in change && change.zoom !== state.zoom)
{
	show({ ...state, ...change });
	history[step ? 'pushState' : 'replaceState'](null, '', write_hash());
}
