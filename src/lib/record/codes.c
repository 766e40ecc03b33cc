/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/codes.h"
#include <stdlib.h>
#include "abi/frame.h"
#include "base/map.h"
#include "core/lang/code.h"
#include "lib/lang/code.h"

#define UNKNOWN_CODE "[unknown code]"

struct codes {
	struct profile_writer *writer;
	struct map frames
		[CODE_GENERATIONS]; /* of the kernel side -> of the profile, by the generation of the code's number */
	u32 generation;		    /* that was seen last */
	int map;
	struct code found; /* working space */
};

/* The file of code that has none, or of which nothing is known. */
static const char *const files[NR_LANGUAGES] = {
	[LANGUAGE_PYTHON] = "[python]",		[LANGUAGE_PHP] = "[php]",   [LANGUAGE_JAVA] = "[java]",
	[LANGUAGE_JAVASCRIPT] = "[javascript]", [LANGUAGE_PERL] = "[perl]", [LANGUAGE_RUBY] = "[ruby]",
};

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
	for (u32 i = 0; i < CODE_GENERATIONS; i++)
		map_done(&c->frames[i]);
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

/* Return what is known of frames with code of this generation. What is known of the one that comes after the next is old. */
static struct map *frames_of(struct codes *c, u32 generation)
{
	if (generation != c->generation)
		map_done(&c->frames[(generation + 2) % CODE_GENERATIONS]);
	c->generation = generation;
	return &c->frames[generation];
}

uint32_t codes_frame(struct codes *c, u64 frame, pid_t pid)
{
	struct map *frames = frames_of(c, code_generation(frame_code(frame)));
	const uint32_t *known = map_find(frames, frame);
	struct profile_code unknown = {.name = UNKNOWN_CODE, .file = file_of(frame_language(frame))};
	uint32_t *slot, number;
	bool fresh;

	if (known)
		return *known;
	if (!find(c, frame)) /* it may be known later */
		return profile_code_frame(c->writer, pid, &unknown);
	number = write_found(c, frame, pid);
	slot = map_at(frames, frame, &fresh);
	if (slot)
		*slot = number;
	return number;
}
