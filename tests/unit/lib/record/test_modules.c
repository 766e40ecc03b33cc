/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Has a module a name, whether its event comes before its first frame, after it, or never? */
#include "profile_fixture.h"
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "lib/record/module_fds.h"
#include "lib/record/modules.h"

#define PID 4194305 /* more than there can be */

enum { EARLY = 7, LATE, LOST, FORGOTTEN };

static struct event_module event(u32 id, const char *name)
{
	struct event_module e = {.kind = EVENT_MODULE, .id = id, .pid = PID, .parent = PID, .ino = id};

	e.path_start = PATH_BYTES - strlen(name);
	memcpy(e.path + e.path_start, name, strlen(name));
	return e;
}

/* The service's map "named", with one module. Closed by the caller. */
static int named_with(struct event_module e)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "named", sizeof(u32), sizeof(e), 16, &opts);

	if (fd < 0)
		skip();
	assert_int_equal(bpf_map_update_elem(fd, &e.id, &e, BPF_ANY), 0);
	return fd;
}

static const char *path_at(const struct dusk_profile *p, uint32_t module)
{
	return p->modules[module].path;
}

static void a_module_has_a_name_though_its_event_was_lost(void **state)
{
	struct event_module early = event(EARLY, "/bin/early"), late = event(LATE, "/bin/late");
	int named = named_with(event(LOST, "/bin/lost"));
	struct profile_writer *w = created();
	struct modules_known *m = modules_new(w, NULL);
	struct dusk_error err = {0};
	uint32_t index[4];

	modules_ask(m, named);
	modules_learn(m, &early);
	for (int i = 0; i < 4; i++)
		index[i] = modules_index(m, EARLY + i, PID);
	modules_learn(m, &late);
	for (int i = 0; i < 4; i++)
		assert_int_equal(modules_index(m, EARLY + i, PID), index[i]);
	modules_free(m);
	close(named);
	assert_int_equal(profile_close(w, true, &err), 0);

	_cleanup_(profile_freep) struct dusk_profile *p = opened(path);
	assert_string_equal(path_at(p, index[0]), "/bin/early");
	assert_string_equal(path_at(p, index[1]), "/bin/late");
	assert_string_equal(path_at(p, index[2]), "/bin/lost");
	assert_string_equal(path_at(p, index[3]), "[module 10]");
}

/* However many files are known, some descriptors stay free, for what the recorder opens later. */
static void files_that_are_kept_open_leave_descriptors_free(void **state)
{
	struct rlimit few = {400, 400};
	struct module_fds m;
	size_t kept = 0, left = 0;
	int fd, last = -1;

	if (setrlimit(RLIMIT_NOFILE, &few) || sysconf(_SC_NPROCESSORS_CONF) > 64)
		skip();
	module_fds_init(&m);
	for (uint32_t i = 0; i < 1000; i++) {
		module_fds_keep(&m, i, open("/dev/null", O_RDONLY | O_CLOEXEC));
		kept += m.fds.v[i] >= 0;
	}
	assert_in_range(kept, 50, 300);
	while (left < 1000 && (fd = dup(STDIN_FILENO)) >= 0) {
		last = fd;
		left++;
	}
	assert_true(left >= 128);
	for (fd = last; left--; fd--)
		close(fd);
	module_fds_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_has_a_name_though_its_event_was_lost),
		cmocka_unit_test(files_that_are_kept_open_leave_descriptors_free),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
