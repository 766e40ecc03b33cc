// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The public headers are C++, too, and each stands alone.
#include <dusk/unwind.h>
#include <dusk/stackmap.h>
#include <dusk/dusk.h>

#include <cstdio>
#include <cstring>

int main()
{
	dusk_unwind_options unwind = {};
	dusk_record_options record = {};
	dusk_error error = {};

	unwind.sz = 1;
	record.sz = 1;
	if (dusk_unwind_open(nullptr, &unwind, &error) != -22 || dusk_record_new(nullptr, &record, &error) != -22)
		return 1;
	std::puts(error.text);
	return std::strcmp(dusk_version(), DUSK_VERSION) != 0;
}
