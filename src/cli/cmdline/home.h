/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keep programs and libraries that we use from writing to another user's home. */
#pragma once

/*
 * If $HOME or $XDG_CACHE_HOME belongs to another user, or its path leads through a folder that does, as is possible
 * under sudo, libdebuginfod asks no servers and less keeps no history. Otherwise libdebuginfod's cache is beside our
 * own.
 */
void home_leave_alone(void);
