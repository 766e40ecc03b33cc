/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A dynamic section, and the symbols that it leads to, by DT_GNU_HASH, as linkers write them. */
#pragma once
#include <elf.h>

#include "writer.h"

struct symbol_table {
	/* input */
	u64 bias;
	u32 nr_buckets, nr_words, shift;
	bool is_relocated; /* the dynamic section has addresses, and not link-time ones */
	u32 nr_others;	   /* entries of the dynamic section before those of the table */
	/* output: addresses */
	u64 dynamic, hash, filter, buckets, chains, table, names;
};

struct symbol {
	const char *name;
	u64 value; /* link-time address */
	u16 section;
};

static inline u32 gnu_hash(const char *name)
{
	u32 hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (u8)*name;
	return hash;
}

static inline void put_names(struct writer *w, struct symbol_table *t, const struct symbol *s, u32 nr)
{
	t->names = here(w);
	put8(w, 0);
	for (u32 i = 0; i < nr; i++)
		put_text(w, s[i].name);
	for (u32 i = 0; i < 16; i++) /* other sections follow */
		put8(w, 0);
	put_align(w, 8);
}

static inline void put_symbols(struct writer *w, struct symbol_table *t, const struct symbol *s, u32 nr)
{
	Elf64_Sym sym = {0};

	t->table = here(w);
	put(w, &sym, sizeof(sym));
	sym.st_name = 1;
	for (u32 i = 0; i < nr; i++) {
		sym.st_value = s[i].value;
		sym.st_shndx = s[i].section;
		put(w, &sym, sizeof(sym));
		sym.st_name += strlen(s[i].name) + 1;
	}
}

/* @s: in the order of their buckets. */
static inline void put_hash(struct writer *w, struct symbol_table *t, const struct symbol *s, u32 nr)
{
	u64 filter[8] = {0};
	u32 bucket[8] = {0};

	assert(t->nr_words <= 8 && t->nr_buckets <= 8);
	for (u32 i = nr; i-- > 0;) {
		u32 hash = gnu_hash(s[i].name);

		filter[hash / 64 % t->nr_words] |= 1ULL << (hash & 63) | 1ULL << (hash >> t->shift & 63);
		bucket[hash % t->nr_buckets] = i + 1;
	}
	t->hash = here(w);
	put32(w, t->nr_buckets);
	put32(w, 1);
	put32(w, t->nr_words);
	put32(w, t->shift);
	t->filter = here(w);
	put(w, filter, t->nr_words * 8);
	t->buckets = here(w);
	put(w, bucket, t->nr_buckets * 4);
	t->chains = here(w);
	for (u32 i = 0; i < nr; i++) {
		u32 hash = gnu_hash(s[i].name);
		bool is_last = i + 1 == nr || gnu_hash(s[i + 1].name) % t->nr_buckets != hash % t->nr_buckets;

		put32(w, is_last ? hash | 1 : hash & ~1U);
	}
	put_align(w, 8);
}

static inline void put_entry(struct writer *w, u64 tag, u64 value)
{
	put64(w, tag);
	put64(w, value);
}

static inline void put_dynamic(struct writer *w, struct symbol_table *t)
{
	u64 off = t->is_relocated ? 0 : t->bias;

	t->dynamic = here(w);
	for (u32 i = 0; i < t->nr_others; i++)
		put_entry(w, DT_NEEDED, i);
	put_entry(w, DT_GNU_HASH, t->hash - off);
	put_entry(w, DT_STRTAB, t->names - off);
	put_entry(w, DT_SYMTAB, t->table - off);
	for (u32 i = 0; i < 9; i++)
		put_entry(w, DT_NULL, 0);
}

static inline void put_symbol_table(struct writer *w, struct symbol_table *t, const struct symbol *s, u32 nr)
{
	put_align(w, 8);
	put_names(w, t, s, nr);
	put_symbols(w, t, s, nr);
	put_hash(w, t, s, nr);
	put_dynamic(w, t);
}
