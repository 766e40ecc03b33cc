/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do frames of code become frames of the profile that have the names which the kernel side has kept? */
#include "profile_fixture.h"
#include <bpf/bpf.h>
#include <unistd.h>
#include "abi/code.h"
#include "abi/frame.h"
#include "lib/record/codes.h"
#include "lib/record/modules.h"
#include "lib/record/stacks.h"

#define PID 7
#define APP "/srv/app/app.py"
#define NR_CODES 16

enum { LOAD = 1, CUT, WITHOUT, FOREIGN, MISSING };

/* A map of the service's kind. -1: this user cannot have one. */
static int codes_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);

	return bpf_map_create(BPF_MAP_TYPE_HASH, "codes", sizeof(u32), sizeof(struct code_content), NR_CODES, &opts);
}

static struct code_text set_text(u8 *to, const char *text)
{
	memcpy(to, text, strlen(text));
	return (struct code_text){.bytes = strlen(text), .width = 1};
}

/* Two instructions at the line after the first, then one three lines on. */
static struct code_content content(const char *name, const char *file)
{
	static const u8 lines[] = {0x80 | 11 << 3 | 1, 0, 0, 0x80 | 13 << 3, 6};
	struct code_content c = {
		.language = LANGUAGE_PYTHON,
		.line_table = LINES_PYTHON_3_11,
		.table_bytes = sizeof(lines),
		.first_line = 10,
	};

	c.name = set_text(c.name_text, name);
	c.file = set_text(c.file_text, file);
	memcpy(c.table, lines, sizeof(lines));
	return c;
}

static void keep(int map, u32 number, const struct code_content *c)
{
	assert_int_equal(bpf_map_update_elem(map, &number, c, BPF_ANY), 0);
}

static int filled_map(void)
{
	struct code_content load = content("Loader.load", APP), cut = content("Loader.load", APP),
			    without = content("", ""), foreign = load;
	int map = codes_map();

	if (map < 0)
		return map;
	cut.name.bytes = 200;
	foreign.language = NR_LANGUAGES;
	keep(map, LOAD, &load);
	keep(map, CUT, &cut);
	keep(map, WITHOUT, &without);
	keep(map, FOREIGN, &foreign);
	return map;
}

static uint32_t frame_of(struct codes *c, u32 code, u32 position)
{
	return codes_frame(c, frame_of_code(LANGUAGE_PYTHON, code, position), PID);
}

static void check(const struct dusk_profile *p, uint32_t frame, const char *name, const char *file, uint32_t line)
{
	const struct dusk_frame *f = &p->frames[frame];

	assert_int_equal(p->modules[f->module].kind, DUSK_MODULE_SOURCE);
	assert_string_equal(p->modules[f->module].path, file);
	assert_string_equal(p->functions[f->function].name, name);
	assert_int_equal(f->nr_lines, 1);
	assert_int_equal(p->lines[f->first_line].line, line);
	assert_string_equal(p->lines[f->first_line].file, file);
}

static void codes__have_names_and_lines(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w;
	struct codes *c;
	uint32_t first, same_line, other_line, somewhere, behind, cut;
	int map = filled_map();

	(void)state;
	if (map < 0)
		skip();
	w = created();
	c = codes_new(w);
	codes_ask(c, map);
	first = frame_of(c, LOAD, 0);
	same_line = frame_of(c, LOAD, 1);
	other_line = frame_of(c, LOAD, 2);
	somewhere = frame_of(c, LOAD, FRAME_POSITION);
	behind = frame_of(c, LOAD, 3);
	cut = frame_of(c, CUT, 0);
	assert_int_equal(frame_of(c, LOAD, 0), first);
	assert_int_equal(same_line, first);
	codes_free(c);
	close(map);
	close_finished(w);
	p = opened(path);
	check(p, first, "Loader.load", APP, 11);
	check(p, other_line, "Loader.load", APP, 14);
	check(p, somewhere, "Loader.load", APP, 10);
	check(p, behind, "Loader.load", APP, 0);
	assert_true(strlen(p->functions[p->frames[cut].function].name) > strlen("Loader.load"));
}

static void codes__that_are_not_known_are_named_so(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct codes *c = codes_new(w);
	int map = filled_map();
	uint32_t without_map = frame_of(c, LOAD, 0), numberless, missing, foreign, without, other;

	(void)state;
	codes_ask(c, map);
	numberless = frame_of(c, 0, FRAME_POSITION);
	missing = frame_of(c, MISSING, 3);
	foreign = frame_of(c, FOREIGN, 0);
	without = frame_of(c, WITHOUT, 0);
	other = codes_frame(c, frame_of_code(15, 1, 0), PID);
	assert_int_equal(without_map, numberless);
	assert_int_equal(missing, numberless);
	assert_int_equal(foreign, numberless);
	codes_free(c);
	close_finished(w);
	p = opened(path);
	check(p, numberless, "[unknown code]", "[python]", 0);
	check(p, other, "[unknown code]", "[unknown language]", 0);
	if (map >= 0)
		check(p, without, "[unknown code]", "[python]", 11);
	close(map);
}

/* It may be kept just after it was met. */
static void codes__are_looked_for_again_until_they_are_known(void **state)
{
	struct code_content late = content("late", APP);
	int map = codes_map();
	struct profile_writer *w;
	struct codes *c;
	uint32_t before, after;

	(void)state;
	if (map < 0)
		skip();
	w = created();
	c = codes_new(w);
	codes_ask(c, map);
	before = frame_of(c, LOAD, 0);
	keep(map, LOAD, &late);
	after = frame_of(c, LOAD, 0);
	assert_int_not_equal(after, before);
	close(map);
	assert_int_equal(frame_of(c, LOAD, 0), after);
	codes_free(c);
	close_finished(w);
}

static struct code_content php_content(const char *name, const char *class, const char *file)
{
	struct code_content c = {
		.language = LANGUAGE_PHP,
		.line_table = LINES_ARE_POSITIONS,
		.table_bytes = strlen(class),
		.first_line = 10,
	};

	c.name = set_text(c.name_text, name);
	c.file = set_text(c.file_text, file);
	c.name.width = c.file.width = TEXT_UTF8;
	memcpy(c.table, class, strlen(class));
	return c;
}

/* Methods are qualified, code outside of functions has its file's name, and the position is the line. */
static void codes__of_php_have_their_class_and_their_line(void **state)
{
	static const char file[] = "/srv/app/gr\xc3\xb6\xc3\x9f\x65.php";
	const struct code_content method = php_content("load", "Shop\\Loader", file),
				  function = php_content("f", "", file), included = php_content("", "", file);
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w;
	uint32_t frame[4];
	struct codes *c;
	int map = codes_map();

	(void)state;
	if (map < 0)
		skip();
	keep(map, 1, &method);
	keep(map, 2, &function);
	keep(map, 3, &included);
	w = created();
	c = codes_new(w);
	codes_ask(c, map);
	for (u32 i = 1; i <= 3; i++)
		frame[i] = codes_frame(c, frame_of_code(LANGUAGE_PHP, i, i == 2 ? FRAME_POSITION : 70000), PID);
	frame[0] = codes_frame(c, frame_of_code(LANGUAGE_PHP, 0, 3), PID);
	codes_free(c);
	close(map);
	close_finished(w);
	p = opened(path);
	check(p, frame[0], "[unknown code]", "[php]", 0);
	check(p, frame[1], "Shop\\Loader::load", file, 70000);
	check(p, frame[2], "f", file, 10);
	check(p, frame[3], "gr\xc3\xb6\xc3\x9f\x65.php", file, 70000);
}

/* A line that is not known is that in which the function begins; files of modules are URLs. */
static void codes__of_javascript_have_their_own_line(void **state)
{
	struct code_content exact = php_content("load", "", "file:///srv/a%20b/%C3%9F%2.mjs"),
			    first = php_content("", "", "/srv/a.js"), unknown = first;
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w;
	uint32_t frame[5];
	struct codes *c;
	int map = codes_map();

	(void)state;
	if (map < 0)
		skip();
	exact.language = first.language = unknown.language = LANGUAGE_JAVASCRIPT;
	exact.line_table = first.line_table = unknown.line_table = LINES_UNKNOWN;
	exact.line = 12;
	unknown.name = (struct code_text){.bytes = 1};
	keep(map, 1, &exact);
	keep(map, 2, &first);
	keep(map, 3, &unknown);
	w = created();
	c = codes_new(w);
	codes_ask(c, map);
	for (u32 i = 0; i < 4; i++)
		frame[i] = codes_frame(c, frame_of_code(LANGUAGE_JAVASCRIPT, i, FRAME_POSITION), PID);
	codes_free(c);
	close(map);
	close_finished(w);
	p = opened(path);
	check(p, frame[0], "[unknown code]", "[javascript]", 0);
	check(p, frame[1], "load", "/srv/a b/\xc3\x9f%2.mjs", 12);
	check(p, frame[2], "<anonymous>", "/srv/a.js", 10);
	check(p, frame[3], "[unknown code]", "/srv/a.js", 10);
}

static void codes__of_perl_have_their_package_and_their_line(void **state)
{
	static const char file[] = "/srv/app/app.pl";
	struct code_content sub = php_content("sell", "Shop", file), eval = php_content("(eval)", "", file);
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w;
	uint32_t frame[4];
	struct codes *c;
	int map = codes_map();

	(void)state;
	if (map < 0)
		skip();
	sub.language = eval.language = LANGUAGE_PERL;
	sub.first_line = eval.first_line = 0;
	keep(map, 1, &sub);
	keep(map, 2, &eval);
	w = created();
	c = codes_new(w);
	codes_ask(c, map);
	frame[0] = codes_frame(c, frame_of_code(LANGUAGE_PERL, 0, 3), PID);
	frame[1] = codes_frame(c, frame_of_code(LANGUAGE_PERL, 1, 12), PID);
	frame[2] = codes_frame(c, frame_of_code(LANGUAGE_PERL, 2, 13), PID);
	frame[3] = codes_frame(c, frame_of_code(LANGUAGE_PERL, 2, FRAME_POSITION), PID);
	codes_free(c);
	close(map);
	close_finished(w);
	p = opened(path);
	check(p, frame[0], "[unknown code]", "[perl]", 0);
	check(p, frame[1], "Shop::sell", file, 12);
	check(p, frame[2], "(eval)", file, 13);
	check(p, frame[3], "(eval)", file, 0);
}

/* In a stack it lies between what it calls and the interpreter's function. */
static void codes__are_in_stacks(void **state)
{
	const u64 stack[] = {frame_make(9, 0x500, 0), frame_of_code(LANGUAGE_PYTHON, LOAD, 2),
			     frame_left(frame_make(9, 0x200, 1), BY_CFI)};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w;
	struct modules_known *m;
	struct stacks *s;
	int map = filled_map();
	uint32_t node;

	(void)state;
	if (map < 0)
		skip();
	w = created();
	m = modules_new(w, NULL);
	s = stacks_new(w, m, NULL);
	stacks_know_codes(s, map);
	node = stacks_user_frames(s, stack, 3, PID);
	stacks_free(s);
	modules_free(m);
	close(map);
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->frames[p->nodes[node].frame].offset, 0x500);
	node = p->nodes[node].parent;
	check(p, p->nodes[node].frame, "Loader.load", APP, 14);
	assert_int_equal(p->modules[p->frames[p->nodes[node].frame].module].pid, PID);
	node = p->nodes[node].parent;
	assert_int_equal(p->frames[p->nodes[node].frame].offset, 0x200);
	assert_int_equal(p->nodes[node].parent, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes__have_names_and_lines),
		cmocka_unit_test(codes__that_are_not_known_are_named_so),
		cmocka_unit_test(codes__are_looked_for_again_until_they_are_known),
		cmocka_unit_test(codes__of_php_have_their_class_and_their_line),
		cmocka_unit_test(codes__of_javascript_have_their_own_line),
		cmocka_unit_test(codes__of_perl_have_their_package_and_their_line),
		cmocka_unit_test(codes__are_in_stacks),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
