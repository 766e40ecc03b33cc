/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Was a perf.data recorded here, by the kernel that runs, in this boot? See import_boot.h.
 *
 * The kernel is the recorded one if it has the recorded build id, and in this boot if a function of it is where it was. perf
 * notes no build ids with -z, to a pipe, and with --switch-output. Then the name of the machine, the kernel's release and the times
 * have to fit.
 */
#include "lib/record/import_boot.h"
#include <string.h>
#include <sys/utsname.h>
#include "base/clock.h"
#include "lib/arch/kernel_head.h"
#include "lib/unwinder/probe.h"
#include "lib/symbols/ksyms.h"

#define NS_A_SECOND 1000000000ULL

/* perf says it by _stext where kallsyms has no _text. */
uint64_t import_kernel_text(const struct perfdata *d)
{
	if (!strcmp(d->landmark, "_stext"))
		return d->landmark_address - KERNEL_HEAD_BYTES;
	return !strcmp(d->landmark, "_text") ? d->landmark_address : 0;
}

/*
 * Were the samples taken since the machine was started, and the file written after them? Their clock begins then, unless it is
 * CLOCK_REALTIME, and may go wrong by a thousandth.
 */
static bool times_fit(const struct perfdata *d)
{
	uint64_t now = clock_ns(CLOCK_REALTIME), up = clock_ns(CLOCK_BOOTTIME), slack = NS_A_SECOND + up / 1000;
	uint64_t start = now - up, base = d->events[0].is_real_time ? 0 : start;

	return d->last_ns && d->last_ns <= now && base + d->first_ns + slack >= start &&
	       base + d->last_ns <= now + slack && base + d->last_ns <= d->written_ns + slack;
}

static bool is_this_machine(const struct perfdata *d)
{
	struct utsname here;

	return !uname(&here) && !strcmp(here.nodename, d->hostname) && !strcmp(here.release, d->kernel) && times_fit(d);
}

static bool is_this_kernel(const struct perfdata *d)
{
	char build_id[PERFDATA_BUILD_ID_TEXT];

	if (!*d->kernel_build_id)
		return is_this_machine(d);
	probe_kernel_build_id(build_id, sizeof(build_id));
	return !strcmp(build_id, d->kernel_build_id);
}

bool import_is_this_boot(const struct perfdata *d)
{
	const char *module, *name;
	struct ksyms *ksyms;
	uint64_t start;
	bool same;

	if (!*d->landmark || !is_this_kernel(d))
		return false;
	if (import_kernel_text(d))
		return !probe_kernel_text(&start) && start == import_kernel_text(d);
	if (ksyms_load(&ksyms))
		return false;
	name = ksyms_find(ksyms, d->landmark_address, &start, &module);
	same = name && !strcmp(name, d->landmark) && start == d->landmark_address;
	ksyms_free(ksyms);
	return same;
}
