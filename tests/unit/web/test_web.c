/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who may ask the server of dusk web, and which command line answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "web/cache.h"
#include "web/guard.h"
#include "web/query.h"
#include "web/route.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static struct guard guard(enum guard_mode mode)
{
	return (struct guard){.mode = mode, .token = TOKEN, .header = "X-User", .cookie = "dusk-7417"};
}

/* @claim of a request to 127.0.0.1 that says nothing else */
#define ASK(mode, ...) \
	guard_ask(&(struct guard[]){guard(mode)}[0], &(struct guard_claim){.host = "127.0.0.1:7417", __VA_ARGS__})

static void nobody_asks_without_the_token(void **state)
{
	assert_int_equal(ASK(GUARD_TOKEN), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Bearer "), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Bearer 0123456789abcdef"), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Bearer " TOKEN "0"), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Bearer 1123456789abcdef0123456789abcdef"), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = TOKEN), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Basic " TOKEN), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Basic "), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Basic eDo="), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Basic MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
			 GUARD_NO); /* without a user */
	assert_int_equal(ASK(GUARD_TOKEN, .cookie = "dusk-7417="), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .cookie = "dusk-7418=" TOKEN), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .cookie = "xdusk-7417=" TOKEN), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .token = ""), GUARD_NO);
	assert_int_equal(ASK(GUARD_TOKEN, .header = "root"), GUARD_NO);
}

static void the_token_is_taken_from_header_cookie_and_address(void **state)
{
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Bearer " TOKEN), GUARD_YES);
	/* x:TOKEN */
	assert_int_equal(ASK(GUARD_TOKEN, .authorization = "Basic eDowMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZg=="),
			 GUARD_YES);
	assert_int_equal(ASK(GUARD_TOKEN, .cookie = "dusk-7417=" TOKEN), GUARD_YES);
	assert_int_equal(ASK(GUARD_TOKEN, .cookie = "a=b; dusk-7417=" TOKEN "; c=d"), GUARD_YES);
	assert_int_equal(ASK(GUARD_TOKEN, .token = TOKEN), GUARD_ENTER);
	assert_int_equal(ASK(GUARD_TOKEN, .token = TOKEN, .cookie = "dusk-7417=" TOKEN), GUARD_ENTER);
}

static void a_name_that_may_point_anywhere_is_refused(void **state)
{
	static const char *const wrong[] = {
		"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:7417", "[evil]", "", "[::1"};
	static const char *const right[] = {"dusk.example", "DUSK.example:7417", "localhost", "LOCALHOST:7417",
					    "127.0.0.1",    "192.0.2.1:80",	 "[::1]:7417"};
	struct guard g = guard(GUARD_OPEN);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong) - 1; i++)
		assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = wrong[i]}), GUARD_WRONG_HOST);
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = NULL}), GUARD_WRONG_HOST);
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = right[0]}), GUARD_WRONG_HOST);
	g.hosts = "dusk.example";
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong) - 1; i++)
		assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = wrong[i]}), GUARD_WRONG_HOST);
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = right[i]}), GUARD_YES);
}

static void behind_a_proxy_its_header_is_asked_for_and_the_host_is_checked(void **state)
{
	struct guard g = guard(GUARD_HEADER);

	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = "evil.example", .header = "ann"}),
			 GUARD_WRONG_HOST);
	assert_int_equal(ASK(GUARD_HEADER, .header = "ann"), GUARD_YES);
	g.hosts = "profiles.example,dusk.example";
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = "evil.example", .header = "ann"}),
			 GUARD_WRONG_HOST);
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = "dusk.example:443", .header = "ann"}), GUARD_YES);
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = "Profiles.Example", .header = "ann"}), GUARD_YES);
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = "dusk.example", .header = "ann"}), GUARD_YES);
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = "dusk.example"}), GUARD_NO);
	assert_int_equal(guard_ask(&g, &(struct guard_claim){.host = "dusk.example", .header = ""}), GUARD_NO);
	assert_int_equal(ASK(GUARD_HEADER, .authorization = "Bearer " TOKEN), GUARD_NO);
}

static void an_address_keeps_its_parameters(void **state)
{
	static const struct asked asked[] = {{"from", "-2h"}, {"focus", "a b&c=\r\n\xc3\xa4"}, {"live", ""}};
	char *query = query_of(asked, 3);

	(void)state;
	assert_string_equal(query, "?from=-2h&focus=a%20b%26c%3D%0D%0A%C3%A4&live=");
	free(query);
	query = query_of(asked, 0);
	assert_string_equal(query, "");
	free(query);
}

static int read_token(const char *text)
{
	char path[] = "/tmp/dusk-token-XXXXXX";
	int fd = mkstemp(path), err;
	struct guard g = {0};

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = guard_read_token(&g, path);
	if (!err)
		assert_int_equal(strncmp(g.token, text, strlen(g.token)), 0);
	unlink(path);
	return err;
}

static void a_token_is_the_first_line_of_a_file(void **state)
{
	char longest[300];

	assert_int_equal(read_token("abcdefghijklmnop\n"), 0);
	assert_int_equal(read_token("abcdefghijklmnop\r\nsecond line\n"), 0);
	assert_int_equal(read_token("short\n"), -EINVAL);
	assert_int_equal(read_token(""), -EINVAL);
	assert_int_equal(read_token("abcdefghijklmnop; Path=/\n"), -EINVAL);
	memset(longest, 'a', sizeof(longest));
	longest[128] = 0;
	assert_int_equal(read_token(longest), 0);
	longest[128] = 'a';
	longest[129] = 0;
	assert_int_equal(read_token(longest), -EINVAL);
	assert_int_equal(guard_read_token(&(struct guard){0}, "/nonexistent"), -ENOENT);
}

static void a_token_that_others_may_read_is_none(void **state)
{
	char path[] = "/tmp/dusk-token-XXXXXX";
	int fd = mkstemp(path);
	struct guard g = {0};

	(void)state;
	assert_int_equal(write(fd, TOKEN, strlen(TOKEN)), strlen(TOKEN));
	assert_int_equal(fchmod(fd, 0640), 0);
	assert_int_equal(guard_read_token(&g, path), 0);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(guard_read_token(&g, path), -EACCES);
	assert_int_equal(fchmod(fd, 0602), 0);
	assert_int_equal(guard_read_token(&g, path), -EACCES);
	close(fd);
	unlink(path);
}

static void tokens_by_chance_differ(void **state)
{
	struct guard a = {0}, b = {0};

	assert_int_equal(guard_make_token(&a), 0);
	assert_int_equal(guard_make_token(&b), 0);
	assert_int_equal(strlen(a.token), 32);
	assert_string_not_equal(a.token, b.token);
}

/* The command line of what @path is asked, its words between blanks; or the error after "! ". */
static const char *line(const char *path, const struct asked *asked, size_t nr)
{
	static char text[4096];
	struct words words = {.v = {0}};
	char error[256] = "";
	size_t len = 0;
	int err = route_words(route_find(path), "/st", asked, nr, &words, error);

	if (err)
		snprintf(text, sizeof(text), "! %s", error);
	for (size_t i = 0; !err && words.v.v[i]; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "", words.v.v[i]);
	words_done(&words);
	return text;
}
#define LINE(path, ...)                                               \
	line(path, (const struct asked[]){{"from", ""}, __VA_ARGS__}, \
	     sizeof((const struct asked[]){{"from", ""}, __VA_ARGS__}) / sizeof(struct asked))

static void a_request_becomes_a_command_line(void **state)
{
	assert_string_equal(line("/api/v1/flame", NULL, 0), "dusk flame --data /st@-1h..");
	assert_string_equal(LINE("/api/v1/flame", {"from", "-2h"}, {"to", "-1h"}), "dusk flame --data /st@-2h..-1h");
	assert_string_equal(LINE("/api/v1/flame", {"to", "12:00"}), "dusk flame --data /st@..12:00");
	assert_string_equal(LINE("/api/v1/flame", {"before_from", "-3h"}, {"before_to", "-2h"}, {"service", "shop"}),
			    "dusk flame --data --service=shop /st@-3h..-2h /st@-1h..");
	assert_string_equal(LINE("/api/v1/flame", {"before", "version=1a*"}, {"version", "2b"}),
			    "dusk flame --data --before=version=1a* --version=2b /st@-1h.. /st@-1h..");
	assert_string_equal(LINE("/api/v1/diff", {"before", "host=web-1"}, {"before_to", "-2h"}, {"from", "-30m"}),
			    "dusk diff --json --before=host=web-1 /st@..-2h /st@-30m..");
	assert_string_equal(LINE("/api/v1/functions", {"kind", "off-cpu"}, {"limit", "7"}),
			    "dusk report --json --sort function,dso --off-cpu --limit=7 /st@-1h..");
	assert_string_equal(LINE("/api/v1/export", {"format", "speedscope"}, {"focus", "a|b"}),
			    "dusk export --format=speedscope --focus=a|b /st@-1h..");
	assert_string_equal(line("/debug/pprof/profile", NULL, 0), "dusk export --cpu --format pprof /st@-50s..");
	assert_string_equal(line("/debug/pprof/profile", (struct asked[]){{"seconds", "10"}, {"comm", "sh"}}, 2),
			    "dusk export --cpu --format pprof --comm=sh /st@-30s..");
}

static void a_value_is_never_an_option_of_its_own(void **state)
{
	assert_string_equal(LINE("/api/v1/flame", {"service", "--output=/etc/passwd"}),
			    "dusk flame --data --service=--output=/etc/passwd /st@-1h..");
}

static void an_option_without_a_value_is_asked_for_by_yes(void **state)
{
	assert_string_equal(LINE("/api/v1/flame", {"native", "yes"}), "dusk flame --data --native /st@-1h..");
	assert_string_equal(LINE("/api/v1/flame", {"native", ""}), "dusk flame --data /st@-1h..");
	assert_string_equal(LINE("/api/v1/flame", {"native", "1"}), "! native is not '1'");
}

static void what_a_route_does_not_take_is_refused(void **state)
{
	char longest[1100];

	assert_string_equal(LINE("/api/v1/functions", {"before_from", "-1h"}),
			    "! /api/v1/functions takes no parameter 'before_from'; /api/v1/openapi.json lists them");
	assert_string_equal(LINE("/api/v1/flame", {"output", "/tmp/x"}),
			    "! /api/v1/flame takes no parameter 'output'; /api/v1/openapi.json lists them");
	assert_string_equal(line("/api/v1/diff", NULL, 0), "! /api/v1/diff needs before_from, before_to, or before");
	assert_string_equal(LINE("/api/v1/functions", {"kind", "sideways"}), "! kind is not 'sideways'");
	assert_string_equal(LINE("/api/v1/flame", {"from", "/../x"}),
			    "! from is no time: -1h, now, 03:12, 2026-11-24T03:12Z");
	assert_string_equal(LINE("/api/v1/flame", {"from", "-2h..-1h"}),
			    "! from is no time: -1h, now, 03:12, 2026-11-24T03:12Z");
	assert_string_equal(line("/debug/pprof/profile", (struct asked[]){{"seconds", "-1"}}, 1),
			    "! seconds takes a number");
	assert_string_equal(LINE("/api/v1/flame", {"ignore", "x\n--dso=y"}),
			    "! the value of ignore has control characters");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_string_equal(LINE("/api/v1/flame", {"service", longest}),
			    "! the value of service has more than 1000 bytes");
}

static void every_parameter_belongs_to_a_route_and_no_path_is_there_twice(void **state)
{
	unsigned int takes = 0;

	for (const struct route *r = routes; r->path; r++) {
		assert_ptr_equal(route_find(r->path), r);
		takes |= r->takes;
	}
	for (const struct parameter *p = parameters; p->name; p++)
		assert_true(p->takes & takes);
	assert_null(route_find("/api/v1"));
	assert_null(route_find("/api/v1/flame/"));
}

/* ---- Answers that are kept ---- */

#define WORDS(...) ((const char *const[]){"dusk", "report", __VA_ARGS__, NULL})

static char folder[64];
static time_t now_s;

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "a");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_store(void **state)
{
	strcpy(folder, "/tmp/test_web_XXXXXX");
	assert_non_null(mkdtemp(folder));
	write_file("a.dusk", "profile");
	return 0;
}

static int remove_store(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* What is kept for this request; NULL: nothing was, and now @text is. */
static const char *ask_cache(struct cache *c, const char *span, const char *text)
{
	static char answer[64];
	struct cache_entry e = {.key = NULL};
	char word[128];
	bool found;

	snprintf(word, sizeof(word), "%s@%s", folder, span);
	found = cache_find(c, folder, WORDS("--json", word), now_s, &e);
	snprintf(answer, sizeof(answer), "%.*s", (int)e.bytes.nr, e.bytes.nr ? e.bytes.v : "");
	if (!found) {
		cache_entry_add(&e, text, strlen(text));
		cache_keep(c, &e);
	}
	cache_entry_done(&e);
	return found ? answer : NULL;
}

static void an_answer_is_given_again_until_the_store_changes(void **state)
{
	struct cache *c = cache_new();

	assert_null(ask_cache(c, "2026-11-24T02:00Z..2026-11-24T03:00Z", "one"));
	assert_string_equal(ask_cache(c, "2026-11-24T02:00Z..2026-11-24T03:00Z", "-"), "one");
	assert_null(ask_cache(c, "2026-11-24T02:00Z..", "two"));
	assert_string_equal(ask_cache(c, "2026-11-24T02:00Z..", "-"), "two");
	write_file("a.dusk", "more");
	assert_null(ask_cache(c, "2026-11-24T02:00Z..2026-11-24T03:00Z", "three"));
	write_file("b.dusk", "");
	assert_null(ask_cache(c, "2026-11-24T02:00Z..2026-11-24T03:00Z", "four"));
	assert_string_equal(ask_cache(c, "2026-11-24T02:00Z..2026-11-24T03:00Z", "-"), "four");
	cache_free(c);
}

static void answers_that_nobody_asks_for_go_first(void **state)
{
	struct cache *c = cache_new();
	char *large = malloc(CACHE_MAX_ANSWER + 2), span[32];

	memset(large, 'x', CACHE_MAX_ANSWER + 1);
	large[CACHE_MAX_ANSWER + 1] = 0;
	assert_null(ask_cache(c, "2026-11-23Z..2026-11-24Z", large));
	assert_null(ask_cache(c, "2026-11-23Z..2026-11-24Z", "too large it was"));
	large[CACHE_MAX_ANSWER] = 0;
	for (int i = 0; i <= CACHE_MAX_BYTES / CACHE_MAX_ANSWER; i++) {
		snprintf(span, sizeof(span), "..2026-11-2%dZ", i);
		assert_null(ask_cache(c, span, large));
		assert_non_null(ask_cache(c, "2026-11-23Z..2026-11-24Z", "-"));
	}
	assert_non_null(ask_cache(c, span, "-"));
	assert_null(ask_cache(c, "..2026-11-20Z", "-"));
	free(large);
	cache_free(c);
}

/* Is the answer of @span of a server there at @at_s? If not it is from then on. */
static bool is_kept(struct cache *c, const char *span, time_t at_s)
{
	struct cache_entry e = {.key = NULL};
	char word[128];
	bool found;

	snprintf(word, sizeof(word), "clickhouse://h/d@%s", span);
	found = cache_find(c, "clickhouse://h/d", WORDS("--json", word), at_s, &e);
	if (!found)
		cache_keep(c, &e);
	cache_entry_done(&e);
	return found;
}

static void of_a_server_what_does_not_move_holds_for_minutes(void **state)
{
	struct cache *c = cache_new();

	assert_false(is_kept(c, "2026-11-23Z..2026-11-24Z", 3000));
	assert_true(is_kept(c, "2026-11-23Z..2026-11-24Z", 3299));
	assert_false(is_kept(c, "2026-11-23Z..2026-11-24Z", 3300));
	assert_false(is_kept(c, "-1h..", 3000));
	assert_true(is_kept(c, "-1h..", 3009));
	assert_false(is_kept(c, "-1h..", 3010));
	cache_free(c);
}

static void what_moves_with_the_clock_holds_for_a_window(void **state)
{
	struct cache *c = cache_new();

	now_s = 1000;
	assert_null(ask_cache(c, "-1h..", "moving"));
	assert_null(ask_cache(c, "2026-11-24T02:00Z..", "fixed"));
	now_s = 1009;
	assert_string_equal(ask_cache(c, "-1h..", "-"), "moving");
	now_s = 1010;
	assert_null(ask_cache(c, "-1h..", "later"));
	assert_string_equal(ask_cache(c, "2026-11-24T02:00Z..", "-"), "fixed");
	cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_asks_without_the_token),
		cmocka_unit_test(the_token_is_taken_from_header_cookie_and_address),
		cmocka_unit_test(a_name_that_may_point_anywhere_is_refused),
		cmocka_unit_test(behind_a_proxy_its_header_is_asked_for_and_the_host_is_checked),
		cmocka_unit_test(an_address_keeps_its_parameters),
		cmocka_unit_test(a_token_is_the_first_line_of_a_file),
		cmocka_unit_test(a_token_that_others_may_read_is_none),
		cmocka_unit_test(tokens_by_chance_differ),
		cmocka_unit_test(a_request_becomes_a_command_line),
		cmocka_unit_test(a_value_is_never_an_option_of_its_own),
		cmocka_unit_test(an_option_without_a_value_is_asked_for_by_yes),
		cmocka_unit_test(what_a_route_does_not_take_is_refused),
		cmocka_unit_test(every_parameter_belongs_to_a_route_and_no_path_is_there_twice),
		cmocka_unit_test_setup_teardown(an_answer_is_given_again_until_the_store_changes, make_store,
						remove_store),
		cmocka_unit_test_setup_teardown(answers_that_nobody_asks_for_go_first, make_store, remove_store),
		cmocka_unit_test_setup_teardown(what_moves_with_the_clock_holds_for_a_window, make_store, remove_store),
		cmocka_unit_test_setup_teardown(of_a_server_what_does_not_move_holds_for_minutes, make_store,
						remove_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
