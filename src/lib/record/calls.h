/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The events of system calls that two programs can serve for all calls: src/bpf/record/source_event.bpf.c. */
#pragma once
#include <stdbool.h>
#include "abi/event.h"

/*
 * The number of the system call that the event @name, "group:event", is about; *@ends: its end. @shape is that of the
 * event's records. -1: it is no event of a system call, or its fields or its call's number are not known.
 */
int calls_number(const char *name, const struct record_shape *shape, bool *ends);
