/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/probe_word.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/error.h"

static const char *const kinds[] = {
	[PROBE_UPROBE] = "uprobe:",	  [PROBE_URETPROBE] = "uretprobe:", [PROBE_KPROBE] = "kprobe:",
	[PROBE_KRETPROBE] = "kretprobe:", [PROBE_USDT] = "usdt:",
};

static const char *const forms[] = {
	[PROBE_UPROBE] = "uprobe:FILE:FUNCTION, as uprobe:libc:malloc",
	[PROBE_URETPROBE] = "uretprobe:FILE:FUNCTION, as uretprobe:libc:malloc(retval)",
	[PROBE_KPROBE] = "kprobe:FUNCTION, as kprobe:vfs_read",
	[PROBE_KRETPROBE] = "kretprobe:FUNCTION, as kretprobe:vfs_read(retval)",
	[PROBE_USDT] = "usdt:FILE:PROVIDER:PROBE, as usdt:python3:python:gc__start",
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Returns NR_KINDS if it is none. */
static size_t kind_of(const char *text)
{
	size_t i = 0;

	while (i < NR_KINDS && strncmp(text, kinds[i], strlen(kinds[i])))
		i++;
	return i;
}

bool probe_word_is(const char *text)
{
	return kind_of(text) < NR_KINDS;
}

static int misses(const char *text, size_t kind, const char *what, struct dusk_error *err)
{
	return error_set(err, -EINVAL, "%.80s%s: %s; a probe is %s", text, strlen(text) > 80 ? "..." : "", what,
			 forms[kind]);
}

/* Copy @len bytes, which are not empty and fit. */
static bool keep(char *ret, size_t room, const char *text, size_t len)
{
	if (!len || len >= room)
		return false;
	memcpy(ret, text, len);
	ret[len] = 0;
	return true;
}

/* Take "NAME:", up to the next colon. */
static bool take_part(const char **text, char *ret, size_t room)
{
	size_t len = strcspn(*text, ":");

	if (!(*text)[len] || !keep(ret, room, *text, len))
		return false;
	*text += len + 1;
	return true;
}

/* Take "(...)", to the end of the word. */
static bool take_arguments(const char *text, struct probe_word *w)
{
	size_t len = strlen(text);

	if (!*text)
		return true;
	w->has_arguments = true;
	if (len < 2 || text[len - 1] != ')')
		return false;
	return len == 2 || keep(w->arguments, sizeof(w->arguments), text + 1, len - 2);
}

static bool take_offset(const char **text, uint64_t *ret)
{
	char *end;

	if (**text != '+')
		return true;
	if (!isdigit((unsigned char)(*text)[1]))
		return false;
	errno = 0;
	*ret = strtoull(*text + 1, &end, 0);
	*text = end;
	return !errno && (!*end || *end == '(');
}

int probe_word_parse(struct probe_word *ret, const char *text, struct dusk_error *err)
{
	size_t kind = kind_of(text), len;
	struct probe_word w = {.kind = kind};
	const char *at = text;

	if (kind == NR_KINDS)
		return error_set(err, -EINVAL, "%s is no probe", text);
	at += strlen(kinds[kind]);
	if (probe_word_is_user(&w) && !take_part(&at, w.file, sizeof(w.file)))
		return misses(text, kind, "the file or the function is missing", err);
	if (kind == PROBE_USDT && !take_part(&at, w.provider, sizeof(w.provider)))
		return misses(text, kind, "the provider or the probe is missing", err);
	len = strcspn(at, "+(:");
	if (!keep(w.function, sizeof(w.function), at, len))
		return misses(text, kind, "the function is missing, or its name is too long", err);
	w.function_at = at - text;
	at += len;
	if (!take_offset(&at, &w.offset))
		return misses(text, kind, "what follows + is no number", err);
	if (w.offset && probe_word_returns(&w))
		return misses(text, kind, "a function returns as a whole: there is no offset", err);
	if (*at == ':')
		return misses(text, kind, "there is a part too many", err);
	if (!keep(w.shown, sizeof(w.shown), text, at - text) || !take_arguments(at, &w))
		return misses(text, kind, "the arguments do not end with )", err);
	*ret = w;
	return 0;
}
