/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Map the kernel side's frames of code of interpreted languages (abi/frame.h) to frames of the profile.
 *
 * What a number of code means is kept by the kernel side (abi/code.h), and looked up there for each place in the code that
 * is met for the first time. A frame without a number, or whose code is not known, is a frame of its own in its language.
 */
#pragma once
#include "abi/types.h"
#include "lib/profile/write/write.h"

struct codes;

struct codes *codes_new(struct profile_writer *w);
void codes_free(struct codes *c);

/* From now on look in @map, which has a struct code_content by code number, and is the caller's; negative: nothing is known. */
void codes_ask(struct codes *c, int map);

/* Return the profile's frame for @frame, a frame of code, met in process @pid. 0: memory is short. */
uint32_t codes_frame(struct codes *c, u64 frame, pid_t pid);
