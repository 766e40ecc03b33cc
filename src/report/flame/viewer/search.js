/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The search field and its matches. */

let found = null;		/* labels that match; null: there is no search. Matches by node are in each layer */

const is_regex = query => /^\/(.+)\/([imsu]*)$/s.test(query);

/* Bring matches up to date. @stale: the trees or their weights have changed. Returns whether the matches may be others. */
function show_search(stale)
{
	const input = $('search');

	if (input.value !== state.search)
		input.value = state.search;
	if (!changed('search', state.search) && !stale)
		return false;
	input.setAttribute('aria-invalid', 'false');
	found = null;
	document.body.dataset.matched = '';
	try {
		const labels = search_labels(profile, state.search);

		found = labels && { labels };
		$('found').textContent = '';
	} catch (error) {
		input.setAttribute('aria-invalid', 'true');
		$('found').textContent = 'not a regular expression';
	}
	for (const layer of layers)
		layer.found = found && { labels: found.labels, ...search_tree(layer.tree, found.labels) };
	strips.forEach(s => { s.matches = null; });
	if (found)
		say_found();
	return true;
}

/* The share counts each sample once, in any tree; the number of frames is that of the shown tree. */
function say_found()
{
	const nodes = layers.reduce((sum, l) => sum + l.found.nodes.length, 0), { tree } = base;
	const { inside, ns, samples } = tree === layers[0].tree ? layers[0].found : search_tree(tree, found.labels);

	$('found').textContent = ns ? `${percent(ns, tree.total[0])} in ${plural(nodes, 'frame')}` : 'not found';
	document.body.dataset.matched = samples;
	add_up_matches(profile, base, { kind: state.kind, mask: model.mask }, inside)
		.forEach((ns, side) => { strips[side].matches = ns; });
}

function toggle_regex()
{
	const text = $('search').value;

	go({ search: is_regex(text) ? text.replace(/^\/(.+)\/[imsu]*$/s, '$1') : `/${text.replace(/^"(.*)"$/s, '$1') || '.'}/` });
	$('search').focus();
}

/* Select the next or previous match in the order of the tree. */
function next_match(forward)
{
	const [zoomed, node] = locate(state.zoom);
	const ids = layers.flatMap(l => (l.found?.nodes ?? []).map(i => l.first + i))
		.filter(id => layers.length > 1 || id >= node && id < zoomed.tree.end[node]);
	const next = forward ? ids.find(i => i > selected) ?? ids[0] :
		ids.findLast(i => i < selected) ?? ids[ids.length - 1];

	if (next !== undefined)
		select(next);
}
