/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "shadow.h"

static bool is_prefix(uint8_t byte)
{
	return byte == 0x64 || byte == 0x65 || /* %fs, %gs */
	       byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e || byte == 0x67 ||
	       (byte & 0xf0) == 0x40;
}

enum shadow_kind shadow_kind(const uint8_t *code)
{
	int i = 0;

	while (i < 8 && is_prefix(code[i]))
		i++;
	if (code[i] == 0xe8)
		return SHADOW_CALL;
	if (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2)
		return SHADOW_CALL;
	if (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 4)
		return SHADOW_JUMP;
	if (code[i] == 0x0f && (code[i + 1] == 0x05 || code[i + 1] == 0x34))
		return SHADOW_SYSCALL;
	if (code[i] == 0xcd && code[i + 1] == 0x80)
		return SHADOW_SYSCALL;
	if (code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80)
		return SHADOW_JUMP;
	if (code[i] == 0xc2 || code[i] == 0xc3 || code[i] == 0xe9 || code[i] == 0xeb || (code[i] & 0xf0) == 0x70)
		return SHADOW_JUMP;
	return SHADOW_OTHER;
}

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

void shadow_jump(struct shadow *s, uint64_t sp)
{
	while (s->nr && s->frame[s->nr - 1].slot < sp + s->frame[s->nr - 1].is_signal)
		s->nr--;
}

bool shadow_signal(struct shadow *s, uint64_t restorer, uint64_t slot, uint64_t pc, uint64_t sp)
{
	return add(s, (struct shadow_frame){.pc = pc, .slot = sp, .pc_is_exact = true, .is_signal = true}) &&
	       add(s, (struct shadow_frame){.pc = restorer, .slot = slot, .pc_is_exact = true});
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
