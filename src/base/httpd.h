/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs that serve HTTP have in common. */
#pragma once
#include <microhttpd.h>
#include <signal.h>

#if MHD_VERSION < 0x00097002
typedef int answer_t;
#else
typedef enum MHD_Result answer_t;
#endif

/* Only the main thread is to be ended by a signal that it waits for; the others inherit this. */
static inline void httpd_block_ends(sigset_t *ends)
{
	sigemptyset(ends);
	sigaddset(ends, SIGINT);
	sigaddset(ends, SIGTERM);
	sigprocmask(SIG_BLOCK, ends, NULL);
	signal(SIGPIPE, SIG_IGN);
}
