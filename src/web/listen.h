/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Listen at a path of this machine. */
#pragma once

/*
 * Listen at the socket @path, which any user may connect to. One that another server of ours has left there is replaced. Returns the
 * descriptor, or a negative errno; -EEXIST: something else is there.
 */
int listen_at_path(const char *path);
