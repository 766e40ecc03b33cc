/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The first part of the script: decode the data in the element "profile" (flame_data.h describes the format) into
 * columns of numbers.
 */
'use strict';

/* The kinds of frames, numbered as in flame_graph.h; RUNTIME is added here. */
const IDLE_MARK = '[waiting for work]';	/* the innermost frame of waits of idle threads: synthetic.h */
const ROOT = 0, LABEL = 1, PROCESS = 2, NOTE = 3, USER = 4, VDSO = 5, JIT = 6, KERNEL = 7, STATE = 8, SOURCE = 9, RUNTIME = 10;

/* Libraries that all programs have, shown as a kind of their own, RUNTIME. */
const RUNTIME_LIBRARIES = new RegExp(
	'^(ld-linux.*|ld-musl.*|' +
	'(libc|libm|libdl|librt|libpthread|libresolv|libstdc\\+\\+|libgcc_s|libc\\+\\+|libc\\+\\+abi|libc\\.musl.*)' +
	'(-[\\d.]+)?\\.so.*)$');

function from_base64(text)
{
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);

	const binary = atob(text), bytes = new Uint8Array(binary.length);

	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function gunzip(bytes)
{
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Decode the @nr numbers of a column that begins at @at. They have at most 32 bits. */
function read_column(bytes, at, delta, nr)
{
	const column = new Uint32Array(nr);
	let value = 0;

	for (let i = 0; i < nr; i++) {
		let byte = bytes[at++], x = byte & 127;

		for (let shift = 7; byte > 127; shift += 7) {
			byte = bytes[at++];
			x |= (byte & 127) << shift;
		}
		column[i] = value = delta ? value + (x >>> 1 ^ -(x & 1)) | 0 : x;
	}
	return column;
}

/*
 * Replace control characters, and those that change the direction of text, by a visible character, so that no name can
 * look like another one.
 */
function visible(text)
{
	return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
}

/* A series with computed columns added: where the rows of each group begin, and the group's weight. */
function read_series(series, column)
{
	const { thread, bucket, rows, node, samples, weight = samples, longest = null } = column;
	const first = new Uint32Array(rows.length + 1), group_ns = new Float64Array(rows.length);

	for (let g = 0, r = 0; g < rows.length; g++) {
		first[g + 1] = first[g] + rows[g];
		for (; r < first[g + 1]; r++)
			group_ns[g] += weight[r] * series.unit_ns;
	}
	return { ...series, nr_samples: series.samples, nr_weight: series.weight, thread, bucket, first, group_ns, node, samples, weight, longest };
}

/* Decode the data of a page, @bytes, into an object: the JSON, and the columns by name. */
function read_page(bytes)
{
	const line = bytes.indexOf(10);
	const json = JSON.parse(new TextDecoder().decode(bytes.subarray(0, line)));
	const column = {};
	let at = line + 1;

	for (const [name, delta, nr, size] of json.columns) {
		const [table, key] = name.split('.');

		(column[table] ??= {})[key] = read_column(bytes, at, delta, nr);
		at += size;
	}

	const names = json.names.map(visible), modules = json.modules.map(visible);
	const runtime = modules.map(m => RUNTIME_LIBRARIES.test(m));
	const module_of = f => modules[column.label.module[f]];
	const is_runtime = (kind, f) => kind === VDSO || kind === USER && runtime[column.label.module[f]];
	const sides = json.profiles.flatMap((p, side) => new Array(p.threads).fill(side));

	return {
		...json, names, module_of,
		title: visible(json.title),
		files: json.files.map(visible),
		kinds: column.label.kind.map((kind, f) => is_runtime(kind, f) ? RUNTIME : kind),
		tree: build_shape(Uint16Array.from(column.node.depth), column.node.label),
		places: column.place,
		threads: { ...column.thread, nr: sides.length, side: sides, comms: json.comms.map(visible),
			titles: (json.titles ?? []).map(visible), title_of: column.thread.title ?? new Uint32Array(sides.length) },
		series: json.series.map((series, i) => read_series(series, column[i])),
	};
}
