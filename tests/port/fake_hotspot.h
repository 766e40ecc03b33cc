/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of a process that runs HotSpot, as far as frames of Java depend on it. */
#pragma once
#include <assert.h>
#include <string.h>
#include "core/lang/hotspot.h"
#include "core/arch/hotspot.h"
#include "port/port_buffer.h"

#define DATA 0x7f0000000000ULL /* the runtime's tables and variables, and metaspace */
#define DATA_BYTES 0x10000
#define CACHE 0x7f0100000000ULL
#define CACHE_BYTES 0x4000
#define MAP 0x7f0200000000ULL /* of the cache, a byte for each 128 */
#define MAP_BYTES 0x1000
#define STACK 0x7f0300000000ULL
#define STACK_BYTES 0x2000
#define SEGMENT 128
#define HEADER 8      /* of each blob: sizeof(HeapBlock) */
#define CODE_AT 0x180 /* in a blob */
#define CONST_BYTES 56
#define POOL_BYTES 72
#define CALL_STUB_RETURN 0x40 /* in the stub's code */

struct fake_hotspot {
	u32 version;
	u8 data[DATA_BYTES], cache[CACHE_BYTES], map[MAP_BYTES], stack[STACK_BYTES];
	u64 used, used_cache;
	u64 interpreter, call_stub; /* their code */
};

static struct fake_hotspot jvm;

static inline u8 *fake_at(u64 addr)
{
	if (addr - CACHE < CACHE_BYTES)
		return jvm.cache + (addr - CACHE);
	if (addr - STACK < STACK_BYTES)
		return jvm.stack + (addr - STACK);
	assert(addr - DATA < DATA_BYTES);
	return jvm.data + (addr - DATA);
}

static inline void put(u64 addr, u64 val)
{
	memcpy(fake_at(addr), &val, sizeof(val));
}

static inline void put32(u64 addr, u32 val)
{
	memcpy(fake_at(addr), &val, sizeof(val));
}

static inline void put16(u64 addr, u16 val)
{
	memcpy(fake_at(addr), &val, sizeof(val));
}

static inline u64 room(u64 bytes)
{
	u64 addr = jvm.used;

	jvm.used += (bytes + 7) & ~7ULL;
	assert(jvm.used <= DATA + DATA_BYTES);
	return addr;
}

static inline u64 c_text(const char *t)
{
	u64 addr = room(strlen(t) + 48); /* what is read of it at once is there */

	memcpy(fake_at(addr), t, strlen(t) + 1);
	return addr;
}

/* A Symbol. */
static inline u64 symbol(const char *t)
{
	u64 addr = room(6 + strlen(t) + 8);

	put16(addr + 4, (u16)strlen(t));
	memcpy(fake_at(addr + 6), t, strlen(t));
	return addr;
}

struct fake_field {
	const char *type, *name;
	u64 offset;
	u32 first, last; /* versions that have it */
};

/* Where these have what in the fake one: not where any true one has. */
static const struct fake_field fake_fields[] = {
	{"GrowableArrayBase", "_len", 0, 17, 99},
	{"GrowableArray<int>", "_data", 8, 17, 99},
	{"CodeHeap", "_memory", 16, 17, 99},
	{"CodeHeap", "_segmap", 128, 17, 99},
	{"CodeHeap", "_log2_segment_size", 240, 17, 99},
	{"VirtualSpace", "_low_boundary", 8, 17, 99},
	{"VirtualSpace", "_high_boundary", 0, 17, 99},
	{"CodeBlob", "_name", 8, 17, 99},
	{"CodeBlob", "_frame_size", 20, 17, 99},
	{"CodeBlob", "_frame_complete_offset", 24, 17, 99},
	{"CodeBlob", "_code_begin", 32, 17, 22},
	{"CodeBlob", "_code_end", 40, 17, 22},
	{"CodeBlob", "_code_offset", 30, 23, 99},
	{"CodeBlob", "_data_offset", 36, 17, 99},
	{"CodeBlob", "_mutable_data", 48, 25, 99},
	{"CodeBlob", "_relocation_size", 60, 25, 99},
	{"CompiledMethod", "_method", 128, 17, 22},
	{"nmethod", "_method", 136, 23, 99},
	{"nmethod", "_scopes_pcs_offset", 144, 17, 99},
	{"nmethod", "_dependencies_offset", 148, 17, 22},
	{"nmethod", "_metadata_offset", 152, 17, 22},
	{"CompiledMethod", "_scopes_data_begin", 160, 17, 22},
	{"nmethod", "_scopes_data_offset", 168, 23, 99},
	{"nmethod", "_immutable_data", 176, 23, 99},
	{"CompiledMethod", "_deopt_handler_begin", 184, 17, 22},
	{"nmethod", "_deopt_handler_offset", 192, 23, 99},
	{"nmethod", "_orig_pc_offset", 196, 17, 99},
	{"Method", "_constMethod", 16, 17, 99},
	{"ConstMethod", "_constants", 8, 17, 99},
	{"ConstMethod", "_constMethod_size", 16, 17, 99},
	{"ConstMethod", "_flags", 24, 17, 20},
	{"ConstMethod", "_flags._flags", 24, 21, 99},
	{"ConstMethod", "_code_size", 34, 17, 99},
	{"ConstMethod", "_name_index", 38, 17, 99},
	{"ConstantPool", "_pool_holder", 24, 17, 99},
	{"ConstantPool", "_source_file_name_index", 54, 17, 99},
	{"Klass", "_name", 32, 17, 99},
	{"Symbol", "_length", 4, 17, 99},
	{"Symbol", "_body", 6, 17, 99},
	{"Thread", "_osthread", 8, 17, 99}, /* of no use here */
};

static inline u64 fake_offset(const char *type, const char *name)
{
	for (u32 i = 0; i < sizeof(fake_fields) / sizeof(fake_fields[0]); i++) {
		const struct fake_field *f = &fake_fields[i];

		if (!strcmp(f->type, type) && !strcmp(f->name, name) && f->first <= jvm.version &&
		    jvm.version <= f->last)
			return f->offset;
	}
	assert(!"no such field");
	return 0;
}

static inline u64 put_entry(u64 at, const char *type, const char *name, u64 offset, u64 address)
{
	put(at, c_text(type));
	put(at + 8, c_text(name));
	put32(at + 24, address != 0);
	put(at + 32, offset);
	put(at + 40, address);
	return at + 48;
}

static inline u64 put_type(u64 at, const char *type, u64 bytes)
{
	put(at, c_text(type));
	put(at + 32, bytes);
	return at + 40;
}

/* The tables, and what leads to them. */
static inline void put_tables(struct runtime *rt, const char *without)
{
	u64 fields = room(48 * 64), types = room(40 * 8 + 8), at = fields;
	u64 version = room(8), heaps = room(8), call_stub = room(8), lead[2] = {room(8), room(8)};

	for (u32 i = 0; i < sizeof(fake_fields) / sizeof(fake_fields[0]); i++) {
		const struct fake_field *f = &fake_fields[i];

		if (f->first <= jvm.version && jvm.version <= f->last && (!without || strcmp(f->name, without)))
			at = put_entry(at, f->type, f->name, f->offset, 0);
	}
	at = put_entry(at, "Abstract_VM_Version", "_vm_major_version", 0, version);
	at = put_entry(at, "CodeCache", "_heaps", 0, heaps);
	put_entry(at, "StubRoutines", "_call_stub_return_address", 0, call_stub);
	at = put_type(types, "HeapBlock", HEADER);
	at = put_type(at, "ConstMethod", CONST_BYTES);
	put_type(at, "ConstantPool", POOL_BYTES);
	put32(version, jvm.version);
	put(call_stub, jvm.call_stub + CALL_STUB_RETURN);
	put(lead[0], fields);
	put(lead[1], types);
	rt->symbol[SYMBOL_HOTSPOT_FIELDS] = lead[0];
	rt->symbol[SYMBOL_HOTSPOT_TYPES] = lead[1];

	u64 array = room(16), vector = room(8), heap = room(256);

	put(heaps, array);
	put32(array, 1);
	put(array + 8, vector);
	put(vector, heap);
	put(heap + 16 + 8, CACHE);
	put(heap + 16, CACHE + CACHE_BYTES);
	put(heap + 128 + 8, MAP);
	put32(heap + 240, 7);
}

/* A blob with @bytes bytes of code, frames of @words words that are set up from @complete on. Returns the code's address. */
static inline u64 blob(const char *name, u32 bytes, s32 words, s32 complete)
{
	u64 start = jvm.used_cache, at = start + HEADER, code = at + CODE_AT;
	u32 segments = (HEADER + CODE_AT + bytes + SEGMENT - 1) / SEGMENT, first = (start - CACHE) / SEGMENT;

	for (u32 i = 0; i < segments; i++)
		jvm.map[first + i] = i ? i < 3 ? i : 2 : 0; /* as far back as leads to the first, or on the way */
	jvm.used_cache += segments * SEGMENT;
	assert(jvm.used_cache <= CACHE + CACHE_BYTES);
	put(at + 8, c_text(name));
	put32(at + 20, (u32)words);
	if (jvm.version < 23) {
		put32(at + 24, (u32)(complete < 0 ? -1 : CODE_AT - CODE_AT + complete));
		put(at + 32, code);
		put(at + 40, code + bytes);
	} else {
		put16(at + 24, (u16)complete);
		put16(at + 30, CODE_AT);
		put32(at + 36, CODE_AT + bytes);
	}
	return code;
}

static inline u64 blob_of(u64 code)
{
	return code - CODE_AT;
}

/* A method of @class, in @file, with @bytes bytes of bytecode; its lines are those of @table. */
static inline u64 method(const char *class, const char *name, const char *file, u32 bytes, const char *table)
{
	u64 pool = room(POOL_BYTES + 4 * 8), klass = room(64), m = room(64);
	u32 size = CONST_BYTES + bytes + (table ? (u32)strlen(table) + 1 : 0);
	u64 cm = room(size + 64);

	put(pool + 24, klass);
	put16(pool + 54, file ? 2 : 0);
	put(pool + POOL_BYTES + 8, symbol(name) | 1); /* a class that is not resolved has a tag */
	put(pool + POOL_BYTES + 16, file ? symbol(file) : 0);
	put(klass + 32, symbol(class));
	put(m + 16, cm);
	put(cm + 8, pool);
	put32(cm + 16, (size + 7) / 8);
	put16(cm + 24, table != NULL);
	put16(cm + 34, (u16)bytes);
	put16(cm + 38, 1);
	if (table)
		memcpy(fake_at(cm + CONST_BYTES + bytes), table, strlen(table) + 1);
	return m;
}

static inline u64 bytecode_of(u64 m)
{
	u64 cm;

	memcpy(&cm, fake_at(m + 16), sizeof(cm));
	return cm + CONST_BYTES;
}

/* A number in digits of 6 bits. */
static inline u64 put_number(u64 at, u32 val)
{
	u32 bias = jvm.version >= 20;

	for (u32 digit = 0; digit < 4 && val >= 192 - bias; digit++) {
		u32 low = 192 - bias + ((val - (192 - bias)) & 63);

		*fake_at(at++) = (u8)(low + bias);
		val = (val - low) >> 6;
	}
	*fake_at(at++) = (u8)(val + bias);
	return at;
}

struct fake_scope {
	u64 method;
	s32 bytecode;
};

/*
 * Code of @of, with a frame of @words words, and scopes at one place: those that end at @pc_offset, innermost first, up to one
 * without a method. What lies behind belongs to @of alone. Returns the code's address.
 */
static inline u64 compiled(u64 of, u32 bytes, s32 words, u32 complete, u32 pc_offset, const struct fake_scope *scopes)
{
	u64 code = blob("nmethod", bytes + 256, words, (s32)complete), at = blob_of(code);
	u64 info = code + bytes, pcs = info, data = info + 48, metadata = info + 176, end = data + 1;
	u32 nr = 0, sender = 0;

	while (scopes[nr].method)
		nr++;
	for (u32 i = nr; i-- > 0;) {
		u32 here = (u32)(end - data);

		put(metadata + 8ULL * i, scopes[i].method);
		end = put_number(end, sender);
		end = put_number(end, i + 1);
		end = put_number(end, (u32)(scopes[i].bytecode + 1));
		sender = here;
	}
	put32(pcs, 0); /* before all code */
	put32(pcs + 16, pc_offset);
	put32(pcs + 20, sender);
	put32(pcs + 32, 0x7fffffff);
	if (jvm.version < 23) {
		put(at + 128, of);
		put32(at + 144, (u32)(pcs - at));
		put32(at + 148, (u32)(pcs + 48 - at));
		put32(at + 152, (u32)(metadata - at));
		put(at + 160, data);
		put(at + 184, code + bytes - 8);
	} else {
		put(at + 136, of);
		put(at + 176, info);
		put32(at + 144, 0);
		put32(at + 168, 48);
		put(at + 48, metadata - 16);
		put32(at + 60, 16);
		put32(at + 192, (u32)(code + bytes - 8 - at));
	}
	put32(at + 196, 16);
	return code;
}

static inline void fake_begin(struct walk *w, u32 version)
{
	memset(&jvm, 0, sizeof(jvm));
	memset(w, 0, sizeof(*w));
	memset(jvm.map, 0xff, sizeof(jvm.map));
	jvm.version = version;
	jvm.used = DATA + 64;
	jvm.used_cache = CACHE;
	jvm.interpreter = blob("Interpreter", 0x200, 0, -1);
	jvm.call_stub = blob("StubRoutines (1)", 0x100, 0, -1);
	w->max_depth = MAX_DEPTH;
	w->lang.thread_pointer = w->lang.space = 1;
	w->lang.runtime.language = LANGUAGE_JAVA;
	put_tables(&w->lang.runtime, NULL);
	port_reset();
	port_map(DATA, jvm.data, DATA_BYTES, (struct vma){0});
	port_map(CACHE, jvm.cache, CACHE_BYTES, (struct vma){.executable = 1});
	port_map(MAP, jvm.map, MAP_BYTES, (struct vma){0});
	port_map(STACK, jvm.stack, STACK_BYTES, (struct vma){0});
}

/* Returns what the last step said. */
static inline int fake_learn(struct walk *w)
{
	int err = 1;

	for (u32 i = 0; i < 1024 && err > 0; i++)
		err = hotspot_learn(w);
	if (!err)
		w->modules.runtime = LANGUAGE_JAVA;
	return err;
}

/* Walk from @pc and @sp on. */
static inline void fake_walk(struct walk *w, u64 pc, u64 sp, u64 fp)
{
	memset(w->machine.reg, 0, sizeof(w->machine.reg));
	w->machine.reg[REG_PC] = pc;
	w->machine.reg[REG_SP] = sp;
	w->machine.reg[REG_FP] = fp;
	walk_start(w);
	walk_stack(w);
}
