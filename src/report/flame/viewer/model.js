/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sum up the samples that the user selected, in one pass over the rows after each change of kind, threads or time.
 */

/* The kind that stands for all kinds together: time on CPU and off CPU. */
const WALL = 'wall';

/* The kinds of the profile, [[kind, title]], also those that have not been asked for; if there are several, also WALL. */
function kinds_of(profile)
{
	const kinds = new Map([...profile.series.map(s => [s.kind, s.title]), ...profile.others]);

	return kinds.size > 1 ? [...kinds, [WALL, 'wall']] : [...kinds];
}

/* Does a view need samples of which the profile says only that there are some? */
function needs_others(profile, { kind, tracks })
{
	return profile.others.length > 0 && (kind === WALL || tracks === 'yes' || profile.others.some(([other]) => other === kind));
}

/* The label of waits of idle threads; -1: there are none. */
function idle_label(profile)
{
	return profile.names.findIndex((name, f) => name === IDLE_MARK && profile.kinds[f] === STATE);
}

/* The time of @series without that of idle threads, which have the label @idle. */
function busy_ns({ node, weight, nr_weight, unit_ns }, { label }, idle)
{
	let sum = nr_weight;

	for (let r = 0; r < node.length && idle >= 0; r++)
		if (label[node[r]] === idle)
			sum -= weight[r];
	return sum * unit_ns;
}

/* The kind that the page opens on: of two profiles time on CPU, as in dusk diff, else what stands for most time, but for idle threads. */
function usual_kind(profile)
{
	const sums = new Map(), idle = idle_label(profile);
	const has_cpu = side => profile.series.some(s => s.profile === side && s.kind === 'cpu');

	if (profile.profiles.length > 1 && profile.profiles.every((_, side) => has_cpu(side)))
		return 'cpu';
	for (const s of profile.series)
		sums.set(s.kind, (sums.get(s.kind) ?? 0) + busy_ns(s, profile.tree, idle));
	return [...sums].reduce((a, b) => b[1] > a[1] ? b : a, ['', -1])[0];
}

/*
 * Resolve @tasks, such as "name:cc1", "pid:123", "tid:456": one byte per thread, 1 if one of @tasks names it. null: all
 * threads are selected.
 */
function thread_mask(threads, tasks)
{
	if (!tasks.length)
		return null;

	const wanted = new Set(tasks);

	return Uint8Array.from({ length: threads.nr }, (_, t) =>
		wanted.has('name:' + threads.comms[threads.comm[t]]) || wanted.has('pid:' + threads.pid[t]) ||
		wanted.has('tid:' + threads.tid[t]));
}

/*
 * Sum up the selection: @kind, @tasks, and @ranges, which has [from, to) in buckets for each profile, by node of @base, the
 * edited tree (edit.js). Returns:
 *
 *	sums		for each profile, { ns, samples, longest } by node; longest: the ns of the longest off-CPU interval
 *	strips		for each profile, ns by bucket, ignoring @ranges
 *	thread_ns	ns by thread, ignoring @tasks
 */
function add_up(profile, base, { kind, tasks, ranges })
{
	const nr = base.tree.size, mask = thread_mask(profile.threads, tasks);
	const sums = profile.profiles.map(() => ({ ns: new Float64Array(nr), samples: new Float64Array(nr), longest: new Float64Array(nr) }));
	const strips = profile.profiles.map(p => new Float64Array(p.buckets));
	const thread_ns = new Float64Array(profile.threads.nr);
	let first_thread = 0;

	profile.profiles.forEach((p, side) => {
		for (const series of profile.series)
			if (series.profile === side && (kind === WALL || series.kind === kind))
				add_series(series, base.place, first_thread, mask, ranges[side], sums[side], strips[side], thread_ns);
		first_thread += p.threads;
	});
	return { sums, strips, thread_ns, mask };
}

/* The ns of group @g of @series without the rows that @place leaves out. */
function placed_ns({ first, node, weight, unit_ns }, place, g)
{
	let sum = 0;

	for (let r = first[g]; r < first[g + 1]; r++)
		if (place[node[r]] >= 0)
			sum += weight[r];
	return sum * unit_ns;
}

function add_series(series, place, first_thread, mask, [from, to], sum, strip, thread_ns)
{
	const { thread, bucket, first, group_ns, node, samples, weight, longest, unit_ns } = series;
	const { ns: sum_ns, samples: sum_samples, longest: sum_longest } = sum;

	for (let g = 0; g < thread.length; g++) {
		const b = bucket[g], t = first_thread + thread[g], chosen = !mask || mask[t], inside = b >= from && b < to;
		const ns = !place ? group_ns[g] : chosen || inside ? placed_ns(series, place, g) : 0;

		if (chosen)
			strip[b] += ns;
		if (inside)
			thread_ns[t] += ns;
		if (!inside || !chosen)
			continue;
		for (let r = first[g]; r < first[g + 1]; r++) {
			const i = place ? place[node[r]] : node[r];

			if (i < 0)
				continue;
			sum_ns[i] += weight[r] * unit_ns;
			sum_samples[i] += samples[r];
			if (longest && longest[r] * unit_ns > sum_longest[i])
				sum_longest[i] = longest[r] * unit_ns;
		}
	}
}

/* For each profile, the ns by bucket of the nodes for which @inside is 1 (by node of @base's tree). */
function add_up_matches(profile, base, { kind, mask }, inside)
{
	const strips = profile.profiles.map(p => new Float64Array(p.buckets));
	const first_thread = profile.profiles.map((_, side) => profile.threads.side.indexOf(side)), { place } = base;

	for (const s of profile.series) {
		if (kind !== WALL && s.kind !== kind)
			continue;
		for (let g = 0; g < s.thread.length; g++) {
			let sum = 0;

			if (mask && !mask[first_thread[s.profile] + s.thread[g]])
				continue;
			for (let r = s.first[g]; r < s.first[g + 1]; r++)
				sum += (inside[place ? place[s.node[r]] : s.node[r]] ?? 0) * s.weight[r];
			strips[s.profile][s.bucket[g]] += sum * s.unit_ns;
		}
	}
	return strips;
}

/* The self ns of each node of @base's tree, of all kinds, threads and times. */
function add_up_all(profile, { tree, place })
{
	const all = new Float64Array(tree.size);

	for (const { node, weight, unit_ns } of profile.series)
		for (let r = 0; r < node.length; r++) {
			const i = place ? place[node[r]] : node[r];

			if (i >= 0)
				all[i] += weight[r] * unit_ns;
		}
	return all;
}

/*
 * The change of node @i between two profiles, from -1 (gone) to 1 (new): the difference of shares or times, relative to
 * the larger side. It is scaled down if it could be due to chance, that is, below three standard deviations (of two
 * proportions, or of two counts).
 */
function change_at(tree, i, of_time)
{
	const [before, after] = tree.sides, [count_m, count_n] = [samples_of(tree, 0), samples_of(tree, 1)];
	const m = count_m.total[i], n = count_n.total[i], all_m = count_m.total[0] || 1, all_n = count_n.total[0] || 1;
	const both = (m + n) / (all_m + all_n);
	const a = before.total_ns[i] / (of_time ? 1 : before.total_ns[0] || 1);
	const b = after.total_ns[i] / (of_time ? 1 : after.total_ns[0] || 1);
	const deviations = of_time ? Math.abs(n - m) / Math.sqrt(n + m) :
		Math.abs(n / all_n - m / all_m) / Math.sqrt(both * (1 - both) * (1 / all_m + 1 / all_n));

	return a === b ? 0 : (b - a) / Math.max(a, b) * Math.min(1, deviations / 3);
}
