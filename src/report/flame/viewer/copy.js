/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copy the shown graph as text, for a mail or an issue. */

const COPY_LEAST = 0.005;	/* share of the copied root: smaller frames are left out */
const COPY_LINES = 300;

/* The user's selection in words; empty if there is none. */
function choices()
{
	const chosen = profile.profiles.map((_, side) => state[time_key(side)] &&
		`${state[time_key(side)].replace('-', ' – ')} s`).filter(Boolean);

	if (state.tasks)
		chosen.push(chosen_tasks().join(', '));
	chosen.push(...all_edits().map(describe_edit));
	if (kinds_of(profile).length > 1)
		chosen.push(title_of_kind());
	return chosen.join('; ');
}

/* The subtree of @top as indented lines with the share of each frame. */
function tree_as_text(tree, top)
{
	const whole = tree.total[0], lines = [], diff = tree.sides.length > 1;
	const [before, after] = tree.sides;

	for (let i = top; i < tree.end[top] && lines.length < COPY_LINES; ) {
		if (tree.total[i] < tree.total[top] * COPY_LEAST) {
			i = tree.end[i];
			continue;
		}
		const f = tree.label[i], module = profile.module_of(f);
		const change = diff ? ` ${points(before.total_ns[i] / (before.total_ns[0] || 1),
			after.total_ns[i] / (after.total_ns[0] || 1)).padStart(7)}` : '';

		lines.push(`${percent(tree.total[i], whole).padStart(8)}${change}  ` +
			`${'  '.repeat(tree.depth[i] - tree.depth[top])}${profile.names[f]}${module ? `  (${module})` : ''}`);
		i++;
	}
	return lines;
}

function graph_as_text()
{
	const [zoomed, node] = locate(state.zoom), said = choices();
	const lines = [`${profile.title}: ${weight(layers[0].tree.total[0])} ${title_of_kind()}`];

	if (said)
		lines.push(said);
	if (found)
		lines.push(`${state.search}: ${$('found').textContent}`);
	for (const layer of layers) {
		lines.push('', layers.length < 2 ? merge_title() : layer.first ? 'Callers' : 'Callees');
		lines.push(...tree_as_text(layer.tree, layer === zoomed ? node : 0));
	}
	return lines.join('\n') + '\n';
}

const merge_title = () => state.merge === 'callers' ? 'Callers of the innermost functions, share of the samples' : 'Callees, share of the samples';
