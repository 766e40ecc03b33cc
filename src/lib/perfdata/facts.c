/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read what a perf.data says about the machine, the command and the names of events. Facts are optional: an invalid one
 * is ignored.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/perfdata/file.h"

#define BUILD_ID_BYTES 20
#define MISC_BUILD_ID_SIZE (1 << 15)

/* A cursor in a fact. */
struct fact {
	const uint8_t *v;
	uint64_t at, bytes;
	bool missing;
};

static uint64_t left_of(const struct fact *x)
{
	return x->bytes - x->at;
}

static void take(struct fact *x, void *to, uint64_t bytes)
{
	if (bytes > left_of(x)) {
		x->missing = true;
		memset(to, 0, bytes);
		return;
	}
	memcpy(to, x->v + x->at, bytes);
	x->at += bytes;
}

static uint32_t take32(struct fact *x)
{
	uint32_t value;

	take(x, &value, sizeof(value));
	return value;
}

/* Take a string, which perf stores with its length before it. NULL: there is none. */
static const char *take_string(struct fact *x)
{
	uint32_t bytes = take32(x);
	const char *text = (const char *)x->v + x->at;

	if (x->missing || bytes > left_of(x) || !memchr(text, 0, bytes)) {
		x->missing = true;
		return NULL;
	}
	x->at += bytes;
	return text;
}

/* Copy the string of a fact to @ret. Returns 0 or -ENOMEM. */
static int keep_string(struct perfdata_file *f, struct fact *x, const char **ret)
{
	const char *text = take_string(x), *kept = text ? strings_intern(&f->strings, text) : "";

	if (!kept)
		return -ENOMEM;
	*ret = kept;
	return 0;
}

static int read_command(struct perfdata_file *f, struct fact *x)
{
	uint32_t nr = take32(x);
	_cleanup_(freep) char *line = malloc(x->bytes + 1);
	uint64_t len = 0;

	if (!line)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		const char *word = take_string(x);

		if (!word)
			break;
		/* Each word takes more bytes in the fact than in the line. */
		len += snprintf(line + len, x->bytes + 1 - len, "%s%s", len ? " " : "", word);
	}
	line[len] = 0;
	f->d.command = strings_intern(&f->strings, line);
	return f->d.command ? 0 : -ENOMEM;
}

/*
 * Read the names of the events. An entry is for the event that has its first id; without ids, for the event at its
 * index.
 */
static int read_names(struct perfdata_file *f, struct fact *x)
{
	uint32_t nr = take32(x), attr_bytes = take32(x);

	for (uint32_t i = 0; i < nr && !x->missing; i++) {
		uint32_t nr_ids, *index = &i;
		const char *name;
		uint64_t id;

		if (attr_bytes > left_of(x))
			return 0;
		x->at += attr_bytes;
		nr_ids = take32(x);
		name = take_string(x);
		if (!name || nr_ids > left_of(x) / sizeof(id))
			return 0;
		if (nr_ids) {
			memcpy(&id, x->v + x->at, sizeof(id));
			index = map_find(&f->layout.ids, id) ?: &i;
		}
		x->at += nr_ids * sizeof(id);
		if (*index >= f->layout.events.nr)
			continue;
		f->layout.events.v[*index].name = strings_intern(&f->strings, name);
		if (!f->layout.events.v[*index].name)
			return -ENOMEM;
	}
	return 0;
}

/* Entries of { header; pid; build id of 20 bytes, then its length; path }. */
static int read_build_ids(struct perfdata_file *f, struct fact *x)
{
	while (left_of(x)) {
		struct perf_event_header h;
		struct perfdata_build_id id = {.path = ""};
		uint8_t bytes[4 + 24];
		const char *path;
		uint64_t room;

		take(x, &h, sizeof(h));
		take(x, bytes, sizeof(bytes));
		if (x->missing || h.size <= sizeof(h) + sizeof(bytes) ||
		    h.size - sizeof(h) - sizeof(bytes) > left_of(x))
			return 0;
		room = h.size - sizeof(h) - sizeof(bytes);
		path = (const char *)x->v + x->at;
		x->at += room;
		if (!memchr(path, 0, room))
			continue;
		bytes[24] = h.misc & MISC_BUILD_ID_SIZE && bytes[24] < BUILD_ID_BYTES ? bytes[24] : BUILD_ID_BYTES;
		buildid_hex(id.text, bytes + 4, bytes[24]);
		id.kernel = (h.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
		id.path = strings_intern(&f->strings, path);
		if (!id.path || vec_push(&f->build_ids, id))
			return -ENOMEM;
	}
	return 0;
}

int perfdata_fact(struct perfdata_file *f, unsigned int bit, const void *v, uint64_t bytes)
{
	struct fact all = {.v = v, .bytes = bytes}, *x = &all;

	switch (bit) {
	case FACT_BUILD_ID: return read_build_ids(f, x);
	case FACT_HOSTNAME: return keep_string(f, x, &f->d.hostname);
	case FACT_KERNEL: return keep_string(f, x, &f->d.kernel);
	case FACT_VERSION: return keep_string(f, x, &f->d.version);
	case FACT_MACHINE: return keep_string(f, x, &f->d.machine);
	case FACT_CPUS: f->d.nr_cpus = take32(x); return 0;
	case FACT_COMMAND: return read_command(f, x);
	case FACT_EVENTS: return read_names(f, x);
	case FACT_FOLDER: f->in_pieces = take32(x) > 0; return 0; /* a version; 0: there is one file only (--kcore) */
	default: return 0;
	}
}
