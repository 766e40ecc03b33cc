/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Working memory for walks of other tasks. One of each, as there is one reader at a time. */
#pragma once
#include "bpf/common/maps.h"
#include "abi/remote.h"

#define MAX_CHOSEN 65536

struct remote {
	struct remote_pass pass; /* first, as user space looks for it there */
	struct remote_record record;
	struct registers from;
	u64 kernel[MAX_KERNEL_FRAMES];
	struct walker walker;
	int refused; /* why the last read failed */
};
extern struct remote remote;

struct chosen_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_CHOSEN);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct chosen_key);
	__type(value, u32);
};
extern struct chosen_map chosen SEC(".maps");
