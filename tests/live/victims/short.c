/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lives for about two milliseconds: main, descend five times, spin. */
#include "victim.h"

volatile unsigned long sink;

KNOWN void spin(void)
{
	BURN(1500000);
}

KNOWN void descend(int left)
{
	if (left > 1)
		descend(left - 1);
	else
		spin();
	sink += left;
}

int main(void)
{
	descend(5);
	return 0;
}
