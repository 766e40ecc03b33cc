/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Telling user space of a module that was met for the first time. */
#pragma once
#include "maps.h"

/* Send what ms->read, ms->key and ms->vma say, and the file's path as the target sees it. @ms is part of a walker. */
CORE void module_announce(struct modules *ms);
