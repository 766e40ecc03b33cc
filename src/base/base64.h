/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Base64, as headers of HTTP have it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Decode @text, with or without padding, up to what is no digit, or @room bytes. Returns how many they are. */
size_t base64_decode(uint8_t *ret, size_t room, const char *text);
