/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/allowance.h"

#define MOST_DEBT 6 /* times the whole: a recorder that was far over its share goes on after a minute */

void allowance_begin(struct allowance *a, double share, unsigned int cpus, uint64_t used_ns, uint64_t now_ns)
{
	*a = (struct allowance){.whole_ns = share * (cpus ? cpus : 1) * ALLOWANCE_NS, .used_ns = used_ns};
	budget_spent(&a->spent_ns, a->whole_ns, ALLOWANCE_NS, now_ns);
}

uint64_t allowance_left(struct allowance *a, double reserve, uint64_t used_ns, uint64_t now_ns)
{
	uint64_t keep_ns = a->whole_ns * reserve, most_ns = MOST_DEBT * a->whole_ns, spent_ns;

	if (!a->whole_ns)
		return UINT64_MAX;
	budget_spent(&a->spent_ns, a->whole_ns, ALLOWANCE_NS, now_ns);
	if (used_ns > a->used_ns)
		budget_spend(&a->spent_ns, used_ns - a->used_ns);
	a->used_ns = used_ns;
	if (a->spent_ns.spent > most_ns)
		a->spent_ns.spent = most_ns;
	spent_ns = a->spent_ns.spent + keep_ns;
	return spent_ns < a->whole_ns ? a->whole_ns - spent_ns : 0;
}
