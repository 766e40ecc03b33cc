/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Check that both compilers lay out alike what crosses the kernel/user border: both compile this file. */
#include "abi/code.h"
#include "abi/config.h"
#include "abi/consumer.h"
#include "abi/counter.h"
#include "abi/event.h"
#include "abi/outcome.h"
#include "abi/remote.h"

_Static_assert(sizeof(struct event_sample) == 72, "event_sample");
_Static_assert(__builtin_offsetof(struct event_sample, comm) == 56, "event_sample.comm");
_Static_assert(sizeof(struct event_stack) == 48, "event_stack");
_Static_assert(sizeof(struct event_module) == 1120, "event_module");
_Static_assert(__builtin_offsetof(struct event_module, path) == 92, "event_module.path");
_Static_assert(sizeof(struct event_sum) == 64, "event_sum");
_Static_assert(sizeof(struct event_offcpu) == 104, "event_offcpu");
_Static_assert(sizeof(struct event_cgroup) == 1040, "event_cgroup");
_Static_assert(sizeof(struct event_arguments) == 288, "event_arguments");
_Static_assert(sizeof(struct event_waker) == 56, "event_waker");
_Static_assert(sizeof(struct event_thread_times) == 88, "event_thread_times");
_Static_assert(sizeof(struct record_shape) == 24, "record_shape");
_Static_assert(sizeof(struct fetch) == 32, "fetch");
_Static_assert(sizeof(struct event_occurrence) == 80, "event_occurrence");
_Static_assert(sizeof(struct code_content) == 1432, "code_content");
_Static_assert(sizeof(struct config) == 120, "config");
_Static_assert(sizeof(struct consumer) == 56, "consumer");
_Static_assert(sizeof(struct aggregation_key) == 24, "aggregation_key");
_Static_assert(sizeof(struct remote_pass) == 40, "remote_pass");
_Static_assert(sizeof(struct remote_record) == 48, "remote_record");
_Static_assert(NR_OUTCOMES <= 255, "outcomes fit a byte");
