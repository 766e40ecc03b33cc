/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read the header of a perf.data: its events, and what it says about the machine.
 *
 * The header says where the events and the records are. Behind the records are features (facts, in these files), and a
 * set of bits in the header says which are present. The short header of a file that perf wrote to a pipe says nothing of
 * that: pipe.c.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "lib/perfdata/file.h"

#define MAGIC "PERFILE2"
#define SWAPPED "2ELIFREP"
#define OLD_MAGIC "PERFFILE"
#define MAX_EVENTS 4096
#define MAX_ATTR_BYTES 4096
#define MAX_FACT_BYTES (16 << 20)
#define FEATURES 256

struct section {
	uint64_t offset, bytes;
};

struct header {
	char magic[8];
	uint64_t bytes, attr_bytes;
	struct section attrs, data, event_types;
	uint64_t features[FEATURES / 64];
};

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
		if ((bit > FACT_EVENTS && bit != FACT_FOLDER) || s.bytes > MAX_FACT_BYTES || s.bytes > f->bytes)
			continue;
		v = malloc(s.bytes + 1);
		if (!v)
			return -ENOMEM;
		if (!perfdata_pread(f, v, s.offset, s.bytes))
			rc = perfdata_fact(f, bit, v, s.bytes);
	}
	return rc;
}

int perfdata_add_id(struct perfdata_file *f, uint64_t id)
{
	bool fresh;
	uint32_t *index = map_at(&f->layout.ids, id, &fresh);

	if (!index)
		return -ENOMEM;
	if (fresh)
		*index = f->layout.events.nr - 1;
	return 0;
}

static int read_ids(struct perfdata_file *f, const struct section *s, uint64_t *left)
{
	uint64_t nr = s->bytes / sizeof(uint64_t), id;
	int rc = 0;

	if (nr > *left)
		return -EINVAL;
	*left -= nr;
	for (uint64_t i = 0; i < nr && !rc; i++) {
		rc = perfdata_pread(f, &id, s->offset + i * sizeof(id), sizeof(id));
		rc = rc ?: perfdata_add_id(f, id);
	}
	return rc;
}

/* Do samples have copies of stacks, and the registers for which these make sense? */
static bool has_copies(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_REGS_USER && a->sample_type & PERF_SAMPLE_STACK_USER;
}

int perfdata_add_event(struct perfdata_file *f, const void *bytes, uint64_t len)
{
	struct perf_event_attr attr = {0};

	if (f->layout.events.nr >= MAX_EVENTS)
		return -EINVAL;
	memcpy(&attr, bytes, len < sizeof(attr) ? len : sizeof(attr));
	return vec_push(&f->layout.events, ((struct perfdata_event){
						   .name = "",
						   .type = attr.type,
						   .config = attr.config,
						   .sample_type = attr.sample_type,
						   .read_format = attr.read_format,
						   .period = attr.sample_period,
						   .is_frequency = attr.freq,
						   .has_trailer = attr.sample_id_all,
						   .regs_user = has_copies(&attr) ? attr.sample_regs_user : 0,
						   .branch_type = attr.branch_sample_type,
						   .is_real_time = attr.use_clockid && attr.clockid == CLOCK_REALTIME,
					   }));
}

static int read_event(struct perfdata_file *f, uint64_t offset, uint64_t attr_bytes, uint64_t *ids_left)
{
	uint8_t bytes[MAX_ATTR_BYTES];
	struct section ids;
	int rc = perfdata_pread(f, bytes, offset, attr_bytes);

	if (rc)
		return rc;
	attr_bytes -= sizeof(ids);
	memcpy(&ids, bytes + attr_bytes, sizeof(ids));
	rc = perfdata_add_event(f, bytes, attr_bytes);
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
	return error_set(err, -EOPNOTSUPP, "cannot read %s: event %zu, %s, %s", f->path, i + 1,
			 f->layout.events.v[i].name, why);
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
	const struct perfdata_event *first = f->layout.events.v;

	f->layout.id_from_start = from_start(first->sample_type);
	f->layout.id_from_end = first->has_trailer ? from_end(first->sample_type) : -1;
	for (size_t i = 0; i < f->layout.events.nr; i++) {
		const struct perfdata_event *e = &f->layout.events.v[i];
		bool alike = e->sample_type == first->sample_type && e->read_format == first->read_format;

		if (!(e->sample_type & PERF_SAMPLE_TID))
			return refuse_event(f, i, "does not say which thread a sample is of", err);
		if (e->sample_type & PERF_SAMPLE_READ && e->read_format & ~0x1fULL)
			return refuse_event(f, i, "reads counters in a form that is newer than this dusk", err);
		if (from_start(e->sample_type) != f->layout.id_from_start || e->has_trailer != first->has_trailer ||
		    (first->has_trailer && from_end(e->sample_type) != f->layout.id_from_end) ||
		    (f->layout.id_from_start < 0 && !alike))
			return refuse_event(
				f, i, "has records that cannot be distinguished from those of the first event", err);
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
	if (h->bytes < sizeof(*h))
		return error_set(err, -EINVAL, "%s is damaged: its header is cut short", f->path);
	if (h->data.offset > f->bytes)
		return error_set(err, -EINVAL, "%s is cut short: %llu bytes of records should be there", f->path,
				 (unsigned long long)h->data.bytes);
	return 0;
}

/* perf writes how many bytes of records there are, and all that follows them, when it ends. */
static void find_records(struct perfdata_file *f, const struct header *h)
{
	uint64_t there = f->bytes - h->data.offset;

	f->d.unfinished = !h->data.bytes;
	f->not_there = h->data.bytes > there ? h->data.bytes - there : 0;
	f->data = h->data.offset;
	f->data_end = h->data.offset + (f->d.unfinished || f->not_there ? there : h->data.bytes);
}

/* The header of a file, and what is before and after its records. */
static int read_whole(struct perfdata_file *f, const struct header *h, struct dusk_error *err)
{
	int rc = check_header(f, h, err);

	if (rc)
		return rc;
	find_records(f, h);
	f->compressed = has_fact(h, FACT_COMPRESSED);
	rc = read_events(f, h, err);
	if (!rc && !f->not_there && !f->d.unfinished && read_facts(f, h))
		return error_set(err, -ENOMEM, "cannot read %s: out of memory", f->path);
	if (!rc && f->in_pieces && f->folder < 0)
		return error_set(err, -EOPNOTSUPP,
				 "cannot read %s alone: more records are in other files (perf record --threads); "
				 "import the folder",
				 f->path);
	return rc;
}

int perfdata_header(struct perfdata_file *f, struct dusk_error *err)
{
	struct header h = {.magic = ""};
	int rc = perfdata_pread(f, &h, 0, f->bytes < sizeof(h) ? f->bytes : sizeof(h));

	if (rc && rc != -EINVAL)
		return error_set(err, rc, "cannot read %s: %s", f->path, strerror(-rc));
	if (memcmp(h.magic, MAGIC, sizeof(h.magic)))
		return refuse_magic(f, &h, err);
	rc = h.bytes == PIPE_HEADER_BYTES ? perfdata_pipe(f, err) : read_whole(f, &h, err);
	if (rc)
		return rc;
	if (!f->layout.events.nr)
		return error_set(err, -EINVAL, "%s has no events", f->path);
	for (size_t i = 0; i < f->layout.events.nr; i++)
		if (!*f->layout.events.v[i].name)
			f->layout.events.v[i].name = usual_name(&f->layout.events.v[i]);
	return check_events(f, err);
}
