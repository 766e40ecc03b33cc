/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The texts of code of an interpreted language (abi/code.h) as UTF-8. */
#pragma once
#include "abi/code.h"

/* What the longest text becomes at most: two bytes for one of Latin-1 is the most; then "..." and a 0 byte. */
#define CODE_TEXT_BYTES (2 * sizeof(((struct code_content *)0)->file_text) + sizeof("..."))

/*
 * Write the text @t, of which the first @kept bytes are at @bytes, to @room. A character that UTF-8 does not have, or that
 * is 0, becomes U+FFFD; in a text that should be UTF-8, what is none is taken for Latin-1, and a 0 byte ends it; control characters stay, as those who print must expect them of all names. A text that was cut
 * ends with NAME_MARK.
 *
 * Returns @room; it is "" if the width of the text's characters is none that there is.
 */
const char *code_text_utf8(char room[static CODE_TEXT_BYTES], const struct code_text *t, const u8 *bytes, u32 kept);
