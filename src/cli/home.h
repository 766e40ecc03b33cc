/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose is the home that programs and libraries write to, which do not ask? */
#pragma once

/*
 * Where $HOME or $XDG_CACHE_HOME is another user's, or leads through what is, as it may be under sudo: libdebuginfod
 * asks no servers, and less keeps no history. Else what libdebuginfod keeps is where our own cache is.
 */
void home_leave_alone(void);
