/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Name the code of a kernel that may not be the running one, from its kallsyms or its image. */
#include <dusk/stackmap.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/symbols/elfread.h"
#include "lib/error.h"
#include "lib/symbols/ksyms.h"

#define KALLSYMS_BYTES_MAX ((size_t)256 << 20)

/* One of the two is set. */
struct dusk_symbols {
	struct ksyms *kallsyms;
	struct symfile *image;
};

static int keep(struct dusk_symbols **ret, struct ksyms *kallsyms, struct symfile *image)
{
	struct dusk_symbols *s = malloc(sizeof(*s));

	if (!s) {
		ksyms_free(kallsyms);
		symfile_free(image);
		return -ENOMEM;
	}
	*s = (struct dusk_symbols){kallsyms, image};
	*ret = s;
	return 0;
}

int dusk_symbols_kallsyms(struct dusk_symbols **ret, const char *path, struct dusk_error *err)
{
	struct ksyms *k;
	size_t len;
	char *text;
	int e = file_read(&text, &len, path, KALLSYMS_BYTES_MAX);

	if (e)
		return error_set(err, e, "cannot read %s: %s", path, e == -EINVAL ? "it is not a file" : strerror(-e));
	e = ksyms_parse(&k, text, len);
	if (e == -EPERM)
		return error_set(err, e, "%s shows no addresses; as root, or with kernel.kptr_restrict=0, it does",
				 path);
	e = e ?: keep(ret, k, NULL);
	return e ? error_set(err, e, "cannot read %s: %s", path, strerror(-e)) : 0;
}

int dusk_symbols_vmlinux(struct dusk_symbols **ret, const char *path, struct dusk_error *err)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(symfile_freep) struct symfile *s = symfile_new();
	struct elfread wanted = {.fd = fd, .path = path, .no_servers = true};
	int e = fd < 0 ? -errno : !s ? -ENOMEM : elfread(s, &wanted);

	if (e)
		return error_set(err, e, "cannot read %s: %s", path, strerror(-e));
	if (wanted.late)
		return error_set(err, -ETIMEDOUT, "cannot read %s: it takes too long", path);
	if (!symfile_has_file(s))
		return error_set(err, -ENOEXEC,
				 "%s is no ELF file; the image that boots is compressed, vmlinux is in the kernel's "
				 "debug package",
				 path);
	if (!symfile_nr_functions(s))
		return error_set(err, -ENODATA, "%s has no symbols of functions", path);
	e = keep(ret, NULL, steal(s));
	return e ? error_set(err, e, "cannot read %s: %s", path, strerror(-e)) : 0;
}

void dusk_symbols_free(struct dusk_symbols *s)
{
	if (!s)
		return;
	ksyms_free(s->kallsyms);
	symfile_free(s->image);
	free(s);
}

int dusk_symbols_find(const struct dusk_symbols *s, const struct dusk_stack *stack, uint32_t i, struct dusk_symbol *ret)
{
	/* The address after a call may belong to the next function if the call does not return. */
	uint64_t address = stack->frame[i], inside = address - (i > 0);
	const char *name, *module = "[kernel]";
	uint64_t start, end;

	if (s->image) {
		name = symfile_function(s->image, inside, &start, &end);
		if (!name)
			return -ENOENT;
	} else {
		name = ksyms_find(s->kallsyms, inside, &start, &module);
		if (!name)
			return -ENOENT;
		end = ksyms_end(s->kallsyms, start);
	}
	*ret = (struct dusk_symbol){name, module, address - start, end ? end - start : 0};
	return 0;
}
