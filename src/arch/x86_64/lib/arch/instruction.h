/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long is an instruction of 64-bit code? (Intel SDM, volume 2, chapter 2 and appendix A.) For the question whether one begins
 * at a place, not for what it does.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_BYTES_MAX 15
#define INSTRUCTION_ROOM 24

/* What follows an opcode: each part has bytes. */
struct instruction_form {
	bool modrm, bad;
	uint8_t immediate; /* bytes */
};

static inline struct instruction_form form_of_one_byte(uint8_t op, bool wide, bool word, uint8_t modrm)
{
	uint8_t z = word ? 2 : 4;

	if (op < 0x40) {
		static const struct instruction_form forms[8] = {{.modrm = true}, {.modrm = true},  {.modrm = true},
								 {.modrm = true}, {.immediate = 1}, {0},
								 {.bad = true},	  {.bad = true}};

		return (op & 7) == 5 ? (struct instruction_form){.immediate = z} : forms[op & 7];
	}
	if ((op >= 0x50 && op < 0x60) || (op >= 0x6c && op < 0x70) || (op >= 0x90 && op < 0xa0 && op != 0x9a))
		return (struct instruction_form){0};
	if ((op >= 0x70 && op < 0x80) || (op >= 0xb0 && op < 0xb8) || (op >= 0xe0 && op < 0xe8))
		return (struct instruction_form){.immediate = 1};
	if (op >= 0xa0 && op < 0xa4)
		return (struct instruction_form){.immediate = 8};
	if (op >= 0xb8 && op < 0xc0)
		return (struct instruction_form){.immediate = wide ? 8 : z};
	if ((op >= 0x84 && op < 0x90) || (op >= 0xd0 && op < 0xd4) || op >= 0xfe || (op >= 0xd8 && op < 0xe0))
		return (struct instruction_form){.modrm = true};
	switch (op) {
	case 0x63: return (struct instruction_form){.modrm = true};
	case 0x68:
	case 0xa9: return (struct instruction_form){.immediate = z};
	case 0x69:
	case 0x81:
	case 0xc7: return (struct instruction_form){.modrm = true, .immediate = z};
	case 0x6a:
	case 0xa8:
	case 0xcd:
	case 0xeb: return (struct instruction_form){.immediate = 1};
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6: return (struct instruction_form){.modrm = true, .immediate = 1};
	case 0xc2:
	case 0xca: return (struct instruction_form){.immediate = 2};
	case 0xc8: return (struct instruction_form){.immediate = 3};
	case 0xe8:
	case 0xe9: return (struct instruction_form){.immediate = 4};
	case 0xf6: return (struct instruction_form){.modrm = true, .immediate = modrm & 0x30 ? 0 : 1};
	case 0xf7: return (struct instruction_form){.modrm = true, .immediate = modrm & 0x30 ? 0 : z};
	case 0xa4:
	case 0xa5:
	case 0xa6:
	case 0xa7:
	case 0xaa:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xae:
	case 0xaf:
	case 0xc3:
	case 0xc9:
	case 0xcb:
	case 0xcc:
	case 0xcf:
	case 0xd7:
	case 0xec:
	case 0xed:
	case 0xee:
	case 0xef:
	case 0xf1:
	case 0xf4:
	case 0xf5:
	case 0xf8:
	case 0xf9:
	case 0xfa:
	case 0xfb:
	case 0xfc:
	case 0xfd: return (struct instruction_form){0};
	default: return (struct instruction_form){.bad = true};
	}
}

/* Opcodes behind 0x0f; @vector: of VEX or EVEX. */
static inline struct instruction_form form_of_two_bytes(uint8_t op, bool vector)
{
	if (op == 0x77)
		return (struct instruction_form){0};
	if ((op >= 0x70 && op < 0x74) || op == 0xc2 || (op >= 0xc4 && op < 0xc7))
		return (struct instruction_form){.modrm = true, .immediate = 1};
	if (vector)
		return (struct instruction_form){.modrm = true};
	if (op >= 0x80 && op < 0x90)
		return (struct instruction_form){.immediate = 4};
	if (op == 0xa4 || op == 0xac || op == 0xba || op == 0x0f)
		return (struct instruction_form){.modrm = true, .immediate = 1};
	if ((op >= 0x05 && op <= 0x09) || op == 0x0b || op == 0x0e || (op >= 0x30 && op < 0x38) ||
	    (op >= 0xa0 && op < 0xa3) || (op >= 0xa8 && op < 0xab) || (op >= 0xc8 && op < 0xd0))
		return (struct instruction_form){0};
	return (struct instruction_form){.modrm = true, .bad = op == 0x04 || op == 0x0a || op == 0x0c};
}

/* Bytes of a ModRM byte, with the SIB byte and the displacement behind it. */
static inline size_t bytes_of_modrm(const uint8_t *at)
{
	uint8_t mod = at[0] >> 6, rm = at[0] & 7;
	size_t bytes = 1 + (mod != 3 && rm == 4);

	if (mod == 1)
		return bytes + 1;
	return bytes + (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (at[1] & 7) == 5))) ? 4 : 0);
}

static inline bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
	       byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

/*
 * Return the length of the instruction at @code, of which INSTRUCTION_ROOM bytes can be read; 0: it is none that is known.
 */
static inline size_t instruction_bytes(const uint8_t *code)
{
	struct instruction_form f;
	bool wide = false, word = false, address = false;
	size_t at = 0;

	for (; at < INSTRUCTION_BYTES_MAX && is_prefix(code[at]); at++) {
		word |= code[at] == 0x66;
		address |= code[at] == 0x67;
	}
	if (at >= INSTRUCTION_BYTES_MAX)
		return 0;
	if (code[at] >> 4 == 4)
		wide = code[at++] & 8;
	if (code[at] == 0x0f && (code[at + 1] == 0x38 || code[at + 1] == 0x3a)) {
		f = (struct instruction_form){.modrm = true, .immediate = code[at + 1] == 0x3a};
		at += 3;
	} else if (code[at] == 0x0f) {
		f = form_of_two_bytes(code[at + 1], false);
		at += 2;
	} else if (code[at] == 0xc5) {
		f = form_of_two_bytes(code[at + 2], true);
		at += 3;
	} else if (code[at] == 0xc4 || code[at] == 0x62) {
		uint8_t map = code[at + 1] & (code[at] == 0xc4 ? 31 : 7);
		size_t head = code[at] == 0xc4 ? 3 : 4;

		f = map == 1 ? form_of_two_bytes(code[at + head], true)
			     : (struct instruction_form){.modrm = true, .immediate = map == 3, .bad = !map || map == 4};
		at += head + 1;
	} else {
		f = form_of_one_byte(code[at], wide, word, code[at + 1]);
		if (code[at] >= 0xa0 && code[at] < 0xa4 && address)
			f.immediate = 4;
		at++;
	}
	if (f.modrm)
		at += bytes_of_modrm(code + at);
	at += f.immediate;
	return f.bad || at > INSTRUCTION_BYTES_MAX ? 0 : at;
}
