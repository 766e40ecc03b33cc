/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send what is in a store to a server, each row exactly once.
 *
 * The store is the spool: what cannot be sent now stays in it, as long as it keeps profiles. A batch is what has been
 * written to a profile since the last one, of one day, and is inserted as one block, which is stored or not. If it is not
 * known which, the server is asked for the batch before it is sent again.
 */
#pragma once
#include <signal.h>
#include "clickhouse/client.h"

struct sender;

/* Free *@ret with sender_free(). Returns 0 or a negative errno, with a text in @err. */
int sender_new(struct sender **ret, struct client *c, const char *store, struct dusk_error *err);
void sender_free(struct sender *s);

/*
 * Send what there is. *@nr_rows grows by the rows of samples that have arrived. Returns 0; -ENOENT: the store is not there;
 * or as client_run(): what is left is sent by the next call.
 */
int sender_send(struct sender *s, const volatile sig_atomic_t *stop, uint64_t *nr_rows, struct dusk_error *err);
