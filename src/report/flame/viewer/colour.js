/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Colours of frames: by the kind of code and its module; with two profiles, red for more and blue for less. */

/* Name and colour range of each kind: the module chooses the hue, the function the lightness. */
const KINDS = {
	[USER]:    { name: 'program', hue: [12, 46], saturation: 84, lightness: 67 },
	[RUNTIME]: { name: 'runtime library', hue: [168, 186], saturation: 40, lightness: 66 },
	[JIT]:     { name: 'JIT', hue: [88, 128], saturation: 45, lightness: 65 },
	[SOURCE]:  { name: 'interpreted', hue: [318, 338], saturation: 58, lightness: 76 },
	[KERNEL]:  { name: 'kernel', hue: [210, 228], saturation: 72, lightness: 74 },
	[STATE]:   { name: 'off CPU', hue: [282, 300], saturation: 28, lightness: 76 },
	[NOTE]:    { name: 'incomplete stack', hue: [0, 0], saturation: 0, lightness: 72 },
	[PROCESS]: { name: 'thread', hue: [220, 220], saturation: 14, lightness: 80 },
	[LABEL]:   { name: 'label', hue: [220, 220], saturation: 14, lightness: 83 },
	[ROOT]:    { name: 'all', hue: [220, 220], saturation: 14, lightness: 86 },
};
const LEGEND = [USER, SOURCE, RUNTIME, JIT, KERNEL, STATE, NOTE];

let style = {};			/* the variables --canvas-* of the style sheet */
let colours = [];		/* by label, filled on demand */

function is_dark()
{
	return state.theme ? state.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function set_theme(theme)
{
	document.documentElement.dataset.theme = theme;
	colours = [];

	const css = getComputedStyle(document.documentElement);
	for (const key of ['text', 'faded', 'outline', 'match', 'dim', 'shade', 'axis', 'heat', 'range'])
		style[key] = css.getPropertyValue('--canvas-' + key).trim();
	style.font = `${FONT_PX}px ${css.getPropertyValue('--mono')}`;
}

function colour_of_kind(kind, hue_part, light_part)
{
	const { hue: [low, high], saturation, lightness } = KINDS[kind];
	const light = lightness + Number(style.shade) + 8 * (light_part - 0.5);

	return `hsl(${(low + (high - low) * hue_part).toFixed(1)} ${saturation}% ${light.toFixed(1)}%)`;
}

/* @change: as returned by change_at(). */
function colour_of_change(change)
{
	const strength = Math.sqrt(Math.abs(change)), shade = Number(style.shade);

	return `hsl(${change > 0 ? 6 : 214} ${(6 + 78 * strength).toFixed(0)}% ${(88 + shade - 26 * strength).toFixed(1)}%)`;
}

function colour_of(tree, i)
{
	const f = tree.label[i];

	if (tree.sides.length > 1)
		return colour_of_change(change_at(tree, i, state.scale === 'time'));
	return colours[f] ??= colour_of_kind(profile.kinds[f], hash_fraction(profile.module_of(f)), hash_fraction(profile.names[f]));
}
