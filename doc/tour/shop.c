/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A shop that takes its time, for doc/tour.md: four clerks book orders, and each fiftieth order is reported to an
 * auditor, a process of its own. Which way of finding a customer, and of reporting, is chosen by -DFIND=... and
 * -DREPORT=...
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef FIND
#define FIND find_linear
#endif
#ifndef REPORT
#define REPORT report_each
#endif

#define CUSTOMERS 20000
#define CLERKS 4
#define ORDERS 20000 /* of a clerk */
#define AUDITED 50   /* each so many orders */

struct order {
	char customer[16];
	int cents;
};

static char customers[CUSTOMERS][16];
static long booked[CUSTOMERS];
static int to_auditor[2], from_auditor[2];
static pthread_mutex_t auditor = PTHREAD_MUTEX_INITIALIZER;

static inline int same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static __attribute__((noinline)) int find_linear(const char *name)
{
	for (int i = 0; i < CUSTOMERS; i++)
		if (same(customers[i], name))
			return i;
	return -1;
}

/* The customers are sorted: half of those that are left can be left out at each step. */
static __attribute__((noinline, unused)) int find_sorted(const char *name)
{
	int low = 0, high = CUSTOMERS - 1;

	while (low < high) {
		int middle = (low + high) / 2;

		if (strcmp(customers[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return same(customers[low], name) ? low : -1;
}

/* The auditor answers one at a time. */
static __attribute__((noinline, noclone)) void tell_auditor(const struct order *orders, int nr)
{
	char answer;

	pthread_mutex_lock(&auditor);
	if (write(to_auditor[1], orders, nr * sizeof(*orders)) < 0 || read(from_auditor[0], &answer, 1) != 1)
		exit(1);
	pthread_mutex_unlock(&auditor);
}

static __attribute__((unused)) void report_each(const struct order *order)
{
	tell_auditor(order, 1);
}

/* The auditor takes as long for fifty as for one. */
static __attribute__((unused)) void report_many(const struct order *order)
{
	static __thread struct order waiting[50];
	static __thread int nr;

	waiting[nr++] = *order;
	if (nr == 50) {
		tell_auditor(waiting, nr);
		nr = 0;
	}
}

static void *clerk(void *seed)
{
	unsigned state = (unsigned long)seed;

	prctl(PR_SET_NAME, "clerk");
	for (int i = 0; i < ORDERS; i++) {
		struct order order;
		int customer;

		state = state * 1103515245 + 12345;
		snprintf(order.customer, sizeof(order.customer), "customer%06u", (state >> 8) % CUSTOMERS);
		order.cents = state >> 20;
		customer = FIND(order.customer);
		__atomic_fetch_add(&booked[customer], order.cents, __ATOMIC_RELAXED);
		if (i % AUDITED == 0)
			REPORT(&order);
	}
	return NULL;
}

/* Takes two milliseconds for anything that it is asked at once. */
static void audit(void)
{
	struct order orders[50];

	prctl(PR_SET_NAME, "auditor");
	while (read(to_auditor[0], orders, sizeof(orders)) > 0) {
		usleep(2000);
		if (write(from_auditor[1], "", 1) < 0)
			break;
	}
	_exit(0);
}

int main(void)
{
	pthread_t clerks[CLERKS];
	long total = 0;

	for (int i = 0; i < CUSTOMERS; i++)
		snprintf(customers[i], sizeof(customers[i]), "customer%06d", i);
	if (pipe(to_auditor) || pipe(from_auditor))
		return 1;
	if (!fork()) {
		close(to_auditor[1]);
		audit();
	}
	for (long i = 0; i < CLERKS; i++)
		pthread_create(&clerks[i], NULL, clerk, (void *)(i + 1));
	for (int i = 0; i < CLERKS; i++)
		pthread_join(clerks[i], NULL);
	for (int i = 0; i < CUSTOMERS; i++)
		total += booked[i];
	printf("booked %ld cents\n", total);
	return 0;
}
