/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* core/port.h on memory that a test lays out, with the failures that it wants to see. */
#pragma once
#include "abi/code.h"
#include "core/module.h"

/* Forget all mappings, modules, code and wishes. */
void port_reset(void);

/*
 * Map @size bytes at @addr; they stay the caller's. @like: what struct vma says of them, but for start and end. As in a
 * process, the mapping ends with a page, whose rest is zero.
 */
void port_map(u64 addr, const void *bytes, u64 size, struct vma like);
void port_unmap(u64 addr);

/* The process writes to the mapping at @addr: from now on it has @bytes, copies of its own. */
void port_write(u64 addr, const void *bytes);

/* It maps the file anew there: @bytes are the file's. */
void port_map_anew(u64 addr, const void *bytes);

/* Call @fn just before the @nth read from now on. */
void port_before_read(u32 nth, void (*fn)(void));

/* Refuse reads that touch [@start, @end): the pages are not there and not safe to wait for. */
void port_not_safe(u64 start, u64 end);

/* Let the @nth question for a mapping from now on, and @more after it, be answered by -EBUSY. */
void port_busy(u32 nth, u32 more);

/* And does a busy look-up show the mapping all the same? Not by default. */
void port_busy_shows(bool shows);

/* Let the @nth read from now on fail with @err, and all after it too if @stay; 0: let none fail. */
void port_fail_read(u32 nth, int err, bool stay);

/* Reads since port_reset() or port_fail_read(). */
u32 port_reads(void);

/* A uretprobe of the function whose return address lies at @slot, and was @ra. Each other return to @trampoline is unknown. */
void port_uretprobe(u64 trampoline, u64 slot, u64 ra);

/* The content of code of a language, by its number; NULL: no code has it. Numbers begin with 1. */
#define PORT_CODES 256
const struct code_content *port_code(u32 number);

/* How many contents can be known; PORT_CODES by default. */
void port_code_limit(u32 limit);

/* From now on no number is remembered for the code's address. */
void port_forget_places(void);

/* How many modules can be known; 16 by default. */
void port_module_limit(u32 limit);

/* Modules that are met from now on have this number, and not the next one. */
void port_module_number(u32 id);

/*
 * Let the first read of each page fail, until the walk that @by belongs to has waited for it; NULL: no page has to be
 * waited for.
 */
void port_wait_for_pages(struct modules *by);
u32 port_pages_waited_for(void);
