/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of module.bpf.c and test_module.c say to each other. */
#pragma once
#include "abi/types.h"

#define MODULE_STACKS 256
#define MODULE_CPUS 2	  /* of the guest */
#define MODULE_FRAMES 512 /* as deep as dusk walks by default */

/* As in kernel/kfuncs.c and kernel/walking.h. */
struct bpf_dusk_stack {
	u32 nr, outcome;
	u64 walk_ns;
};

struct known_file {
	u64 dev, ino;
	u32 generation, build_id_bytes;
	u8 build_id[20];
	u32 pad;
};

/* A stack that the module has walked. */
struct walked {
	u64 cookie; /* of the BPF walker's, in the same visit to the kernel; 0: it was not asked */
	s32 result;
	u32 done;
	u64 bpf_ns; /* that the BPF walker had spent on all walks before */
	struct bpf_dusk_stack how;
	u64 frame[MODULE_FRAMES];
};

struct module_control {
	u32 tgid;     /* the process that is asked for; 0: none */
	u32 turn;     /* stacks begun: elements of the map "walks" */
	u32 wrong;    /* requests of the module's that were not answered as they should be */
	u32 executed; /* requests of ask_module() that came behind the walk */
	u32 visits;   /* to the kernel, by by_visit(); all that is known of them is in order if @wrong is 0 */
	u32 cpus;     /* a bit for each CPU on which one began */
};

/* What file_of() is asked, and answers. */
struct module_file {
	u32 number;
	s32 result;
	struct known_file file;
};
