/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk-otlp: send a store to a receiver of OpenTelemetry's profiles. It is a program of its own so that only it links libcurl.
 *
 *	dusk-otlp send|send-rest|follow URL STORE	(fleet/send/follow.h)
 *
 * Users start dusk store and dusk agent, which know the options (src/cli/commands/store.c).
 */
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/privilege.h"
#include "fleet/otlp/send.h"
#include "fleet/send/follow.h"

int main(int argc, char **argv)
{
	_cleanup_(receiver_freep) struct receiver *r = NULL;
	struct dusk_error err = {""};
	struct otlp_target t;

	/* Under sudo, or as a service, the store may be of another user. Names of the kernel's functions need the last one. */
	if (privilege_limit(CAP(CAP_DAC_OVERRIDE) | CAP(CAP_DAC_READ_SEARCH) | CAP(CAP_SYSLOG)) ||
	    privilege_stay_low()) {
		fputs("dusk: cannot give up capabilities\n", stderr);
		return 1;
	}
	if (argc < 3 || argc > 4 || (argc == 3 ? strcmp(argv[1], "address") : !send_is_meant(argv[1])))
		return 2;
	if (receiver_new(&r, argv[2], &err)) {
		fprintf(stderr, "dusk: %s\n", err.text);
		return 1;
	}
	if (argc == 3)
		return 0; /* it is an address */
	otlp_target_init(&t, r);
	return send_store(&t.target, argv[3], argv[1]);
}
