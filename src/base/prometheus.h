/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write numbers for Prometheus, in its text format 0.0.4. */
#pragma once
#include <stdio.h>

/* What follows are lines of the metric @name, which is a "counter" or a "gauge". */
static inline void prometheus_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static inline void prometheus_gauge(FILE *out, const char *name, const char *help, double value)
{
	prometheus_head(out, name, "gauge", help);
	fprintf(out, "%s %.15g\n", name, value);
}

static inline void prometheus_counter(FILE *out, const char *name, const char *help, unsigned long value)
{
	prometheus_head(out, name, "counter", help);
	fprintf(out, "%s %lu\n", name, value);
}
