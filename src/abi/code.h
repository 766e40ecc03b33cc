/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code of an interpreted language, as the walk found it: what its frames (abi/frame.h) are named by. It is read from the
 * process's memory when the code is met for the first time, so that it is still known when the process is gone.
 *
 * The number of a piece of code is that of its content: code with the same content has the same number in all processes.
 */
#pragma once
#include "abi/types.h"

enum language {
	LANGUAGE_NONE, /* no code, but a further piece of the line table of some */
	LANGUAGE_PYTHON,
	LANGUAGE_PHP,
	LANGUAGE_JAVA,
	LANGUAGE_JAVASCRIPT,
	LANGUAGE_PERL,
	LANGUAGE_RUBY,
	NR_LANGUAGES
};

/* How the line table says which line a position is at. */
enum line_table {
	LINES_UNKNOWN,
	LINES_PYTHON_3_8,  /* also 3.9: co_lnotab */
	LINES_PYTHON_3_10, /* PEP 626 */
	LINES_PYTHON_3_11, /* and later: Objects/locations.md, or InternalDocs/code_objects.md */
	LINES_JAVA, /* the compressed table of HotSpot. In the place of the file is the class, and at CODE_SOURCE_AT in it the file's name */
	LINES_ARE_POSITIONS, /* there is none: in its place is the name of the class, if the code is a method */
};

#define MAX_TABLE_BYTES 0xffff
#define MAX_CLASS_BYTES 128
#define CODE_SOURCE_AT 192
#define TEXT_UTF8 8 /* in the place of a width: bytes that are UTF-8, unless the program has others */

/* A text of the language: @bytes of them, each character of @width bytes: 1 is Latin-1, 2 UCS-2, 4 UCS-4. */
struct code_text {
	u16 bytes; /* as the process has it: what does not fit was left out at the end */
	u16 width;
};

struct code_content {
	u8 language, line_table; /* enum language, enum line_table */
	u16 table_bytes; /* of the line table, from here on; MAX_TABLE_BYTES: there may be more, which is left out */
	u32 first_line;
	u32 next; /* the number of the next piece of the line table; 0: it was left out, or this is the last one */
	union {
		u32 line; /* of JavaScript: that which is executed; 0: not known */
		struct {
			u16 source_bytes; /* of Java: of the text at CODE_SOURCE_AT */
			u8 biased, pad;	  /* LINES_JAVA: 1 is added to each byte of numbers, as from version 20 on */
		};
	};
	struct code_text name, file;
	u8 name_text[128]; /* qualified, as "Decoder.decode" */
	u8 file_text[256]; /* of the source, as the language's compiler was given it */
	u8 table[1024];	   /* the line table, or a piece of it */
};
