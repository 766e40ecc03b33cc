/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a profile has, as rows of the tables in schema.h. */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "fleet/clickhouse/buffer.h"
#include "lib/profile/read/read.h"

/*
 * The columns, in the order in which they are written, and their types (src/fleet/clickhouse/row_types.h). Where there is a batch it is the
 * last column, and ts and host are the first two.
 */
#define ROWS_SAMPLES                                                                                                \
	"samples(ts,host,service,version,unit,container,pod,namespace,pid,comm,kind,outcome,ustack,kstack,n,value," \
	"runnable,batch)"
#define ROWS_SAMPLES_TYPES "4lllllll4lww88nvv8"
#define ROWS_COUNTS "counts(ts,host,name,value,batch)"
#define ROWS_COUNTS_TYPES "4ll88"
/* Names of counts that are none: where in its profile a batch ends, and hashes of that profile and of its boot. */
#define ROWS_BATCH "batch-"
#define ROWS_END_SAMPLE ROWS_BATCH "sample"
#define ROWS_END_WINDOW ROWS_BATCH "window"
#define ROWS_END_OFFCPU ROWS_BATCH "offcpu"
#define ROWS_END_COUNT ROWS_BATCH "count"
#define ROWS_PROFILE ROWS_BATCH "profile"
#define ROWS_BOOT ROWS_BATCH "boot"
/* ... and how many samples and intervals it has in each second, so that it is seen what of it is not stored. */
#define ROWS_SENT_SAMPLES ROWS_BATCH "sent-samples"
#define ROWS_SENT_OFFCPU ROWS_BATCH "sent-offcpu"
/* ... and what a server or a collector has refused, so that it is in the store of its host only. */
#define ROWS_REFUSED_SAMPLES "refused-samples"
#define ROWS_REFUSED_OFFCPU "refused-offcpu"
#define ROWS_STACKS "stacks(stack,seen,frames)"
#define ROWS_STACKS_TYPES "84[8"
/* func_off is from where func begins; of code without a name, from off to its address. */
#define ROWS_FRAMES \
	"frames(frame,rev,build_id,module,off,is_return,func,image,func_off,file,line,inl.func,inl.file,inl.line)"
#define ROWS_FRAMES_TYPES "84tt81tt4t4[t=t=4"
/* More of a stack, or of what was inlined at a frame, is neither written nor read. */
#define ROWS_MAX_FRAMES 4096
#define ROWS_MAX_INLINED 63
#define ROWS_HOSTS "hosts(host,seen,kernel,machine,cpus,dusk)"
#define ROWS_HOSTS_TYPES "l4ll4l"

/* Hashes of a profile: a number of the profile to what is the same on all hosts. */
struct rows {
	const struct dusk_profile *p;
	const char *host;
	uint64_t start_ns; /* of the recording, by CLOCK_REALTIME */
	uint64_t window_ns;
	uint64_t *frames;	     /* by frame */
	uint64_t *ustacks, *kstacks; /* by node; 0: it has none */
};

/* Free with rows_done(), in any case. @p must live as long. Returns 0 or -ENOMEM. */
int rows_init(struct rows *r, const struct dusk_profile *p);
void rows_done(struct rows *r);

/* What is the same for each batch of a profile, and for no other profile. */
uint64_t rows_profile_id(const struct rows *r);

/* That of the last of the profiles that were merged into this one, and the day on which it began. 0: it was not merged of several. */
uint64_t rows_last_part_id(const struct rows *r, uint32_t *day);

/* The number of what is sent of @day of @profile, a number of the two above, from @from on. It is never 0. */
uint64_t rows_batch_id(uint64_t profile, const struct profile_cursor *from, uint32_t day);

/* Write the samples of the day @day (days since 1970), as sums. */
void rows_samples(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch);

/* Write what was counted on that day, and how many samples of it there are. */
void rows_counts(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch);

/* Write as counts that the samples of that day were refused. */
void rows_refused(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch);

/*
 * Write as counts where the batch ends, for a sender that does not know any more what it has sent; and whose it is, as two machines
 * may have one name: its profile with its first second, and the boot with its last.
 */
void rows_batch(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch, const struct profile_cursor *to);

/* Write the stacks of all samples that are not in @sent, and add them to it. */
void rows_stacks(struct buffer *b, const struct rows *r, struct map *sent);

/* Write the frames that are not in @sent with the names that they have, and add them to it. */
void rows_frames(struct buffer *b, const struct rows *r, struct map *sent);

void rows_host(struct buffer *b, const struct rows *r);

/* The first and the last day of what there is. Returns false if there is nothing. */
bool rows_days(const struct rows *r, uint32_t *first, uint32_t *last);
