/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <dusk/dusk.h>

const char *dusk_version(void)
{
	return DUSK_VERSION;
}
