/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two functions that burn, one as long as two of the other, for two seconds; to be built with frame pointers. */
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static volatile unsigned long sum;
NOINLINE static void spin_short(void)
{
	for (int i = 0; i < 20000; i++)
		sum += i;
}
NOINLINE static void spin_long(void)
{
	for (int i = 0; i < 60000; i++)
		sum ^= i;
	sum++;
}
NOINLINE static void outer(int i)
{
	if (i % 2)
		spin_short();
	else
		spin_long();
	sum++;
}
int main(void)
{
	struct timespec t;
	for (time_t end = time(NULL) + 2; time(NULL) < end;)
		for (int i = 0; i < 100; i++)
			outer(i);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return usleep(100000);
}
