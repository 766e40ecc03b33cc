// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Go that calls C that calls Go, and a thread of C's own that does.
package main

/*
#include <pthread.h>

extern int goWork(int);

static __attribute__((noinline)) int leaf(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i * 7;
	return sum;
}

static __attribute__((noinline)) int work(int n)
{
	return leaf(n) + 1;
}

static __attribute__((noinline)) int both(int n)
{
	return work(n) + goWork(n) + 2;
}

static void *forever(void *arg)
{
	for (;;)
		both(20000);
	return arg;
}

static void start(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, forever, NULL);
}
*/
import "C"

//go:noinline
func leaf(n int) int {
	var sums [64]int
	for i := 0; i < n; i++ {
		sums[i&63] += i * 31
	}
	return sums[n&63]
}

//export goWork
func goWork(n C.int) C.int { return C.int(leaf(int(n))) + C.work(n/2) }

//go:noinline
func work(n C.int) C.int { return C.work(n) + C.both(n) }

func main() {
	C.start()
	go func() {
		for {
			work(20000)
		}
	}()
	for {
		work(20000)
	}
}
