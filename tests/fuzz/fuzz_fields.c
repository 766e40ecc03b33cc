/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any record of some events becomes one line of text that has an end. The input: a byte that chooses the event, and
 * whether the record is cut; and the record.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/formats.h"
#include "base/utf8.h"
#include "lib/record/fields.h"

#define CUT 0x80
#define MAX_TEXT 4300

static const struct {
	const char *group, *format;
} events[] = {
	{"sched", EXEC_FORMAT},	   {"syscalls", OPENAT_FORMAT}, {"test", PAIR_FORMAT},
	{"test", RELATIVE_FORMAT}, {"test", HEX_FORMAT},	{"test", STRANGE_FORMAT},
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fields *learnt(void)
{
	struct record_shape shape;
	struct fields *f;

	assert(!fields_new(&f));
	for (size_t i = 0; i < NR_EVENTS; i++)
		assert(!fields_learn(f, events[i].group, events[i].format, strlen(events[i].format), &shape));
	return f;
}

static void check(const char *text)
{
	assert(strlen(text) <= MAX_TEXT);
	while (*text) {
		size_t bytes = utf8_bytes((const unsigned char *)text);

		assert(bytes && *text != 0x7f);
		text += bytes;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fields *f;
	void *record;
	char *text;

	if (!size || size - 1 > RECORD_BYTES)
		return 0;
	f = f ? f : learnt();
	record = malloc(size); /* of its own, so that a read beyond it is seen */
	assert(record);
	memcpy(record, data + 1, size - 1);
	assert(!fields_text(&text, f, (*data & ~CUT) % NR_EVENTS, record, size - 1, *data & CUT));
	check(text);
	free(text);
	free(record);
	return 0;
}
