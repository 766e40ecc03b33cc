/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/fields.h"
#include <errno.h>
#include <event-parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>
#include "base/utf8.h"
#include "base/vec.h"

#define COMMON_BYTES 8 /* common fields of each record, the event's id first */
#define MAX_TEXT 4096
#define CUT " ..."
#define ESCAPED 4 /* the length of "\xNN" */

/*
 * Records are printed from a buffer that is padded with zeros. A field of varying length gives its offset and its
 * length in 16 bits each, so whatever these say, it ends within the buffer.
 */
#define ZEROS (2 << 16)

struct fields {
	struct tep_handle *tep;
	struct vec(struct tep_event *) events; /* owned by tep */
	struct trace_seq text;
	uint8_t record[RECORD_BYTES + ZEROS];
};

int fields_new(struct fields **ret)
{
	struct fields *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->tep = tep_alloc();
	trace_seq_init(&f->text);
	if (!f->tep || f->text.state != TRACE_SEQ__GOOD) {
		fields_free(f);
		return -ENOMEM;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(f->tep, sizeof(long));
	*ret = f;
	return 0;
}

void fields_free(struct fields *f)
{
	if (!f)
		return;
	tep_free(f->tep);
	trace_seq_destroy(&f->text);
	vec_done(&f->events);
	free(f);
}

static bool is_dynamic(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_DYNAMIC;
}

static bool is_relative(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_RELATIVE;
}

/* Does the fixed part of the field lie within the record? */
static bool fits(const struct tep_format_field *field)
{
	return field->offset >= 0 && field->size >= 0 && field->offset <= RECORD_BYTES &&
	       field->size <= RECORD_BYTES - field->offset;
}

static int shape_of(struct record_shape *ret, const struct tep_event *e)
{
	struct record_shape shape = {0};

	for (const struct tep_format_field *field = e->format.fields; field; field = field->next) {
		if (!fits(field) || (is_dynamic(field) && field->size != sizeof(uint32_t)))
			return -EINVAL;
		if (shape.bytes < field->offset + field->size)
			shape.bytes = field->offset + field->size;
		if (!is_dynamic(field) || shape.nr_dynamic > MAX_DYNAMIC)
			continue;
		if (shape.nr_dynamic < MAX_DYNAMIC)
			shape.dynamic[shape.nr_dynamic] = field->offset | (is_relative(field) ? DYNAMIC_RELATIVE : 0);
		shape.nr_dynamic++;
	}
	*ret = shape;
	return 0;
}

/*
 * Does printing @arg and its operands read nothing but fields? It does not if an array index, or the number of
 * elements, comes from the record.
 */
static bool reads_fields_only(const struct tep_print_arg *arg)
{
	if (!arg)
		return true;
	switch (arg->type) {
	case TEP_PRINT_NULL:
	case TEP_PRINT_ATOM:
	case TEP_PRINT_FIELD:
	case TEP_PRINT_STRING:
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
	case TEP_PRINT_DYNAMIC_ARRAY:
	case TEP_PRINT_DYNAMIC_ARRAY_LEN: return true;
	case TEP_PRINT_FLAGS: return reads_fields_only(arg->flags.field);
	case TEP_PRINT_SYMBOL: return reads_fields_only(arg->symbol.field);
	case TEP_PRINT_TYPE: return reads_fields_only(arg->typecast.item);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR: return arg->hex.size && arg->hex.size->type == TEP_PRINT_DYNAMIC_ARRAY_LEN;
	case TEP_PRINT_OP:
		if (!strcmp(arg->op.op, "[") && (!arg->op.right || arg->op.right->type != TEP_PRINT_ATOM))
			return false;
		return reads_fields_only(arg->op.left) && reads_fields_only(arg->op.right);
	default: return false;
	}
}

/* Can the event be printed as the kernel would? If not, each field is printed with its name. */
static bool is_printable(const struct tep_event *e)
{
	for (const struct tep_print_arg *arg = e->print_fmt.args; arg; arg = arg->next)
		if (!reads_fields_only(arg))
			return false;
	return !(e->flags & TEP_EVENT_FL_FAILED);
}

static bool is_in_syscall(const char *group)
{
	return !strcmp(group, "syscalls") || !strcmp(group, "raw_syscalls");
}

int fields_learn(struct fields *f, const char *group, const char *text, size_t len, struct record_shape *shape)
{
	struct tep_event *e = NULL;

	/*
	 * A return code does not help: the library also accepts formats that it understands in part only, and does not
	 * tell lack of memory from a malformed text.
	 */
	tep_parse_format(f->tep, &e, text, len, group);
	if (!e || !e->format.nr_common || e->id < 0 || e->id > UINT16_MAX || shape_of(shape, e))
		return -EINVAL;
	if (!is_printable(e)) {
		e->flags &= ~TEP_EVENT_FL_FAILED;
		e->flags |= TEP_EVENT_FL_PRINTRAW;
	}
	shape->in_syscall = is_in_syscall(group);
	return vec_push(&f->events, e);
}

int fields_place(const struct fields *f, uint32_t number, const char *name, struct field_place *ret)
{
	const struct tep_format_field *field = number < f->events.nr ? tep_find_field(f->events.v[number], name) : NULL;

	if (!field)
		return -ENOENT;
	*ret = (struct field_place){
		.offset = field->offset,
		.bytes = field->size,
		.is_text = field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC),
		.is_dynamic = is_dynamic(field),
		.is_relative = is_relative(field),
		.is_signed = field->flags & TEP_FIELD_IS_SIGNED,
	};
	return 0;
}

/* Cut a field of varying length to the part that is within the record. */
static void clamp(struct fields *f, const struct tep_format_field *field, size_t bytes)
{
	size_t behind = field->offset + sizeof(uint32_t), base = is_relative(field) ? behind : 0, start, len;
	uint32_t word;

	memcpy(&word, f->record + field->offset, sizeof(word));
	start = base + (word & 0xffff);
	len = word >> 16;
	if (start >= bytes)
		word = bytes > base ? bytes - base : 0; /* where the zeros begin */
	else if (len > bytes - start)
		word = (uint32_t)(bytes - start) << 16 | (word & 0xffff);
	memcpy(f->record + field->offset, &word, sizeof(word));
}

/* Copy the record and prepare it for the library. */
static void take(struct fields *f, const struct tep_event *e, const void *record, size_t bytes)
{
	uint16_t id = e->id;

	memset(f->record, 0, RECORD_BYTES);
	memcpy(f->record, record, bytes);
	memset(f->record, 0, COMMON_BYTES);
	memcpy(f->record, &id, sizeof(id));
	for (const struct tep_format_field *field = e->format.fields; field; field = field->next)
		if (is_dynamic(field))
			clamp(f, field, bytes);
}

static void print(struct fields *f, struct tep_event *e, size_t bytes, bool raw)
{
	struct tep_record record = {.data = f->record, .size = bytes};
	int flags = e->flags;

	trace_seq_reset(&f->text);
	if (raw)
		e->flags |= TEP_EVENT_FL_PRINTRAW;
	tep_print_event(f->tep, &f->text, &record, "%s", TEP_PRINT_INFO);
	e->flags = flags;
	trace_seq_terminate(&f->text);
}

/* Make one line of @text, without blanks around it, of about MAX_TEXT bytes; longer ones are cut. */
static char *tidy(const char *text, bool cut)
{
	size_t room = (strnlen(text, MAX_TEXT) + 1) * ESCAPED, len = 0, end = 0;
	char *line = malloc(room + sizeof(CUT)), *fitting;

	if (!line)
		return NULL;
	while (*text == ' ')
		text++;
	while (*text && strcmp(text, "\n") && len + ESCAPED < room && len < MAX_TEXT) {
		size_t bytes = *text == 0x7f ? 0 : utf8_bytes((const unsigned char *)text);

		if (bytes)
			memcpy(line + len, text, bytes);
		else
			sprintf(line + len, "\\x%02x", (unsigned char)*text);
		len += bytes ? bytes : ESCAPED;
		if (*text != ' ')
			end = len;
		text += bytes ? bytes : 1;
	}
	strcpy(line + end, cut || (*text && strcmp(text, "\n")) ? CUT : "");
	fitting = realloc(line, strlen(line) + 1);
	return fitting ? fitting : line;
}

int fields_text(char **ret, struct fields *f, uint32_t number, const void *record, size_t bytes, bool cut)
{
	struct tep_event *e = number < f->events.nr ? f->events.v[number] : NULL;
	char *text;

	if (!e || bytes > RECORD_BYTES)
		return -EINVAL;
	if (bytes) {
		take(f, e, record, bytes);
		print(f, e, bytes, cut);
	}
	text = tidy(bytes && f->text.state == TRACE_SEQ__GOOD ? f->text.buffer : "", cut);
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}
