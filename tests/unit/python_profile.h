/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests of frames of an interpreted language: a small profile that has them. Behind profile_fixture.h. */
#pragma once

#define APP "/srv/app/app.py"
#define JSON "/usr/lib/python3.11/json/decoder.py"

static const struct dusk_module python = {
	.kind = DUSK_MODULE_FILE, .pid = 7, .path = "/usr/bin/python3.11", .build_id = "aabb", .dev = 1, .ino = 9};

static const struct profile_code py_main = {"<module>", APP, 1, 40}, py_load = {"Loader.load", APP, 10, 12},
				 py_decode = {"JSONDecoder.decode", JSON, 332, 337},
				 py_decode_later = {"JSONDecoder.decode", JSON, 332, 338};

/* Innermost nodes, by what they call. */
struct python_nodes {
	uint32_t loaded, decoded, read;
};

/*
 * main -> run_mod -> eval -> <module> -> load -> PyObject_Call -> eval -> decode, and read() below that. The interpreter's
 * loop, eval, is at 0x200.
 */
static inline struct python_nodes write_python_stacks(struct profile_writer *w)
{
	uint32_t binary = profile_module(w, &python), c = profile_module(w, &libc);
	uint32_t eval = profile_frame(w, binary, 0x200, true, DUSK_BY_CFI);
	uint32_t call = profile_frame(w, binary, 0x300, true, DUSK_BY_CFI);
	struct python_nodes n;
	uint32_t node = profile_node(w, 0, profile_frame(w, binary, 0x100, true, DUSK_BY_CFI));

	node = profile_node(w, node, profile_frame(w, binary, 0x180, true, DUSK_BY_CFI));
	node = profile_node(w, node, eval);
	node = profile_node(w, node, profile_code_frame(w, 7, &py_main));
	n.loaded = node = profile_node(w, node, profile_code_frame(w, 7, &py_load));
	node = profile_node(w, node, call);
	node = profile_node(w, node, eval);
	n.decoded = profile_node(w, node, profile_code_frame(w, 7, &py_decode));
	node = profile_node(w, node, profile_code_frame(w, 7, &py_decode_later));
	n.read = profile_node(w, node, profile_frame(w, c, 0x5000, false, DUSK_BY_CFI));
	return n;
}

static inline void write_python(struct profile_writer *w)
{
	struct python_nodes n = write_python_stacks(w);
	const uint32_t nodes[] = {n.loaded, n.decoded, n.read};
	uint32_t thread = profile_thread(w, 7, 7, "python3");

	profile_set(w, "period_ns", "10000000");
	for (uint32_t i = 0; i < 3; i++)
		profile_sample(w, &(struct dusk_sample){.time_ns = i * 10000000,
							.thread = thread,
							.node = nodes[i],
							.outcome = UNDEFINED_RA});
}

/* The frame of @c; there is one. */
static inline const struct dusk_frame *frame_of_code(const struct dusk_profile *p, const struct profile_code *c)
{
	const struct dusk_frame *found = NULL;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];

		if (p->modules[f->module].kind != DUSK_MODULE_SOURCE || f->offset != profile_code_offset(c) ||
		    strcmp(p->modules[f->module].path, c->file))
			continue;
		assert_null(found);
		found = f;
	}
	assert_non_null(found);
	return found;
}

/* Has @p all that is known of @c? */
static inline void check_code(const struct dusk_profile *p, const struct profile_code *c)
{
	const struct dusk_frame *f = frame_of_code(p, c);
	const struct dusk_function *function = &p->functions[f->function];
	const struct dusk_line *line = &p->lines[f->first_line];

	assert_string_equal(function->name, c->name);
	assert_string_equal(function->symbol, c->name);
	assert_string_equal(function->module, strrchr(c->file, '/') + 1);
	assert_int_equal(f->nr_lines, 1);
	assert_int_equal(line->line, c->line);
	assert_int_equal(line->function, f->function);
	assert_string_equal(line->file, c->file);
	assert_false(f->is_return);
	assert_int_equal(f->method, DUSK_BY_NOTHING);
	assert_int_equal(p->modules[f->module].pid, 7);
	assert_string_equal(p->modules[f->module].build_id, "");
}

static inline void check_python(const struct dusk_profile *p)
{
	check_code(p, &py_main);
	check_code(p, &py_load);
	check_code(p, &py_decode);
	check_code(p, &py_decode_later);
}
