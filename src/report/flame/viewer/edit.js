/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Edits of the stacks, which the menu of a frame offers. state.edits lists them, "hide:12,drop:7,keep:3,fold" with labels:
 *
 *	hide	remove the function from all stacks; its samples become those of its callers
 *	drop	leave out the stacks that contain the function
 *	keep	leave out the stacks that do not contain it; of several such functions, a stack must contain all
 *	fold	a frame whose function is already on the stack is merged with that function's outermost frame
 *
 * The result is a tree like the page's own, from which all other trees are made.
 */

const EDITS_MAX = 24;		/* also the number of bits in a set of kept functions */

/* Parse state.edits: [{ what, label }]; fold has the label -1. */
function parse_edits(text)
{
	return text ? text.split(',').slice(0, EDITS_MAX).map(edit => {
		const [what, label = -1] = edit.split(':');

		return { what, label: Number(label) };
	}) : [];
}

/* What is done to the stacks: state.edits, and without idle threads a drop of their mark. */
function all_edits()
{
	const idle = state.idle === 'hidden' ? idle_label(profile) : -1;

	return [...parse_edits(state.edits), ...idle >= 0 ? [{ what: 'drop', label: idle }] : []];
}

const format_edits = edits => edits.map(e => e.what === 'fold' ? 'fold' : `${e.what}:${e.label}`).join(',');

/* The edit in words, for a reader. */
function describe_edit({ what, label })
{
	const name = shorten_name(profile.names[label] ?? '', 40);

	return { hide: `${name} hidden`, drop: `no stacks with ${name}`, keep: `only stacks with ${name}`, fold: 'recursion folded' }[what];
}

/*
 * Where each node of @tree belongs after @edits: [parent, label, place]. The first two describe new nodes, parents
 * before their children; place has the new node of each node of @tree, or -1 if its own samples are left out.
 */
function place_edited(tree, edits, kinds)
{
	const { size, depth, label, parent: old_parent } = tree;
	const labels_of = what => new Set(edits.filter(e => e.what === what).map(e => e.label));
	const hide = labels_of('hide'), drop = labels_of('drop'), keep = [...labels_of('keep')];
	const fold = edits.some(e => e.what === 'fold'), all_kept = (1 << keep.length) - 1;
	const at = new Int32Array(size), has = new Int32Array(size), place = new Int32Array(size);
	const parent = [0], labels = [label[0]], known = new Map();
	const on_stack = new Int32Array(kinds.length);	/* by label: its outermost new node on the stack; 0: none */
	const opened = [];				/* by depth: the label that entered on_stack there; -1: none */

	has[0] = 0;
	place[0] = all_kept ? -1 : 0;
	for (let i = 1; i < size; i++) {
		const f = label[i], up = at[old_parent[i]];

		while (opened.length >= depth[i]) {
			const gone = opened.pop();

			if (gone >= 0)
				on_stack[gone] = 0;
		}
		has[i] = has[old_parent[i]] | (keep.includes(f) ? 1 << keep.indexOf(f) : 0);
		at[i] = up < 0 || drop.has(f) ? -1 : hide.has(f) ? up :
			fold && on_stack[f] ? on_stack[f] : new_child(up, f);
		opened.push(at[i] > 0 && !on_stack[f] && !hide.has(f) && kinds[f] >= USER && kinds[f] !== STATE ? f : -1);
		if (opened[opened.length - 1] >= 0)
			on_stack[f] = at[i];
		place[i] = has[i] === all_kept ? at[i] : -1;
	}
	return [parent, labels, place];

	function new_child(up, f)
	{
		const key = up * kinds.length + f;
		let child = known.get(key);

		if (child === undefined) {
			known.set(key, child = parent.length);
			parent.push(up);
			labels.push(f);
		}
		return child;
	}
}

/* The numbers below @n in the order of @key, which has numbers below @limit; equal ones stay in their order. */
function sort_by_key(n, key, limit)
{
	const first = new Uint32Array(limit + 1), sorted = new Uint32Array(n);

	for (let i = 0; i < n; i++)
		first[key[i] + 1]++;
	for (let k = 0; k < limit; k++)
		first[k + 1] += first[k];
	for (let i = 0; i < n; i++)
		sorted[first[key[i]]++] = i;
	return sorted;
}

/* Put nodes into pre-order, siblings in the order of labels: [depth, label, rank], where rank has the new number of each node. */
function order_nodes(parent, label, nr_labels)
{
	const n = parent.length, first = new Uint32Array(n + 1), kids = new Uint32Array(n), level = new Uint16Array(n);
	const depth = new Uint16Array(n), labels = new Uint32Array(n), rank = new Int32Array(n), todo = [0];

	for (let i = 1; i < n; i++) {
		first[parent[i] + 1]++;
		level[i] = level[parent[i]] + 1;
	}
	for (let i = 0; i < n; i++)
		first[i + 1] += first[i];

	const free = first.slice();
	for (const i of sort_by_key(n, label, nr_labels))
		if (i)
			kids[free[parent[i]]++] = i;
	for (let done = 0; todo.length; done++) {
		const i = todo.pop();

		rank[i] = done;
		depth[done] = level[i];
		labels[done] = label[i];
		for (let k = first[i + 1]; k > first[i]; k--)
			todo.push(kids[k - 1]);
	}
	return [depth, labels, rank];
}

/* Return { tree, place }: @tree after @edits, and the node in it of each node of @tree (-1: left out). */
function edit_tree(tree, edits, kinds)
{
	if (!edits.length)
		return { tree, place: null };

	const [parent, label, at] = place_edited(tree, edits, kinds);
	const [depth, labels, rank] = order_nodes(parent, label, kinds.length);

	return { tree: build_shape(depth, labels), place: at.map(i => i < 0 ? -1 : rank[i]) };
}

/* Apply one more edit, or take an equal one back. */
function toggle_edit(what, label)
{
	const edits = parse_edits(state.edits), rest = edits.filter(e => e.what !== what || e.label !== label);

	if (rest.length === edits.length && edits.length >= EDITS_MAX)
		say(`No more than ${EDITS_MAX} edits are possible`);
	else
		go({ edits: format_edits(rest.length < edits.length ? rest : [...edits, { what, label }]), zoom: 0 }, true);
}

/* The items of a menu that edit stacks by the function @label. */
function edit_items(label)
{
	return [
		['Hide this function', () => toggle_edit('hide', label)],
		['Drop stacks with it', () => toggle_edit('drop', label)],
		['Keep only stacks with it', () => toggle_edit('keep', label)],
		[state.edits.split(',').includes('fold') ? 'Unfold recursion' : 'Fold recursion', () => toggle_edit('fold', -1)],
	];
}
