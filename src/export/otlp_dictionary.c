/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What samples refer to. See otlp_dictionary.h. */
#include "export/otlp_dictionary.h"

enum { TABLE_MAPPING = 1, TABLE_LOCATION, TABLE_FUNCTION, TABLE_LINK, TABLE_STRING, TABLE_ATTRIBUTE, TABLE_STACK };
enum { MAPPING_START = 1, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_ATTRIBUTE };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINE, LOCATION_ATTRIBUTE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_NAME = 1, FUNCTION_SYMBOL, FUNCTION_FILE };
enum { STACK_LOCATION = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };
enum { ANY_STRING = 1, ANY_INT = 3 };

static int table_init(struct dictionary_table *t, size_t nr)
{
	t->index = calloc(nr + 1, sizeof(*t->index));
	return t->index ? 0 : -ENOMEM;
}

static void table_done(struct dictionary_table *t)
{
	free(t->index);
	vec_done(&t->order);
}

static void table_clear(struct dictionary_table *t)
{
	for (size_t i = 0; i < t->order.nr; i++)
		t->index[t->order.v[i]] = 0;
	t->order.nr = 0;
}

static uint32_t table_index(struct dictionary *d, struct dictionary_table *t, uint32_t number)
{
	if (!t->index[number]) {
		if (vec_push(&t->order, number))
			d->failed = true;
		t->index[number] = t->order.nr;
	}
	return t->index[number];
}

/* Index 0 of these is what is empty. */
static void begin_strings(struct dictionary *d)
{
	uint32_t none;

	strings_done(&d->strings);
	strings_done(&d->attributes);
	d->failed |=
		strings_number(&d->strings, "", 0, &none, NULL) || strings_number(&d->attributes, "", 0, &none, NULL);
}

int dictionary_init(struct dictionary *d, const struct dusk_profile *p, const struct names *names)
{
	*d = (struct dictionary){.profile = p, .names = names};
	if (layout_new(&d->layout, p) || table_init(&d->stacks, nr_places(p)) ||
	    table_init(&d->locations, (size_t)p->nr_frames + p->nr_outcomes) ||
	    table_init(&d->functions, names->labels->names.nr) || table_init(&d->mappings, p->nr_modules))
		return -ENOMEM;
	begin_strings(d);
	return d->failed ? -ENOMEM : 0;
}

void dictionary_done(struct dictionary *d)
{
	free(d->layout);
	table_done(&d->stacks);
	table_done(&d->locations);
	table_done(&d->functions);
	table_done(&d->mappings);
	strings_done(&d->strings);
	strings_done(&d->attributes);
	pb_done(&d->scratch);
}

uint32_t dictionary_string(struct dictionary *d, const char *text)
{
	uint32_t number = 0;

	d->failed |= strings_number(&d->strings, text, strlen(text), &number, NULL) != 0;
	return number;
}

uint32_t dictionary_stack(struct dictionary *d, uint32_t place)
{
	return table_index(d, &d->stacks, place);
}

void otlp_any(struct pb *b, uint32_t field, const char *text, uint64_t number)
{
	size_t open = pb_open(b, field);

	if (text)
		pb_string(b, ANY_STRING, text);
	else
		pb_u64(b, ANY_INT, number);
	pb_close(b, open);
}

uint32_t dictionary_attribute(struct dictionary *d, const char *key, const char *text, uint64_t number)
{
	uint32_t index = 0;

	d->scratch.nr = 0;
	pb_u64(&d->scratch, ATTRIBUTE_KEY, dictionary_string(d, key));
	otlp_any(&d->scratch, ATTRIBUTE_VALUE, text, number);
	d->failed |=
		d->scratch.failed || strings_number(&d->attributes, d->scratch.v, d->scratch.nr, &index, NULL) != 0;
	return index;
}

static void put_nothing(struct pb *b, uint32_t field)
{
	pb_bytes(b, field, NULL, 0);
}

static void put_index(struct pb *b, uint32_t field, uint32_t index)
{
	size_t open = pb_open(b, field);

	pb_varint(b, index);
	pb_close(b, open);
}

/* Samples without a stack are at a place behind the nodes: their outcome is the only frame. */
static void put_stack(struct dictionary *d, struct pb *b, uint32_t place)
{
	const struct dusk_profile *p = d->profile;
	size_t open = pb_open(b, TABLE_STACK), locations = pb_open(b, STACK_LOCATION);

	if (place >= p->nr_nodes)
		pb_varint(b, table_index(d, &d->locations, p->nr_frames + place - p->nr_nodes));
	for (uint32_t n = place < p->nr_nodes ? place : 0; n; n = p->nodes[n].parent)
		pb_varint(b, table_index(d, &d->locations, p->nodes[n].frame));
	pb_close(b, locations);
	pb_close(b, open);
}

static void put_line(struct dictionary *d, struct pb *b, uint32_t label, uint32_t line)
{
	size_t open = pb_open(b, LOCATION_LINE);

	pb_u64(b, LINE_FUNCTION, table_index(d, &d->functions, label));
	if (line)
		pb_u64(b, LINE_LINE, line);
	pb_close(b, open);
}

/* What the semantic conventions call a language, by what its files have in their names. Evaluated code of PHP has more behind the file's name. */
static const struct {
	const char *in_name, *type;
} languages[] = {
	{".php", "php"},  {".phtml", "php"}, {"eval()'d code", "php"}, {"[php]", "php"},
	{".java", "jvm"}, {".kt", "jvm"},    {".scala", "jvm"},	       {".groovy", "jvm"},
	{".clj", "jvm"},  {"[java]", "jvm"}, {".js", "v8js"},	       {".mjs", "v8js"},
	{".cjs", "v8js"}, {".ts", "v8js"},   {"node:", "v8js"},	       {"[javascript]", "v8js"},
};

/* Is it one of Ruby? Programs often have no suffix, but what is outside of methods is "<main>". */
static bool is_ruby(const char *path, const char *function)
{
	return strstr(path, ".rb") || strstr(path, "/ruby/") || !strncmp(path, "<internal:", strlen("<internal:")) ||
	       strstr(function, "<main>") || !strcmp(path, "[ruby]");
}

/* Is it a function of Perl? Those are called by their package, and the others as "(eval)". Its programs often have no suffix. */
static bool is_perl(const char *path, const char *function)
{
	return strstr(function, "::") || *function == '(' || !strcmp(path, "[perl]");
}

/* Languages are known by their files and functions: what is of no other one is of Python. */
static const char *frame_type(const struct dusk_profile *p, const struct dusk_frame *f)
{
	const struct dusk_module *m = &p->modules[f->module];

	if (m->kind != DUSK_MODULE_SOURCE)
		return m->kind == DUSK_MODULE_KERNEL ? "kernel" : "native";
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (strstr(m->path, languages[i].in_name))
			return languages[i].type;
	if (is_ruby(m->path, p->functions[f->function].name))
		return "ruby";
	return is_perl(m->path, p->functions[f->function].name) ? "perl" : "cpython";
}

/* Code without a name gets no function: readers can find its name if they have the file with the build id. */
static void put_frame(struct dictionary *d, struct pb *b, uint32_t frame)
{
	const struct dusk_profile *p = d->profile;
	const struct dusk_frame *f = &p->frames[frame];
	const char *type = frame_type(p, f);

	if (f->module && layout_has(p, frame))
		pb_u64(b, LOCATION_MAPPING, table_index(d, &d->mappings, f->module));
	if (layout_has(p, frame))
		pb_u64(b, LOCATION_ADDRESS, layout_address(d->layout, p, frame));
	if (f->function)
		put_line(d, b, d->names->labels->of_frame[frame], frame_line(p, f)->line);
	put_index(b, LOCATION_ATTRIBUTE, dictionary_attribute(d, "profile.frame.type", type, 0));
}

static void put_location(struct dictionary *d, struct pb *b, uint32_t number)
{
	size_t open = pb_open(b, TABLE_LOCATION);

	if (number < d->profile->nr_frames)
		put_frame(d, b, number);
	else
		put_line(d, b, d->names->labels->of_outcome[number - d->profile->nr_frames], 0);
	pb_close(b, open);
}

static void put_mapping(struct dictionary *d, struct pb *b, uint32_t module)
{
	size_t open = pb_open(b, TABLE_MAPPING);

	pb_u64(b, MAPPING_START, d->layout[module].start);
	pb_u64(b, MAPPING_LIMIT, d->layout[module].limit);
	pb_u64(b, MAPPING_OFFSET, d->layout[module].offset);
	pb_u64(b, MAPPING_FILE, dictionary_string(d, d->names->path[module]));
	if (*d->profile->modules[module].build_id)
		put_index(b, MAPPING_ATTRIBUTE,
			  dictionary_attribute(d, "process.executable.build_id.gnu", d->names->build_id[module], 0));
	pb_close(b, open);
}

static void put_function(struct dictionary *d, struct pb *b, uint32_t label)
{
	size_t open = pb_open(b, TABLE_FUNCTION);

	pb_u64(b, FUNCTION_NAME, dictionary_string(d, d->names->function[label]));
	pb_u64(b, FUNCTION_SYMBOL, dictionary_string(d, d->names->symbol[label]));
	if (*d->names->file[label])
		pb_u64(b, FUNCTION_FILE, dictionary_string(d, d->names->file[label]));
	pb_close(b, open);
}

static void put_table(struct dictionary *d, struct pb *b, struct dictionary_table *t, uint32_t field,
		      void (*put)(struct dictionary *d, struct pb *b, uint32_t number))
{
	put_nothing(b, field);
	for (size_t i = 0; i < t->order.nr; i++)
		put(d, b, t->order.v[i]);
}

static void put_strings(struct pb *b, uint32_t field, const struct strings *s)
{
	for (size_t i = 0; i < s->nr; i++)
		pb_bytes(b, field, s->entries[i].text, s->entries[i].len_bytes);
}

/* Each table after those that refer to it. */
void dictionary_write(struct dictionary *d, struct pb *b, uint32_t field)
{
	size_t open = pb_open(b, field);

	put_table(d, b, &d->stacks, TABLE_STACK, put_stack);
	put_table(d, b, &d->locations, TABLE_LOCATION, put_location);
	put_table(d, b, &d->functions, TABLE_FUNCTION, put_function);
	put_table(d, b, &d->mappings, TABLE_MAPPING, put_mapping);
	put_nothing(b, TABLE_LINK);
	put_strings(b, TABLE_ATTRIBUTE, &d->attributes);
	put_strings(b, TABLE_STRING, &d->strings);
	pb_close(b, open);
	table_clear(&d->stacks);
	table_clear(&d->locations);
	table_clear(&d->functions);
	table_clear(&d->mappings);
	begin_strings(d);
}
