/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* core/port.h on a live process, by /proc: the same walk as in the kernel, from outside. */
#pragma once
#include <sys/types.h>

/* The target is @pid from now on, with its mappings as they are now. 0 or a negative errno; then there is no target. */
int port_proc_open(pid_t pid);

/* Forget the target; the modules met so far stay known. */
void port_proc_close(void);
