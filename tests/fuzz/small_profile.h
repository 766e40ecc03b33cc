/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A profile of ten samples, for fuzzers that need one which is whole. */
#pragma once
#include <stdlib.h>

#include "lib/profile/write/write.h"

static inline void write_small_profile(const char *path)
{
	struct dusk_module m = {.kind = DUSK_MODULE_FILE, .path = "/bin/a", .build_id = "ab"};
	struct profile_writer *w;
	uint32_t module, node = 0;

	if (profile_create(&w, path, -1, -1, NULL))
		abort();
	module = profile_module(w, &m);
	for (int i = 0; i < 10; i++) {
		node = profile_node(w, node, profile_frame(w, module, i * 16, true, DUSK_BY_CFI));
		profile_sample(w, &(struct dusk_sample){.time_ns = i * 1000,
							.node = node,
							.outcome = 1,
							.thread = profile_thread(w, i, i, "a")});
	}
	if (profile_close(w, true, NULL))
		abort();
}
