/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a profile with samples at known places of a file that is there, and no names, as if it had been recorded and
 * not looked up. usage: make_located PROFILE FILE BUILD_ID [OFFSET SAMPLES]...
 */
#include <stdio.h>
#include <stdlib.h>
#include "abi/outcome.h"
#include "lib/profile/write/write.h"

int main(int argc, char **argv)
{
	struct profile_writer *w;
	struct dusk_module m = {.kind = DUSK_MODULE_FILE, .pid = 1};
	uint32_t thread, module;
	uint64_t nr = 0;

	if (argc < 4 || profile_create(&w, argv[1], -1, -1, NULL))
		return 1;
	m.path = argv[2];
	m.build_id = argv[3];
	module = profile_module(w, &m);
	thread = profile_thread(w, 100, 100, "located");
	for (int i = 4; i + 1 < argc; i += 2) {
		uint32_t node =
			profile_node(w, 0, profile_frame(w, module, strtoull(argv[i], NULL, 0), false, DUSK_BY_CFI));

		for (int n = atoi(argv[i + 1]); n > 0; n--) {
			struct dusk_sample s = {.thread = thread, .node = node, .outcome = UNDEFINED_RA};

			s.time_ns = nr++ * 10000000;
			profile_sample(w, &s);
		}
	}
	return profile_close(w, true, NULL) != 0;
}
