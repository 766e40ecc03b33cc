/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Can one file name the functions of another one, by having its build id?
 *
 * "true" has a function victim(), and "evil" the same build id, the same code, and PWNED() there.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/profile/write/write.h"

#define STRANGER 65534

static char dir[] = "/tmp/dusk-poisoned-XXXXXX";
static char real[64], evil[64], cache[64], profile[64], build_id[BUILDID_TEXT_BYTES];
static uint64_t victim; /* where it is in the file */

static void shell(const char *command)
{
	char all[2048];

	snprintf(all, sizeof(all), "cd %s && { %s; } >log 2>&1 || { cat log; exit 1; }", dir, command);
	assert_int_equal(system(all), 0);
}

static int make_files(void **state)
{
	_cleanup_(fclosep) FILE *f = NULL;
	_cleanup_(closep) int fd = -1;
	unsigned long at;
	char name[64];

	(void)state;
	if (!mkdtemp(dir) || chmod(dir, 0755))
		return 1;
	snprintf(real, sizeof(real), "%s/real", dir);
	snprintf(evil, sizeof(evil), "%s/evil", dir);
	snprintf(cache, sizeof(cache), "%s/cache/dusk", dir);
	snprintf(profile, sizeof(profile), "%s/p.dusk", dir);
	unsetenv("DEBUGINFOD_URLS");
	if (system("command -v cc >/dev/null && command -v nm >/dev/null"))
		return 0;
	shell("echo 'int victim(int x) { return x * 3; } int main(void) { return victim(0); }' > p.c && "
	      "cc -O0 -no-pie -Wl,--build-id=sha1 -o real p.c && sed 's/victim/PWNED_/g' real > evil && "
	      "chmod 755 real evil && nm real | sed -n 's/ T victim$//p' > at");
	snprintf(name, sizeof(name), "%s/at", dir);
	f = fopen(name, "r");
	fd = open(real, O_RDONLY);
	if (!f || fscanf(f, "%lx", &at) != 1 || buildid_read(build_id, sizeof(build_id), fd))
		return 1;
	victim = at - 0x400000; /* as ld lays out a program that is not PIE */
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	shell("rm -rf ../\"${PWD##*/}\"");
	return 0;
}

/* What victim() of the file @path, recorded with the numbers of @recorded, is called; "": it has no name. */
static const char *named(const char *path, const char *recorded, bool here)
{
	struct dusk_module m = {.kind = DUSK_MODULE_FILE, .pid = getpid(), .path = path, .build_id = build_id};
	struct dusk_symbol_options o = {.sz = sizeof(o), .cache = cache};
	struct profile_writer *w = NULL;
	struct dusk_profile *p = NULL;
	static char name[64];
	struct stat st;

	assert_int_equal(stat(recorded, &st), 0);
	m.dev = st.st_dev;
	m.ino = st.st_ino;
	assert_int_equal(profile_create(&w, profile, -1, -1, NULL), 0);
	profile_frame(w, profile_module(w, &m), victim, false, DUSK_BY_CFI);
	assert_int_equal(profile_close(w, true, NULL), 0);
	if (!here)
		shell("mv real gone");
	assert_int_equal(dusk_profile_read(&p, profile, NULL), 0);
	assert_int_equal(dusk_profile_symbolize(p, &o, NULL), 0);
	if (!here)
		shell("mv gone real");
	snprintf(name, sizeof(name), "%s", p->functions[p->frames[1].function].name);
	dusk_profile_free(p);
	return name;
}

static void need_files(void)
{
	if (!*build_id)
		skip();
	shell("rm -rf cache");
}

static void poisoned_names__by_a_file_of_a_stranger(void **state)
{
	(void)state;
	need_files();
	if (geteuid())
		skip();
	assert_int_equal(chown(evil, STRANGER, STRANGER), 0);
	/* What a stranger's own file says is true of his code. */
	assert_string_equal(named(evil, evil, true), "PWNED_");
	assert_string_equal(named(real, real, true), "victim");
	assert_string_equal(named(evil, evil, true), "PWNED_");
	assert_string_equal(named(real, real, false), "victim");
	shell("test \"$(ls cache/dusk | wc -l)\" = 2");
	assert_int_equal(chown(evil, geteuid(), -1), 0);
}

static void poisoned_names__by_a_file_that_others_may_write(void **state)
{
	(void)state;
	need_files();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(chmod(evil, i ? 0757 : 0775), 0);
		assert_string_equal(named(evil, evil, true), "PWNED_");
		shell("test ! -e cache");
	}
	assert_string_equal(named(real, real, true), "victim");
	assert_int_equal(chmod(evil, 0755), 0);
}

/* A process of Python calls a function of its own as another one's is called before it is made readable. */
static void poisoned_names__by_a_source(void **state)
{
	const struct dusk_module jit = {.kind = DUSK_MODULE_ANON, .pid = getpid(), .path = "[anon]", .build_id = ""};
	const struct profile_code code = {"_Z6victimv", "[anon]", 1, 1};
	struct profile_writer *w = NULL;
	struct dusk_profile *p = NULL;
	uint32_t own, other;
	char map[64];
	FILE *f;

	(void)state;
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	f = fopen(map, "w");
	fputs("7000 100 _Z6victimv\n", f);
	fclose(f);
	assert_int_equal(profile_create(&w, profile, -1, -1, NULL), 0);
	own = profile_code_frame(w, getpid(), &code);
	other = profile_frame(w, profile_module(w, &jit), 0x7010, false, DUSK_BY_FRAME_POINTER);
	assert_int_equal(profile_close(w, true, NULL), 0);
	assert_int_equal(dusk_profile_read(&p, profile, NULL), 0);
	assert_int_equal(dusk_profile_symbolize(p, NULL, NULL), 0);
	unlink(map);
	assert_string_equal(p->functions[p->frames[own].function].name, "_Z6victimv");
	assert_string_equal(p->functions[p->frames[other].function].name, "victim");
	dusk_profile_free(p);
}

/* Root may have altered a copy, or stripped it: it has the same build id. */
static void poisoned_names__by_another_file_of_ours(void **state)
{
	(void)state;
	need_files();
	shell("touch -d 2020-01-01 evil");
	assert_string_equal(named(evil, evil, true), "PWNED_");
	assert_string_equal(named(real, real, true), "victim");
	assert_string_equal(named(evil, evil, true), "PWNED_");
}

/* A process has the true file mapped where, in its own mount namespace or later, another one is. */
static void poisoned_names__by_what_is_at_the_recorded_path(void **state)
{
	(void)state;
	need_files();
	if (geteuid())
		skip();
	assert_int_equal(chown(evil, STRANGER, STRANGER), 0);
	assert_string_equal(named(evil, real, true), "");
	assert_int_equal(chown(evil, geteuid(), -1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(poisoned_names__by_a_file_of_a_stranger),
		cmocka_unit_test(poisoned_names__by_a_file_that_others_may_write),
		cmocka_unit_test(poisoned_names__by_another_file_of_ours),
		cmocka_unit_test(poisoned_names__by_what_is_at_the_recorded_path),
		cmocka_unit_test(poisoned_names__by_a_source),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
