/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Choose the mode of a recording. See mode_choice.h. */
#include "cli/cmdline/mode_choice.h"
#include <errno.h>
#include <string.h>
#include "cli/cmdline/command.h"

#define DEFAULT_PTRACE_HZ 20

static const char *const names[] = {
	[DUSK_MODE_FULL] = "full",
	[DUSK_MODE_COPIED] = "copied",
	[DUSK_MODE_PTRACE] = "ptrace",
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static size_t number_of(const char *name)
{
	size_t i = 0;

	while (i < NR_NAMES && strcmp(name, names[i]))
		i++;
	return i;
}

bool mode_is_known(const char *name)
{
	return number_of(name) < NR_NAMES;
}

/* Can mode ptrace do that? It leaves off-CPU intervals out, unless they are asked for by name. */
static bool can_be_ptraced(const struct dusk_record_options *ro, const struct mode_choice *c)
{
	return ro->nr_pids && !ro->nr_tids && !ro->nr_cpus && (!c->sources_by_name || ro->sources == DUSK_RECORD_CPU);
}

/* How much of @e says what failed and why, and not what would help? */
static int cause_bytes(const struct dusk_error *e)
{
	return e->remedy ? e->remedy : strlen(e->text);
}

/* Say why the full mode was not used, and what that costs. */
static void note_copied(const struct dusk_record *r, const struct dusk_record_options *ro, const struct dusk_error *why)
{
	struct dusk_record_status status;

	dusk_record_status(r, &status);
	say("mode copied: at most %u KiB of each stack%s, since: %.*s", status.stack_bytes / 1024,
	    status.no_off_cpu_stacks		? ", and off-CPU intervals without stacks"
	    : ro->sources & DUSK_RECORD_OFF_CPU ? ", and off-CPU intervals without what they waited for"
						: "",
	    cause_bytes(why), why->text);
}

/*
 * Set up mode ptrace, with the rights that the user has without dusk: it does more to a process than to look at it.
 * Returns as dusk_record_new().
 */
static int new_ptrace(struct dusk_record **ret, struct dusk_record_options *ro, const struct mode_choice *c,
		      struct dusk_error *err)
{
	ro->mode = DUSK_MODE_PTRACE;
	if (!c->sources_by_name)
		ro->sources = DUSK_RECORD_CPU;
	return phase_enter(PHASE_VIEW) ? -EPERM : dusk_record_new(ret, ro, err);
}

/* The full mode was refused, as @why says: take the best that is left. Returns as dusk_record_new(), and says why. */
static int new_without_bpf(struct dusk_record **ret, struct dusk_record_options *ro, const struct mode_choice *c,
			   const struct dusk_error *why)
{
	struct dusk_error of_copied = {""}, of_ptrace = {""};
	int error;

	ro->mode = DUSK_MODE_COPIED;
	ro->sources &= ~DUSK_RECORD_WAKERS;
	error = dusk_record_new(ret, ro, &of_copied);
	if (!error && !c->quiet)
		note_copied(*ret, ro, why);
	if (!error)
		return 0;
	if ((error != -EPERM && error != -EOPNOTSUPP) || !can_be_ptraced(ro, c)) {
		say("mode copied cannot work either: %s", of_copied.text);
		return error;
	}
	error = new_ptrace(ret, ro, c, &of_ptrace);
	if (error)
		say("modes copied and ptrace cannot work either: %s; %s", of_copied.text, of_ptrace.text);
	else if (!c->quiet)
		say("mode ptrace: threads that run are stopped %u times a second, and CPU samples only, since: %s",
		    ro->frequency_hz ? ro->frequency_hz : DEFAULT_PTRACE_HZ, of_copied.text);
	return error;
}

int mode_choose(struct dusk_record **ret, struct dusk_record_options *ro, const struct mode_choice *c,
		struct dusk_error *err)
{
	int error;

	if (c->name)
		ro->mode = (enum dusk_record_mode)number_of(c->name);
	if (ro->mode == DUSK_MODE_PTRACE)
		return new_ptrace(ret, ro, c, err);
	error = dusk_record_new(ret, ro, err);
	if (error == -EOPNOTSUPP && c->wakers_may_lack) {
		ro->sources &= ~DUSK_RECORD_WAKERS;
		error = dusk_record_new(ret, ro, err);
	}
	if (c->name || (error != -EPERM && error != -EOPNOTSUPP) || c->needs_full || new_without_bpf(ret, ro, c, err))
		return error;
	*err->text = 0;
	return 0;
}
