/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pass the records of a perf.data to a callback, in the order of time. See perfdata.h.
 *
 * perf writes what each CPU had buffered, one CPU after the other, so the file is not in the order of time. This file
 * keeps the time and the offset of each relevant record, 16 bytes, and sorts them. Records without a time come first,
 * in the order of the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/perfdata/file.h"

#define WINDOW_BYTES (1 << 20)

/* The part of the file that is in memory. */
struct window {
	uint8_t *v;
	uint64_t start, bytes;
};

int perfdata_open_piece(int folder, const char *name, struct stat *st)
{
	_cleanup_(closep) int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st))
		return -errno;
	return S_ISREG(st->st_mode) ? steal_fd(&fd) : -EINVAL;
}

int perfdata_pread(const struct perfdata_file *f, void *to, uint64_t offset, uint64_t bytes)
{
	if (offset > f->bytes || bytes > f->bytes - offset)
		return -EINVAL;
	while (bytes) {
		ssize_t got = pread(f->fd, to, bytes, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EINVAL; /* truncated meanwhile */
		to = (char *)to + got;
		offset += got;
		bytes -= got;
	}
	return 0;
}

/* Return @bytes bytes of records at @offset, through the window. NULL: past the end of the records; or *@err is set. */
static const void *look(const struct perfdata_file *f, struct window *w, uint64_t offset, uint64_t bytes, int *err)
{
	if (bytes > f->data_end - offset)
		return NULL;
	if (offset < w->start || offset + bytes > w->start + w->bytes) {
		uint64_t left = f->data_end - offset;

		w->start = offset;
		w->bytes = left < WINDOW_BYTES ? left : WINDOW_BYTES;
		*err = perfdata_pread(f, w->v, offset, w->bytes);
		if (*err)
			return NULL;
	}
	return w->v + (offset - w->start);
}

static void count_sample(struct perfdata_file *f, const struct perfdata_record *r)
{
	struct perfdata_event *e = &f->layout.events.v[r->event - f->layout.events.v];

	if (!e->samples++ || e->periods > UINT64_MAX - r->period)
		e->periods = 0;
	e->periods += r->period;
	if (r->time_ns >= PERFDATA_SUM_NS)
		return;
	if (!f->timed || r->time_ns < f->d.first_ns)
		f->d.first_ns = r->time_ns;
	f->timed = true;
	if (r->time_ns > f->d.last_ns)
		f->d.last_ns = r->time_ns;
}

#define KERNEL_MAP "[kernel.kallsyms]"

/* perf names the map of the kernel's code after a function, and has its address where other maps have the offset. */
static int note_kernel(struct perfdata_file *f, const struct perfdata_record *r)
{
	if (r->mode != PERFDATA_KERNEL || strncmp(r->text, KERNEL_MAP, strlen(KERNEL_MAP)))
		return 0;
	if (*r->build_id)
		memcpy(f->d.kernel_build_id, r->build_id, sizeof(r->build_id));
	if (*f->d.landmark || !r->text[strlen(KERNEL_MAP)])
		return 0;
	f->d.landmark = strings_intern(&f->strings, r->text + strlen(KERNEL_MAP));
	f->d.landmark_address = r->offset;
	return f->d.landmark ? 0 : -ENOMEM;
}

/* Note the place of the current record, from @offset, and add it to the totals. */
static int note_record(struct perfdata_file *f, uint64_t offset, void *ctx)
{
	const struct perf_event_header *h = (const struct perf_event_header *)f->record;
	struct perfdata_record r;
	int rc;

	if (perfdata_is_unknown(h->type))
		f->d.unknown++;
	rc = perfdata_decode(&f->layout, h, &r);
	f->d.malformed += rc == -EBADMSG;
	f->d.unnamed += rc == -ENOENT;
	if (rc || r.kind == PERFDATA_OTHER || r.kind == PERFDATA_EXIT || r.kind == PERFDATA_SWITCH)
		return 0;
	if (r.kind == PERFDATA_SAMPLE)
		count_sample(f, &r);
	if (r.kind == PERFDATA_MAP)
		rc = note_kernel(f, &r);
	return rc ?: vec_push(&f->places, ((struct perfdata_place){r.time_ns, offset}));
}

static int refuse(const struct perfdata_file *f, int rc, uint64_t offset, struct dusk_error *err)
{
	if (rc != -EINVAL)
		return error_set(err, rc, "cannot read %s: %s", f->path, strerror(-rc));
	return error_set(err, rc, "%s is damaged: no record of perf's is at byte %llu%s", f->path,
			 (unsigned long long)offset, f->unpacked ? " of those that were compressed" : "");
}

/* Copy the record at @offset to f->record. Returns how many bytes it has, with its payload; 0: it is not whole, or *@err is set. */
static uint64_t take_record(struct perfdata_file *f, struct window *w, uint64_t offset, int *err)
{
	struct perf_event_header h;
	const void *at = look(f, w, offset, sizeof(h), err);
	uint64_t payload;

	if (!at)
		return 0;
	memcpy(&h, at, sizeof(h));
	at = h.size < sizeof(h) ? NULL : look(f, w, offset, h.size, err);
	if (!at)
		return 0;
	memcpy(f->record, at, h.size); /* for alignment */
	memset((char *)f->record + h.size, 0, sizeof(uint64_t));
	payload = perfdata_payload((const struct perf_event_header *)f->record);
	return payload > f->data_end - offset - h.size ? 0 : h.size + payload;
}

int perfdata_each(struct perfdata_file *f, perfdata_visit fn, void *ctx, struct dusk_error *err)
{
	_cleanup_(freep) uint8_t *memory = malloc(WINDOW_BYTES);
	struct window w = {.v = memory};
	uint64_t offset = f->data, bytes = 1;
	int rc = memory ? 0 : -ENOMEM;

	while (!rc && offset < f->data_end) {
		bytes = take_record(f, &w, offset, &rc);
		if (!bytes)
			break;
		rc = fn(f, offset, ctx);
		offset += bytes;
	}
	if (rc)
		return refuse(f, rc, offset, err);
	f->missing += f->data_end - offset;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct perfdata_place *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void hand_over(struct perfdata_file *f)
{
	f->d.events = f->layout.events.v;
	f->d.nr_events = f->layout.events.nr;
	f->d.build_ids = f->build_ids.v;
	f->d.nr_build_ids = f->build_ids.nr;
	for (size_t i = 0; i < f->build_ids.nr && !*f->d.kernel_build_id; i++)
		if (f->build_ids.v[i].kernel && !strncmp(f->build_ids.v[i].path, KERNEL_MAP, strlen(KERNEL_MAP)))
			memcpy(f->d.kernel_build_id, f->build_ids.v[i].text, sizeof(f->d.kernel_build_id));
}

/* Open the file of a folder of perf's. Returns 0 or a negative errno. */
static int open_in_folder(struct perfdata_file *f, struct stat *st, struct dusk_error *err)
{
	f->folder = f->fd;
	f->fd = f->own_fd = perfdata_open_piece(f->folder, "data", st);
	return f->fd < 0 ? error_set(err, f->fd, "cannot read %s: it is a folder, and its file \"data\": %s", f->path,
				     strerror(-f->fd))
			 : 0;
}

/* Read all of the file: once more for each form that its records have to be brought out of. */
static int take_file(struct perfdata_file *f, struct stat *st, struct dusk_error *err)
{
	int rc = S_ISDIR(st->st_mode) ? open_in_folder(f, st, err) : 0;

	f->bytes = st->st_size;
	f->d.written_ns = st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec;
	rc = rc ?: perfdata_whole(f, err);
	rc = rc ?: perfdata_header(f, err);
	if (!rc && (f->compressed || f->in_pieces))
		rc = perfdata_unpack(f, err);
	else
		f->missing = f->not_there;
	rc = rc ?: perfdata_each(f, note_record, NULL, err);
	f->d.cut_bytes = f->missing;
	return rc;
}

int perfdata_open(struct perfdata **ret, int fd, const char *path, struct dusk_error *err)
{
	struct perfdata_file *f = calloc(1, sizeof(*f));
	struct stat st;
	int rc = f ? 0 : -ENOMEM;

	if (rc || fstat(fd, &st))
		rc = error_set(err, rc ?: -errno, "cannot read %s: %s", path, strerror(rc ? -rc : errno));
	if (rc) {
		free(f);
		return rc;
	}
	f->fd = fd;
	f->folder = f->own_fd = -1;
	f->path = path;
	f->d.hostname = f->d.kernel = f->d.version = f->d.machine = f->d.command = f->d.landmark = "";
	f->record = calloc(1, PERFDATA_RECORD_BYTES + sizeof(uint64_t));
	rc = f->record ? take_file(f, &st, err) : error_set(err, -ENOMEM, "cannot read %s: out of memory", path);
	if (!rc && !f->places.nr && f->d.cut_bytes)
		rc = error_set(err, -EINVAL, "%s is cut short: it has no whole record", path);
	if (rc) {
		perfdata_free(&f->d);
		return rc;
	}
	if (f->places.nr)
		qsort(f->places.v, f->places.nr, sizeof(*f->places.v), by_time);
	hand_over(f);
	*ret = &f->d;
	return 0;
}

/* The record was valid in the first pass, but the file may have changed since. */
static int read_record(struct perfdata_file *f, uint64_t offset, struct perfdata_record *ret)
{
	struct perf_event_header *h = (struct perf_event_header *)f->record;
	int rc = perfdata_pread(f, h, offset, sizeof(*h));

	if (!rc && h->size < sizeof(*h))
		rc = -EINVAL;
	rc = rc ?: perfdata_pread(f, h + 1, offset + sizeof(*h), h->size - sizeof(*h));
	if (rc)
		return rc;
	memset((char *)h + h->size, 0, sizeof(uint64_t));
	return perfdata_decode(&f->layout, h, ret) ? -EINVAL : 0;
}

int perfdata_read(struct perfdata *d, int (*fn)(void *ctx, const struct perfdata_record *r), void *ctx)
{
	struct perfdata_file *f = (struct perfdata_file *)d;
	struct perfdata_record r;
	int rc = 0;

	for (size_t i = 0; !rc && i < f->places.nr; i++) {
		rc = read_record(f, f->places.v[i].offset, &r);
		rc = rc ?: fn(ctx, &r);
	}
	return rc;
}

void perfdata_free(struct perfdata *d)
{
	struct perfdata_file *f = (struct perfdata_file *)d;

	if (!f)
		return;
	vec_done(&f->layout.events);
	vec_done(&f->build_ids);
	vec_done(&f->places);
	map_done(&f->layout.ids);
	strings_done(&f->strings);
	if (f->unpacked)
		fclose(f->unpacked);
	if (f->packed)
		fclose(f->packed);
	closep(&f->own_fd);
	free(f->record);
	free(f);
}
