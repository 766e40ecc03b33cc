/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How it goes, for Prometheus (its text format 0.0.4), and for whoever asks whether it is well. */
#pragma once
#include <stdio.h>
#include "fleet/collect/collector.h"

/* Write what is counted. Returns the status of HTTP. */
unsigned int metrics_write(FILE *out, struct collector *c);

/* Write "ok", or what is not well. Returns the status of HTTP: 200, or 503. */
unsigned int metrics_health(FILE *out, struct collector *c);
