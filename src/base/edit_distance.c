/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/edit_distance.h"
#include <string.h>

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int d[EDIT_MAX_BYTES + 1][EDIT_MAX_BYTES + 1];
	size_t na = strnlen(a, EDIT_MAX_BYTES), nb = strnlen(b, EDIT_MAX_BYTES);

	for (size_t i = 0; i <= na; i++)
		d[i][0] = i;
	for (size_t k = 0; k <= nb; k++)
		d[0][k] = k;
	for (size_t i = 1; i <= na; i++)
		for (size_t k = 1; k <= nb; k++) {
			d[i][k] = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
			d[i][k] = least(d[i][k], least(d[i - 1][k], d[i][k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[na][nb];
}
