/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/stapsdt.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>

/* What is left of the description. */
struct rest {
	const unsigned char *at;
	size_t bytes;
};

static int take_word(struct rest *r, uint64_t *ret, bool is_64)
{
	size_t size = is_64 ? 8 : 4;

	if (r->bytes < size)
		return -EBADMSG;
	*ret = 0;
	memcpy(ret, r->at, size); /* files of this machine are little-endian */
	r->at += size;
	r->bytes -= size;
	return 0;
}

static int take_text(struct rest *r, char *ret, size_t room)
{
	size_t len = strnlen((const char *)r->at, r->bytes);

	if (len == r->bytes || len >= room)
		return -EBADMSG;
	memcpy(ret, r->at, len + 1);
	r->at += len + 1;
	r->bytes -= len + 1;
	return 0;
}

static bool is_name(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_-.$", *text))
			return false;
	return true;
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (!isprint((unsigned char)*text))
			return false;
	return true;
}

int stapsdt_read(struct stapsdt *ret, const void *description, size_t bytes, bool is_64)
{
	struct rest r = {description, bytes};
	struct stapsdt s;

	if (take_word(&r, &s.address, is_64) || take_word(&r, &s.base, is_64) || take_word(&r, &s.semaphore, is_64) ||
	    take_text(&r, s.provider, sizeof(s.provider)) || take_text(&r, s.name, sizeof(s.name)) ||
	    take_text(&r, s.arguments, sizeof(s.arguments)))
		return -EBADMSG;
	if (!is_name(s.provider) || !is_name(s.name) || !is_printable(s.arguments))
		return -EBADMSG;
	*ret = s;
	return 0;
}
