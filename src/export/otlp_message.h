/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of OpenTelemetry from a profile: ProfilesData of opentelemetry.proto.profiles.v1development, as of 1.10. The same
 * bytes are an ExportProfilesServiceRequest.
 *
 * A process is a resource. It has up to four profiles, as a profile has one type: of CPU samples their count and their
 * nanoseconds, and of off-CPU intervals likewise. What has the same thread, stack and state is one sample. Where profiles have
 * no windows, each event of the first and the third has its time.
 */
#pragma once
#include "export/otlp_dictionary.h"

struct otlp {
	const struct dusk_profile *profile;
	struct names *names;
	struct dictionary dictionary;
	uint64_t nr_profiles; /* of the last message */
};

/* Prepare to write messages from @p. Free with otlp_done(), in any case. Returns 0 or -ENOMEM. */
int otlp_init(struct otlp *o, const struct dusk_profile *p);
void otlp_done(struct otlp *o);

/* What a message has. */
struct otlp_part {
	const uint64_t *samples; /* as samples_sort() has them, by stack */
	uint64_t nr;
	uint64_t start_ns, duration_ns; /* the time that they are of, since 1970 */
	uint64_t id;			/* profiles get an id of this number and their place; 0: they get none */
	uint64_t first;			/* the place of samples[0] in what has this id */
};

/* Append a message to @b. Returns 0 or -ENOMEM. */
int otlp_message(struct otlp *o, struct pb *b, const struct otlp_part *part);

/* How many of the @nr samples at @samples, from the first, are one sample of a message. */
uint64_t otlp_alike(const struct otlp *o, const uint64_t *samples, uint64_t nr);
