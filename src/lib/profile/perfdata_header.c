/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read the header of a perf.data: its events, and what it says about the machine.
 *
 * The header says where the events and the records are. Behind the records are features (facts, in this file), and a
 * set of bits in the header says which are present. Facts are optional: an invalid one is ignored.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/profile/perfdata_file.h"

#define MAGIC "PERFILE2"
#define SWAPPED "2ELIFREP"
#define OLD_MAGIC "PERFFILE"
#define MAX_EVENTS 4096
#define MAX_ATTR_BYTES 4096
#define MAX_FACT_BYTES (16 << 20)
#define FEATURES 256
#define BUILD_ID_BYTES 20
#define MISC_BUILD_ID_SIZE (1 << 15)

/* Facts, by perf's feature numbers. */
enum {
	FACT_BUILD_ID = 2,
	FACT_HOSTNAME,
	FACT_KERNEL,
	FACT_VERSION,
	FACT_MACHINE,
	FACT_CPUS,
	FACT_COMMAND = 11,
	FACT_EVENTS,
	FACT_FOLDER = 24,
	FACT_COMPRESSED = 27
};

struct section {
	uint64_t offset, bytes;
};

struct header {
	char magic[8];
	uint64_t bytes, attr_bytes;
	struct section attrs, data, event_types;
	uint64_t features[FEATURES / 64];
};

/* A cursor in a fact. */
struct fact {
	uint8_t *v;
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
			index = map_find(&f->ids, id) ?: &i;
		}
		x->at += nr_ids * sizeof(id);
		if (*index >= f->events.nr)
			continue;
		f->events.v[*index].name = strings_intern(&f->strings, name);
		if (!f->events.v[*index].name)
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

static int read_fact(struct perfdata_file *f, unsigned int bit, struct fact *x)
{
	switch (bit) {
	case FACT_BUILD_ID: return read_build_ids(f, x);
	case FACT_HOSTNAME: return keep_string(f, x, &f->d.hostname);
	case FACT_KERNEL: return keep_string(f, x, &f->d.kernel);
	case FACT_VERSION: return keep_string(f, x, &f->d.version);
	case FACT_MACHINE: return keep_string(f, x, &f->d.machine);
	case FACT_CPUS: f->d.nr_cpus = take32(x); return 0;
	case FACT_COMMAND: return read_command(f, x);
	case FACT_EVENTS: return read_names(f, x);
	default: return 0;
	}
}

static bool has_fact(const struct header *h, unsigned int bit)
{
	return h->features[bit / 64] >> bit % 64 & 1;
}

static int read_facts(struct perfdata_file *f, const struct header *h)
{
	uint64_t table = f->data_end;
	int rc = 0;

	for (unsigned int bit = 0; bit < FEATURES && !rc; bit++) {
		_cleanup_(freep) uint8_t *v = NULL;
		struct section s;

		if (!has_fact(h, bit))
			continue;
		if (perfdata_pread(f, &s, table, sizeof(s)))
			return 0;
		table += sizeof(s);
		if (bit > FACT_EVENTS || s.bytes > MAX_FACT_BYTES || s.bytes > f->bytes)
			continue;
		v = malloc(s.bytes + 1);
		if (!v)
			return -ENOMEM;
		if (!perfdata_pread(f, v, s.offset, s.bytes))
			rc = read_fact(f, bit, &(struct fact){.v = v, .bytes = s.bytes});
	}
	return rc;
}

static int read_ids(struct perfdata_file *f, const struct section *s, uint64_t *left)
{
	uint64_t nr = s->bytes / sizeof(uint64_t);

	if (nr > *left)
		return -EINVAL;
	*left -= nr;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t id;
		uint32_t *index;
		bool fresh;
		int rc = perfdata_pread(f, &id, s->offset + i * sizeof(id), sizeof(id));

		if (rc)
			return rc;
		index = map_at(&f->ids, id, &fresh);
		if (!index)
			return -ENOMEM;
		if (fresh)
			*index = f->events.nr - 1;
	}
	return 0;
}

static int read_event(struct perfdata_file *f, uint64_t offset, uint64_t attr_bytes, uint64_t *ids_left)
{
	struct perf_event_attr attr = {0};
	uint8_t bytes[MAX_ATTR_BYTES];
	struct section ids;
	int rc = perfdata_pread(f, bytes, offset, attr_bytes);

	if (rc)
		return rc;
	attr_bytes -= sizeof(ids);
	memcpy(&ids, bytes + attr_bytes, sizeof(ids));
	memcpy(&attr, bytes, attr_bytes < sizeof(attr) ? attr_bytes : sizeof(attr));
	rc = vec_push(&f->events, ((struct perfdata_event){
					  .name = "",
					  .type = attr.type,
					  .config = attr.config,
					  .sample_type = attr.sample_type,
					  .read_format = attr.read_format,
					  .period = attr.sample_period,
					  .is_frequency = attr.freq,
					  .has_trailer = attr.sample_id_all,
				  }));
	return rc ?: read_ids(f, &ids, ids_left);
}

static int read_events(struct perfdata_file *f, const struct header *h, struct dusk_error *err)
{
	uint64_t ids_left = f->bytes / sizeof(uint64_t), nr;
	int rc = 0;

	if (h->attr_bytes < PERF_ATTR_SIZE_VER0 + sizeof(struct section) || h->attr_bytes > MAX_ATTR_BYTES)
		return error_set(err, -EINVAL, "%s is damaged: its events cannot be of %llu bytes each", f->path,
				 (unsigned long long)h->attr_bytes);
	nr = h->attrs.bytes / h->attr_bytes;
	if (!nr || nr > MAX_EVENTS)
		return error_set(err, -EINVAL, "%s has %s events", f->path, nr ? "too many" : "no");
	for (uint64_t i = 0; i < nr && !rc; i++)
		rc = read_event(f, h->attrs.offset + i * h->attr_bytes, h->attr_bytes, &ids_left);
	if (rc == -EINVAL)
		return error_set(err, rc, "%s is damaged: its events are cut short", f->path);
	return rc ? error_set(err, rc, "cannot read %s: %s", f->path, strerror(-rc)) : 0;
}

static int nr_bits(uint64_t bits)
{
	return __builtin_popcountll(bits);
}

/* Return which word of a sample has the id of its event; -1: none. */
static int from_start(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return nr_bits(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
}

/* Return the same for other records, counted from their end. */
static int from_end(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	return type & PERF_SAMPLE_ID ? nr_bits(type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)) : -1;
}

static int refuse_event(const struct perfdata_file *f, size_t i, const char *why, struct dusk_error *err)
{
	return error_set(err, -EOPNOTSUPP, "cannot read %s: event %zu, %s, %s", f->path, i + 1, f->events.v[i].name,
			 why);
}

/* perf may omit the name if the file has one event. */
static const char *usual_name(const struct perfdata_event *e)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} known[] = {
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"},
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock"},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles"},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].type == e->type && known[i].config == e->config)
			return known[i].name;
	return "unnamed";
}

/* Check that each record can be decoded and assigned to its event. */
static int check_events(struct perfdata_file *f, struct dusk_error *err)
{
	const struct perfdata_event *first = f->events.v;

	f->id_from_start = from_start(first->sample_type);
	f->id_from_end = first->has_trailer ? from_end(first->sample_type) : -1;
	for (size_t i = 0; i < f->events.nr; i++) {
		const struct perfdata_event *e = &f->events.v[i];
		bool alike = e->sample_type == first->sample_type && e->read_format == first->read_format;

		if (!(e->sample_type & PERF_SAMPLE_TID))
			return refuse_event(f, i, "does not say which thread a sample is of", err);
		if (e->sample_type & PERF_SAMPLE_READ && e->read_format & ~0x1fULL)
			return refuse_event(f, i, "reads counters in a form that is newer than this dusk", err);
		if (from_start(e->sample_type) != f->id_from_start || e->has_trailer != first->has_trailer ||
		    (first->has_trailer && from_end(e->sample_type) != f->id_from_end) ||
		    (f->id_from_start < 0 && !alike))
			return refuse_event(f, i, "has records that cannot be told from those of the first event", err);
	}
	return 0;
}

static int refuse_magic(const struct perfdata_file *f, const struct header *h, struct dusk_error *err)
{
	if (!memcmp(h->magic, SWAPPED, sizeof(h->magic)))
		return error_set(err, -EOPNOTSUPP, "cannot read %s: it is of a machine of the other byte order",
				 f->path);
	if (!memcmp(h->magic, OLD_MAGIC, sizeof(h->magic)))
		return error_set(err, -EOPNOTSUPP, "cannot read %s: it is of a perf before Linux 3.1", f->path);
	return error_set(err, -EINVAL, "%s is no perf.data", f->path);
}

/* Check that the header has the parts that are needed, in a form that is supported. */
static int check_header(struct perfdata_file *f, const struct header *h, struct dusk_error *err)
{
	if (h->bytes == 2 * sizeof(uint64_t))
		return error_set(err, -EOPNOTSUPP,
				 "cannot read %s: it was written to a pipe; perf record -o FILE writes a file",
				 f->path);
	if (h->bytes < sizeof(*h))
		return error_set(err, -EINVAL, "%s is damaged: its header is cut short", f->path);
	if (!h->data.bytes)
		return error_set(err, -EINVAL,
				 "%s has no samples: perf was killed before it had written how many there are",
				 f->path);
	if (h->data.offset > f->bytes || h->data.bytes > f->bytes - h->data.offset)
		return error_set(err, -EINVAL, "%s is cut short: %llu bytes of records should be there", f->path,
				 (unsigned long long)h->data.bytes);
	if (has_fact(h, FACT_COMPRESSED))
		return error_set(err, -EOPNOTSUPP,
				 "cannot read %s: its records are compressed (perf record -z); record without -z",
				 f->path);
	if (has_fact(h, FACT_FOLDER))
		return error_set(err, -EOPNOTSUPP,
				 "cannot read %s: its records are in other files (perf record --threads)", f->path);
	return 0;
}

int perfdata_header(struct perfdata_file *f, struct dusk_error *err)
{
	struct header h = {.magic = ""};
	int rc = perfdata_pread(f, &h, 0, f->bytes < sizeof(h) ? f->bytes : sizeof(h));

	if (rc && rc != -EINVAL)
		return error_set(err, rc, "cannot read %s: %s", f->path, strerror(-rc));
	if (memcmp(h.magic, MAGIC, sizeof(h.magic)))
		return refuse_magic(f, &h, err);
	rc = check_header(f, &h, err);
	if (rc)
		return rc;
	f->data = h.data.offset;
	f->data_end = h.data.offset + h.data.bytes;
	rc = read_events(f, &h, err);
	if (rc)
		return rc;
	if (read_facts(f, &h))
		return error_set(err, -ENOMEM, "cannot read %s: out of memory", f->path);
	for (size_t i = 0; i < f->events.nr; i++)
		if (!*f->events.v[i].name)
			f->events.v[i].name = usual_name(&f->events.v[i]);
	return check_events(f, err);
}
