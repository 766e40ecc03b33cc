/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of interpreted languages, beside the native ones of the same stack.
 *
 * When the native stack has been walked, the interpreter's own frames are read from its memory, by the thread that the
 * walk is for: it stands still. An interpreter leaves something on the native stack for each run of its loop. So which
 * native frame runs which of its frames is known by address, and no symbol, no table of a build and no disassembly is needed.
 *
 * There is a step for each thing that may have to wait for a page. A step that did has changed nothing, and is done again.
 */
#pragma once
#include "abi/code.h"
#include "abi/config.h"
#include "core/env.h"

enum lang_step {
	LANG_EXAMINE, /* is a runtime among the modules? steps.c */
	LANG_SYMBOLS, /* the next symbol of one */
	LANG_LEARN,   /* where it has what; then the steps of a language (python.c, php.c, perl.c, ruby.c): */
	LANG_THREAD,  /* find its state of this thread, */
	LANG_FRAMES,  /* its frames, from the innermost outwards, */
	LANG_CODE,    /* and what the code of one is, if that is not known */
	LANG_MERGE,   /* join both stacks: merge.c */
};

#define LANG_TURNS (8 * MAX_DEPTH)
#define LANG_TURNS_AT_ONCE 512
#define LANG_TEXT_BYTES (512u << 10) /* a file with less code than this has no runtime */
#define LANG_FIELDS 32

/* Symbols of the runtimes: what they are looked up by, and found. The first one of each says that it is that runtime. */
enum lang_symbol {
	SYMBOL_PYTHON_RUNTIME,
	SYMBOL_PYTHON_VERSION,
	SYMBOL_PYTHON_CODE,
	SYMBOL_PYTHON_LOOP,
	SYMBOL_PYTHON_3_8, /* something that is there from this version on */
	SYMBOL_PYTHON_3_9,
	SYMBOL_PYTHON_3_10,
	SYMBOL_PHP_LOOP,
	SYMBOL_PHP_GLOBALS,
	SYMBOL_PHP_MODULES,
	SYMBOL_HOTSPOT_FIELDS,
	SYMBOL_HOTSPOT_TYPES,
	SYMBOL_V8_FUNCTION_SHARED, /* words that debuggers read: v8.c has them in this order */
	SYMBOL_V8_SHARED_FLAGS,
	SYMBOL_V8_SCOPE_VARIABLES,
	SYMBOL_V8_FUNCTION_TYPE,
	SYMBOL_V8_SHARED_TYPE,
	SYMBOL_V8_SCRIPT_TYPE,
	SYMBOL_V8_SCOPE_TYPE,
	SYMBOL_V8_FIRST_CONTEXT,
	SYMBOL_V8_BYTECODE_TYPE, /* those from here on may not be there */
	SYMBOL_V8_BYTECODE_DATA,
	SYMBOL_V8_BYTES_TYPE,
	SYMBOL_V8_TRUSTED_BYTES_TYPE,
	SYMBOL_V8_CODE_TYPE,
	SYMBOL_V8_STREAM_TYPE,
	SYMBOL_V8_CODE_START,
	SYMBOL_V8_CODE_SIZE,
	SYMBOL_V8_INLINING,
	SYMBOL_PERL_LOOP,
	SYMBOL_PERL_KEY,
	SYMBOL_PERL_VERSION,
	SYMBOL_RUBY_VERSION,
	NR_LANG_SYMBOLS
};

/* The dynamic symbols of a module, in the target's memory. */
struct symbols {
	u64 bias, hash, table, names;
	u64 found;	  /* the address of the symbol that was looked up last; 0: there is none */
	u64 bytes;	  /* its size */
	u64 first, chain; /* of its bucket: number, and address of its hash */
	u32 which;
	s32 error;
	u64 word[16];
};

/* What HotSpot says of its structures: where they have what, in bytes; addresses of its variables; and sizes. hotspot_fields.c */
enum hotspot_field {
	HOTSPOT_HEAPS, /* variables */
	HOTSPOT_CALL_STUB_RETURN,
	HOTSPOT_VERSION,
	HOTSPOT_ARRAY_LENGTH,
	HOTSPOT_ARRAY_DATA,
	HOTSPOT_HEAP_MEMORY,
	HOTSPOT_HEAP_MAP,
	HOTSPOT_HEAP_SHIFT,
	HOTSPOT_SPACE_LOW,
	HOTSPOT_SPACE_HIGH,
	HOTSPOT_BLOB_NAME,
	HOTSPOT_BLOB_FRAME_SIZE,
	HOTSPOT_BLOB_COMPLETE,
	HOTSPOT_CODE_METHOD,
	HOTSPOT_CODE_PCS,
	HOTSPOT_CODE_ORIGINAL,
	HOTSPOT_METHOD_CONST,
	HOTSPOT_CONST_POOL,
	HOTSPOT_CONST_NAME,
	HOTSPOT_CONST_CODE_BYTES,
	HOTSPOT_CONST_WORDS,
	HOTSPOT_CONST_FLAGS,
	HOTSPOT_POOL_CLASS,
	HOTSPOT_POOL_FILE,
	HOTSPOT_CLASS_NAME,
	HOTSPOT_TEXT_LENGTH,
	HOTSPOT_TEXT_BODY,
	HOTSPOT_HEAP_BLOCK_BYTES, /* sizes */
	HOTSPOT_CONST_BYTES,
	HOTSPOT_POOL_BYTES,
	HOTSPOT_BLOB_CODE, /* up to 22 */
	HOTSPOT_BLOB_END,
	HOTSPOT_CODE_PCS_END,
	HOTSPOT_CODE_SCOPES,
	HOTSPOT_CODE_METADATA,
	HOTSPOT_CODE_DEOPT,
	HOTSPOT_BLOB_CODE_AT, /* from 25 on */
	HOTSPOT_BLOB_DATA_AT,
	HOTSPOT_BLOB_MUTABLE,
	HOTSPOT_BLOB_RELOCATION,
	HOTSPOT_CODE_IMMUTABLE,
	HOTSPOT_CODE_SCOPES_AT,
	HOTSPOT_CODE_DEOPT_AT,
	NR_HOTSPOT_FIELDS
};

struct hotspot {
	u64 field[64]; /* of NR_HOTSPOT_FIELDS */
	u64 known;     /* those that were found, a bit each */
	u64 entry;     /* of its table that is looked at next */
	u32 is_new;    /* as version 25 has it; 0: as 17 to 21 */
	u32 nr_heaps;
	/* code heaps: @map says for each piece of 1 << @shift bytes where the blob that it belongs to begins */
	struct hotspot_heap {
		u64 low, bytes, map;
		u64 shift;
	} heap[4];
};

/* Working space of hotspot.c: the code blob of a frame, and the method that is looked at. */
struct hotspot_frame {
	u64 blob, name; /* addresses */
	u64 code, end;
	u64 frame_bytes; /* 0: not fixed */
	u64 complete;	 /* from here on in its code, the frame is set up; ~0: never */
	u64 pc;		 /* that the scopes are looked up for */
	u64 decode;	 /* where the next scope is, from @scopes */
	u64 low, high;	 /* of what is searched for; at @low it is found */
	u64 pcs, scopes, metadata;
	u64 nr_numbers, bits; /* of @number; bits of the next one */
	u64 number[4];	      /* of the next scope: the caller's, the method's, and that of the bytecode */
	u64 method, constants, class_name, method_name; /* struct ConstMethod, and what it leads to */
	u64 bytecode, bytecode_bytes;
	u32 kind; /* enum hotspot_kind */
	u64 word[64];
};

/* What is known of the runtime of an address space, if modules.runtime says that there is one. */
struct runtime {
	u64 symbol[64];		/* addresses of NR_LANG_SYMBOLS; 0: it has none */
	u64 loop, loop_bytes;	/* the function that runs code: its place in the file */
	u32 module;		/* the number of the file */
	u32 language, version;	/* minor */
	u32 field[LANG_FIELDS]; /* where its structures have what, in bytes */
	struct hotspot hotspot;
	u64 map[LANG_FIELDS]; /* of V8: the map of objects of a type, by the field that is the type; 0: not known */
};

/* What a function of V8 is, and where in it; and how far what is to be kept of it has been read. */
struct v8_function {
	u64 string
		[4]; /* by the enum part of v8_object.h that they are: its name, its file, its source; 0: it has none */
	struct code_text text_of[4]; /* likewise: how long they are */
	u32 start;		     /* of its source, in characters */
	u32 type;		     /* of the object that was opened last */
	u32 part;		     /* what is read now, */
	u32 width, looked;	     /* its bytes a character; strings that were looked at for it */
	u64 text, nr, place,
		skip; /* the string that has @nr characters from @place on; @skip of its own are left out */
	u64 rest, rest_nr, rest_place; /* another one, likewise, that comes next */
	u64 data;		       /* where the characters of the source are */
	u32 counted, until, line;      /* so many of them, of so many, and lines in these */
	/* v8_place.c */
	u32 nr_native, begin;			 /* frames that are looked at; the part that is read first */
	u64 at, fingerprint, shared;		 /* the place, 0: it is not known; of the function whose frame it is */
	u64 bytecode;				 /* likewise */
	u64 searched;				 /* the beginning of the code: so far */
	u32 is_exact;				 /* the place is no return address */
	u32 position, depth;			 /* of the source; how many functions were inlined in it */
	s32 inlined;				 /* the next one; negative: none */
	u64 positions, want;			 /* the table, and the offset in the code */
	u64 literals, inlining;			 /* functions that were inlined, and where */
	u64 read, number, offset, source, found; /* of the table */
	u32 shift, is_source;
};

struct lang {
	/* input */
	u64 space;	    /* the address space, as a number that no other one has */
	u64 thread_pointer; /* of the thread; 0: its language frames are not wanted, or cannot be had */
	u64 thread;	    /* the runtime's state of this thread, as far as known from the walk before; output, too */
	/* output */
	u32 nr_frames; /* that were put into the stack */
	u32 lost;      /* the frames could not be read: it has native ones only */
	u32 refused;   /* there is a runtime of a version that is not known */
	/* kept from walk to walk, as modules are */
	struct runtime runtime;
	/* working space */
	u32 step, looked;
	u32 is_first; /* steps of a language come before the walk goes on */
	u32 is_full;  /* there is no room for code */
	u64 seek;     /* an address in what may be a runtime, which comes before the steps; 0: none */
	u32 symbol;   /* that is looked for next */
	s32 error;
	struct symbols symbols;
	u64 interpreter, cursor; /* the list of threads; PHP: generators that have others run */
	u64 at, mark;		 /* the frame that is next; what lies on the native stack for its run of the loop */
	u64 code, fingerprint;	 /* of the frame */
	u32 code_number;	 /* of that code */
	u64 no_code;		 /* an object that is none */
	u64 page;		 /* of the frame before */
	u64 numbered; /* code that was given a number in this walk last: @number, or 0, as there is no room */
	u32 number, pieces,
		next; /* of its line table: how many are left, from the last one on; the number of that behind these */
	u64 value, hash, bytes, table_bytes;
	/* Perl, of its stack: its end, its kind, its outermost context, whether a run has ended in it; */
	u64 end;
	u32 kind, last, ended;
	/* of the frame: what it is, its sub, the operation it is at or returns to, its line, the texts of what it is called by */
	u32 what, line;
	u64 rest, object, op, name, class, file, length;
	/* Ruby: the marks of the innermost run, and of the one that was put last; a tag is to be left out; what hides their addresses */
	u32 first, latest, skip;
	u64 guard;
	/* of the search for its line: how deep it is, whether it goes up; the statement that was found */
	u32 level, ascends;
	u64 statement;
	u64 word[32], head[32], text[8];
	struct v8_function v8;
	union {
		struct code_content content;
		u64 content_word[sizeof(struct code_content) / sizeof(u64)];
	};
	struct hotspot_frame hotspot;
	/* merge.c */
	u32 nr, nr_in_run;	  /* of @frame */
	u32 runs;		  /* marks in it */
	u32 native, language;	  /* frames that are to be put, of each stack: from the outermost inwards */
	u32 place;		  /* ... behind the next one */
	u32 keep;		  /* places from here on are left out, */
	u32 outer;		  /* but these are kept apart */
	u32 loops;		  /* native frames of the function that runs code */
	u32 jits, has_jit;	  /* those of code of a JIT in its place; some of them are */
	u64 caller, outer_caller; /* the native frame that was put last, and the one before */
	u32 outside;		  /* runs that are behind the outermost native frame */
	u32 is_placed;		  /* the native frame of the run is put */
	u64 run;		  /* what lies on the native stack for the run whose frames come next */
	u64 frame
		[MAX_DEPTH]; /* frames, and addresses: where the run of the loop lies that the frames before it belong to */
};

/* The mark of a run whose place on the native stack is not known: it is the loop's next native frame, from the outermost one inwards. */
#define LANG_NEXT_LOOP 1

static INLINE bool lang_is_mark(u64 frame)
{
	return !(frame >> 48);
}
