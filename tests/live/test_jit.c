/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code without a file: is it walked by its frame pointers, and named from the map that its maker writes? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

static struct dusk_profile *record(pid_t pid)
{
	const char *file = live_file("jit.dusk");

	assert_int_equal(RECORD_PROCESS(file, pid, 1000, "-F", "997"), 0);
	return live_read(file);
}

static void generated_code_is_walked_and_named(void **state)
{
	pid_t pid = START(live_victim("jit"));
	_cleanup_profile_ p = record(pid);
	char path[64];
	size_t named = 0;

	live_end(pid);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (live_class(p, s) != DUSK_COMPLETE)
			continue;
		sentence = live_sentence_at(p, s->node);
		if (!live_matches(sentence, "^main( call_generated( generated_function( burn)?)?)?$"))
			fail_msg("not a stack of this program: %s", sentence);
		named += !strcmp(sentence, "main call_generated generated_function burn");
		free(sentence);
	}
	print_message("%zu stacks through generated code\n", named);
	assert_true(named > 50);
	/* Between its push and its mov, a function has no frame yet. */
	assert_true(live_count(p, pid).walked - live_count(p, pid).complete <= 2);
}

static void node_is_walked(void **state)
{
	static const char script[] =
		"console.log('ready'); function f(n) { let s = 0; for (let i = 0; i < 1e6; i++) s += i % n; return s }"
		" for (;;) f(7)";
	pid_t pid;

	if (access("/usr/bin/node", X_OK)) {
		print_message("no node\n");
		skip();
	}
	pid = START("/usr/bin/node", "-e", script);
	_cleanup_profile_ p = record(pid);
	struct live_tally t = live_count(p, pid);

	live_end(pid);
	print_message("node: %llu stacks, %.2f %% complete\n", (unsigned long long)t.walked,
		      100.0 * t.complete / t.walked);
	assert_true(t.walked > 50);
	assert_true(t.complete * 100 >= t.walked * 99);
}

/* Its dump is found by the mapping, and says what was at an address at that time. */
static void node_is_named_by_its_dump(void **state)
{
	static const char script[] =
		"console.log('ready'); function busy(n) { let s = 0; for (let i = 0; i < 1e6; i++) s += i % n; return s }"
		" for (;;) busy(7)";
	char here[4096], dump[64];
	size_t busy = 0, code = 0;
	pid_t pid;

	if (access("/usr/bin/node", X_OK)) {
		print_message("no node\n");
		skip();
	}
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(live_folder), 0);
	pid = START("/usr/bin/node", "--perf-prof", "-e", script);
	assert_int_equal(chdir(here), 0);
	_cleanup_profile_ p = record(pid);

	live_end(pid);
	snprintf(dump, sizeof(dump), "jit-%d.dump", pid);
	unlink(live_file(dump));
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_frame *f = &p->frames[p->nodes[p->samples[i].node].frame];

		if (p->modules[f->module].kind != DUSK_MODULE_ANON)
			continue;
		code++;
		busy += !strncmp(p->functions[f->function].name, "JS:", 3) && strstr(p->functions[f->function].name, "busy");
	}
	print_message("%zu samples in generated code, %zu of them in JavaScript's busy()\n", code, busy);
	assert_true(busy > 50 && busy * 10 >= code * 9);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_code_is_walked_and_named),
		cmocka_unit_test(node_is_walked),
		cmocka_unit_test(node_is_named_by_its_dump),
	};

	return LIVE_MAIN(argc, argv, tests);
}
