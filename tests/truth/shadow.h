/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The true stack of a thread that is single-stepped from its first instruction on.
 *
 * It follows from what instructions do, and from no table: a call adds a frame; a frame is gone when a jump or a
 * return is made with the stack pointer above the place where its return address lay; the kernel adds two when it
 * delivers a signal. A handler that is left by a jump, not by a return to what it returns to, is over, and where the signal
 * came is, too: the stack pointer may be below that one, when arguments are on the stack where the jump leads to.
 *
 * Where calls leave the return address in a register, the stack pointer says less: a function that has no frame, or
 * has given it up and jumps to another one, has that of its caller. So there a frame is gone, too, when a return is
 * made with the stack pointer that was at the call, or any jump that leaves other frames as well, as those to the
 * handlers of exceptions do.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_DEPTH 4096

struct shadow_frame {
	uint64_t pc;   /* return address, or where the signal came */
	uint64_t slot; /* where that lies; of a signal, or if it is in a register: the stack pointer at that moment */
	uint64_t word; /* for the comparison; 0 when it is new */
	bool pc_is_exact; /* not a return address */
	bool is_signal;	  /* where a signal came */
};

struct shadow {
	size_t nr;
	struct shadow_frame frame[SHADOW_DEPTH]; /* the outermost first; without the place where the thread is */
};

/* What an instruction can do to the stack of calls. */
enum shadow_kind { SHADOW_CALL, SHADOW_JUMP, SHADOW_RETURN, SHADOW_SYSCALL, SHADOW_OTHER };

/* A call was made, and left @pc at @slot. False: too deep. */
bool shadow_call(struct shadow *s, uint64_t pc, uint64_t slot);

/* A jump or return was made, to @pc, where the stack pointer is @sp. */
void shadow_jump(struct shadow *s, enum shadow_kind kind, uint64_t pc, uint64_t sp);

/* A handler that has been entered. */
struct shadow_signal {
	uint64_t restorer, slot; /* what it returns to, and where that lies, as in a frame */
	uint64_t pc, sp;	 /* where the signal came */
};

/* A handler was entered. False: too deep. */
bool shadow_signal(struct shadow *s, const struct shadow_signal *signal);

/* rt_sigreturn(): back to where the signal came. */
void shadow_sigreturn(struct shadow *s);

/* Is there a handler that has not returned? */
bool shadow_in_handler(const struct shadow *s);
