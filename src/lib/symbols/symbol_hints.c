/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Suggest what would give unnamed functions their names.
 *
 * The package of a file is looked up in dpkg's lists, which are text files, without starting a process. If no package
 * has the file, a debuginfod server of the distribution may have it by its build id.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <dusk/dusk.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/symbols/jit_hint.h"
#include "lib/symbols/module_file.h"
#include "lib/symbols/servers.h"
#include "lib/symbols/symbols.h"

#define LISTS "/var/lib/dpkg/info"
#define MAX_LIST_BYTES (64 << 20)

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += len)
		if ((at == text || at[-1] == '\n') && (at[len] == '\n' || !at[len]))
			return true;
	return false;
}

/* Write the name of the package in "name:amd64.list" to @ret. */
static void name_package(char *ret, size_t room, const char *list)
{
	snprintf(ret, room, "%.*s", (int)strcspn(list, ":"), list);
	if (!strchr(list, ':'))
		ret[strlen(ret) - strlen(".list")] = 0;
}

/* Packages may list a file by its path before or after the merge into /usr, so try it with and without /usr. */
static bool lists(const char *name, const char *path)
{
	_cleanup_(freep) char *text = NULL, *usr = NULL;
	char file[PATH_MAX];
	size_t len;

	snprintf(file, sizeof(file), LISTS "/%s", name);
	if (file_read(&text, &len, file, MAX_LIST_BYTES))
		return false;
	if (has_line(text, path) || (!strncmp(path, "/usr/", 5) && has_line(text, path + 4)))
		return true;
	if (asprintf(&usr, "/usr%s", path) < 0) {
		usr = NULL;
		return false;
	}
	return has_line(text, usr);
}

static bool find_package(char *ret, size_t room, const char *path)
{
	_cleanup_(closedirp) DIR *dir = opendir(LISTS);
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		size_t len = strlen(de->d_name);

		if (len > 5 && !strcmp(de->d_name + len - 5, ".list") && lists(de->d_name, path)) {
			name_package(ret, room, de->d_name);
			return true;
		}
	}
	return false;
}

/* Return the distribution's debuginfod server, or elfutils' own, which forwards to many. */
static const char *server(void)
{
	static const struct {
		const char *id, *url;
	} servers[] = {
		{"arch", "https://debuginfod.archlinux.org"},
		{"debian", "https://debuginfod.debian.net"},
		{"fedora", "https://debuginfod.fedoraproject.org"},
		{"ubuntu", "https://debuginfod.ubuntu.com"},
	};
	_cleanup_(freep) char *text = NULL;
	char line[32];
	size_t len;

	if (!file_read(&text, &len, "/etc/os-release", 1 << 16))
		for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
			snprintf(line, sizeof(line), "ID=%s", servers[i].id);
			if (has_line(text, line))
				return servers[i].url;
		}
	return "https://debuginfod.elfutils.org";
}

static void symbol_hint_file(const struct dusk_module *m, char *ret, size_t room)
{
	char package[256];

	if (!strcmp(m->path, "/dev/zero (deleted)")) {
		snprintf(ret, room, "code made at run time in shared memory, for which no names are read");
		return;
	}
	/* Stubs made by the linker, and some assembler code, have names nowhere. */
	if (symbols_installed(m->build_id)) {
		snprintf(ret, room, "its debug symbols are here, and do not have them");
		return;
	}
	if (*m->path == '/' && find_package(package, sizeof(package), m->path)) {
		if (!strcmp(package, "libc6"))
			snprintf(ret, room, "apt install libc6-dbg");
		else if (servers_named() || !dusk_can_ask_servers())
			snprintf(ret, room, "apt install %s-dbgsym, from the archive of debug packages", package);
		else
			snprintf(ret, room, "DEBUGINFOD_URLS=%s, or apt install %s-dbgsym", server(), package);
	} else if (*m->path == '/' && access(m->path, F_OK)) {
		snprintf(ret, room, "the file is not there any more, or only in a container");
	} else if (!access(LISTS, F_OK) || !*m->build_id || servers_named()) {
		snprintf(ret, room, "of no package: build it with -g, and do not strip it; assembly may have no names");
	} else {
		snprintf(ret, room, "DEBUGINFOD_URLS=%s%s", server(),
			 dusk_can_ask_servers() ? "" : ", for a dusk that is not static");
	}
}

static void symbol_hint_kernel(const struct dusk_profile *p, char *ret, size_t room)
{
	const char *release = dusk_profile_setting(p, "kernel");

	if (module_file_boot(p) || !dusk_profile_setting(p, "kernel_text"))
		snprintf(ret, room, "look up as root, or with kernel.kptr_restrict=0, in the boot that was recorded");
	else
		snprintf(ret, room,
			 "modules: look up in the boot that was recorded; the rest: /usr/lib/debug/boot/vmlinux-%s",
			 release ? release : "RELEASE");
}

bool dusk_frame_lacks_symbol(const struct dusk_profile *p, const struct dusk_frame *f)
{
	const struct dusk_function *function = &p->functions[f->function];
	size_t len;

	if (!f->function)
		return f->module;
	len = strlen(function->module);
	return !strncmp(function->name, function->module, len) && !strncmp(function->name + len, "+0x", 3);
}

bool dusk_profile_needs_names(const struct dusk_profile *p)
{
	uint32_t last = 0;

	if (!p->symbolized)
		return true;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		const struct dusk_module *m = &p->modules[f->module];

		if (f->module == last || m->kind != DUSK_MODULE_FILE || !dusk_frame_lacks_symbol(p, f))
			continue;
		if ((servers_named() && *m->build_id) || symbols_installed(m->build_id))
			return true;
		last = f->module;
	}
	return false;
}

void dusk_symbol_hint(const struct dusk_profile *p, uint32_t module, char *ret, size_t room)
{
	const struct dusk_module *m = &p->modules[module];

	switch (m->kind) {
	case DUSK_MODULE_FILE: symbol_hint_file(m, ret, room); break;
	case DUSK_MODULE_ANON: jit_hint(p, m->pid, ret, room); break;
	case DUSK_MODULE_KERNEL: symbol_hint_kernel(p, ret, room); break;
	default: snprintf(ret, room, "the recording lost what it was");
	}
}
