/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/probe_names.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/edit_distance.h"
#include "base/file.h"

#define NEAREST 3
#define KALLSYMS_BYTES_MAX (256UL << 20)

struct near {
	const char *name;
	unsigned int far;
};

/* Keep the nearest few of all that are seen, the first of those that are equally far. */
static void see(struct near best[NEAREST], const char *name, unsigned int far)
{
	int i = NEAREST;

	for (int k = 0; k < NEAREST; k++)
		if (best[k].name && !strcmp(best[k].name, name))
			return;
	while (i && (!best[i - 1].name || far < best[i - 1].far))
		i--;
	if (i == NEAREST)
		return;
	memmove(&best[i + 1], &best[i], (NEAREST - 1 - i) * sizeof(*best));
	best[i] = (struct near){name, far};
}

/* A name that contains the other one is near enough, however long it is. */
static unsigned int how_far(const char *wanted, const char *name, unsigned int most)
{
	unsigned int far = edit_distance(wanted, name);

	return far > most && strstr(name, wanted) ? most : far;
}

static void say_near(char *ret, size_t room, const struct near best[NEAREST])
{
	size_t len = 0;

	*ret = 0;
	for (int i = 0; i < NEAREST && best[i].name && len < room; i++)
		len += snprintf(ret + len, room - len, "%s%s", i ? ", " : "; near it are ", best[i].name);
}

void probe_names_near(char *ret, size_t room, const struct probe_word *w, const struct sites *sites)
{
	enum site_kind kind = w->kind == PROBE_USDT ? SITE_USDT : SITE_FUNCTION;
	unsigned int most = strlen(w->function) / 2 + 1;
	struct near best[NEAREST] = {0};

	for (size_t i = 0; i < sites->all.nr; i++) {
		const struct site *s = &sites->all.v[i];
		unsigned int far = s->kind == kind ? how_far(w->function, s->name, most) : most + 1;

		if (far <= most)
			see(best, s->name, far);
	}
	say_near(ret, room, best);
}

/* Return the name of the function that @line of /proc/kallsyms is about, cut from the line; NULL: it is none. */
static char *kernel_function(char *line)
{
	char *type = strchr(line, ' '), *name = type ? strchr(type + 1, ' ') : NULL;

	if (!name || !strchr("tTwW", type[1]) || !strncmp(name + 1, "__pfx_", 6)) /* the bytes before a function */
		return NULL;
	name++;
	name[strcspn(name, "\t\n ")] = 0;
	return name;
}

bool probe_names_near_kernel(char *ret, size_t room, const struct probe_word *w)
{
	unsigned int most = strlen(w->function) / 2 + 1;
	_cleanup_(freep) char *text = NULL;
	struct near best[NEAREST] = {0};
	char *rest, *line;
	size_t len;

	if (file_read(&text, &len, "/proc/kallsyms", KALLSYMS_BYTES_MAX))
		return false;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		const char *name = kernel_function(line);
		unsigned int far = name ? how_far(w->function, name, most) : most + 1;

		if (name && !strcmp(name, w->function))
			return false;
		if (far <= most)
			see(best, name, far);
	}
	say_near(ret, room, best);
	return len;
}
