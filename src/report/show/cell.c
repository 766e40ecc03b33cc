/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of columns, texts of cells and colours, shared by tables and trees. */
#include <stdlib.h>
#include <string.h>
#include "base/label_pattern.h"
#include "report/show/show.h"

#define CONTAINER_ID_DIGITS 64

const char *key_name(enum key key)
{
	if (key & KEYS_OF_LABELS)
		return thread_label_name(label_of_key(key));
	switch (key) {
	case KEY_COMM: return "comm";
	case KEY_PID: return "pid";
	case KEY_TID: return "tid";
	case KEY_DSO: return "dso";
	case KEY_FUNCTION: return "function";
	case KEY_LINE: return "line";
	case KEY_STATE: return "state";
	case KEY_TIME: return "time";
	case KEY_SELF_PERCENT: return "self_percent";
	case KEY_TOTAL_PERCENT: return "total_percent";
	case KEY_SELF: return "self";
	case KEY_TOTAL: return "total";
	case KEY_COUNT: return "count";
	case KEY_RUNNABLE: return "runnable";
	case KEY_AVERAGE: return "average";
	case KEY_LONGEST: return "longest";
	default: abort();
	}
}

const char *column_name(enum key key, enum measure by)
{
	switch (is_time(key, by) ? key : 0) {
	case KEY_SELF: return "self_ms";
	case KEY_TOTAL: return "total_ms";
	case KEY_RUNNABLE: return "runnable_ms";
	case KEY_AVERAGE: return "average_ms";
	case KEY_LONGEST: return "longest_ms";
	default: return key_name(key);
	}
}

/* The id of a container that has no name is cut, as its runtime cuts it. */
static const char *container_cell(char *buffer, size_t size, const char *name)
{
	if (strlen(name) != CONTAINER_ID_DIGITS || strspn(name, "0123456789abcdef") != CONTAINER_ID_DIGITS)
		return name;
	snprintf(buffer, size, "%.*s", SHORT_ID, name);
	return buffer;
}

const char *cell(char *buffer, size_t size, enum key key, const struct group *g, const struct labels *l, uint32_t label)
{
	if (key == KEY_CONTAINER)
		return container_cell(buffer, size, g->label[LABEL_CONTAINER]);
	if (key & KEYS_OF_LABELS)
		return g->label[label_of_key(key)];
	switch (key) {
	case KEY_COMM: return g->comm;
	case KEY_STATE: return g->state;
	case KEY_PID: snprintf(buffer, size, "%d", g->pid); return buffer;
	case KEY_TID: snprintf(buffer, size, "%d", g->tid); return buffer;
	case KEY_DSO: return label_module(l, label);
	case KEY_FUNCTION: return label_function(l, label);
	case KEY_LINE: return label_line(l, label);
	default: abort();
	}
}

const char *color_of(bool color, double percent)
{
	if (!color || percent < 0.5)
		return "";
	return percent >= 5 ? "\033[31m" : "\033[32m";
}

const char *color_end(bool color, double percent)
{
	return *color_of(color, percent) ? "\033[0m" : "";
}
