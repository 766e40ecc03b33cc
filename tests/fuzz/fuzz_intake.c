/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any events become rows of a profile that is whole, or are refused. The input: of each event two bytes with its
 * length, and the event. Modules are met in processes that there cannot be.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/formats.h"
#include "abi/event.h"
#include "lib/record/intake.h"
#include "lib/record/modules.h"
#include "lib/profile/write/write.h"

#define NO_SUCH_PID 0x40000000u /* above the highest that there can be: kernel/pid.c, 6.18 */
#define MAX_EVENT 4096
#define NR_EVENTS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of its own, so that a read beyond it is seen. */
static void take(struct intake *in, const uint8_t *data, size_t size)
{
	struct event_module *module = malloc(size ? size : 1);

	assert(module);
	memcpy(module, data, size);
	if (size >= sizeof(*module) && module->kind == EVENT_MODULE) {
		module->pid |= NO_SUCH_PID;
		module->parent |= NO_SUCH_PID;
	}
	intake_event(in, module, size);
	free(module);
}

/* Of each event that is recorded. */
static struct fields *learnt(void)
{
	struct record_shape shape;
	struct fields *f;

	assert(!fields_new(&f));
	for (size_t i = 0; i < NR_EVENTS; i++)
		assert(!fields_learn(f, "sched", EXEC_FORMAT, strlen(EXEC_FORMAT), &shape));
	return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/dusk-fuzz-XXXXXX", path[64];
	struct dusk_profile *p = NULL;
	struct join j = {.start_ns = 1000};
	struct intake in = {.join = &j};
	struct dusk_error err = {0};
	uint64_t rows = 0;

	assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/p", folder);
	assert(!profile_create(&j.writer, path, -1, -1, NULL));
	for (size_t i = 0; i < NR_EVENTS; i++)
		profile_event(j.writer, "sched:sched_process_exec");
	in.fields = learnt();
	in.nr_events = NR_EVENTS;
	j.modules = modules_new(j.writer, NULL);
	j.stacks = stacks_new(j.writer, j.modules, NULL);
	j.stitch = join_stitch();
	while (size > 2 && !j.failed) {
		size_t bytes = (data[0] | data[1] << 8) % MAX_EVENT;

		data += 2;
		size -= 2;
		bytes = bytes < size ? bytes : size;
		take(&in, data, bytes);
		data += bytes;
		size -= bytes;
	}
	join_end(&j, &(struct map){0});
	if (profile_close(j.writer, true, &err) || dusk_profile_read(&p, path, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	for (int source = DUSK_CPU; source <= DUSK_EVENT; source++)
		for (int i = 0; i < NR_OUTCOMES; i++)
			rows += j.by_outcome[source][i];
	assert(!rows == !(p->nr_samples + p->nr_occurrences));
	dusk_profile_free(p);
	unlink(path);
	assert(!rmdir(folder));
	stacks_free(j.stacks);
	modules_free(j.modules);
	join_done(&j);
	intake_done(&in);
	fields_free(in.fields);
	return 0;
}
