/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is in the profile, and what can be asked of it? No drawing here.
 *
 * A tree is a set of columns, one entry a node, in pre-order: node 0 is the root, the subtree of i is i .. end[i] - 1,
 * its first child (if it has any) is i + 1, and the next sibling is end[i]. So every question is one loop over numbers:
 * "all below i" is a range, and "skip all below i" is i = end[i].
 *
 *	depth   0 for the root
 *	label   index of names, modules and kinds; siblings are in the order of labels, which is that of names
 *	self    samples that end here
 *	total   samples that pass here
 *	left    samples to the left of the node: it is drawn from left to left + total
 */
'use strict';

/* The kinds of frames, as flame.c numbers them; RUNTIME is split off here. */
const ROOT = 0, PROCESS = 1, NOTE = 2, USER = 3, VDSO = 4, JIT = 5, KERNEL = 6, RUNTIME = 7;

/* Libraries that every program has: worth telling from the program's own code. */
const RUNTIME_LIBRARIES = new RegExp(
	'^(ld-linux.*|ld-musl.*|' +
	'(libc|libm|libdl|librt|libpthread|libresolv|libstdc\\+\\+|libgcc_s|libc\\+\\+|libc\\+\\+abi|libc\\.musl.*)' +
	'(-[\\d.]+)?\\.so.*)$');

function build_tree(depth, label, self)
{
	const n = depth.length;
	const tree = {
		size: n, depth, label, self,
		parent: new Uint32Array(n), end: new Uint32Array(n).fill(n),
		total: Float64Array.from(self), left: new Float64Array(n),
	};
	const { parent, end, total, left } = tree;
	const path = [];

	for (let i = 0; i < n; i++) {
		while (path.length > depth[i])
			end[path.pop()] = i;
		parent[i] = i ? path[path.length - 1] : 0;
		path.push(i);
	}
	for (let i = n - 1; i > 0; i--)
		total[parent[i]] += total[i];

	/* Children stand side by side from their parent's left edge; what is left over on the right is its own. */
	const free = new Float64Array(n);
	for (let i = 1; i < n; i++) {
		left[i] = free[i] = free[parent[i]];
		free[parent[i]] += total[i];
	}
	return tree;
}

/* The deepest node of the subtree of @i. */
function deepest(tree, i)
{
	let max = 0;

	for (let k = i; k < tree.end[i]; k++)
		max = Math.max(max, tree.depth[k]);
	return max;
}

/* The node drawn at @sample (counted from the left) in row @depth, or -1. */
function node_at(tree, depth, sample)
{
	let i = 0;

	while (tree.depth[i] < depth) {
		let child = i + 1;

		while (child < tree.end[i] && tree.left[child] + tree.total[child] <= sample)
			child = tree.end[child];
		if (child >= tree.end[i] || tree.left[child] > sample)
			return -1;
		i = child;
	}
	return i;
}

/*
 * The tree of callers: each stack turned over, so that the functions that run are children of the root, and their
 * callers stand on them. As many nodes as the stacks are deep in sum; where that is out of hand, the callers of what is
 * less than 1 / 20,000 of the samples are left out (no screen shows them).
 */
const CALLERS_MAX = 2e6, CALLERS_PARTS = 20000;

function invert_tree(tree)
{
	const { size, parent, self, depth, label } = tree;
	const at = [], weight = [];
	const out = { depth: [0], label: [label[0]], self: [self[0]] };
	let steps = 0;

	for (let i = 1; i < size; i++) {
		if (self[i]) {
			at.push(i);
			weight.push(self[i]);
			steps += depth[i];
		}
	}
	const smallest = steps > CALLERS_MAX ? tree.total[0] / CALLERS_PARTS : 0;

	/* A group is a set of stacks (indices of at[]) that are equal so far; at[] is how far. */
	const split = (group, level) => {
		if (group.length === 1)
			return [{ group, level }];

		const by_label = new Map();
		for (const k of group) {
			const same = by_label.get(label[at[k]]);
			if (same)
				same.push(k);
			else
				by_label.set(label[at[k]], [k]);
		}
		return [...by_label].sort((a, b) => b[0] - a[0]).map(([, same]) => ({ group: same, level }));
	};

	const todo = split([...at.keys()], 1);
	while (todo.length) {
		const { group, level } = todo.pop();
		const name = label[at[group[0]]];
		const sum = group.reduce((s, k) => s + weight[k], 0);
		const on = sum < smallest ? [] : group.filter(k => parent[at[k]] !== 0);

		for (const k of on)
			at[k] = parent[at[k]];
		out.depth.push(level);
		out.label.push(name);
		out.self.push(sum - on.reduce((s, k) => s + weight[k], 0));
		if (on.length) {
			for (const part of split(on, level + 1))
				todo.push(part);
		}
	}
	return build_tree(Uint16Array.from(out.depth), Uint32Array.from(out.label), Float64Array.from(out.self));
}

/*
 * Control characters and those that change the direction of text, made visible: what a name shows on the screen is what
 * it is.
 */
function visible(text)
{
	return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
}

/* Everything the page says, from the JSON that flame.c wrote. */
function read_profile(json)
{
	const { depth, label, self } = json.nodes;
	const names = json.labels.name.map(visible), modules = json.modules.map(visible);
	const module_of = f => modules[json.labels.module[f]];
	const is_runtime = (kind, f) => kind === VDSO || kind === USER && RUNTIME_LIBRARIES.test(module_of(f));
	const kinds = json.labels.kind.map((kind, f) => is_runtime(kind, f) ? RUNTIME : kind);
	const tree = build_tree(Uint16Array.from(depth), Uint32Array.from(label), Float64Array.from(self));

	return { ...json, title: visible(json.title), names, kinds, module_of, tree, samples: tree.total[0] };
}

/*
 * One row a function: samples in it, and samples with it anywhere on the stack, where a function that calls itself
 * counts once.
 */
function top_functions(profile)
{
	const { tree, names, kinds } = profile;
	const self = new Float64Array(names.length), total = new Float64Array(names.length);
	const covered = new Uint32Array(names.length);	/* the end of the outermost open call */

	for (let i = 0; i < tree.size; i++) {
		const f = tree.label[i];

		self[f] += tree.self[i];
		if (i >= covered[f]) {
			total[f] += tree.total[i];
			covered[f] = tree.end[i];
		}
	}

	const rows = [];
	for (let f = 0; f < names.length; f++)
		if (kinds[f] >= USER && total[f])
			rows.push({ label: f, name: names[f], self: self[f], total: total[f] });
	return rows;
}

/* Samples by the kind of their innermost frame. */
function samples_by_kind(profile)
{
	const sums = new Array(8).fill(0);

	profile.tree.self.forEach((n, i) => { sums[profile.kinds[profile.tree.label[i]]] += n; });
	return sums;
}

/*
 * A search: text (in a name or a module, in any case), "a whole name", or /regular expression/flags. Returns a predicate
 * on (name, module), or null for nothing to search. Throws SyntaxError.
 */
function parse_search(query)
{
	const exact = query.match(/^"(.*)"$/s);
	const regex = query.match(/^\/(.+)\/([imsu]*)$/s);

	if (!query)
		return null;
	if (exact)
		return name => name === exact[1];
	if (regex) {
		const re = new RegExp(regex[1], regex[2]);
		return (name, module) => re.test(name) || re.test(module);
	}
	const text = query.toLowerCase();
	return (name, module) => name.toLowerCase().includes(text) || module.toLowerCase().includes(text);
}

/* Which labels match, in which nodes, and how many samples have a match on their stack, each counted once. */
function search_tree(profile, tree, query)
{
	const matches = parse_search(query);

	if (!matches)
		return null;

	const labels = profile.names.map((name, f) => profile.kinds[f] !== ROOT && matches(name, profile.module_of(f)));
	const nodes = [];
	let samples = 0, covered = 0;

	for (let i = 0; i < tree.size; i++) {
		if (!labels[tree.label[i]])
			continue;
		nodes.push(i);
		if (i >= covered) {
			samples += tree.total[i];
			covered = tree.end[i];
		}
	}
	return { labels, nodes, samples };
}
