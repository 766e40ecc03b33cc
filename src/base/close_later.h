/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Close descriptors without waiting for it.
 *
 * The kernel waits for a grace period when the last descriptor of a perf event of tracefs is closed
 * (perf_trace_event_unreg(), linux 6.18 kernel/trace/trace_event_perf.c), for 30 ms and more, and one event after the
 * other.
 */
#pragma once
#include <stddef.h>

/*
 * Close the @nr descriptors at @fds, which are sorted for it: in a process of its own, which has nothing else of ours and
 * may outlive us; or here, if there can be no such process.
 */
void close_later(int *fds, size_t nr);
