/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which options choose stacks? See filter.h. */
#include <stdlib.h>
#include <string.h>
#include "cli/filter.h"
#include "report/model/wakers.h"

int time_base_choose(const struct command *self, const struct time_base_choice *c, enum time_base usual,
		     enum time_base *ret)
{
	if (c->cpu + c->off_cpu + c->wall > 1)
		return say_usage(self, "--cpu, --off-cpu and --wall exclude each other");
	*ret = c->cpu ? TIME_BASE_CPU : c->off_cpu ? TIME_BASE_OFF_CPU : c->wall ? TIME_BASE_WALL : usual;
	return STATUS_OK;
}

const char *wakers_choice(size_t i)
{
	static const char *const numbers[MAX_WAKERS] = {"1", "2", "3", "4", "5", "6", "7", "8"};

	return i < MAX_WAKERS ? numbers[i] : NULL;
}

int wakers_choose(uint32_t *ret, const char *wakers, const struct dusk_profile *p, const char *path)
{
	*ret = wakers ? atoi(wakers) : 0;
	if (!wakers || p->nr_wakers > 1)
		return STATUS_OK;
	say("%s says nothing of wakers; dusk record -e offcpu --wakers records them", path);
	return STATUS_FAILED;
}

int filter_check(const struct command *self, const struct filter *f)
{
	const char *names[] = {"focus", "ignore", "hide"}, *regexes[] = {f->focus, f->ignore, f->hide};
	char text[128];

	for (size_t i = 0; i < 3; i++)
		if (regexes[i] && filter_refuse(regexes[i], text, sizeof(text)))
			return say_usage(self, "--%s '%s' is no regular expression: %s", names[i], regexes[i], text);
	return STATUS_OK;
}

int filter_apply(struct filtered *ret, const struct dusk_profile *p, const struct filter *f)
{
	int err = filtered_init(ret, p, f);

	if (!err)
		return STATUS_OK;
	say("cannot choose stacks: %s", strerror(-err));
	return STATUS_FAILED;
}
