/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of a request, by what a receiver of OTLP answers. Real receivers are asked in tests/cli/test_otlp.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "fleet/otlp/answer.h"

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

/* A google.rpc.Status with the text "busy" and a RetryInfo of 7 s. */
#define STATUS             \
	"\x08\x0e\x12\x04" \
	"busy\x1a\x30\x0a\x28type.googleapis.com/google.rpc.RetryInfo\x12\x04\x0a\x02\x08\x07"
#define STATUS_BASE64 "CA4SBGJ1c3kaMAoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIECgIIBw"
#define PARTIAL "\x0a\x0d\x08\x03\x12\x09not these"

static struct answer http(long status, int64_t retry_after_s, const uint8_t *body, size_t len)
{
	struct answer a;

	answer_http(&a, status, retry_after_s, body, len);
	return a;
}

static struct answer grpc(const char *status, const char *message, const char *details)
{
	struct answer a;

	answer_grpc(&a, status, message, details, NULL, 0);
	return a;
}

static void what_is_taken_may_be_without_a_part(void **state)
{
	struct answer a = http(200, 0, BYTES(PARTIAL));

	assert_int_equal(a.verdict, VERDICT_TAKEN);
	assert_int_equal(a.rejected, 3);
	assert_string_equal(a.text, "not these");
	a = http(200, 0, NULL, 0);
	assert_int_equal(a.verdict, VERDICT_TAKEN);
	assert_int_equal(a.rejected, 0);
	answer_grpc(&a, "0", "", "", BYTES("\0\0\0\0\x0f" PARTIAL));
	assert_int_equal(a.verdict, VERDICT_TAKEN);
	assert_int_equal(a.rejected, 3);
	answer_grpc(&a, "0", "", "", BYTES("\1\0\0\0\x0f" PARTIAL)); /* compressed, which we did not ask for */
	assert_int_equal(a.rejected, 0);
	answer_grpc(&a, "0", "", "", BYTES("\0\0\0\0\x10" PARTIAL)); /* cut */
	assert_int_equal(a.rejected, 0);
}

static void only_what_is_wrong_itself_is_refused(void **state)
{
	static const struct {
		long status;
		enum verdict verdict;
	} rows[] = {{400, VERDICT_REFUSED}, {422, VERDICT_REFUSED}, {413, VERDICT_TOO_LARGE}, {500, VERDICT_BROKEN},
		    {401, VERDICT_LATER},   {403, VERDICT_LATER},   {404, VERDICT_LATER},     {415, VERDICT_LATER},
		    {429, VERDICT_LATER},   {502, VERDICT_LATER},   {503, VERDICT_LATER},     {504, VERDICT_LATER},
		    {301, VERDICT_LATER},   {0, VERDICT_LATER}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(http(rows[i].status, 0, NULL, 0).verdict, rows[i].verdict);
}

static void a_status_of_grpc_is_read_likewise(void **state)
{
	static const struct {
		const char *status, *message;
		enum verdict verdict;
	} rows[] = {{"3", "", VERDICT_REFUSED},
		    {"9", "", VERDICT_REFUSED},
		    {"8", "", VERDICT_LATER},
		    {"8", "Received message larger than max (9 vs. 4)", VERDICT_TOO_LARGE},
		    {"8", "grpc: received message larger than max (9 vs. 4)", VERDICT_TOO_LARGE},
		    {"2", "", VERDICT_BROKEN},
		    {"13", "", VERDICT_BROKEN},
		    {"4", "", VERDICT_LATER},
		    {"7", "", VERDICT_LATER},
		    {"12", "", VERDICT_LATER},
		    {"14", "", VERDICT_LATER},
		    {"16", "", VERDICT_LATER},
		    {"77", "", VERDICT_LATER},
		    {"", "", VERDICT_LATER},
		    {"0x", "", VERDICT_LATER}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(grpc(rows[i].status, rows[i].message, "").verdict, rows[i].verdict);
	assert_string_equal(grpc("", "", "").text, "what it answers is not of gRPC");
}

static void a_receiver_may_ask_for_patience(void **state)
{
	assert_int_equal(http(503, 12, NULL, 0).patience_s, 12);
	assert_int_equal(http(503, -5, NULL, 0).patience_s, 0);
	assert_int_equal(http(503, INT64_MAX, NULL, 0).patience_s, 3600);
	assert_int_equal(http(503, 0, BYTES(STATUS)).patience_s, 7);
	assert_int_equal(grpc("14", "", STATUS_BASE64).patience_s, 7);
	assert_int_equal(grpc("14", "", STATUS_BASE64 "==").patience_s, 7);
	assert_int_equal(grpc("14", "", "!").patience_s, 0);
}

static void what_it_says_is_a_line_of_text(void **state)
{
	assert_string_equal(http(503, 0, BYTES("busy\n<html>")).text, "busy <html>");
	assert_string_equal(http(400, 0, BYTES("\x08\x03\x12\x0dit is no good")).text, "it is no good");
	assert_string_equal(http(503, 0, BYTES(STATUS)).text, "busy");
	assert_string_equal(http(503, 0, BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")).text, "");
	assert_string_equal(grpc("14", "busy, 100 %25%0a%4", "").text, "busy, 100 % %4");
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_taken_may_be_without_a_part), TEST(only_what_is_wrong_itself_is_refused),
		TEST(a_status_of_grpc_is_read_likewise),   TEST(a_receiver_may_ask_for_patience),
		TEST(what_it_says_is_a_line_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
