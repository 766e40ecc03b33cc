/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs of dusk that link more than dusk itself does, so that only they need it. They lie beside dusk, as when all have just
 * been built, or in libexec.
 */
#pragma once
#include <limits.h>

#define HELPER_WEB "dusk-web"
#define HELPER_CLICKHOUSE "dusk-clickhouse"
#define HELPER_OTLP "dusk-otlp"
#define HELPER_COLLECT "dusk-collect"

/* The program that sends a store to @url, by its scheme; NULL: none does. */
const char *helper_that_sends(const char *url);

/* The path of this program. Returns 0 or a negative errno. */
int helper_self(char ret[PATH_MAX]);

/*
 * The path of the program @name. Returns 0; -ENOENT: this dusk is without it; -EPERM: others than root, our user and the owner of dusk
 * may write it or its folder; or another negative errno.
 */
int helper_find(char ret[PATH_MAX], const char *name);

/* Become the program @words[0], with @words up to a NULL. Returns STATUS_FAILED after an error. */
int helper_become(const char *const *words);

/* Run it, and wait for it. Returns its exit status, or STATUS_FAILED after an error. */
int helper_run(const char *const *words);
