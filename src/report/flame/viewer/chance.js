/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Could chance alone have made this difference? The same marks as those of dusk diff (src/report/model/diff.c): a function has
 * m of all_m samples before and n of all_n after, and without a change each distribution of its m + n samples over both sides is as
 * probable as chance makes it.
 */

const LEAST_EXPECTED = 5;	/* samples on each side for which the normal distribution is used */
const MARKS = [[0.001, '***'], [0.01, '**'], [0.05, '*']];

/* The logarithm of n!, by Stirling's series; for n < 10 by multiplication. */
function log_factorial(n)
{
	let x = n, less = 0;

	while (x < 10)
		less += Math.log(++x);
	return (x + 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - less;
}

const log_choose = (n, k) => log_factorial(n) - log_factorial(k) - log_factorial(n - k);

/* The complementary error function: 1 less the power series of erf(), for large x by its continued fraction. */
function erfc(x)
{
	if (x > 3) {
		let fraction = 1;

		for (let k = 30; k; k--)
			fraction = 1 + k / (2 * x * x) / fraction;
		return Math.exp(-x * x) / (x * Math.sqrt(Math.PI) * fraction);
	}
	let sum = 0;

	for (let k = 0, term = x; k < 60; k++, term *= -x * x / k)
		sum += term / (2 * k + 1);
	return 1 - 2 / Math.sqrt(Math.PI) * sum;
}

/*
 * The chance that the sides differ as much as they do, or more. @shares: the samples of each side are compared as shares of
 * @all, its samples; else as times, when each sample stands for @sample_ns.
 */
function chance_of([m, n], all, shares, sample_ns)
{
	const nr = m + n, both = all[0] + all[1], rest = both - nr;
	const expected = shares ? all[1] / both : sample_ns[0] / (sample_ns[0] + sample_ns[1]);

	if (!(expected > 0 && expected < 1))
		return 1;
	if (Math.min(expected, 1 - expected) * (shares ? Math.min(nr, rest) : nr) >= LEAST_EXPECTED)
		return erfc(Math.abs(n - nr * expected) / Math.sqrt(2 * nr * expected * (1 - expected) * (shares ? rest / both : 1)));

	const log_probability = after => shares ?
		log_choose(all[0], nr - after) + log_choose(all[1], after) - log_choose(both, nr) :
		log_choose(nr, after) + after * Math.log(expected) + (nr - after) * Math.log(1 - expected);
	const counted = log_probability(n) + 1e-9, last = shares ? Math.min(nr, all[1]) : nr;
	let sum = 0;

	for (let after = shares ? Math.max(0, nr - all[0]) : 0; after <= last; after++)
		if (log_probability(after) <= counted)
			sum += Math.exp(log_probability(after));
	return Math.min(sum, 1);
}

const mark_of = chance => MARKS.find(([least]) => chance < least)?.[1] ?? '';
