/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The option --by: labels with which stacks begin. */
#pragma once
#include "cli/cmdline/command.h"
#include "report/model/thread_label.h"

/* A row of an option table for the struct text_list @member of @type. */
#define BY_OPTION(type, member, text) \
	{0, "by", OPTION_TEXTS, offsetof(type, member), "LABELS", text, .choice = by_choice}

const char *by_choice(size_t i);

/* Store the labels that @list names in *@ret. Returns STATUS_OK, or STATUS_USAGE after an error. */
int by_choose(const struct command *self, const struct text_list *list, struct thread_labels *ret);
