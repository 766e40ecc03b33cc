/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "shadow.h"
#include "core/arch/regs.h"

static bool add(struct shadow *s, struct shadow_frame f)
{
	if (s->nr == SHADOW_DEPTH)
		return false;
	s->frame[s->nr++] = f;
	return true;
}

bool shadow_call(struct shadow *s, uint64_t pc, uint64_t slot)
{
	return add(s, (struct shadow_frame){.pc = pc, .slot = slot});
}

void shadow_jump(struct shadow *s, enum shadow_kind kind, uint64_t pc, uint64_t sp)
{
	const struct shadow_frame *f = s->frame;
	size_t before = s->nr;

	while (s->nr && f[s->nr - 1].slot < sp + f[s->nr - 1].is_signal)
		s->nr--;
	if (kind == SHADOW_JUMP && s->nr < before && s->nr && f[s->nr - 1].is_signal)
		s->nr--;
	if (!RA_IN_A_REGISTER || (kind != SHADOW_RETURN && s->nr == before))
		return;
	while (s->nr && f[s->nr - 1].slot == sp && f[s->nr - 1].pc != pc)
		s->nr--;
	if (s->nr && f[s->nr - 1].slot == sp)
		s->nr--;
}

bool shadow_signal(struct shadow *s, const struct shadow_signal *n)
{
	return add(s, (struct shadow_frame){.pc = n->pc, .slot = n->sp, .pc_is_exact = true, .is_signal = true}) &&
	       add(s, (struct shadow_frame){.pc = n->restorer, .slot = n->slot, .pc_is_exact = true});
}

void shadow_sigreturn(struct shadow *s)
{
	if (s->nr)
		s->nr--;
}

bool shadow_in_handler(const struct shadow *s)
{
	for (size_t i = s->nr; i--;)
		if (s->frame[i].is_signal)
			return true;
	return false;
}
