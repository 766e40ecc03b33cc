/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do names of Ada and of gccgo read as they were written, and only in files of these? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/demangle.h"

struct row {
	const char *symbol, *name; /* name NULL: it is none of these */
};

static void check(enum mangling m, const struct row *row, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		char *name = mangling_read(m, row[i].symbol);

		if (row[i].name)
			assert_string_equal(name ? name : "(none)", row[i].name);
		else
			assert_null(name);
		free(name);
	}
}

static void mangling__names_of_ada(void **state)
{
	static const struct row rows[] = {
		{"shop__spin", "shop.spin"},
		{"shop__inner__Oadd", "shop.inner.\"+\""},
		{"shop__workerTB", "shop.worker"},
		{"shop__workerTKB", "shop.worker"},
		{"tasks__workerTB.3", "tasks.worker"},
		{"shop__gi__runX", "shop.gi.run"},
		{"shop__inner__order__nested.0", "shop.inner.order.nested"},
		{"shop__spin.constprop.0", "shop.spin [clone .constprop.0]"},
		{"ada__text_io__put_line__2", "ada.text_io.put_line"},
		{"shop___elabb", "shop'Elab_Body"},
		{"_ada_main", "main"},
		{"__gnat_malloc", NULL},
		{"memcpy", NULL},
		{"start_thread.part.0", NULL},
		{"", NULL},
		{"TB", NULL},
	};

	(void)state;
	check(MANGLING_GNAT, rows, sizeof(rows) / sizeof(*rows));
}

static void mangling__names_of_gccgo(void **state)
{
	static const struct row rows[] = {
		{"main.main..func1", "main.main.func1"},
		{"main.my__func..func2", "main.my_func.func2"},
		{"main.T__x.Do__it", "main.T_x.Do_it"},
		{"archive_1tar.Reader", "archive/tar.Reader"},
		{"main.Gr_u00f6_u00dfe", "main.Gr\303\266\303\237e"},
		{"main._u4e16_U0001f600", "main.\344\270\226\360\237\230\200"},
		{"main._61024_7uint8..eq", "main.[1024]uint8.eq"},
		{"main.struct_4Size_buint32_cFrees_buint64_5..eq", "main.struct{Size uint32;Frees uint64}.eq"},
		{"main.spin.isra.0", "main.spin [clone .isra.0]"},
		{"backtrace_full", NULL},
		{"elf_add.isra.0", NULL},
		{"main.a_", NULL},
		{"main.a_x", NULL},
		{"main.a_u12", NULL},
		{"main.a_ud800", NULL},
		{"main.a_u0041", NULL}, /* would be written as it is */
		{"main.a_Uffffffff", NULL},
	};

	(void)state;
	check(MANGLING_GCCGO, rows, sizeof(rows) / sizeof(*rows));
}

static void mangling__the_file_says_which_it_is(void **state)
{
	static const char c[] = "\0foo__bar\0main\0xadainit\0adainit_", ada[] = "\0main\0adainit",
			  unit[] = "\0shop___elabb\0main", go[] = "\0main.main\0__go_init_main";

	(void)state;
	assert_int_equal(mangling_of(c, sizeof(c)), MANGLING_MARKED);
	assert_int_equal(mangling_of(ada, sizeof(ada)), MANGLING_GNAT);
	assert_int_equal(mangling_of(unit, sizeof(unit)), MANGLING_GNAT);
	assert_int_equal(mangling_of(go, sizeof(go)), MANGLING_GCCGO);
	assert_int_equal(mangling_of("", 0), MANGLING_MARKED);
}

static void mangling__only_such_files_have_such_names(void **state)
{
	static const struct {
		enum mangling m;
		const char *symbol, *name;
	} rows[] = {
		{MANGLING_MARKED, "foo__bar", "foo__bar"},	     {MANGLING_GNAT, "foo__bar", "foo.bar"},
		{MANGLING_GNAT, "foo__bar@plt", "foo.bar@plt"},	     {MANGLING_GNAT, "_ZN3foo3barEi", "foo::bar"},
		{MANGLING_GCCGO, "archive_1tar.F", "archive/tar.F"}, {MANGLING_GCCGO, "read@@GLIBC_2.2.5", "read"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *name = demangle_symbol(rows[i].symbol, rows[i].m);

		assert_string_equal(name, rows[i].name);
		free(name);
	}
}

static void mangling__a_name_that_is_too_long_stays(void **state)
{
	char *symbol = malloc(100000);

	(void)state;
	memset(symbol, 'a', 100000);
	memcpy(symbol, "a__b.", 5);
	symbol[99999] = 0;
	assert_null(mangling_read(MANGLING_GNAT, symbol));
	assert_null(mangling_read(MANGLING_GCCGO, symbol));
	free(symbol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mangling__names_of_ada),
		cmocka_unit_test(mangling__names_of_gccgo),
		cmocka_unit_test(mangling__the_file_says_which_it_is),
		cmocka_unit_test(mangling__only_such_files_have_such_names),
		cmocka_unit_test(mangling__a_name_that_is_too_long_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
