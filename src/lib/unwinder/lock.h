/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lock of something that several tools use. No wait for it is unbounded, as the process that holds it may be
 * stopped.
 */
#pragma once
#include <dusk/dusk.h>

/*
 * Lock the open file @fd exclusively. Retry for @wait_ms milliseconds, or until *@stops (which may be NULL) differs
 * from @before. Returns 0; -EBUSY: another process has the lock; -EINTR: *@stops has changed.
 */
int lock_take(int fd, unsigned int wait_ms, const volatile int *stops, int before);
void lock_release(int fd);

/* Report in @err which process has the lock of @fd, a file at @path, and what can be done about it. Returns -EBUSY. */
int lock_whose(int fd, const char *path, struct dusk_error *err);
