/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Export to OpenTelemetry profiles: all of a profile is one message (otlp_message.h). */
#include <errno.h>
#include "base/cleanup.h"
#include "export/export.h"
#include "export/otlp_message.h"
#include "export/samples.h"

int otlp_write(FILE *out, const struct dusk_profile *p, const struct export_options *options)
{
	_cleanup_(otlp_done) struct otlp o;
	_cleanup_(pb_done) struct pb b = {.nr = 0};
	_cleanup_(freep) uint64_t *order = NULL;
	int err = otlp_init(&o, p) ?: samples_sort(&order, p, true);
	const struct otlp_part all = {.samples = order,
				      .nr = p->nr_samples,
				      .start_ns = dusk_profile_start_ns(p),
				      .duration_ns = samples_duration_ns(p)};

	err = err ?: otlp_message(&o, &b, &all);
	if (!err)
		fwrite(b.v, 1, b.nr, out);
	return err;
}
