/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/codes.h"
#include <stdlib.h>
#include "abi/frame.h"
#include "base/map.h"
#include "lib/lang/code.h"

#define UNKNOWN_CODE "[unknown code]"

struct codes {
	struct profile_writer *writer;
	struct map frames; /* of the kernel side -> of the profile */
	int map;
	struct code found; /* working space */
};

/* The file of code that has none, or of which nothing is known. */
static const char *const files[NR_LANGUAGES] = {[LANGUAGE_PYTHON] = "[python]"};

struct codes *codes_new(struct profile_writer *w)
{
	struct codes *c = calloc(1, sizeof(*c));

	if (c)
		*c = (struct codes){.writer = w, .map = -1};
	return c;
}

void codes_free(struct codes *c)
{
	if (!c)
		return;
	map_done(&c->frames);
	free(c);
}

void codes_ask(struct codes *c, int map)
{
	c->map = map;
}

static const char *file_of(u32 language)
{
	const char *file = language < NR_LANGUAGES ? files[language] : NULL;

	return file ? file : "[unknown language]";
}

static bool find(struct codes *c, u64 frame)
{
	u32 number = frame_code(frame);

	return number && c->map >= 0 && !code_find(&c->found, c->map, number) &&
	       c->found.language == frame_language(frame);
}

/* Write the frame of a place in the code that was found. */
static uint32_t write_found(struct codes *c, u64 frame, pid_t pid)
{
	struct profile_code code = {
		.name = *c->found.name ? c->found.name : UNKNOWN_CODE,
		.file = *c->found.file ? c->found.file : file_of(c->found.language),
		.first_line = c->found.content.first_line,
		.line = code_line(&c->found, frame_position(frame)),
	};

	return profile_code_frame(c->writer, pid, &code);
}

uint32_t codes_frame(struct codes *c, u64 frame, pid_t pid)
{
	const uint32_t *known = map_find(&c->frames, frame);
	struct profile_code unknown = {.name = UNKNOWN_CODE, .file = file_of(frame_language(frame))};
	uint32_t *slot, number;
	bool fresh;

	if (known)
		return *known;
	if (!find(c, frame)) /* it may be known later */
		return profile_code_frame(c->writer, pid, &unknown);
	number = write_found(c, frame, pid);
	slot = map_at(&c->frames, frame, &fresh);
	if (slot)
		*slot = number;
	return number;
}
