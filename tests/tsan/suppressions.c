/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the thread sanitizer takes for a race, and is not: a reader of the row cache may read a row while it is written,
 * finds the sequence number changed, and throws away what was read. That nobody ever keeps a mixed one is what the
 * test itself looks at.
 */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
	return "race_top:rowcache_get\nrace_top:rowcache_put\n";
}
