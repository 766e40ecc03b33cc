/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files as runtimes write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/process/container_name.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static char root[] = "/tmp/dusk-container-XXXXXX";
static struct container_name is;

static int begin(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void make(const char *folder, const char *name, const char *text)
{
	char command[1024];

	snprintf(command, sizeof(command), "mkdir -p '%s/%s' && cat >'%s/%s/%s' <<'END'\n%s\nEND", root, folder, root,
		 folder, name, text);
	assert_int_equal(system(command), 0);
}

static void pods_are_named_by_the_links_to_their_logs(void **state)
{
	(void)state;
	make("var/log/containers", "web-7d9f_shop_nginx-" ID ".log", "");
	make("var/log/containers", "db-0_shop_my-postgres-" ID2 ".log", "");
	assert_true(container_find_name(&is, root, ID));
	assert_string_equal(is.pod, "web-7d9f");
	assert_string_equal(is.pod_namespace, "shop");
	assert_string_equal(is.container, "nginx");
	assert_true(container_find_name(&is, root, ID2));
	assert_string_equal(is.container, "my-postgres");
}

static void logs_of_another_form_name_nothing(void **state)
{
	(void)state;
	make("var/log/containers", ID ".log", "");
	make("var/log/containers", "a_b-" ID ".log", "");
	make("var/log/containers", "a_b_-" ID ".log", "");
	make("var/log/containers", "_b_c-" ID ".log", "");
	make("var/log/containers", "a_b_c-" ID ".txt", "");
	make("var/log/containers", "a_b_c-x" ID ".log", "");
	assert_false(container_find_name(&is, root, ID));
	assert_string_equal(is.pod, "");
	assert_string_equal(is.container, "");
}

static void docker_names_a_container_in_its_configuration(void **state)
{
	(void)state;
	make("var/lib/docker/containers/" ID, "config.v2.json",
	     "{\"ID\":\"" ID "\",\"Name\":\"/web\",\"Config\":{\"Name\":\"x\"}}");
	assert_true(container_find_name(&is, root, ID));
	assert_string_equal(is.container, "web");
	assert_string_equal(is.pod, "");
	assert_false(container_find_name(&is, root, ID2));
}

static void podman_names_all_in_one_list(void **state)
{
	(void)state;
	make("var/lib/containers/storage/overlay-containers", "containers.json",
	     "[{\"id\":\"" ID2 "\",\"names\":[\"db\",\"other\"]},{\"id\":\"" ID "\",\"names\":[\"web\"]}]");
	assert_true(container_find_name(&is, root, ID));
	assert_string_equal(is.container, "web");
	assert_true(container_find_name(&is, root, ID2));
	assert_string_equal(is.container, "db");
}

/* As Podman 5.4 has written it, but for the ids. */
static void podman_names_those_that_are_removed_at_their_end_in_another_one(void **state)
{
	(void)state;
	make("var/lib/containers/storage/overlay-containers", "containers.json",
	     "[{\"id\":\"" ID2 "\",\"names\":[\"db\"]}]");
	make("var/lib/containers/storage/overlay-containers", "volatile-containers.json",
	     "[{\"id\":\"" ID "\",\"names\":[\"gone\"],\"image\":\"" ID2 "\",\"layer\":\"" ID2
	     "\",\"metadata\":\"{\\\"name\\\":\\\"gone\\\"}\",\"created\":\"2026-11-25T19:39:26.91391484Z\","
	     "\"flags\":{\"MountLabel\":\"\",\"ProcessLabel\":\"\"}}]");
	assert_true(container_find_name(&is, root, ID));
	assert_string_equal(is.container, "gone");
	assert_true(container_find_name(&is, root, ID2));
	assert_string_equal(is.container, "db");
}

static void damaged_files_name_nothing(void **state)
{
	static const char *const texts[] = {"",	   "{",	   "{\"Name\":7}",	  "{\"Name\":\"\"}",
					    "[1]", "null", "{\"Name\":{\"a\":1}}"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		make("var/lib/docker/containers/" ID, "config.v2.json", texts[i]);
		make("var/lib/containers/storage/overlay-containers", "containers.json", texts[i]);
		assert_false(container_find_name(&is, root, ID));
		assert_string_equal(is.container, "");
	}
}

static void an_id_is_no_path(void **state)
{
	(void)state;
	make("var/lib/docker/x", "config.v2.json", "{\"Name\":\"/web\"}");
	assert_false(container_find_name(&is, root, "../x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pods_are_named_by_the_links_to_their_logs, begin, end),
		cmocka_unit_test_setup_teardown(logs_of_another_form_name_nothing, begin, end),
		cmocka_unit_test_setup_teardown(docker_names_a_container_in_its_configuration, begin, end),
		cmocka_unit_test_setup_teardown(podman_names_all_in_one_list, begin, end),
		cmocka_unit_test_setup_teardown(podman_names_those_that_are_removed_at_their_end_in_another_one, begin,
						end),
		cmocka_unit_test_setup_teardown(damaged_files_name_nothing, begin, end),
		cmocka_unit_test_setup_teardown(an_id_is_no_path, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
