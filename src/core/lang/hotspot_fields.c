/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the structures of HotSpot have what: its tables gHotSpotVMStructs and gHotSpotVMTypes say it, for debuggers.
 * Their form has not changed since they exist (JDK 17 src/hotspot/share/runtime/vmStructs.hpp).
 */
#include "core/lang/frames.h"
#include "core/lang/hotspot.h"

#define FIELD_BYTES 48
#define TYPE_BYTES 40
#define ENTRIES_AT_ONCE 16
#define MAX_ENTRIES 4096
#define TYPE_NAME_WORDS 4 /* what is compared of a type's name, and of a field's */
#define NAME_WORDS 10

/* struct VMStructEntry, and struct VMTypeEntry, in words */
enum { ENTRY_TYPE, ENTRY_FIELD, ENTRY_IS_STATIC = 3, ENTRY_OFFSET, ENTRY_SIZE = 4, ENTRY_ADDRESS };

enum { NOT_BEGUN, IN_FIELDS, IN_TYPES };

/* By hotspot_hash() of the names of type and field. Some have been called differently. */
static const struct {
	u64 hash;
	u32 field, is_new;
} names[64] = {
	{0x5be23f81a2cc017e, HOTSPOT_HEAPS},		/* CodeCache._heaps */
	{0x21fb2383fee2559f, HOTSPOT_CALL_STUB_RETURN}, /* StubRoutines._call_stub_return_address */
	{0x5700baf14cfc2d8a, HOTSPOT_VERSION},		/* Abstract_VM_Version._vm_major_version */
	{0x164cf53143855038, HOTSPOT_ARRAY_LENGTH},	/* GrowableArrayBase._len */
	{0x397afc7a178f2bec, HOTSPOT_ARRAY_DATA},	/* GrowableArray<int>._data */
	{0x9a205e328122855a, HOTSPOT_HEAP_MEMORY},	/* CodeHeap._memory */
	{0x2fac8860512c9098, HOTSPOT_HEAP_MAP},		/* CodeHeap._segmap */
	{0xee445531084b2428, HOTSPOT_HEAP_SHIFT},	/* CodeHeap._log2_segment_size */
	{0x748dbfb5feec0adb, HOTSPOT_SPACE_LOW},	/* VirtualSpace._low_boundary */
	{0x11aeae4664e3b138, HOTSPOT_SPACE_HIGH},	/* VirtualSpace._high_boundary */
	{0x2a74ea33d2148543, HOTSPOT_BLOB_NAME},	/* CodeBlob._name */
	{0xbd4466910bb211c5, HOTSPOT_BLOB_FRAME_SIZE},	/* CodeBlob._frame_size */
	{0xb5efa103a1b74677, HOTSPOT_BLOB_COMPLETE},	/* CodeBlob._frame_complete_offset */
	{0x1def81f78f9fee01, HOTSPOT_BLOB_CODE},	/* CodeBlob._code_begin */
	{0x38c2cfb51ec68d48, HOTSPOT_BLOB_CODE_AT},	/* CodeBlob._code_offset */
	{0xdbc42ca6e5d4b2b9, HOTSPOT_BLOB_END},		/* CodeBlob._code_end */
	{0xcbe64a2fed5f1af4, HOTSPOT_BLOB_DATA_AT},	/* CodeBlob._data_offset */
	{0x94fba633c1fbcb1d, HOTSPOT_BLOB_MUTABLE},	/* CodeBlob._mutable_data */
	{0xcde6321fe3a295e2, HOTSPOT_BLOB_RELOCATION},	/* CodeBlob._relocation_size */
	{0x471ac5a5bf65c584, HOTSPOT_CODE_METHOD},	/* CompiledMethod._method */
	{0x9a509407db79ccb0, HOTSPOT_CODE_METHOD},	/* nmethod._method */
	{0x1d609d33c39b6e97, HOTSPOT_CODE_PCS},		/* nmethod._scopes_pcs_offset */
	{0x3aae61e4daa5dfc8, HOTSPOT_CODE_PCS_END},	/* nmethod._dependencies_offset */
	{0xda8adeb070a0b3f5, HOTSPOT_CODE_SCOPES},	/* CompiledMethod._scopes_data_begin */
	{0xae8df3f1f1a7673e, HOTSPOT_CODE_SCOPES_AT},	/* nmethod._scopes_data_offset */
	{0x58c5325d77856056, HOTSPOT_CODE_METADATA},	/* nmethod._metadata_offset */
	{0x1874576e8a9200a4, HOTSPOT_CODE_IMMUTABLE},	/* nmethod._immutable_data */
	{0x82d69243008cb9ec, HOTSPOT_CODE_DEOPT},	/* CompiledMethod._deopt_handler_begin */
	{0xe3f4d95edb70501d, HOTSPOT_CODE_DEOPT_AT},	/* nmethod._deopt_handler_offset */
	{0x0acb5e1bb6cdcd3e, HOTSPOT_CODE_ORIGINAL},	/* nmethod._orig_pc_offset */
	{0x655c8baeb48456f4, HOTSPOT_METHOD_CONST},	/* Method._constMethod */
	{0x2c5ab9b832a24648, HOTSPOT_CONST_POOL},	/* ConstMethod._constants */
	{0x3d054ad4c68c470e, HOTSPOT_CONST_NAME},	/* ConstMethod._name_index */
	{0x031f9052ab09fe45, HOTSPOT_CONST_CODE_BYTES}, /* ConstMethod._code_size */
	{0x137dfc24176d7c6b, HOTSPOT_CONST_WORDS},	/* ConstMethod._constMethod_size */
	{0xa24a219dd4b29f24, HOTSPOT_CONST_FLAGS},	/* ConstMethod._flags */
	{0x17f66e15bf0fb79b, HOTSPOT_CONST_FLAGS},	/* ConstMethod._flags._flags */
	{0x031a1250c55d7be2, HOTSPOT_POOL_CLASS},	/* ConstantPool._pool_holder */
	{0x9e42bdf276d92c61, HOTSPOT_POOL_FILE},	/* ConstantPool._source_file_name_index */
	{0x951d0fcb026a2268, HOTSPOT_CLASS_NAME},	/* Klass._name */
	{0x8f69b0a75483205e, HOTSPOT_TEXT_LENGTH},	/* Symbol._length */
	{0x49770fca5f8d6515, HOTSPOT_TEXT_BODY},	/* Symbol._body */
	{0x567a265ff24ff33f, HOTSPOT_HEAP_BLOCK_BYTES}, /* HeapBlock */
	{0xba6ef60c4d0fd0b9, HOTSPOT_CONST_BYTES},	/* ConstMethod */
	{0xdf1bd44aed56f298, HOTSPOT_POOL_BYTES},	/* ConstantPool */
};

#define KNOWN(field) (1ULL << (field))
#define ALWAYS (KNOWN(HOTSPOT_BLOB_CODE) - 1)
#define UP_TO_22                                                                                     \
	(ALWAYS | KNOWN(HOTSPOT_BLOB_CODE) | KNOWN(HOTSPOT_BLOB_END) | KNOWN(HOTSPOT_CODE_PCS_END) | \
	 KNOWN(HOTSPOT_CODE_SCOPES) | KNOWN(HOTSPOT_CODE_METADATA) | KNOWN(HOTSPOT_CODE_DEOPT))
#define FROM_25                                                                                             \
	(ALWAYS | KNOWN(HOTSPOT_BLOB_CODE_AT) | KNOWN(HOTSPOT_BLOB_DATA_AT) | KNOWN(HOTSPOT_BLOB_MUTABLE) | \
	 KNOWN(HOTSPOT_BLOB_RELOCATION) | KNOWN(HOTSPOT_CODE_IMMUTABLE) | KNOWN(HOTSPOT_CODE_SCOPES_AT) |   \
	 KNOWN(HOTSPOT_CODE_DEOPT_AT))

/* Compute l->hash, of the names of a type and of a field in l->hotspot.word. Bytes behind the end of each are anything. */
GLOBAL int hotspot_hash(struct lang *l NONNULL)
{
	u64 all = ~0ULL;

	l->hash = 0;
	each (i, NAME_WORDS) {
		u64 word = at(l->hotspot.word, i), zeros, first;

		all |= -(u64)(i == TYPE_NAME_WORDS); /* the field's begins */
		zeros = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;
		first = zeros & -zeros;
		l->hash = code_mix(l->hash, word & all & ((first >> 7) - 1));
		all &= -(u64)!zeros;
	}
	return 0;
}

/* Note the field whose names have l->hash, if it is one that is used. */
static INLINE void note(struct lang *l, u64 value)
{
	each (i, COUNT(names)) {
		u32 k = opaque(i) & (COUNT(names) - 1);

		if (names[k].hash == l->hash && l->hash) {
			at(l->runtime.hotspot.field, names[k].field) = value;
			l->runtime.hotspot.known |= KNOWN(names[k].field);
			break;
		}
	}
}

/* Look at the next entry of the table. Returns 0; -ENOENT: it was the last one; -EFAULT or -EACCES. */
GLOBAL int hotspot_entry(struct lang *l NONNULL, bool is_type)
{
	struct hotspot *h = &l->runtime.hotspot;
	u64 *word = l->hotspot.word;
	int err = port_read(l->word, FIELD_BYTES, h->entry); /* the table of types is in front of others */

	if (err || !l->word[ENTRY_TYPE])
		return err ?: -ENOENT;
	memset(word, 0, NAME_WORDS * sizeof(*word));
	err = port_read(word, TYPE_NAME_WORDS * sizeof(*word), l->word[ENTRY_TYPE]);
	if (!err && !is_type)
		err = port_read(word + TYPE_NAME_WORDS, (NAME_WORDS - TYPE_NAME_WORDS) * sizeof(*word),
				l->word[ENTRY_FIELD]);
	if (err)
		return err;
	hotspot_hash(l);
	note(l, is_type || !(u32)l->word[ENTRY_IS_STATIC] ? l->word[ENTRY_OFFSET] : l->word[ENTRY_ADDRESS]);
	h->entry += is_type ? TYPE_BYTES : FIELD_BYTES;
	return 0;
}

/* Those from @first to @last that do not lie within @bytes, as a negative number if there are any. */
static INLINE u64 outside(const struct lang *l, u32 first, u32 last, u64 bytes)
{
	u64 ret = 0;

	for (u32 i = first; i <= last; i++)
		ret |= l->runtime.hotspot.field[i] | (bytes - sizeof(u64) - l->runtime.hotspot.field[i]);
	return ret;
}

/* Are the fields where what is read of their structures has them? */
GLOBAL bool hotspot_is_readable(const struct lang *l NONNULL)
{
	return (s64)(outside(l, HOTSPOT_CONST_POOL, HOTSPOT_CONST_FLAGS, sizeof(l->text)) |
		     outside(l, HOTSPOT_BLOB_NAME, HOTSPOT_BLOB_COMPLETE, HOTSPOT_BLOB_BYTES) |
		     outside(l, HOTSPOT_CODE_METHOD, HOTSPOT_CODE_ORIGINAL, HOTSPOT_CODE_BYTES) |
		     outside(l, HOTSPOT_BLOB_CODE, NR_HOTSPOT_FIELDS - 1, HOTSPOT_CODE_BYTES)) >= 0;
}

GLOBAL int hotspot_settle(struct lang *l NONNULL)
{
	struct hotspot *h = &l->runtime.hotspot;
	int err = read_word(l, h->field[HOTSPOT_VERSION]);
	u32 version = l->value;
	u64 has;

	if (err || !version)
		return err ?: -EAGAIN;
	h->is_new = version >= 25;
	has = h->is_new ? FROM_25 : UP_TO_22;
	if ((version != 17 && version != 21 && version != 25) || (h->known & has) != has)
		return -ENOSYS;
	l->runtime.version = version;
	return 0;
}

/* All entries have been looked at: are the structures known? Perhaps the runtime has not begun, and has no version yet. */
static INLINE int end_of_tables(struct lang *l)
{
	int err;

	l->runtime.version = 0;
	if ((l->runtime.hotspot.known & ALWAYS) != ALWAYS || !hotspot_is_readable(l))
		return -ENOSYS;
	err = hotspot_settle(l);
	return err == -EAGAIN ? 0 : err;
}

/* Begin with the table that the symbol @which leads to. */
static INLINE int begin_table(struct lang *l, u32 which, u32 stage)
{
	int err = l->runtime.symbol[which] ? read_word(l, l->runtime.symbol[which]) : -ENOSYS;

	if (err)
		return err;
	l->runtime.hotspot.entry = l->value;
	l->looked = stage;
	return 1;
}

GLOBAL int hotspot_learn(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err = 0;

	if (l->looked == NOT_BEGUN) {
		l->runtime.hotspot.known = l->runtime.hotspot.nr_heaps = 0;
		each (i, COUNT(l->runtime.hotspot.field))
			at(l->runtime.hotspot.field, i) = 0;
		l->nr = 0;
		return begin_table(l, SYMBOL_HOTSPOT_FIELDS, IN_FIELDS);
	}
	each (i, ENTRIES_AT_ONCE) {
		err = hotspot_entry(l, l->looked == IN_TYPES);
		if (err)
			break;
	}
	l->nr += ENTRIES_AT_ONCE;
	if (!err)
		return l->nr < MAX_ENTRIES ? 1 : -ENOSYS;
	if (err != -ENOENT)
		return err;
	return l->looked == IN_FIELDS ? begin_table(l, SYMBOL_HOTSPOT_TYPES, IN_TYPES) : end_of_tables(l);
}
