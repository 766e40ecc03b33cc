/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A perf.data, record by record, for tests of what reads it. Include after cmocka.h. */
#pragma once
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define PERF_FILE_EVENTS 4

struct perf_file {
	uint8_t v[1 << 16];
	size_t len;
	size_t data; /* where the records begin */
	struct perf_event_attr attrs[PERF_FILE_EVENTS];
	int nr_events;
	size_t record; /* where the one begins that is being made */
};

struct perf_file_section {
	uint64_t offset, bytes;
};

static inline void perf_put(struct perf_file *f, const void *data, size_t bytes)
{
	assert_true(f->len + bytes <= sizeof(f->v));
	memcpy(f->v + f->len, data, bytes);
	f->len += bytes;
}

static inline void perf_put64(struct perf_file *f, uint64_t value)
{
	perf_put(f, &value, sizeof(value));
}

static inline void perf_put32(struct perf_file *f, uint32_t a, uint32_t b)
{
	perf_put64(f, a | (uint64_t)b << 32);
}

/* The last field of a record, or the last but its trailer: with zeros up to a multiple of 8, one at least. */
static inline void perf_put_text(struct perf_file *f, const char *text)
{
	perf_put(f, text, strlen(text) + 1);
	while ((f->len - f->record) % 8)
		perf_put(f, "", 1);
}

static inline void perf_event(struct perf_file *f, uint64_t config, uint64_t sample_type)
{
	assert_true(f->nr_events < PERF_FILE_EVENTS);
	f->attrs[f->nr_events++] = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = 1000,
		.sample_type = sample_type,
		.sample_id_all = 1,
	};
}

/* The events; each has one number, 101, 102, ... Records follow. */
static inline void perf_begin(struct perf_file *f)
{
	size_t attrs = 104 + 8 * f->nr_events;

	f->len = 0;
	perf_put(f, "PERFILE2", 8);
	perf_put64(f, 104);
	perf_put64(f, sizeof(*f->attrs) + sizeof(struct perf_file_section));
	perf_put(f, &(struct perf_file_section){attrs, f->nr_events * (sizeof(*f->attrs) + 16)}, 16);
	f->data = attrs + f->nr_events * (sizeof(*f->attrs) + 16);
	perf_put(f, &(struct perf_file_section){f->data, 0}, 16);
	while (f->len < 104)
		perf_put64(f, 0);
	for (int i = 0; i < f->nr_events; i++)
		perf_put64(f, 101 + i);
	for (int i = 0; i < f->nr_events; i++) {
		perf_put(f, &f->attrs[i], sizeof(f->attrs[i]));
		perf_put(f, &(struct perf_file_section){104 + 8 * i, 8}, 16);
	}
}

static inline void perf_record(struct perf_file *f, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};

	f->record = f->len;
	perf_put(f, &h, sizeof(h));
}

static inline void perf_record_end(struct perf_file *f)
{
	uint16_t size = f->len - f->record;

	memcpy(f->v + f->record + 6, &size, sizeof(size));
}

/* The same of a record that is no sample, of an event whose samples have thread, time and number. */
static inline void perf_trailer(struct perf_file *f, uint32_t pid, uint32_t tid, uint64_t time, uint64_t id)
{
	perf_put32(f, pid, tid);
	perf_put64(f, time);
	perf_put64(f, id);
	perf_record_end(f);
}

/* There are no more records: facts may follow, whose bits are @facts. */
static inline void perf_end(struct perf_file *f, uint64_t facts)
{
	uint64_t bytes = f->len - f->data;

	memcpy(f->v + 48, &bytes, sizeof(bytes));
	memcpy(f->v + 72, &facts, sizeof(facts));
}

/* The same as perf writes it to a pipe: records say what the events are. There is no perf_end(). */
static inline void perf_begin_pipe(struct perf_file *f)
{
	f->len = 0;
	perf_put(f, "PERFILE2", 8);
	perf_put64(f, 16);
	f->data = f->len;
	for (int i = 0; i < f->nr_events; i++) {
		perf_record(f, 64, 0);
		perf_put(f, &f->attrs[i], sizeof(f->attrs[i]));
		perf_put64(f, 101 + i);
		perf_record_end(f);
	}
}

/*
 * Compress what is there from byte @from on, in records of @type (81, or 83, which are padded) for each @part bytes of
 * it.
 */
static inline void perf_pack(struct perf_file *f, size_t from, uint32_t type, size_t part)
{
	static uint8_t plain[sizeof(f->v)], packed[2 * sizeof(f->v)];
	ZSTD_CStream *stream = ZSTD_createCStream();
	size_t len = f->len - from;

	memcpy(plain, f->v + from, len);
	f->len = from;
	ZSTD_initCStream(stream, 3);
	for (size_t at = 0; at < len; at += part) {
		ZSTD_inBuffer in = {plain + at, len - at < part ? len - at : part, 0};
		ZSTD_outBuffer out = {packed, sizeof(packed), 0};

		assert_false(ZSTD_isError(ZSTD_compressStream(stream, &out, &in)));
		assert_int_equal(at + part < len ? ZSTD_flushStream(stream, &out) : ZSTD_endStream(stream, &out), 0);
		perf_record(f, type, 0);
		if (type == 83)
			perf_put64(f, out.pos);
		perf_put(f, packed, out.pos);
		while (type == 83 && (f->len - f->record) % 8)
			perf_put(f, "", 1);
		perf_record_end(f);
	}
	ZSTD_freeCStream(stream);
}

/* To be closed. */
static inline int perf_file_open(const struct perf_file *f, size_t len)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, f->v, len), (ssize_t)len);
	return fd;
}
