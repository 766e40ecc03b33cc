/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Have frames of an interpreted language their names at once, and do they keep them, whatever is done with the profile? */
#include "profile_fixture.h"
#include <dusk/stackmap.h>
#include "python_profile.h"
#include <signal.h>
#include <sys/wait.h>

static void make_python(bool windows)
{
	struct profile_writer *w = created();

	if (windows)
		profile_sum_windows(w, 1000000000);
	write_python(w);
	close_finished(w);
}

static void code_frames__are_read_as_they_were_written(void **state)
{
	(void)state;
	for (int windows = 0; windows < 2; windows++) {
		_cleanup_(profile_freep) struct dusk_profile *p = NULL;

		make_python(windows);
		p = opened(path);
		check_python(p);
		assert_int_equal(p->nr_modules, 5);
		assert_int_equal(p->nr_functions, 4); /* a function has one, whatever its lines */
		assert_int_equal(p->nr_lines, 4);
		assert_false(p->symbolized);
	}
}

static void code_frames__that_are_the_same_are_one(void **state)
{
	const struct profile_code other_line = {"<module>", APP, 1, 41}, other = {"<module>", APP, 2, 40},
				  unknown = {"", "", 0, 0}, far = {"f", APP, 1, UINT32_MAX};
	struct profile_writer *w = created();
	uint32_t frame = profile_code_frame(w, 7, &py_main);

	(void)state;
	assert_int_equal(profile_code_frame(w, 8, &py_main), frame);
	assert_int_not_equal(profile_code_frame(w, 7, &other_line), frame);
	assert_int_not_equal(profile_code_frame(w, 7, &other), frame);
	assert_int_equal(profile_code_frame(w, 7, &unknown), profile_code_frame(w, 7, &unknown));
	assert_int_equal(profile_code_offset(&far) & 0xfffff, 0xfffff);
	assert_int_equal(profile_code_offset(&far) >> 44, 0);
	/* It is in files, and compared with that of other hosts. */
	assert_int_equal(profile_code_offset(&py_main) & 0xfffff, 40);
	assert_int_equal(profile_code_offset(&py_main) >> 20, 0x84e471);
	close_finished(w);
}

/* Names that are looked up later, and a file that is written anew, leave them as they are. */
static void code_frames__keep_their_names(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL, *later = NULL, *copied = NULL;

	(void)state;
	for (int windows = 0; windows < 2; windows++) {
		make_python(windows);
		p = opened(path);
		assert_int_equal(dusk_profile_symbolize(p, NULL, NULL), 0);
		check_python(p);
		assert_int_equal(dusk_profile_save_symbols(p, path, NULL), 0);
		later = opened(path);
		assert_true(later->symbolized);
		check_python(later);
		assert_int_equal(dusk_profile_write(later, copy, 1000000000, NULL), 0);
		copied = opened(copy);
		check_python(copied);
		dusk_profile_free(steal(p));
		dusk_profile_free(steal(later));
		dusk_profile_free(steal(copied));
	}
}

static void code_frames__of_a_killed_recording_have_names(void **state)
{
	(void)state;
	for (int windows = 0; windows < 2; windows++) {
		_cleanup_(profile_freep) struct dusk_profile *p = NULL;
		pid_t child = fork();

		if (!child) {
			struct profile_writer *w = created();

			if (windows)
				profile_sum_windows(w, 1000000000);
			write_python(w);
			profile_commit(w, NULL);
			profile_code_frame(w, 7, &(struct profile_code){"late", APP, 99, 99});
			raise(SIGKILL);
		}
		assert_int_equal(waitpid(child, NULL, 0), child);
		assert_int_equal(dusk_profile_recover(path, 0, NULL), 0);
		p = opened(path);
		check_python(p);
		assert_int_equal(p->nr_functions, 4);
	}
}

/* Those that come after a first commit, and after it was read. */
static void code_frames__are_added_all_the_time(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *so_far = NULL, *p = NULL;
	const struct profile_code late = {"late", APP, 99, 99};
	struct profile_writer *w = created();

	(void)state;
	write_python(w);
	profile_commit(w, NULL);
	assert_int_equal(profile_read_so_far(w, &so_far, NULL), 0);
	check_python(so_far);
	profile_code_frame(w, 7, &late);
	close_finished(w);
	p = opened(path);
	check_python(p);
	check_code(p, &late);
}

static void code_frames__are_merged_and_reduced(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = NULL, *b = NULL, *p = NULL;
	const struct dusk_profile *parts[2];

	(void)state;
	make_python(false);
	run_sql(path, "insert into setting values('start_realtime_ns','1000000000000')");
	a = opened(path);
	b = opened(path);
	parts[0] = a;
	parts[1] = b;
	assert_int_equal(dusk_profile_merge(&p, parts, 2, 0, 0, NULL), 0);
	assert_int_equal(p->nr_frames, a->nr_frames);
	assert_int_equal(p->nr_nodes, a->nr_nodes);
	check_python(p);
	assert_int_equal(dusk_profile_reduce(p, 1000000000, 1 << 20, NULL), 0);
	check_python(p);
}

/* The file of their words has no module of theirs, but their names. */
static void code_frames__of_stacks_have_names(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct dusk_stack_module module;
	struct dusk_symbol symbol;
	struct dusk_stacks *s;

	(void)state;
	make_python(false);
	p = opened(path);
	assert_int_equal(dusk_stacks_of_profile(&s, p), 0);
	assert_int_equal(dusk_stacks_name_by_profile(s, p), 0);
	assert_int_equal(s->nr, 3);
	assert_int_equal(dusk_stacks_find(s, &s->v[0], 0, &symbol), 0);
	assert_string_equal(symbol.name, "Loader.load");
	assert_string_equal(symbol.module, "app.py");
	assert_int_equal(dusk_stacks_find(s, &s->v[1], 0, &symbol), 0);
	assert_string_equal(symbol.name, "JSONDecoder.decode");
	assert_int_equal(dusk_stacks_module(s, 0, &module), 0);
	assert_string_equal(module.path, python.path);
	assert_int_equal(dusk_stacks_module(s, 1, &module), 0);
	assert_string_equal(module.path, libc.path);
	assert_int_equal(dusk_stacks_module(s, 2, &module), -ENOENT);
	dusk_stacks_free(s);
}

static void code_frames__can_be_queried(void **state)
{
	(void)state;
	make_python(false);
	assert_string_equal(queried("select function,module from frame_name where module like '%.py' order by id"),
			    "<module>|app.py / Loader.load|app.py / JSONDecoder.decode|decoder.py / "
			    "JSONDecoder.decode|decoder.py");
	assert_string_equal(
		queried("select path,line from line join source on source.id=source order by line.id limit 2"),
		APP "|40 / " APP "|12");
	assert_string_equal(queried("select path from module where kind=5"), APP " / " JSON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_frames__are_read_as_they_were_written),
		cmocka_unit_test(code_frames__that_are_the_same_are_one),
		cmocka_unit_test(code_frames__keep_their_names),
		cmocka_unit_test(code_frames__of_a_killed_recording_have_names),
		cmocka_unit_test(code_frames__are_added_all_the_time),
		cmocka_unit_test(code_frames__are_merged_and_reduced),
		cmocka_unit_test(code_frames__of_stacks_have_names),
		cmocka_unit_test(code_frames__can_be_queried),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
