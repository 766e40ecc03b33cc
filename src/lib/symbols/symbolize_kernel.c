/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Name kernel code, by /proc/kallsyms (ksyms.h) or, in another boot, by the kernel's image. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "lib/error.h"
#include "lib/symbols/ksyms.h"
#include "lib/symbols/module_file.h"
#include "lib/symbols/symbolizer.h"

/* Name frame @i by what came and went during the recording, if something did at its address; else by what is there now. */
static int name_frame(struct symbolizer *s, uint32_t i, const struct ksyms *ksyms, struct code_loads *loads)
{
	struct kernel_code *code = s->recorded ? s->recorded->kernel : NULL;
	struct dusk_frame *f = &s->p->frames[i];
	uint64_t address = f->offset - f->is_return, start;
	int rc = code ? kernel_code_loads(code, address, loads) : 0;
	const char *module, *name;

	if (rc || loads->nr)
		return rc ?: symbolizer_name_by_time(s, i, loads, "[bpf]");
	name = ksyms_find(ksyms, address, &start, &module);
	if (!name || (code && !strcmp(module, "[bpf]") && !kernel_code_holds(code, start, address)))
		return 0;
	return symbolizer_name(s, f, name, module, start);
}

/* Use kallsyms. This is not stopped by the progress callback, as it cannot be done later, in another boot. */
static int name_running(struct symbolizer *s, const struct group *g)
{
	_cleanup_(code_loads_done) struct code_loads loads = {0};
	struct ksyms *ksyms;
	int rc = ksyms_load(&ksyms);

	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		error_set(s->err, 0,
			  "kernel functions have no names: /proc/kallsyms %s; "
			  "as root, or with kernel.kptr_restrict=0, they have",
			  rc == -EPERM ? "hides the addresses" : strerror(-rc));
		return 0;
	}
	for (uint32_t i = 0; !rc && i < g->nr; i++)
		rc = name_frame(s, g->frames[i], ksyms, &loads);
	ksyms_free(ksyms);
	return rc;
}

/* Keep only the frames in code of the image: drop those in kernel modules. */
static void keep_text(const struct symbolizer *s, struct group *g, const struct module_file_text *text)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->nr; i++) {
		const struct dusk_frame *f = &s->p->frames[g->frames[i]];

		if (f->offset - f->is_return - text->start < text->bytes)
			g->frames[kept++] = g->frames[i];
	}
	g->nr = kept;
	g->shift = text->offset - text->start;
}

/* In another boot: use vmlinux, if it is that of the recorded kernel. */
static int name_by_image(struct symbolizer *s, uint32_t module, const struct group *g)
{
	_cleanup_(freep) char *other = NULL;
	_cleanup_(closep) int fd = symbolizer_open(s, module, &other);
	struct module_file_text text;
	struct group code = *g;

	if (fd >= 0 && !module_file_text(&text, s->p, fd)) {
		keep_text(s, &code, &text);
		return symbolize_file(s, module, &code);
	}
	if (other)
		error_set(
			s->err, 0,
			"kernel functions have no names: %s is not the kernel that was recorded: its build id differs",
			other);
	else
		error_set(s->err, 0, "kernel functions have no names: they are of another boot, and %s",
			  fd < 0 ? "the vmlinux of that kernel is not here" : "where its code was is not recorded");
	return 0;
}

int symbolize_kernel(struct symbolizer *s, uint32_t module, const struct group *g)
{
	return module_file_boot(s->p) ? name_running(s, g) : name_by_image(s, module, g);
}
