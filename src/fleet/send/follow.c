/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Send a store once, or on and on. See follow.h. */
#include "fleet/send/follow.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fleet/send/send.h"

#define POLL_S 5
#define MAX_BACKOFF_S 60

static volatile sig_atomic_t stop;

static void on_end(int signal)
{
	stop = 1;
}

static int fail(const struct dusk_error *err)
{
	fprintf(stderr, "dusk: %s\n", err->text);
	return 1;
}

static int send_once(struct target *t, struct sender *s, bool quiet)
{
	struct dusk_error err = {""};
	struct sent sent = {.nr = 0};
	int rc = t->check ? t->check(t, &err) : 0;

	rc = rc ?: sender_send(s, &stop, &sent, &err);
	if (rc && !stop)
		return fail(&err);
	if (!quiet)
		printf("%" PRIu64 " %s\n", sent.nr, t->unit);
	return rc ? 1 : 0;
}

static void wait_s(unsigned int s)
{
	while (s-- && !stop)
		sleep(1);
}

/* What is refused now may be accepted when somebody has mended the server, and the store keeps it. */
static int follow(struct target *t, struct sender *s)
{
	unsigned int backoff_s = 0;
	char said[sizeof(((struct dusk_error *)0)->text)] = "";

	while (!stop) {
		struct dusk_error err = {""};
		struct sent sent = {.nr = 0};
		int rc;

		t->patience_s = 0;
		rc = sender_send(s, &stop, &sent, &err);
		if (rc && !stop && strcmp(said, err.text))
			fail(&err);
		strcpy(said, rc ? err.text : "");
		backoff_s = !rc ? 0 : backoff_s ? backoff_s * 2 : 1;
		backoff_s = backoff_s > MAX_BACKOFF_S ? MAX_BACKOFF_S : backoff_s;
		wait_s(!rc ? (t->poll_s ?: POLL_S) : backoff_s > t->patience_s ? backoff_s : t->patience_s);
	}
	return 0;
}

bool send_is_meant(const char *how)
{
	return !strcmp(how, "send") || !strcmp(how, "send-rest") || !strcmp(how, "follow");
}

int send_store(struct target *t, const char *store, const char *how)
{
	struct sigaction end = {.sa_handler = on_end};
	struct dusk_error err = {""};
	struct sender *s;
	int status;

	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	if (t->set_stop)
		t->set_stop(t, &stop);
	if (sender_new(&s, t, store, &err))
		return fail(&err);
	status = !strcmp(how, "follow") ? follow(t, s) : send_once(t, s, !strcmp(how, "send-rest"));
	sender_free(s);
	return status;
}
