/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where victims/path.c says that it is, in its variable place: never 0, so that the variable lies in its file. */
#pragma once

enum { PLACE_NEITHER = 1, PLACE_LEFT, PLACE_RIGHT };
