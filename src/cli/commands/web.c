/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk web: show a store in a browser. It becomes dusk-web, a program of its own (src/web/main.c). */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "cli/cmdline/command.h"
#include "cli/view/fleet.h"
#include "cli/cmdline/helper.h"

#define USUAL_STORE "/var/lib/dusk"
#define USUAL_ADDRESS "127.0.0.1:7417"

struct options {
	const char *listen, *token_file, *user_header, *host;
	bool open;
};

static const struct option options[] = {
	{0, "listen", OPTION_TEXT, offsetof(struct options, listen), "ADDRESS",
	 "where (default " USUAL_ADDRESS "; [::1]:7417)"},
	{0, "token-file", OPTION_TEXT, offsetof(struct options, token_file), "FILE",
	 "the token is in it (default: made by chance)"},
	{0, "user-header", OPTION_TEXT, offsetof(struct options, user_header), "NAME",
	 "a proxy checks users, and names them so"},
	{0, "host", OPTION_TEXT, offsetof(struct options, host), "NAMES",
	 "of this server or its proxy, in requests: a,b"},
	{0, "open", OPTION_FLAG, offsetof(struct options, open), NULL, "everybody who reaches the address may ask"},
	{0},
};

static int check(const struct command *self, const struct options *o, const char *store)
{
	if ((o->token_file != NULL) + (o->user_header != NULL) + o->open > 1)
		return say_usage(self, "--token-file, --user-header and --open exclude each other");
	if (!fleet_is_meant(store) && access(store, R_OK | X_OK)) {
		say("cannot read the store %s: %s", store, strerror(errno));
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int become_server(const struct options *o, const char *store)
{
	const char *mode = o->open ? "open" : o->user_header ? "header" : "token";
	const char *value = o->user_header ?: o->token_file;
	char self[PATH_MAX];
	const char *words[] = {HELPER_WEB, self, store, o->listen, o->host, mode, value, NULL};
	int err = helper_self(self);

	if (!err)
		return helper_become(words);
	say("cannot start " HELPER_WEB ": %s", strerror(-err));
	return STATUS_FAILED;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.listen = USUAL_ADDRESS, .host = ""};
	const char *store = USUAL_STORE;
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, &store, 1, &nr, &status))
		return status;
	status = check(self, &o, store);
	return status ? status : become_server(&o, store);
}

const struct command cmd_web = {
	.name = "web",
	.summary = "A store of profiles as pages for browsers, and an HTTP API",
	.arguments = "[options] [STORE]",
	.notes = "STORE is the folder that dusk agent fills (default " USUAL_STORE ").\n",
	.options = options,
	.run = run,
};
