/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/codes.h"
#include <bpf/bpf.h>
#include <stdlib.h>
#include "abi/code.h"
#include "abi/frame.h"
#include "base/map.h"
#include "lib/lang/code_text.h"
#include "lib/lang/python_lines.h"

#define UNKNOWN_CODE "[unknown code]"

struct codes {
	struct profile_writer *writer;
	struct map frames; /* of the kernel side -> of the profile */
	int map;
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

static bool find(const struct codes *c, u64 frame, struct code_content *ret)
{
	u32 code = frame_code(frame);

	return code && c->map >= 0 && !bpf_map_lookup_elem(c->map, &code, ret) &&
	       ret->language == frame_language(frame);
}

static u32 line_of(const struct code_content *content, u32 position)
{
	return content->language == LANGUAGE_PYTHON ? python_lines_find(content, position) : 0;
}

/* Write the frame of a place in code that is known. */
static uint32_t write_known(struct codes *c, u64 frame, const struct code_content *content, pid_t pid)
{
	char name[CODE_TEXT_BYTES], file[CODE_TEXT_BYTES];
	struct profile_code code = {
		.name = code_text_utf8(name, &content->name, content->name_text, sizeof(content->name_text)),
		.file = code_text_utf8(file, &content->file, content->file_text, sizeof(content->file_text)),
		.first_line = content->first_line,
		.line = line_of(content, frame_position(frame)),
	};

	if (!*code.name)
		code.name = UNKNOWN_CODE;
	if (!*code.file)
		code.file = file_of(content->language);
	return profile_code_frame(c->writer, pid, &code);
}

uint32_t codes_frame(struct codes *c, u64 frame, pid_t pid)
{
	const uint32_t *known = map_find(&c->frames, frame);
	struct profile_code unknown = {.name = UNKNOWN_CODE, .file = file_of(frame_language(frame))};
	struct code_content content;
	uint32_t *slot, number;
	bool fresh;

	if (known)
		return *known;
	if (!find(c, frame, &content)) /* it may be known later */
		return profile_code_frame(c->writer, pid, &unknown);
	number = write_known(c, frame, &content, pid);
	slot = map_at(&c->frames, frame, &fresh);
	if (slot)
		*slot = number;
	return number;
}
