/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a profile of a program of Python to FILE, as a recording would. usage: make_python FILE SOURCE
 *
 * main -> eval -> <module> -> load, of SOURCE -> call -> eval -> decode, of Python's library. The interpreter's functions have no
 * names, and are at 0x100, 0x200 and 0x300.
 */
#include <stdio.h>
#include "abi/outcome.h"
#include "lib/profile/write/write.h"

#define JSON "/usr/lib/python3.11/json/decoder.py"

static struct profile_writer *writer;
static uint64_t nr_samples;

static void sample(uint32_t thread, uint32_t node, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		profile_sample(writer, &(struct dusk_sample){.time_ns = nr_samples++ * 10000000,
							     .thread = thread,
							     .node = node,
							     .outcome = UNDEFINED_RA});
}

int main(int argc, char **argv)
{
	struct dusk_error err = {""};
	const struct dusk_module m = {DUSK_MODULE_FILE, 7, "/opt/bin/python3.11", "aabb", 1, 9, 0};
	struct profile_code code = {"<module>", argc > 2 ? argv[2] : "", 1, 5};
	uint32_t binary, eval, thread, node;

	if (argc != 3 || profile_create(&writer, argv[1], -1, -1, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	profile_set(writer, "frequency_hz", "100");
	profile_set(writer, "event", "cpu-clock");
	profile_set(writer, "hostname", "box");
	binary = profile_module(writer, &m);
	eval = profile_frame(writer, binary, 0x200, true, DUSK_BY_CFI);
	thread = profile_thread(writer, 7, 7, "python3");
	node = profile_node(writer, 0, profile_frame(writer, binary, 0x100, true, DUSK_BY_CFI));
	node = profile_node(writer, node, eval);
	node = profile_node(writer, node, profile_code_frame(writer, 7, &code));
	code = (struct profile_code){"Loader.load", argv[2], 2, 3};
	node = profile_node(writer, node, profile_code_frame(writer, 7, &code));
	sample(thread, node, 3);
	node = profile_node(writer, node, profile_frame(writer, binary, 0x300, true, DUSK_BY_CFI));
	node = profile_node(writer, node, eval);
	code = (struct profile_code){"JSONDecoder.decode", JSON, 332, 337};
	node = profile_node(writer, node, profile_code_frame(writer, 7, &code));
	sample(thread, node, 2);
	if (profile_close(writer, true, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return 0;
}
