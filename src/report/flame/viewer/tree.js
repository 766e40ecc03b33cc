/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Call trees, and computations on them.
 *
 * A tree is a set of columns with one entry per node, in pre-order: node 0 is the root, the subtree of i is
 * i .. end[i] - 1, its first child (if it has any) is i + 1, and the next sibling is end[i]. So each computation is one
 * loop over numbers: a subtree is a range, and i = end[i] skips it.
 *
 * The shape of a tree is built once:
 *	depth   0 for the root
 *	label   index of names, modules and kinds; siblings of the page's tree are in the order of labels, which is that of
 *	        names, others by weight
 *	parent, end
 *	place   for each node of the page's tree, the node of this tree that gets its samples; -1: none. The page's own
 *	        tree has no place
 *
 * Its weights change with each choice of the user (weigh_tree()):
 *	sides   for each profile: self_ns, total_ns, and samples_of()
 *	total   the width of a node: total_ns of one side
 *	left    the left edge of a node: it is drawn from left to left + total
 */

function build_shape(depth, label, place)
{
	const n = depth.length, parent = new Uint32Array(n), end = new Uint32Array(n).fill(n);
	const path = new Uint32Array(65536);
	let length = 0;

	for (let i = 0; i < n; i++) {
		while (length > depth[i])
			end[path[--length]] = i;
		parent[i] = i ? path[length - 1] : 0;
		path[length++] = i;
	}
	return { size: n, depth, label, parent, end, place, sides: [], total: null, left: new Float64Array(n) };
}

/* Return [self, total] by node of @tree: @own moved to each node's place, and summed up from the leaves to the root. */
function sum_up(tree, own)
{
	const { size, parent, place } = tree;
	const self = place ? new Float64Array(size) : own;

	if (place)
		for (let i = 0; i < place.length; i++)
			if (own[i] && place[i] >= 0)
				self[place[i]] += own[i];

	const total = self.slice();

	for (let i = size - 1; i > 0; i--)
		total[parent[i]] += total[i];
	return [self, total];
}

/* Set the weights of @tree from @sums, { ns, samples } for each profile. Profile @basis gives the widths. */
function weigh_tree(tree, sums, basis)
{
	tree.sides = sums.map(({ ns, samples, longest }) => {
		const [self_ns, total_ns] = sum_up(tree, ns);

		return { self_ns, total_ns, samples, longest };
	});
	tree.basis = basis;
	tree.total = tree.sides[basis].total_ns;

	/* Children are side by side from their parent's left edge; the rest on the right is the parent's self. */
	const { size, parent, total, left } = tree;
	const free = new Float64Array(size);

	for (let i = 1; i < size; i++) {
		left[i] = free[i] = free[parent[i]];
		free[parent[i]] += total[i];
	}
}

/* The samples of one profile, self and total by node; computed on first use. */
function samples_of(tree, side)
{
	const s = tree.sides[side];

	if (!s.counts) {
		const [self, total] = sum_up(tree, s.samples);

		s.counts = { self, total };
	}
	return s.counts;
}

/* The ns of the longest off-CPU interval of one profile in each node's subtree; computed on first use. */
function longest_of(tree, side)
{
	const s = tree.sides[side], { size, parent, place } = tree;

	if (!s.longest_ns) {
		const most = s.longest_ns = place ? new Float64Array(size) : s.longest.slice();

		for (let i = 0; place && i < place.length; i++)
			if (place[i] >= 0 && s.longest[i] > most[place[i]])
				most[place[i]] = s.longest[i];
		for (let i = size - 1; i > 0; i--)
			if (most[i] > most[parent[i]])
				most[parent[i]] = most[i];
	}
	return s.longest_ns;
}

/* By node: the outermost frame at or above it that is a state, or 0. Such a frame is where the thread's own stack ends. */
function states_in(tree, kinds)
{
	if (!tree.states) {
		const { size, parent, label } = tree, states = tree.states = new Uint32Array(size);

		for (let i = kinds.includes(STATE) ? 1 : size; i < size; i++)
			states[i] = states[parent[i]] || (kinds[label[i]] === STATE ? i : 0);
	}
	return tree.states;
}

/* The largest depth of a node with a width in the subtree of @i. */
function deepest(tree, i)
{
	let max = tree.depth[i];

	for (let k = i; k < tree.end[i]; k++)
		if (tree.depth[k] > max && tree.total[k])
			max = tree.depth[k];
	return max;
}

/* The node drawn at @x (in the unit of left) in row @depth, or -1. */
function node_at(tree, depth, x)
{
	let i = 0;

	while (tree.depth[i] < depth) {
		let child = i + 1;

		while (child < tree.end[i] && tree.left[child] + tree.total[child] <= x)
			child = tree.end[child];
		if (child >= tree.end[i] || tree.left[child] > x)
			return -1;
		i = child;
	}
	return i;
}

/* ---- Trees made of the page's tree ---- */

/* Group @items by label, with the weight of each group: [[label, items, weight]], the heaviest one last. */
function by_label(items, label_of, weight_of)
{
	const sets = new Map();

	if (items.length === 1)
		return [[label_of(items[0]), items, weight_of(items[0])]];

	for (const item of items) {
		const label = label_of(item), set = sets.get(label);

		if (set) {
			set[1].push(item);
			set[2] += weight_of(item);
		} else {
			sets.set(label, [label, [item], weight_of(item)]);
		}
	}
	return [...sets.values()].sort((a, b) => a[2] - b[2] || b[0] - a[0]);
}

/*
 * Merge the subtrees of the nodes @roots, which have the same label, into one tree of callees, the heaviest first.
 * @weight: the total weight of each node.
 */
function merge_callees(tree, roots, weight)
{
	const place = new Int32Array(tree.size).fill(-1);
	const depth = [], label = [], todo = [[tree.label[roots[0]], roots, 0, 0]];

	while (todo.length) {
		const [name, nodes, , level] = todo.pop(), children = [];

		for (const i of nodes) {
			place[i] = depth.length;
			for (let k = i + 1; k < tree.end[i]; k = tree.end[k])
				children.push(k);
		}
		depth.push(level);
		label.push(name);
		for (const set of by_label(children, i => tree.label[i], i => weight[i]))
			todo.push([...set, level + 1]);
	}
	return build_shape(Uint16Array.from(depth), Uint32Array.from(label), place);
}

/*
 * Merge the inverted stacks of the nodes @starts into a tree of callers, the heaviest first. @weight: the weight of
 * each start. Nodes that weigh less than @least get no callers. @level: 1: the starts are children of a root with label
 * @root; 0: they have the same label and are the root. The tree's place is set for starts only.
 */
function merge_callers(tree, starts, root, level, weight, least)
{
	const place = new Int32Array(tree.size).fill(-1);
	const at = new Uint32Array(tree.size);		/* by start: the current node in its stack */
	const depth = level ? [0] : [], label = level ? [root] : [], todo = [];
	const push = (set, here) => {
		for (const same of by_label(set, k => tree.label[at[k]], k => weight[k]))
			todo.push([...same, here]);
	};

	for (const k of starts)
		at[k] = k;
	push(starts, level);
	while (todo.length) {
		const [name, set, sum, here] = todo.pop(), on = [];

		for (const k of set) {
			place[k] = depth.length;
			if (sum >= least && tree.parent[at[k]]) {
				at[k] = tree.parent[at[k]];
				on.push(k);
			}
		}
		depth.push(here);
		label.push(name);
		push(on, here + 1);
	}
	return build_shape(Uint16Array.from(depth), Uint32Array.from(label), place);
}

/*
 * Invert all stacks: functions with self weight are children of the root, and their callers are below. The tree has up
 * to as many nodes as the sum of the stacks' depths; if that is above CALLERS_MAX, nodes of less than 1 / 20,000 of all
 * get no callers (they would not be visible).
 */
const CALLERS_MAX = 2e6, CALLERS_PARTS = 20000;

function invert_tree(tree, weight)
{
	const starts = [];
	let steps = 0, sum = 0;

	for (let i = 1; i < tree.size; i++) {
		if (!weight[i])
			continue;
		starts.push(i);
		steps += tree.depth[i];
		sum += weight[i];
	}
	const least = steps > CALLERS_MAX ? sum / CALLERS_PARTS : 0;

	return { ...merge_callers(tree, starts, tree.label[0], 1, weight, least), least };
}

/* The nodes of function @f that are not below another node of @f. */
function outermost_nodes(tree, f)
{
	const nodes = [];

	for (let i = 0; i < tree.size; )
		if (tree.label[i] === f) {
			nodes.push(i);
			i = tree.end[i];
		} else {
			i++;
		}
	return nodes;
}

/* The trees of the callers and the callees of function @f. */
function sandwich_trees(tree, f, weight)
{
	const nodes = outermost_nodes(tree, f), [, inside] = sum_up(tree, weight);
	const callers = merge_callers(tree, nodes, f, 0, inside, 0);
	for (const i of nodes)
		callers.place.fill(callers.place[i], i, tree.end[i]);
	return { callees: merge_callees(tree, nodes, inside), callers };
}

/* ---- Queries ---- */

/*
 * One row for each function in the subtree of @top: self and total ns of each profile, and, if @counts, the samples and the
 * longest off-CPU interval of its calls. Recursive calls count once in the total. Time off CPU is self time of the function that
 * waited, not of the state nor of the wakers that stand on it; so the self times add up to the whole.
 */
function top_functions({ names, kinds }, tree, counts, top = 0)
{
	const { label, end, parent } = tree, states = states_in(tree, kinds);
	const columns = tree.sides.map(() => [0, 1, 2, 3].map(() => new Float64Array(names.length)));
	const covered = new Uint32Array(names.length);	/* by label: the end of its outermost open call */
	const waited_in = i => {
		const f = states[i] > top ? label[parent[states[i]]] : -1;

		return f >= 0 && kinds[f] >= USER ? f : undefined;
	};

	tree.sides.forEach(({ self_ns, total_ns }, s) => {
		const [f_self, f_total, f_samples, f_longest] = columns[s];
		const samples = counts && samples_of(tree, s).total, longest = counts && longest_of(tree, s);

		covered.fill(0);
		for (let i = top; i < end[top]; i++) {
			const f = label[i];

			f_self[waited_in(i) ?? f] += self_ns[i];
			if (i >= covered[f]) {
				f_total[f] += total_ns[i];
				covered[f] = end[i];
				if (!counts)
					continue;
				f_samples[f] += samples[i];
				f_longest[f] = Math.max(f_longest[f], longest[i]);
			}
		}
	});

	const rows = [], values = (f, column) => columns.map(side => side[column][f]);
	for (let f = 0; f < names.length; f++)
		if (kinds[f] >= USER && columns.some(([, total]) => total[f]))
			rows.push({ label: f, self: values(f, 0), total: values(f, 1), samples: values(f, 2), longest: values(f, 3) });
	return rows;
}

/*
 * The functions of the samples that node @i of @tree stands for. @base: the tree that @tree was made from, or @tree itself.
 */
function functions_within(profile, base, tree, i, counts)
{
	if (tree === base || !i)
		return top_functions(profile, base, counts, tree === base ? i : 0);

	const inside = k => tree.place[k] >= i && tree.place[k] < tree.end[i];
	const only = { ...base, sides: [], left: new Float64Array(base.size) };

	weigh_tree(only, base.sides.map(s => Object.fromEntries(['ns', 'samples', 'longest'].map(key =>
		[key, (key === 'ns' ? s.self_ns : s[key]).map((value, k) => inside(k) ? value : 0)]))), base.basis);
	return top_functions(profile, only, counts);
}

/* The weight of a profile by kind of the innermost frame. */
function sum_by_kind(kinds, { label, sides }, side)
{
	const sums = new Array(RUNTIME + 1).fill(0);

	for (let i = 0; i < label.length; i++)
		sums[kinds[label[i]]] += sides[side].self_ns[i];
	return sums;
}

/*
 * Parse a search: text (in a name or module, ignoring case), "a whole name", or /regular expression/flags. Returns a
 * predicate on (name, module), or null if @query is empty. Throws SyntaxError.
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

/* One byte for each label, 1 if it matches @query; null if @query is empty. */
function search_labels(profile, query)
{
	const matches = parse_search(query);

	return matches && Uint8Array.from(profile.names,
		(name, f) => profile.kinds[f] !== ROOT && matches(name, profile.module_of(f)));
}

/* Nodes of @tree with one of @labels; the same nodes and their subtrees; and the weight of these, counted once. */
function search_tree(tree, labels)
{
	const nodes = [], inside = new Uint8Array(tree.size);
	const count = samples_of(tree, tree.basis).total;
	let ns = 0, samples = 0;

	for (let i = 0, covered = 0; i < tree.size; i++) {
		if (labels[tree.label[i]]) {
			if (tree.total[i])
				nodes.push(i);
			if (i >= covered) {
				ns += tree.total[i];
				samples += count[i];
				covered = tree.end[i];
			}
		}
		inside[i] = i < covered;
	}
	return { nodes, inside, ns, samples };
}
