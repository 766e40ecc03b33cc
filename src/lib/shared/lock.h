/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lock of something that several tools use. Nobody waits for it without an end, for who has it may be stopped.
 */
#pragma once
#include <dusk/dusk.h>

/*
 * Lock the open @fd for us alone; try for @wait_ms, or until *@stops (which may be NULL) is not @before any more.
 * -EBUSY: another one has it; -EINTR: we were asked to stop.
 */
int lock_take(int fd, unsigned int wait_ms, const volatile int *stops, int before);
void lock_release(int fd);

/* Say which process has the lock of @fd, which is at @path, and what can be done about it: @err, and returns -EBUSY. */
int lock_whose(int fd, const char *path, struct dusk_error *err);
