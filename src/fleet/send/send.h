/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send what is in a store to a target, behind those who record.
 *
 * The store is the spool: what cannot be sent now stays in it, as long as it keeps profiles. Where we are is a file in the store
 * (position.h), written before a batch is sent and after, so that after a kill it is known which batch may have arrived.
 */
#pragma once
#include <signal.h>
#include "fleet/send/target.h"

struct sender;

/* Free *@ret with sender_free(); @t and @store must live as long. Returns 0 or a negative errno, with a text in @err. */
int sender_new(struct sender **ret, struct target *t, const char *store, struct dusk_error *err);
void sender_free(struct sender *s);

/*
 * Send what there is, until *@stop. What has come of it is added to @sent. Returns 0, or a negative errno with a text in @err: what is
 * left is sent by the next call.
 */
int sender_send(struct sender *s, const volatile sig_atomic_t *stop, struct sent *sent, struct dusk_error *err);
