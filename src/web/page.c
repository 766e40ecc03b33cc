/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The page. See page.h. */
#include "web/page.h"
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "report/viewer.h"

/* A page that is a file asks nobody for anything, and its policy says so. This one asks us. */
static const char alone[] = "connect-src 'none'", served[] = "connect-src 'self'";

int page_init(struct page *ret)
{
	size_t bytes = sizeof(viewer_head) + sizeof(viewer_tail);
	char *text = malloc(bytes), *policy;

	if (!text)
		return -ENOMEM;
	memcpy(text, viewer_head, sizeof(viewer_head));
	memcpy(text + sizeof(viewer_head), viewer_tail, sizeof(viewer_tail));
	policy = memmem(text, bytes, alone, strlen(alone));
	static_assert(sizeof(alone) == sizeof(served), "it is replaced in its place");
	assert(policy);
	memcpy(policy, served, strlen(served));
	*ret = (struct page){.text = text, .bytes = bytes};
	snprintf(ret->etag, sizeof(ret->etag), "\"%016llx\"", (unsigned long long)hash_data(text, bytes));
	return 0;
}

void page_done(struct page *p)
{
	free(p->text);
	*p = (struct page){0};
}
