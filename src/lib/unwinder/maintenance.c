/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/maintenance.h"
#include <bpf/bpf.h>
#include "base/clock.h"

#define LOOK_NS 1000000000ULL
#define SWEEP_NS (5 * LOOK_NS) /* it visits each bucket of a large map, for what hardly ever happens */

int maintain(struct maintenance *k, struct service *s)
{
	u64 now = now_ns();
	int ret;

	ret = service_keep_stacks(s);
	if (now - k->looked_ns < LOOK_NS)
		return ret;
	k->looked_ns = now;
	ret = service_exclude_stuck(s, now - MAX_WALK_NS);
	if (ret >= 0)
		ret = service_evict_modules(s, now);
	if (ret >= 0)
		ret = service_keep_codes(s, now);
	if (ret >= 0 && now - k->swept_ns >= SWEEP_NS) {
		k->swept_ns = now;
		ret = service_sweep_lost(s);
	}
	return ret < 0 ? ret : 0;
}

size_t maintenance_excluded(const struct service *s, pid_t *ret, size_t max)
{
	int fd = service_map(s, "excluded");
	u32 key, next;
	size_t nr = 0;

	for (u32 *last = NULL; nr < max && !bpf_map_get_next_key(fd, last, &next); last = &key)
		ret[nr++] = key = next;
	return nr;
}
