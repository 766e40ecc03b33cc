/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The description of the API, made from the tables of route.h. */
#pragma once
#include <stdio.h>

/* Write it as an OpenAPI document, version 3.0.3. Errors are those of @out. */
void openapi_write(FILE *out);
