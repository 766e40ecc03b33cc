/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a file can be probed: its functions by all their names, and its USDT probes. As other ELF reading it is done in a
 * confined process (confined.h), whose output is checked.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/vec.h"

enum site_kind {
	SITE_FUNCTION,
	SITE_CHOOSER, /* a function that chooses, once, the one that runs (STT_GNU_IFUNC) */
	SITE_USDT,
	SITE_KINDS
};

struct site {
	enum site_kind kind;
	uint64_t offset, bytes;		   /* in the file */
	uint64_t semaphore;		   /* offset of what counts those that want the USDT probe; 0: it has none */
	char *provider, *name, *arguments; /* "" where there is none; one piece of memory, that of @provider */
};

struct sites {
	struct vec(struct site) all; /* sorted by kind, provider and name; each once */
};

/*
 * Read the sites of the file @fd, which is known by @path. Free them with sites_done(), also after a failure.
 * Returns 0, -ENOEXEC (it is no ELF file, or cannot be read), -EOPNOTSUPP (no process can be confined here), -ENOMEM, ...
 */
int sites_read(struct sites *ret, int fd, const char *path);
void sites_done(struct sites *s);

/* Is @s of @kind, and its name, and for a USDT probe its provider, what these patterns (fnmatch(3)) mean? */
bool sites_match(const struct site *s, enum site_kind kind, const char *provider, const char *name);

/* What the confined process sends for each: this, and its three texts, each with a 0 byte at its end. */
struct site_record {
	uint32_t kind, text_bytes;
	uint64_t offset, bytes, semaphore;
};

/* Take the whole records at @data. Returns how many bytes they have, -EBADMSG, or -ENOMEM. */
ssize_t sites_take(struct sites *s, const char *data, size_t bytes);

/* Write the records of the file to @out; in a confined process, and in tests. Returns 0 or a negative errno. */
int sites_write(int fd, const char *path, int out);
