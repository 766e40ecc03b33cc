/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is written by hand in the C library, with its CFI: a program for single-stepping. Of some functions there are
 * several, of which the library chooses by the CPU, or by $GLIBC_TUNABLES. Arguments: each so many-th length; and if
 * there is another, no numbers.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#define ROOM 700
#define FN __attribute__((noipa))

static volatile long sink;
static char text[ROOM], other[ROOM], room[2 * ROOM];
static wchar_t wide_text[ROOM], wide_other[ROOM], wide_room[2 * ROOM];

/* @len bytes from @at on, first alike in both texts, then not. */
FN static void bytes(size_t at, size_t len)
{
	char *a = text + at, *b = other + at / 2;

	memset(a, 'a', len);
	memset(b, 'a', len);
	a[len] = b[len] = 0;
	for (int i = 0; i < 2; i++) {
		sink += strlen(a) + strnlen(a, len + 3) + strnlen(a, len / 2);
		sink += strcmp(a, b) + strncmp(a, b, len + 1) + strcasecmp(a, b) + strncasecmp(a, b, len);
		sink += memcmp(a, b, len) + bcmp(a, b, len);
		sink += (strchr(a, 'x') != 0) + (strrchr(a, 'x') != 0) + (strchrnul(a, 'x') != 0);
		sink += (memchr(a, 'x', len) != 0) + (memrchr(a, 'x', len) != 0) + (rawmemchr(a, 0) != 0);
		sink += strspn(a, "ab") + strcspn(a, "xy") + (strpbrk(a, "xyz") != 0);
		sink += (strstr(a, "ax") != 0) + (strcasestr(a, "AX") != 0);
		sink += (memmem(a, len, "ax", 2) != 0) + (memccpy(room, a, 'x', len) != 0);
		memcpy(room + i, a, len);
		mempcpy(room + 1, a, len);
		memmove(room + 3, room, len);
		memmove(room, room + 3, len);
		strcpy(room, a);
		strncpy(room + at, a, len + 5);
		stpcpy(room, a);
		stpncpy(room, a, len + 5);
		strcat(room, b);
		strncat(room, b, len / 2);
		sink += strcoll(a, b) + strxfrm(room, a, sizeof(room)) + strverscmp(a, b);
		strtok(room, "xy");
		bcopy(a, room, len);
		bzero(room, len);
		a[len / 2] = 'x';
		if (len > 2)
			b[len - 2] = 'x';
	}
}

FN static void wide(size_t at, size_t len)
{
	wchar_t *a = wide_text + at, *b = wide_other + at / 2;

	wmemset(a, 'a', len);
	wmemset(b, 'a', len);
	a[len] = b[len] = 0;
	for (int i = 0; i < 2; i++) {
		sink += wcslen(a) + wcsnlen(a, len + 3) + wcscmp(a, b) + wcsncmp(a, b, len);
		sink += wmemcmp(a, b, len);
		sink += (wcschr(a, 'x') != 0) + (wcsrchr(a, 'x') != 0) + (wmemchr(a, 'x', len) != 0);
		wcscpy(wide_room, a);
		wcsncpy(wide_room, a, len + 3);
		wcscat(wide_room, b);
		wmemcpy(wide_room, a, len);
		wmemmove(wide_room, a, len);
		a[len / 2] = 'x';
	}
}

FN static void numbers(void)
{
	static const char *const values[] = {"1e60", "-1.2345678901234567890123e-50"};

	for (int i = 0; i < 2; i++) {
		double value = strtod(values[i], NULL);

		snprintf(room, sizeof(room), "%.40f %.20e %La", value, value, strtold(values[i], NULL));
		sink += strtol(values[i] + 1, NULL, 0) + lrint(sqrt(fabs(strtof(values[i], NULL))));
	}
}

int main(int argc, char **argv)
{
	static const unsigned char lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 65, 130, 255};
	size_t step = argc > 1 ? atoi(argv[1]) : 1;

	for (size_t i = 0; i < sizeof(lengths); i += step) {
		bytes(i % 5 * 3, lengths[i]);
		wide(i % 4, lengths[i] / 2);
	}
	bytes(1, 300);
	if (argc <= 2)
		numbers();
	return 0;
}
