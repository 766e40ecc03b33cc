/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/symbols.h"
#include "core/port.h"

#define DT_STRTAB 5
#define DT_SYMTAB 6
#define DT_GNU_HASH 0x6ffffef5
#define DYNAMIC_BYTES 16
#define DYNAMIC_AT_ONCE 8
#define MAX_DYNAMIC_READS 16
#define SYMBOL_BYTES 24
#define MAX_CHAIN 256

/* The first 16 bytes of a name and its 0 byte, as words; and its hash (glibc 2.41 elf/dl-lookup.c, dl_new_hash()). */
struct symbol_name {
	u64 hash, word[2], last; /* @last: a mask of the bytes of word[1] that belong to the name */
};

static const struct symbol_name names[64] = {
	[SYMBOL_PYTHON_RUNTIME] = {0x88b5a111, {0x69746e755279505f, 0x656d}, 0xffffff},	 /* _PyRuntime */
	[SYMBOL_PYTHON_VERSION] = {0x0433d953, {0x69737265565f7950, 0x6e6f}, 0xffffff},	 /* Py_Version */
	[SYMBOL_PYTHON_CODE] = {0x72bde1ca, {0x545f65646f437950, 0x657079}, 0xffffffff}, /* PyCode_Type */
	[SYMBOL_PYTHON_LOOP] = {0xcc93b78c,
				{0x5f6c61764579505f, 0x6d6172466c617645},
				~0ULL},							/* _PyEval_EvalFrameDefault */
	[SYMBOL_PYTHON_3_8] = {0x957b6d6b, {0x7375746174537950, 0x6b4f5f}, 0xffffffff}, /* PyStatus_Ok */
	[SYMBOL_PYTHON_3_9] = {0x50af9633, {0x5f656d6172467950, 0x65646f43746547}, ~0ULL},	 /* PyFrame_GetCode */
	[SYMBOL_PYTHON_3_10] = {0x363e1b6b, {0x535f726574497950, 0x646e65}, 0xffffffff},	 /* PyIter_Send */
	[SYMBOL_PHP_LOOP] = {0x7c444514, {0x5f65747563657865, 0x7865}, 0xffffff},		 /* execute_ex */
	[SYMBOL_PHP_GLOBALS] = {0x40aaf857, {0x726f747563657865, 0x736c61626f6c675f}, ~0ULL},	 /* executor_globals */
	[SYMBOL_PHP_MODULES] = {0xd1322d23, {0x725f656c75646f6d, 0x79727473696765}, ~0ULL},	 /* module_registry */
	[SYMBOL_HOTSPOT_FIELDS] = {0xacd3d238, {0x746f7053746f4867, 0x7463757274534d56}, ~0ULL}, /* gHotSpotVMStructs */
	[SYMBOL_HOTSPOT_TYPES] = {0xb4c7a675, {0x746f7053746f4867, 0x73657079544d56}, ~0ULL},	 /* gHotSpotVMTypes */
	[SYMBOL_V8_FUNCTION_SHARED] = {0x266bb753,
				       {0x6c635f6762643876, 0x7546534a5f737361},
				       ~0ULL}, /* v8dbg_class_JSFunction__shared__SharedFunctionInfo */
	[SYMBOL_V8_SHARED_FLAGS] = {0x2c4627d1,
				    {0x6c635f6762643876, 0x726168535f737361},
				    ~0ULL}, /* v8dbg_class_SharedFunctionInfo__flags__int */
	[SYMBOL_V8_SCOPE_VARIABLES] = {0x6b5a8e0b,
				       {0x63735f6762643876, 0x5f6f666e6965706f},
				       ~0ULL}, /* v8dbg_scopeinfo_idx_first_vars */
	[SYMBOL_V8_FUNCTION_TYPE] = {0x6964bec4,
				     {0x79745f6762643876, 0x6e7546534a5f6570},
				     ~0ULL}, /* v8dbg_type_JSFunction__JS_FUNCTION_TYPE */
	[SYMBOL_V8_SHARED_TYPE] = {0xc661076f,
				   {0x79745f6762643876, 0x65726168535f6570},
				   ~0ULL}, /* v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE */
	[SYMBOL_V8_SCRIPT_TYPE] = {0xeac14029,
				   {0x79745f6762643876, 0x70697263535f6570},
				   ~0ULL}, /* v8dbg_type_Script__SCRIPT_TYPE */
	[SYMBOL_V8_SCOPE_TYPE] = {0xa0809a0a,
				  {0x79745f6762643876, 0x65706f63535f6570},
				  ~0ULL}, /* v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE */
	[SYMBOL_V8_FIRST_CONTEXT] = {0x6b923d0e,
				     {0x69465f6762643876, 0x65746e6f43747372},
				     ~0ULL}, /* v8dbg_FirstContextType */
	[SYMBOL_V8_BYTECODE_TYPE] = {0xa247999a,
				     {0x79745f6762643876, 0x63657479425f6570},
				     ~0ULL}, /* v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE */
	[SYMBOL_V8_BYTECODE_DATA] = {0xc1714541,
				     {0x6c635f6762643876, 0x657479425f737361},
				     ~0ULL}, /* v8dbg_class_BytecodeArray__data__uintptr_t */
	[SYMBOL_V8_BYTES_TYPE] = {0xc1ccf6c4,
				  {0x79745f6762643876, 0x41657479425f6570},
				  ~0ULL}, /* v8dbg_type_ByteArray__BYTE_ARRAY_TYPE */
	[SYMBOL_V8_TRUSTED_BYTES_TYPE] = {0xdd87b719,
					  {0x79745f6762643876, 0x74737572545f6570},
					  ~0ULL}, /* v8dbg_type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE */
	[SYMBOL_V8_CODE_TYPE] = {0x53029fb5,
				 {0x79745f6762643876, 0x5f65646f435f6570},
				 ~0ULL}, /* v8dbg_type_Code__CODE_TYPE */
	[SYMBOL_V8_STREAM_TYPE] = {0x29e1e25a,
				   {0x79745f6762643876, 0x7274736e495f6570},
				   ~0ULL}, /* v8dbg_type_InstructionStream__INSTRUCTION_STREAM_TYPE */
	[SYMBOL_V8_CODE_START] = {0xafc9b140,
				  {0x6c635f6762643876, 0x65646f435f737361},
				  ~0ULL}, /* v8dbg_class_Code__instruction_start__Address */
	[SYMBOL_V8_CODE_SIZE] = {0xf91fd232,
				 {0x6c635f6762643876, 0x65646f435f737361},
				 ~0ULL}, /* v8dbg_class_Code__instruction_size__int */
	[SYMBOL_V8_INLINING] = {0x43ee4521,
				{0x65445f6762643876, 0x617a696d6974706f},
				~0ULL}, /* v8dbg_DeoptimizationDataInliningPositionsIndex */
	[SYMBOL_PERL_LOOP] = {0x28f0b64e, {0x6e75725f6c726550, 0x6e6174735f73706f}, ~0ULL}, /* Perl_runops_standard */
	[SYMBOL_PERL_KEY] = {0x969ba456, {0x6b5f7268745f4c50, 0x7965}, 0xffffff},	    /* PL_thr_key */
	[SYMBOL_PERL_VERSION] = {0x299b9446, {0x69737265765f4c50, 0x6e6f}, 0xffffff},	    /* PL_version */
	[SYMBOL_RUBY_VERSION] = {0x59660ee5, {0x6970615f79627572, 0x6e6f69737265765f}, ~0ULL}, /* ruby_api_version */
};

/* glibc's ld.so writes addresses into the section where linkers have put link-time ones; musl's does not. */
static INLINE u64 address(const struct symbols *s, u64 entry)
{
	return entry < s->bias ? entry + s->bias : entry;
}

/* Take what an entry of the dynamic section says. False: it is the last one. */
static INLINE bool take(struct symbols *s, u64 tag, u64 value)
{
	if (tag == DT_GNU_HASH)
		s->hash = address(s, value);
	if (tag == DT_SYMTAB)
		s->table = address(s, value);
	if (tag == DT_STRTAB)
		s->names = address(s, value);
	return tag;
}

GLOBAL int symbols_open(struct symbols *s NONNULL, u64 dynamic, u64 bias)
{
	int err = 0;

	s->bias = bias;
	s->hash = s->table = s->names = 0;
	each (i, DYNAMIC_AT_ONCE * MAX_DYNAMIC_READS) {
		u32 k = i % DYNAMIC_AT_ONCE;

		if (!k)
			err = port_read(s->word, DYNAMIC_AT_ONCE * DYNAMIC_BYTES, dynamic + i * DYNAMIC_BYTES);
		if (err || !take(s, at(s->word, 2 * k), at(s->word, 2 * k + 1)))
			break;
	}
	return err ?: s->hash && s->table && s->names ? 0 : -ENOENT;
}

/* Set s->found if symbol @i has the name. Returns 0, -EFAULT or -EACCES. */
static INLINE int compare(struct symbols *s, const struct symbol_name *name, u64 i)
{
	u64 *symbol = s->word, *text = s->word + 4;
	int err = port_read(symbol, SYMBOL_BYTES, s->table + i * SYMBOL_BYTES);

	if (!err)
		err = port_read(text, sizeof(name->word), s->names + (u32)symbol[0]);
	if (!err && text[0] == name->word[0] && (text[1] & name->last) == name->word[1] && symbol[0] >> 48) {
		s->found = s->bias + symbol[1];
		s->bytes = symbol[2];
	}
	return err;
}

/* A symbol of the bucket: the lowest bit of its hash says whether it is the last one. */
TURN(look_at_symbol, struct symbols, s)
{
	const struct symbol_name *name = &at(names, s->which);
	u32 here;

	s->error = port_read(s->word, 4, s->chain + turn * 4ULL);
	if (s->error)
		return STOP;
	here = s->word[0];
	if ((here | 1) == ((u32)name->hash | 1))
		s->error = compare(s, name, s->first + turn);
	return s->error || s->found || here & 1 ? STOP : NEXT;
}

/* The table: 4 numbers of 32 bits; the Bloom filter; buckets; a hash for each symbol from the first one that has any. */
GLOBAL int symbols_find(struct symbols *s NONNULL, u32 which)
{
	u64 hash = at(names, which).hash, filter = s->hash + 16, buckets, bits;
	u32 nr_buckets, first, nr_words, shift;
	int err = port_read(s->word, 16, s->hash);

	s->which = which;
	s->found = 0;
	if (err)
		return err;
	nr_buckets = s->word[0];
	first = s->word[0] >> 32;
	nr_words = s->word[1];
	shift = s->word[1] >> 32 & 31;
	if (!nr_buckets || !nr_words)
		return 0;
	buckets = filter + (u64)nr_words * 8;
	err = port_read(s->word, 8, filter + hash / 64 % nr_words * 8);
	bits = 1ULL << (hash & 63) | 1ULL << (hash >> shift & 63);
	if (err || (s->word[0] & bits) != bits)
		return err;
	err = port_read(s->word, 4, buckets + hash % nr_buckets * 4);
	s->first = (u32)s->word[0];
	if (err || s->first < first)
		return err;
	s->chain = buckets + (nr_buckets + s->first - first) * 4;
	s->error = 0;
	loop(MAX_CHAIN, look_at_symbol, s);
	return s->error;
}
