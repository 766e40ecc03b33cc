/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/view/span.h"
#include <errno.h>
#include <signal.h>
#include "base/clock.h"
#include "cli/cmdline/stop.h"

static bool targets_gone(const struct span *s)
{
	const struct number_list *lists[] = {s->pids, s->tids};
	size_t nr = 0;

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && i < lists[l]->nr; i++, nr++)
			if (!kill(lists[l]->v[i], 0) || errno == EPERM)
				return false;
	return nr;
}

bool span_is_over(const struct span *s)
{
	if (stop_count || (s->duration_ns && now_s() - s->start_s >= s->duration_ns / 1e9))
		return true;
	return s->child ? child_ended(s->child, false) : targets_gone(s);
}

int span_wait_ms(const struct span *s)
{
	double left_s = s->duration_ns / 1e9 - (now_s() - s->start_s);

	if (!s->duration_ns || left_s * 1000 > SPAN_POLL_MS)
		return SPAN_POLL_MS;
	return left_s > 0 ? left_s * 1000 + 1 : 0;
}
