/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths as runtimes and systemd make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include "lib/process/cgroup_path.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID "8a6e1c42-0d3b-4f7a-9b1c-2d3e4f5a6b7c"
#define UID_ "8a6e1c42_0d3b_4f7a_9b1c_2d3e4f5a6b7c"
#define HASH "0123456789abcdef0123456789abcdef"

static void says(const char *path, const char *container, const char *pod, const char *unit)
{
	struct cgroup_place is;

	memset(&is, 'x', sizeof(is));
	cgroup_parse(&is, path);
	assert_string_equal(is.container, container);
	assert_string_equal(is.pod, pod);
	assert_string_equal(is.unit, unit);
}

static void a_unit_of_systemd(void **state)
{
	(void)state;
	says("/system.slice/cron.service", "", "", "cron.service");
	says("/system.slice/system-getty.slice/getty@tty1.service", "", "", "getty@tty1.service");
	says("/user.slice/user-1000.slice/session-3.scope", "", "", "session-3.scope");
	says("/init.scope", "", "", "init.scope");
	says("/system.slice/boot.mount", "", "", "boot.mount");
	says("/system.slice/postgresql@15-main.service/workers", "", "", "postgresql@15-main.service");
}

static void the_innermost_unit_counts(void **state)
{
	(void)state;
	says("/user.slice/user-1000.slice/user@1000.service/app.slice/app-emacs.service", "", "", "app-emacs.service");
}

static void what_is_none(void **state)
{
	(void)state;
	says("", "", "", "");
	says("/", "", "", "");
	says("//", "", "", "");
	says("/system.slice", "", "", "");
	says("/.service", "", "", "");
	says("/podium/service/scope", "", "", "");
	says("/a/" HASH, "", "", "");
	says("/a/x" ID, "", "", "");
	says("/a/" ID "0", "", "", "");
	says("/pod" HASH "012345", "", "", "");
}

static void containers_of_docker(void **state)
{
	(void)state;
	says("/system.slice/docker-" ID ".scope", ID, "", "");
	says("/docker/" ID, ID, "", "");
}

static void containers_of_podman(void **state)
{
	(void)state;
	says("/machine.slice/libpod-" ID ".scope/container", ID, "", "");
	says("/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", ID, "", "");
	says("/libpod_parent/libpod-" ID, ID, "", "");
}

static void what_watches_a_container_is_not_in_it(void **state)
{
	(void)state;
	says("/machine.slice/libpod-conmon-" ID ".scope", "", "", "libpod-conmon-" ID ".scope");
	says("/system.slice/crio-conmon-" ID ".scope", "", "", "crio-conmon-" ID ".scope");
}

static void pods_of_kubernetes(void **state)
{
	(void)state;
	says("/kubepods/burstable/pod" UID "/" ID, ID, UID, "");
	says("/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" ID
	     ".scope",
	     ID, UID, "");
	says("/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", ID, UID, "");
	says("/kubepods.slice/kubepods-burstable-pod" HASH ".slice/cri-containerd-" ID ".scope", ID, HASH, "");
	says("/system.slice/containerd.service/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" ID, ID, UID, "");
	says("/kubepods.slice/kubepods-pod" UID_ ".slice", "", UID, "");
}

static void other_runtimes(void **state)
{
	(void)state;
	says("/ecs/" HASH "/" HASH "-1234567890", HASH "-1234567890", "", "");
	says("/ecs/" HASH "/" ID, ID, "", "");
	says("/lxc/web/system.slice/nginx.service", "web", "", "nginx.service");
	says("/lxc.payload.web/init.scope", "web", "", "init.scope");
	says("/lxc.payload.", "", "", "");
}

static void of_containers_in_containers_the_innermost_counts(void **state)
{
	(void)state;
	says("/system.slice/docker-" ID ".scope/kubelet.slice/kubelet-kubepods-pod" UID_ ".slice/cri-containerd-" ID2
	     ".scope",
	     ID2, UID, "");
	says("/system.slice/docker-" ID ".scope/system.slice/sshd.service", ID, "", "sshd.service");
}

static void names_without_end_are_cut(void **state)
{
	char path[4096] = "/lxc/";
	struct cgroup_place is;

	(void)state;
	memset(path + 5, 'y', sizeof(path) - 6);
	cgroup_parse(&is, path);
	assert_int_equal(strlen(is.container), CONTAINER_BYTES - 1);
	strcpy(path + sizeof(path) - 9, ".service");
	memcpy(path, "/abc/", 5);
	cgroup_parse(&is, path);
	assert_int_equal(strlen(is.unit), UNIT_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unit_of_systemd),
		cmocka_unit_test(the_innermost_unit_counts),
		cmocka_unit_test(what_is_none),
		cmocka_unit_test(containers_of_docker),
		cmocka_unit_test(containers_of_podman),
		cmocka_unit_test(what_watches_a_container_is_not_in_it),
		cmocka_unit_test(pods_of_kubernetes),
		cmocka_unit_test(other_runtimes),
		cmocka_unit_test(of_containers_in_containers_the_innermost_counts),
		cmocka_unit_test(names_without_end_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
