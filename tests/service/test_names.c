/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which file may name a frame? This program, linked without a build id, is the file, and the events of modules are
 * written by hand.
 */
#include <bpf/bpf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "abi/event.h"
#include "base/cleanup.h"
#include "lib/unwinder/live_symbols.h"
#include "live/live.h"

static int named;
static struct live_symbols *names;

static __attribute__((noinline)) void function_of_this_program(void)
{
	print_message("found\n");
}

static int open_names(void **state)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);

	named = bpf_map_create(BPF_MAP_TYPE_HASH, "named", sizeof(u32), sizeof(struct event_module), 16, &opts);
	return named < 0 || live_symbols_new(&names, named, -1);
}

static int close_names(void **state)
{
	live_symbols_free(names);
	close(named);
	return 0;
}

/* @ret: where in this program's file the address @*ret is. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *ret)
{
	u64 address = *(u64 *)ret - info->dlpi_addr;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - p->p_vaddr < p->p_filesz)
			*(u64 *)ret = address - p->p_vaddr + p->p_offset;
	}
	return 1; /* the program comes first */
}

/* The function above, in module @id, of which @e tells. */
static void find_function(u32 id, const struct event_module *e, struct dusk_place *ret)
{
	u64 offset = (uintptr_t)function_of_this_program;

	assert_int_equal(bpf_map_update_elem(named, &id, e, BPF_ANY), 0);
	dl_iterate_phdr(find_offset, &offset);
	live_symbols_find(names, frame_make(id, offset, false), ret);
}

static struct event_module this_program(void)
{
	struct event_module e = {.pid = getpid()};
	struct stat st;
	/* /proc/self/exe is in the mount namespace that live_main() has left: in a chroot it has another name there. */
	_cleanup_(freep) char *path = realpath((char *)getauxval(AT_EXECFN), NULL);
	size_t len = path ? strlen(path) : 0;

	assert_true(len && len < PATH_BYTES && !stat(path, &st));
	e.path_start = PATH_BYTES - len;
	memcpy(e.path + e.path_start, path, len);
	e.ino = st.st_ino;
	e.dev = (u64)major(st.st_dev) << 20 | minor(st.st_dev);
	return e;
}

static void a_file_without_a_build_id_is_known_by_its_inode(void **state)
{
	struct event_module e = this_program();
	struct dusk_place p;

	find_function(1, &e, &p);
	assert_string_equal(p.function, "function_of_this_program");
	assert_string_equal(p.module, "test_service_names");
	e.ino++;
	find_function(2, &e, &p);
	assert_null(p.function);
	assert_string_equal(p.module, "test_service_names");
	e = this_program();
	e.dev++;
	find_function(3, &e, &p);
	assert_null(p.function);
}

static void a_file_with_another_build_id_is_not_believed(void **state)
{
	struct event_module e = this_program();
	struct dusk_place p;

	e.build_id_bytes = BUILD_ID_BYTES;
	find_function(1, &e, &p);
	assert_null(p.function);
}

static void memory_that_is_no_file_is_named_after_what_it_is(void **state)
{
	struct event_module e = {.pid = getpid(), .vdso = 1, .path_start = PATH_BYTES};
	struct dusk_place p;

	find_function(1, &e, &p);
	assert_null(p.function);
	assert_string_equal(p.module, "[vdso]");
	live_symbols_find(names, frame_make(2, 0x10, false), &p);
	assert_string_equal(p.module, "[unknown]");
	live_symbols_find(names, frame_make(FRAME_ANON, 0x10, false), &p);
	assert_string_equal(p.module, "[anon]");
}

#define with_names(test) cmocka_unit_test_setup_teardown(test, open_names, close_names)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_names(a_file_without_a_build_id_is_known_by_its_inode),
		with_names(a_file_with_another_build_id_is_not_believed),
		with_names(memory_that_is_no_file_is_named_after_what_it_is),
	};

	return LIVE_MAIN(argc, argv, tests);
}
