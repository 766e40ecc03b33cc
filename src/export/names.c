/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Make names safe for foreign formats. See names.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "export/names.h"
#include "report/text.h"

const char *names_clean(struct names *n, const char *s)
{
	static const char cut[] = "...";
	size_t end = NAME_BYTES - strlen(cut);

	fseek(n->cleaner, 0, SEEK_SET);
	text_write(n->cleaner, s, TEXT_TERMINAL);
	if (fflush(n->cleaner))
		return NULL;
	if (n->len <= NAME_BYTES)
		return strings_intern_bytes(&n->kept, n->text, n->len);
	while ((n->text[end] & 0xc0) == 0x80)
		end--;
	memcpy(n->text + end, cut, strlen(cut));
	return strings_intern_bytes(&n->kept, n->text, end + strlen(cut));
}

const char *names_setting(struct names *n, const char *key)
{
	const char *value = dusk_profile_setting(n->labels->profile, key),
		   *clean = value ? names_clean(n, value) : NULL;

	return clean ? clean : "";
}

static int name_labels(struct names *n)
{
	const struct dusk_profile *p = n->labels->profile;

	for (uint32_t i = 0; i < n->labels->names.nr; i++) {
		n->function[i] = names_clean(n, label_function(n->labels, i));
		n->module[i] = names_clean(n, label_module(n->labels, i));
		if (!n->function[i] || !n->module[i])
			return -ENOMEM;
		n->symbol[i] = n->file[i] = "";
	}
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		uint32_t label = n->labels->of_frame[i];
		const char *file = frame_line(p, f)->file;

		if (*file && !*n->file[label])
			n->file[label] = names_clean(n, file);
		if (!n->file[label])
			return -ENOMEM;
		if (n->module_of[label] || !f->module)
			continue;
		n->module_of[label] = f->module;
		if (f->function)
			n->symbol[label] = names_clean(n, p->functions[f->function].symbol);
		if (!n->symbol[label])
			return -ENOMEM;
	}
	return 0;
}

static int name_tasks(struct names *n, const struct dusk_profile *p)
{
	struct map first = {0}; /* process -> a thread's index */
	int err = 0;

	for (uint32_t i = 0; i < p->nr_threads && !err; i++) {
		const struct dusk_thread *t = &p->threads[i];
		bool fresh;
		uint32_t *at = map_at(&first, (uint32_t)t->pid, &fresh);

		n->thread[i] = names_clean(n, *t->comm ? t->comm : "?");
		if (!at || !n->thread[i])
			err = -ENOMEM;
		else if (fresh || (t->tid == t->pid && p->threads[*at].tid != t->pid))
			*at = i;
	}
	for (uint32_t i = 0; i < p->nr_threads && !err; i++)
		n->process[i] = n->thread[*map_find(&first, (uint32_t)p->threads[i].pid)];
	map_done(&first);
	return err;
}

static int name_modules(struct names *n, const struct dusk_profile *p)
{
	for (uint32_t i = 0; i < p->nr_modules; i++) {
		n->path[i] = names_clean(n, p->modules[i].path);
		n->build_id[i] = names_clean(n, p->modules[i].build_id);
		if (!n->path[i] || !n->build_id[i])
			return -ENOMEM;
	}
	return 0;
}

static int allocate(struct names *n, const struct dusk_profile *p)
{
	uint32_t nr = n->labels->names.nr + 1;

	n->function = calloc(nr, sizeof(*n->function));
	n->module = calloc(nr, sizeof(*n->module));
	n->symbol = calloc(nr, sizeof(*n->symbol));
	n->file = calloc(nr, sizeof(*n->file));
	n->module_of = calloc(nr, sizeof(*n->module_of));
	n->thread = calloc(p->nr_threads + 1, sizeof(*n->thread));
	n->process = calloc(p->nr_threads + 1, sizeof(*n->process));
	n->path = calloc(p->nr_modules + 1, sizeof(*n->path));
	n->build_id = calloc(p->nr_modules + 1, sizeof(*n->build_id));
	n->cleaner = open_memstream(&n->text, &n->len);
	if (!n->function || !n->module || !n->symbol || !n->file || !n->module_of || !n->thread || !n->process ||
	    !n->path || !n->build_id || !n->cleaner)
		return -ENOMEM;
	return 0;
}

int names_of_labels(struct names **ret, const struct labels *l)
{
	_cleanup_(names_freep) struct names *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return -ENOMEM;
	n->labels = l;
	err = allocate(n, l->profile);
	if (!err)
		err = name_labels(n);
	if (!err)
		err = name_tasks(n, l->profile);
	if (!err)
		err = name_modules(n, l->profile);
	if (!err)
		*ret = steal(n);
	return err;
}

int names_new(struct names **ret, const struct dusk_profile *p)
{
	_cleanup_(labels_freep) struct labels *l = NULL;
	struct names *n;
	int err = labels_new(&l, p, LABEL_FUNCTION);

	if (!err)
		err = names_of_labels(&n, l);
	if (err)
		return err;
	n->own = steal(l);
	*ret = n;
	return 0;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	labels_free(n->own);
	strings_done(&n->kept);
	if (n->cleaner)
		fclose(n->cleaner);
	free(n->text);
	free(n->function);
	free(n->module);
	free(n->symbol);
	free(n->file);
	free(n->module_of);
	free(n->thread);
	free(n->process);
	free(n->path);
	free(n->build_id);
	free(n);
}

static unsigned int digit(char c)
{
	return c <= '9' ? c - '0' : (c | ' ') - 'a' + 10;
}

size_t names_build_id(const struct names *n, uint32_t module, uint8_t *ret, size_t max)
{
	const char *hex = n->build_id[module];
	size_t len = 0;

	for (; hex[0] && hex[1] && len < max; hex += 2)
		ret[len++] = digit(hex[0]) << 4 | digit(hex[1]);
	return len;
}
