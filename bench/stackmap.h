/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the stackmap's benchmark asks of its programs. */
#pragma once

#define BENCH_FRAMES 128

/* A stack as key of a hash map: all keys of a map are of one size. */
struct bench_key {
	__u64 frame[BENCH_FRAMES];
};

/* Put @nr stacks of @depth frames: numbers @first + turn * @stride, modulo @span if that is not 0. */
struct bench_job {
	__u32 nr, depth, first, stride, span, pad;
	__u64 ns;
	__u32 refused, id; /* of those; of the last one */
};
