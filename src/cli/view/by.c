/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The option --by. See by.h. */
#include "cli/view/by.h"
#include <string.h>

const char *by_choice(size_t i)
{
	return i < NR_THREAD_LABELS ? thread_label_name(i) : NULL;
}

static bool has(const struct thread_labels *l, enum thread_label which)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i] == which)
			return true;
	return false;
}

int by_choose(const struct command *self, const struct text_list *list, struct thread_labels *ret)
{
	ret->nr = 0;
	for (size_t i = 0; i < list->nr; i++) {
		enum thread_label which = 0;

		while (which < NR_THREAD_LABELS && strcmp(list->v[i], thread_label_name(which)))
			which++;
		if (which == NR_THREAD_LABELS)
			return say_usage(self,
					 "--by takes service, unit, container, pod, namespace, version, cgroup and "
					 "host, not '%s'",
					 list->v[i]);
		if (!has(ret, which))
			ret->v[ret->nr++] = which;
	}
	return STATUS_OK;
}
